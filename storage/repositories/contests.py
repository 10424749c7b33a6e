"""The question to a human about memories that contradict each other, asked in the transaction that contests them."""

from datetime import datetime, timedelta

from ...modules.approvals.models import ApprovalRequest
from ...modules.approvals.risk import RiskInputs
from ...modules.facts import models as facts
from ..engine.ports import Connection
from .approvals import is_asked, withdraw_requests, write_request

ACTION = "resolve_contest"
RISK = RiskInputs(impact=0.8, reversibility=0.3, sensitivity=0.6)
"""High, because the answer changes what is held to be true: never without a human."""
WAITS = timedelta(days=3650)
"""In effect unlimited: only a human can answer, and the question is withdrawn if it is settled otherwise."""


async def ask(connection: Connection, namespace: str, request: facts.ApprovalRequest, by: str, now: datetime) -> str:
    """Put the question into the inbox, once for each new memory; return the approval's id.

    It names ids alone: what is erased must be gone from the inbox too.
    """
    reason = f"{request.new} contradicts {', '.join(request.old)}: may it supersede them?"
    asked = ApprovalRequest(
        namespace,
        _subject(request.new),
        ACTION,
        request.payload,
        RISK,
        reason[:500],
        f"{by}:{namespace}",
        valid_for=WAITS,
    )
    return (await write_request(connection, asked, now)).id


async def withdraw(connection: Connection, namespace: str, memory_id: str, why: str, now: datetime) -> None:
    """Withdraw the question about a new memory, if there is one."""
    await withdraw_requests(connection, namespace, ACTION, _subject(memory_id), now, why)


async def waits(connection: Connection, namespace: str, memory_id: str) -> bool:
    """Return whether a human is asked about a new memory."""
    return await is_asked(connection, namespace, ACTION, _subject(memory_id))


def _subject(memory_id: str) -> str:
    return f"memory:{memory_id}"
