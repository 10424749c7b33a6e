"""Enforce watches for changes other than merges: refuse or report a direct change in its own transaction.

Guarded is what an agent does: storing, correcting, ending, erasing, importing. What a person decides is not, nor what
nobody confirmed, which holds nothing yet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from ...modules import identifiers
from ...modules.branches.models import Demand, Governance, Review, Watch, WatchKind
from ...modules.errors import PermissionDenied
from ...modules.facts.models import FactState
from ...modules.insights.models import InsightDraft, InsightKey, InsightKind, Severity
from ...modules.memory import vouching
from ...modules.memory.models import HIDDEN, Memory, Status
from ..engine.ports import Connection
from . import change_rows
from .insights import note

SHOWN = 5


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

    Of one that is to be told an insight is left.
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
        told = ", ".join(map(str, named[:SHOWN]))
        key = InsightKey("branches", f"watch:{held[0].id}", "watched")
        text = f"A direct change of {namespace} touched what is watched: {told}."
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
