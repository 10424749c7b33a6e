"""Rolling back: everything from one source or session is archived, and what it had replaced holds again. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ..facts.models import SUPERSEDES, FactState
from ..records import dataclass
from . import lifecycle
from .conflict_resolution import ARRIVALS, Decision
from .lifecycle import Verdict
from .models import Change, Memory, Status

ROLLBACK = "rollback"
_RESOLVED = "resolve"


@dataclass(frozen=True)
class Rollback:
    """The memories that a rollback archives, newest first, and those that hold again; `change` undoes it, if made.

    `complete` is False where there is more than one rollback takes: the next one takes it.
    """

    archived: tuple[Memory, ...]
    restored: tuple[Memory, ...]
    complete: bool = True
    change: str | None = None


def decision(
    memories: Sequence[Memory], beside: Sequence[Memory], changes: Mapping[str, Sequence[Change]], reason: str
) -> Decision | None:
    """Return one decision that archives `memories`, given newest first, and undoes their effects on those `beside`.

    `changes` are those about each memory, newest first. A memory holds again as it did before, but where something else
    has replaced it or its successor meanwhile: then it ends where that began. A memory whose standing is no longer what
    such a change made it is left alone. None where nothing changes.
    """
    before = {memory.id: memory.standing for memory in (*beside, *memories)}
    now = dict(before)
    leaving = {memory.id for memory in memories}
    for memory in memories:
        ended = now[memory.id].valid_to
        for change in changes.get(memory.id, ()):
            if change.reverted_by is None and _did(memory.id, change):
                for name in change.after:
                    if name != memory.id and now.get(name) == change.after[name]:
                        now[name] = _again(change.before[name], ended, leaves=name in leaving)
    for memory in memories:
        now[memory.id] = replace(before[memory.id], status=lifecycle.after(Verdict.ARCHIVE, memory).status)
    standings = {name: standing for name, standing in now.items() if standing != before[name]}
    if not standings:
        return None
    return Decision(ROLLBACK, memories[0].id, reason, standings)


def _did(memory_id: str, change: Change) -> bool:
    """Return whether a memory caused a change."""
    if any(each.from_id == memory_id and each.type == SUPERSEDES for each in change.relations):
        return True
    return change.memory_id == memory_id and change.action in (*ARRIVALS, _RESOLVED)


def _again(standing: FactState, ended: datetime | None, *, leaves: bool) -> FactState:
    """Return how a memory stood, until something that stays replaced its successor."""
    if ended is None or leaves:
        return standing
    return replace(standing, valid_to=ended if standing.valid_to is None else min(ended, standing.valid_to))


def is_restored(memory: Memory, found: Decision) -> bool:
    """Return whether a decision makes a memory hold again, or stand uncontested."""
    after = found.standings.get(memory.id)
    return after is not None and after.status not in (Status.ARCHIVED, Status.FORGOTTEN)
