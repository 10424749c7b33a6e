"""Memories that a person vouches for, and what only a person may take away."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from ..errors import PermissionDenied
from ..facts.models import CONTRADICTS, FactState
from ..memory import vouching
from ..memory.models import HIDDEN, Status
from . import guards

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows


async def vouched(rows: "TransactionRows", namespace: str, memory_ids: Collection[str]) -> list[str]:
    """Return the ids of those of some memories that a person vouches for."""
    confirmed = await rows.changes.confirmed(namespace, memory_ids)
    return list(dict.fromkeys(memory.id for memory, reason in confirmed if vouching.is_vouched(memory, reason)))


async def withdrawn_confirmations(
    rows: "TransactionRows", namespace: str, before: Mapping[str, FactState], after: Mapping[str, FactState]
) -> list[str]:
    """Return the ids of what a person vouches for and new standings would take away."""
    losing = vouching.unmade(before, after)
    return await vouched(rows, namespace, losing) if losing else []


async def forbids(
    rows: "TransactionRows",
    namespace: str,
    by: str,
    before: Mapping[str, FactState],
    after: Mapping[str, FactState],
    now: datetime,
) -> bool:
    """Return whether a job may not set standings, as a person vouches for what it takes away, or it needs a review.

    Raises PermissionDenied for an agent, also where it takes away a side of a contest that is the better trusted one.
    """
    if by == vouching.HUMAN:
        return False
    lost = await withdrawn_confirmations(rows, namespace, before, after)
    if by != "agent":
        return bool(lost) or await guards.left_to_review(rows, namespace, before, after)
    if lost:
        raise PermissionDenied(_refusal(lost[0]))
    await guards.guard_standings(rows, namespace, before, after, now)
    leaving = [name for name in after if after[name].status in HIDDEN and before[name].status not in HIDDEN]
    await _guard_contests(rows, namespace, leaving)
    return False


async def guard_ending(rows: "TransactionRows", namespace: str, memory_ids: Collection[str]) -> None:
    """Refuse to end what a person vouches for. Raises PermissionDenied."""
    for name in await vouched(rows, namespace, memory_ids):
        raise PermissionDenied(_refusal(name))


async def guard_erasing(rows: "TransactionRows", namespace: str, memory_ids: Collection[str]) -> None:
    """Refuse to erase what a person vouches for, or is to decide about. Raises PermissionDenied."""
    await guard_ending(rows, namespace, memory_ids)
    await _guard_contests(rows, namespace, memory_ids)


async def _guard_contests(rows: "TransactionRows", namespace: str, leaving: Collection[str]) -> None:
    """Refuse to take away what a less trusted newcomer contests, unless that goes too. Raises PermissionDenied."""
    contests = await rows.relations.against(leaving, CONTRADICTS) if leaving else []
    staying = [one for one in contests if one.from_id not in leaving]
    sides = {name for one in staying for name in (one.from_id, one.to_id)}
    present = await rows.memories.get(namespace, sides) if sides else {}
    for one in staying:
        new, old = present.get(one.from_id), present.get(one.to_id)
        if new and old and new.status is Status.CONTESTED and new.trust < old.trust:
            raise PermissionDenied(
                f"memory_id: memory {old.id} is contradicted by a less trusted source, and an agent may not side "
                "with that; nothing was changed; a human must decide: agentos approvals"
            )


def _refusal(memory_id: str) -> str:
    return (
        f"memory_id: memory {memory_id} was confirmed by a person, who alone can end it, at a terminal: agentos forget "
        f"{memory_id}"
    )
