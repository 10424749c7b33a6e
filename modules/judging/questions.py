"""The questions to a person that a change of memories raises: which of two holds, and whether a rewritten one does.

They name ids alone: what is erased must be gone from the inbox too.
"""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ..approvals.models import MAX_REASON_CHARS, ApprovalRequest
from ..approvals.risk import RiskInputs
from ..facts.models import ContestQuestion
from ..memory import vouching
from ..memory.models import Memory

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows

CONTEST = "resolve_contest"
RISK = RiskInputs(impact=0.8, reversibility=0.3, sensitivity=0.6)
"""High, because the answer changes what agents hold to be true: never without a person."""
WAITS = timedelta(days=3650)
"""In effect unlimited: a question is withdrawn once it is settled otherwise."""


async def ask_which_holds(
    rows: "TransactionRows", namespace: str, request: ContestQuestion, by: str, now: datetime
) -> str:
    """Ask about memories that contradict each other, once for each new one; return the approval's id."""
    reason = f"{request.new} contradicts {', '.join(request.old)}: may it supersede them?"
    asked = ApprovalRequest(
        namespace,
        _subject(request.new),
        CONTEST,
        request.payload,
        RISK,
        reason[:MAX_REASON_CHARS],
        f"{by}:{namespace}",
        valid_for=WAITS,
    )
    return await rows.questions.ask(asked, now)


async def withdraw_contest(rows: "TransactionRows", namespace: str, memory_id: str, why: str, now: datetime) -> None:
    """Withdraw the question whether a new memory holds, if there is one."""
    await rows.questions.withdraw(namespace, CONTEST, _subject(memory_id), now, why)


async def is_contest_asked(rows: "TransactionRows", namespace: str, memory_id: str) -> bool:
    """Return whether a person is asked about a new memory."""
    return await rows.questions.is_asked(namespace, CONTEST, _subject(memory_id))


async def ask_again(rows: "TransactionRows", before: Memory, after: Memory, now: datetime) -> None:
    """Ask where a person vouched for a memory as it read before, or is asked, and nobody does as it reads after."""
    if vouching.seal(before) == vouching.seal(after):
        return
    reasons = [reason for _, reason in await rows.changes.confirmed(after.namespace, [after.id])]
    if any(vouching.is_vouched(after, reason) for reason in reasons):
        await withdraw_again(rows, after.namespace, after.id, "it reads as it was confirmed again", now)
        return
    vouched = any(vouching.is_vouched(before, reason) for reason in reasons)
    if vouched or (reasons and await rows.questions.is_asked(after.namespace, vouching.AGAIN, _subject(after.id))):
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
        await rows.questions.ask(asked, now)


async def withdraw_again(rows: "TransactionRows", namespace: str, memory_id: str, why: str, now: datetime) -> None:
    """Withdraw the question whether a rewritten memory holds, if there is one."""
    await rows.questions.withdraw(namespace, vouching.AGAIN, _subject(memory_id), now, why)


def _subject(memory_id: str) -> str:
    return f"memory:{memory_id}"
