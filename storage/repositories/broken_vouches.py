"""The question whether a person vouches for a memory as it reads now, asked in the transaction that rewrites it."""

from datetime import datetime, timedelta

from ...modules.approvals.models import ApprovalRequest
from ...modules.approvals.risk import RiskInputs
from ...modules.memory import vouching
from ...modules.memory.models import Memory
from ..engine.ports import Connection
from .approvals import is_asked, withdraw_requests, write_request

RISK = RiskInputs(impact=0.8, reversibility=0.3, sensitivity=0.6)
"""High, because a yes has agents told it at every moment: never without a person."""
WAITS = timedelta(days=3650)
"""In effect unlimited: the question is withdrawn once it is settled otherwise."""


async def look(connection: Connection, before: Memory, after: Memory, now: datetime) -> None:
    """Ask where a person vouched for a memory as it read before, or is asked, and nobody does as it reads after.

    The question names ids alone: what is erased must be gone from the inbox too.
    """
    if vouching.seal(before) == vouching.seal(after):
        return
    reasons = [
        row["reason"]
        for row in await connection.fetch_all(
            "SELECT reason FROM changes WHERE namespace = ? AND memory_id = ? AND by = 'human' AND action = 'confirm' "
            "AND reverted_by IS NULL",
            (after.namespace, after.id),
        )
    ]
    if any(vouching.is_vouched(after, reason) for reason in reasons):
        await withdraw(connection, after.namespace, after.id, "it reads as it was confirmed again", now)
    elif any(vouching.is_vouched(before, reason) for reason in reasons) or (
        reasons and await is_asked(connection, after.namespace, vouching.AGAIN, _subject(after.id))
    ):
        asked = ApprovalRequest(
            after.namespace,
            _subject(after.id),
            vouching.AGAIN,
            {"memory": after.id, "seal": vouching.seal(after)},
            RISK,
            f"{after.id} was confirmed by a person and has been rewritten: does it hold as it reads now?",
            f"agent:{after.namespace}",
            valid_for=WAITS,
        )
        await write_request(connection, asked, now)


async def withdraw(connection: Connection, namespace: str, memory_id: str, why: str, now: datetime) -> None:
    """Withdraw the question about a memory, if there is one."""
    await withdraw_requests(connection, namespace, vouching.AGAIN, _subject(memory_id), now, why)


def _subject(memory_id: str) -> str:
    return f"memory:{memory_id}"
