"""The lifecycle of a memory: one table of the status after each verdict, and what verdicts do to its confidence.

candidate ──▶ active ──▶ stale ──▶ archived        contested: from candidate, active or stale
forgotten: from any; erased when its retention ends. Superseded is no status: `valid_to` is set.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from ..errors import Conflict
from ..facts import conflicts
from ..facts.models import FactState
from . import formulas
from .models import Memory, Status

EXPLICIT_CONFIDENCE = 0.7
"""The confidence of what an agent stores outright without giving one."""
CANDIDATE_BELOW = 0.5
"""Given with less confidence, a memory is a candidate."""
CONFIRMED, REUSED, REJECTED = 0.25, 0.35, 0.5
"""What a confirmation and a reuse add to the confidence, and what a rejection multiplies it by."""
TRUSTED = conflicts.TRUSTED
"""The least trust in the source of what may confirm or supersede."""
BELIEVED = (Status.ACTIVE, Status.CONTESTED, Status.STALE)
"""Statuses of what may be shown unasked, if `is_believed`."""


class Verdict(StrEnum):
    """A verdict about one memory, or an act upon it."""

    CONFIRM = "confirm"
    REJECT = "reject"
    SUPERSEDE = "supersede"
    REUSE = "reuse"
    ARCHIVE = "archive"
    FORGET = "forget"
    RESTORE = "restore"
    AGE = "age"


_CANDIDATE, _ACTIVE, _CONTESTED = Status.CANDIDATE, Status.ACTIVE, Status.CONTESTED
_STALE, _ARCHIVED, _FORGOTTEN = Status.STALE, Status.ARCHIVED, Status.FORGOTTEN

TRANSITIONS: Mapping[Verdict, Mapping[Status, Status]] = {
    Verdict.CONFIRM: {_CANDIDATE: _ACTIVE, _ACTIVE: _ACTIVE, _CONTESTED: _ACTIVE, _STALE: _ACTIVE},
    Verdict.REJECT: {_CANDIDATE: _CONTESTED, _ACTIVE: _CONTESTED, _CONTESTED: _CONTESTED, _STALE: _CONTESTED},
    Verdict.SUPERSEDE: {_CANDIDATE: _CANDIDATE, _ACTIVE: _ACTIVE, _CONTESTED: _ACTIVE, _STALE: _STALE},
    Verdict.REUSE: {_CANDIDATE: _ACTIVE, _ACTIVE: _ACTIVE, _CONTESTED: _CONTESTED, _STALE: _ACTIVE},
    Verdict.ARCHIVE: {
        _CANDIDATE: _ARCHIVED, _ACTIVE: _ARCHIVED, _CONTESTED: _ARCHIVED, _STALE: _ARCHIVED, _ARCHIVED: _ARCHIVED,
    },
    Verdict.FORGET: dict.fromkeys(Status, _FORGOTTEN),
    Verdict.RESTORE: {
        _CANDIDATE: _CANDIDATE, _ACTIVE: _ACTIVE, _CONTESTED: _CONTESTED,
        _STALE: _ACTIVE, _ARCHIVED: _ACTIVE, _FORGOTTEN: _ACTIVE,
    },
    Verdict.AGE: {_CANDIDATE: _STALE, _ACTIVE: _STALE, _STALE: _ARCHIVED},
}  # fmt: skip
"""The status after a verdict, by the status before it; what is missing is refused."""


def after(verdict: Verdict, memory: Memory) -> FactState:
    """Return the standing of a memory after a verdict. Raises Conflict where its status does not allow it."""
    status = TRANSITIONS[verdict].get(memory.status)
    if status is None:
        remedy = "memory_revert brings it back" if memory.status in (_ARCHIVED, _FORGOTTEN) else "leave it as it is"
        raise Conflict(f"memory_id: memory {memory.id} is {memory.status}, so {verdict} does not apply; {remedy}")
    if verdict is Verdict.RESTORE and status is _ACTIVE and memory.confidence < CANDIDATE_BELOW:
        status = _CANDIDATE
    standing = replace(memory.standing, status=status)
    match verdict:
        case Verdict.CONFIRM:
            return replace(
                standing,
                confidence=formulas.clamp01(memory.confidence + CONFIRMED),
                confirmations=memory.confirmations + 1,
            )
        case Verdict.REUSE:
            return replace(standing, confidence=formulas.clamp01(memory.confidence + REUSED))
        case Verdict.REJECT:
            return replace(standing, confidence=memory.confidence * REJECTED, rejections=memory.rejections + 1)
    return standing


def is_believed(memory: Memory) -> bool:
    """Return whether a memory may be shown without a query for it.

    An active one may: whoever had the last word stood up for it. A contested one, which is a doubtful newcomer or was
    rejected, may if more confirmed than rejected it; a stale one unless it was a candidate until it went stale. A
    candidate may not.
    """
    if memory.status is _CONTESTED:
        return memory.confirmations > memory.rejections
    if memory.status is _STALE:
        return memory.confidence >= CANDIDATE_BELOW or memory.confirmations > 0
    return memory.status is _ACTIVE


def superseded(old: Memory, since: datetime) -> FactState:
    """Return the standing of a memory that another one replaces from `since` on.

    One that holds only from a later moment never held, and is not shown until then. One that had ended before keeps its
    end. Raises Conflict where its status forbids it.
    """
    standing = after(Verdict.SUPERSEDE, old)
    return replace(standing, valid_to=since if old.valid_to is None else min(since, old.valid_to))


def may_supersede(new: Memory, old: Memory) -> bool:
    """Return whether a memory is sure enough, and from a source good enough, to replace another without a human."""
    sure = new.confidence >= CANDIDATE_BELOW and new.status is not Status.CANDIDATE
    return sure and new.trust >= TRUSTED and old.trust - new.trust <= conflicts.TRUST_GAP
