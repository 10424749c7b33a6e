"""Guards of a namespace: refuse to store where it is full, or to change what is watched.

A direct change of a watched memory, other than a merge, is refused or reported. Guarded are agents' actions: storing,
correcting, ending, erasing, importing. Decisions of a person and candidates are exempt.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..branches.models import Demand, Governance, Watch
from ..errors import PermissionDenied, QuotaExceeded
from ..facts.models import FactState
from ..insights.models import InsightDraft, InsightKey, InsightKind, InsightSeverity
from ..memory import vouching
from ..memory.models import HIDDEN, Memory, Status

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows

SHOWN = 5


async def governance(rows: "TransactionRows", namespace: str) -> Governance:
    """Return the rules of a namespace."""
    return Governance(namespace, await rows.namespaces.review(namespace), await rows.namespaces.watches(namespace))


async def reviewed(rows: "TransactionRows", namespace: str) -> tuple[Watch, ...]:
    """Return what is watched so that a change of it needs a review."""
    return tuple(one for one in await rows.namespaces.watches(namespace) if one.demands is Demand.REVIEW)


def holds(status: str) -> bool:
    """Return whether a memory of that status tells anything: it is neither hidden nor waits to be confirmed."""
    return status not in (Status.CANDIDATE, *HIDDEN)


async def guard(rows: "TransactionRows", namespace: str, memories: Iterable[Memory], now: datetime) -> None:
    """Let an agent change memories. Raises PermissionDenied where a watch of one demands a review.

    A watch that demands only a notice leaves an insight.
    """
    watches = await rows.namespaces.watches(namespace)
    if not watches:
        return
    held = [memory for memory in memories if holds(memory.status)]
    named = [watch for watch in watches if any(watch.names(memory) for memory in held)]
    for watch in named:
        if watch.demands is Demand.REVIEW:
            raise PermissionDenied(
                f"{watch} of {namespace} is watched: changing it needs a review; nothing was changed. Propose the "
                f"change in a branch: agentos branch create {namespace} NAME"
            )
    if named:
        touched = ", ".join(map(str, named[:SHOWN]))
        key = InsightKey("branches", f"watch:{held[0].id}", "watched")
        text = f"A direct change of {namespace} touched what is watched: {touched}."
        await rows.namespaces.note(namespace, InsightDraft(InsightKind.INSIGHT, key, InsightSeverity.INFO, text), now)


async def guard_standings(
    rows: "TransactionRows",
    namespace: str,
    before: Mapping[str, FactState],
    after: Mapping[str, FactState],
    now: datetime,
) -> None:
    """Let an agent set standings. Raises PermissionDenied where that ends, or lets hold, what needs a review."""
    changed = [name for name in after if name in before and _matters(before[name], after[name])]
    if changed and await rows.namespaces.watches(namespace):
        found = await rows.memories.get(namespace, changed)
        await guard(rows, namespace, [replace(one, status=Status.ACTIVE) for one in found.values()], now)


async def left_to_review(
    rows: "TransactionRows", namespace: str, before: Mapping[str, FactState], after: Mapping[str, FactState]
) -> bool:
    """Return whether a job may not set standings, as that ends what needs a review."""
    losing = vouching.unmade(before, after)
    watches = await reviewed(rows, namespace) if losing else ()
    found = await rows.memories.get(namespace, losing) if watches else {}
    return any(watch.names(memory) for watch in watches for memory in found.values())


def _matters(before: FactState, after: FactState) -> bool:
    comes = holds(after.status) and not holds(before.status)
    return comes or vouching.is_unmade(before, after)


async def require_room(rows: "TransactionRows", namespace: str, content: str, before: str | None = None) -> None:
    """Raise QuotaExceeded where a namespace may not hold a text, be it a new one or in the place of the one `before`.

    The caller holds the namespace's name.
    """
    most, most_bytes = await rows.namespaces.limits(namespace)
    if most is not None and before is None and await rows.namespaces.memories(namespace) >= most:
        raise _too_many(namespace, most)
    await _require_bytes(rows, namespace, len(content.encode()) - len((before or "").encode()), most_bytes)


async def require_bytes(rows: "TransactionRows", namespace: str, more: int) -> None:
    """Raise QuotaExceeded where a namespace may not hold so many bytes more."""
    _, most = await rows.namespaces.limits(namespace)
    await _require_bytes(rows, namespace, more, most)


async def _require_bytes(rows: "TransactionRows", namespace: str, more: int, most: int | None) -> None:
    if most is None or more <= 0:
        return
    held = await rows.namespaces.size_bytes(namespace)
    if held + more > most:
        raise _exceeded(namespace, f"{most:,} bytes and holds {held:,}", "delete some memories")


async def require_place(rows: "TransactionRows", memory: Memory, standing: FactState) -> None:
    """Raise QuotaExceeded where a hidden memory may not be shown again: its namespace has as many as it may."""
    if memory.status not in HIDDEN or standing.status in HIDDEN:
        return
    most, _ = await rows.namespaces.limits(memory.namespace)
    if most is not None and await rows.namespaces.memories(memory.namespace) >= most:
        raise _too_many(memory.namespace, most)


def _too_many(namespace: str, most: int) -> QuotaExceeded:
    return _exceeded(namespace, f"{most:,} memories", "delete or archive some")


def _exceeded(namespace: str, limit: str, remedy: str) -> QuotaExceeded:
    return QuotaExceeded(
        f"{namespace[:60]!r} may hold {limit}: {remedy}, or the owner allows more: agentos namespaces set"
    )
