"""Guards of a namespace: refuse to store when it is full, or to change what is watched, in the same transaction.

A direct change of a watched memory, other than a merge, is refused or reported. Guarded are agents' actions: storing,
correcting, ending, erasing, importing. Decisions of a person and candidates are exempt.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from ...modules import identifiers
from ...modules.branches.models import Demand, Governance, Review, Watch, WatchKind
from ...modules.errors import PermissionDenied, QuotaExceeded
from ...modules.facts.models import FactState
from ...modules.insights.models import InsightDraft, InsightKey, InsightKind, Severity
from ...modules.memory import vouching
from ...modules.memory.models import HIDDEN, Memory, Status
from ..engine.ports import Connection
from . import change_rows, predicates
from .insights import note

SHOWN = 5
_COUNT = (
    f"SELECT (SELECT count(*) FROM memories m WHERE m.namespace = ?1 AND {predicates.VISIBLE}) "
    "+ (SELECT count(*) FROM sealed_memories s WHERE s.namespace = ?1)"
)
_BYTES = (
    "SELECT coalesce((SELECT sum(octet_length(m.content)) FROM memories m WHERE m.namespace = ?1), 0) "
    "+ coalesce((SELECT sum(octet_length(s.content)) FROM sealed_memories s WHERE s.namespace = ?1), 0) "
    "+ coalesce((SELECT sum(a.size) FROM attachments a WHERE a.namespace = ?1), 0)"
)
"""Every text and file is looked at: only namespaces with such a quota pay for it."""


async def governance(connection: Connection, namespace: str) -> Governance:
    """Return the rules of a namespace, as they stand within a transaction."""
    review = await connection.fetch_value("SELECT review FROM governance WHERE namespace = ?", (namespace,))
    watches = await watches_of(connection, namespace)
    return Governance(namespace, Review.WATCHED if review is None else Review(review), watches)


async def watches_of(connection: Connection, namespace: str) -> tuple[Watch, ...]:
    """Return what is watched in a namespace."""
    rows = await connection.fetch_all(
        "SELECT kind, value, demands FROM watches WHERE namespace = ? ORDER BY kind, value", (namespace,)
    )
    return tuple(Watch(WatchKind(row["kind"]), row["value"], Demand(row["demands"])) for row in rows)


async def reviewed(connection: Connection, namespace: str) -> tuple[Watch, ...]:
    """Return what is watched so that a change of it needs a review."""
    return tuple(one for one in await watches_of(connection, namespace) if one.demands is Demand.REVIEW)


def holds(status: str) -> bool:
    """Return whether a memory of that status tells anything: it is neither hidden nor waits to be confirmed."""
    return status not in (Status.CANDIDATE, *HIDDEN)


async def guard(connection: Connection, namespace: str, memories: Iterable[Memory], now: datetime) -> None:
    """Let an agent change memories. Raises PermissionDenied where a watch of one demands a review.

    A watch that demands only a notice leaves an insight.
    """
    watches = await watches_of(connection, namespace)
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
        draft = InsightDraft(InsightKind.INSIGHT, key, Severity.INFO, text)
        await note(connection, namespace, draft, identifiers.new_id("ins"), now, now)


async def guard_standings(
    connection: Connection,
    namespace: str,
    before: Mapping[str, FactState],
    after: Mapping[str, FactState],
    now: datetime,
) -> None:
    """Let an agent set standings. Raises PermissionDenied where that ends, or lets hold, what needs a review."""
    changed = [name for name in after if name in before and _matters(before[name], after[name])]
    if changed and await watches_of(connection, namespace):
        found = await change_rows.read(connection, namespace, changed)
        await guard(connection, namespace, [replace(one, status=Status.ACTIVE) for one in found.values()], now)


async def left_to_review(
    connection: Connection, namespace: str, before: Mapping[str, FactState], after: Mapping[str, FactState]
) -> bool:
    """Return whether a job may not set standings, as that ends what needs a review."""
    losing = vouching.unmade(before, after)
    if not losing:
        return False
    watches = await reviewed(connection, namespace)
    found = await change_rows.read(connection, namespace, losing) if watches else {}
    return any(watch.names(memory) for watch in watches for memory in found.values())


def _matters(before: FactState, after: FactState) -> bool:
    comes = holds(after.status) and not holds(before.status)
    return comes or vouching.is_unmade(before, after)


async def require_room(connection: Connection, namespace: str, content: str, before: str | None = None) -> None:
    """Raise QuotaExceeded where a namespace may not hold a text, be it a new one or in the place of the one `before`.

    The caller holds the namespace's name.
    """
    row = await connection.fetch_one(
        "SELECT max_memories, max_bytes FROM namespace_policies WHERE namespace = ?", (namespace,)
    )
    if row is None:
        return
    most, most_bytes = row["max_memories"], row["max_bytes"]
    if most is not None and before is None and await connection.fetch_value(_COUNT, (namespace,)) >= most:
        raise _exceeded(namespace, f"{most:,} memories", "delete or archive some")
    if most_bytes is not None:
        await _require_bytes(connection, namespace, len(content.encode()) - len((before or "").encode()), most_bytes)


async def require_bytes(connection: Connection, namespace: str, more: int) -> None:
    """Raise QuotaExceeded where a namespace may not hold so many bytes more."""
    most = await connection.fetch_value("SELECT max_bytes FROM namespace_policies WHERE namespace = ?", (namespace,))
    if most is not None:
        await _require_bytes(connection, namespace, more, most)


async def _require_bytes(connection: Connection, namespace: str, more: int, most: int) -> None:
    if more <= 0:
        return
    held = int(await connection.fetch_value(_BYTES, (namespace,)))
    if held + more > most:
        raise _exceeded(namespace, f"{most:,} bytes and holds {held:,}", "delete some memories")


async def require_place(connection: Connection, memory_id: str) -> None:
    """Raise QuotaExceeded where a hidden memory may not be shown again: its namespace has as many as it may."""
    row = await connection.fetch_one(
        "SELECT m.namespace, p.max_memories FROM memories m JOIN namespace_policies p ON p.namespace = m.namespace "
        f"WHERE m.id = ? AND p.max_memories IS NOT NULL AND NOT ({predicates.VISIBLE})",
        (memory_id,),
    )
    if row is not None and await connection.fetch_value(_COUNT, (row["namespace"],)) >= row["max_memories"]:
        raise _exceeded(row["namespace"], f"{row['max_memories']:,} memories", "delete or archive some")


def _exceeded(namespace: str, limit: str, remedy: str) -> QuotaExceeded:
    return QuotaExceeded(
        f"{namespace[:60]!r} may hold {limit}: {remedy}, or the owner allows more: agentos namespaces set"
    )
