"""What a human is asked when memories contradict each other, in the transaction that made them contested."""

from datetime import datetime, timedelta

import aiosqlite

from ...modules.approvals.models import ApprovalRequest
from ...modules.approvals.risk import RiskInputs
from ...modules.facts import models as facts
from .approvals import is_asked, withdraw_requests, write_request

ACTION = "resolve_contest"
RISK = RiskInputs(impact=0.8, reversibility=0.3, sensitivity=0.6)
"""What is held to be true changes: never without a human."""
WAITS = timedelta(days=3650)
"""As long as it is contested: nobody else can end it, and it is withdrawn when it is settled otherwise."""


async def ask(
    connection: aiosqlite.Connection, namespace: str, request: facts.ApprovalRequest, by: str, now: datetime
) -> str:
    """Put the question into the inbox, once for each memory that came; returns the approval's id.

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


async def withdraw(connection: aiosqlite.Connection, namespace: str, memory_id: str, why: str, now: datetime) -> None:
    """Close the question about the arrival of a memory, if there is one."""
    await withdraw_requests(connection, namespace, ACTION, _subject(memory_id), now, why)


async def waits(connection: aiosqlite.Connection, namespace: str, memory_id: str) -> bool:
    """Whether a human is asked about the arrival of a memory."""
    return await is_asked(connection, namespace, ACTION, _subject(memory_id))


def _subject(memory_id: str) -> str:
    return f"memory:{memory_id}"
