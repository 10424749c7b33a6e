"""Browsing: memories page by page in any order, forwards and back, and all that a filter means, for acts on many."""

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from .. import inputs
from ..clock import Clock
from ..errors import InvalidInput
from ..facts.models import EVIDENCE_OF, SAME_AS
from ..records import dataclass
from . import facets
from .groups import Alike, grouped
from .models import HIDDEN, Memory, MemoryFilter, Order
from .service import MAX_LIMIT, MemoryService

if TYPE_CHECKING:
    from ...storage.repositories.counts import CountsRepository
    from ...storage.repositories.memories import MemoriesRepository
    from ...storage.repositories.surroundings import SurroundingsRepository

READ_AT_ONCE = 1_000
MOST_LINKS = 500
"""Links between memories that tell the same which are followed from those of a page."""
_FALLING = (Order.NEWEST, Order.IMPORTANT)
_PARTS = {Order.NEWEST: 1, Order.OLDEST: 1, Order.UNUSED: 2}


@dataclass(frozen=True)
class Browsed:
    """One page in an order; `before` and `after` are the places to go back to and on from, None at the ends."""

    memories: tuple[Memory, ...]
    total: int
    before: str | None
    after: str | None


class Browsing:
    """Lists the memories of one store."""

    def __init__(
        self,
        memory: MemoryService,
        reading: "MemoriesRepository[Any]",
        counts: "CountsRepository",
        surroundings: "SurroundingsRepository",
        clock: Clock,
    ) -> None:
        self._memory = memory
        self._reading = reading
        self._counts = counts
        self._surroundings = surroundings
        self._clock = clock

    async def page(
        self,
        namespaces: Sequence[str],
        where: MemoryFilter,
        order: Order = Order.NEWEST,
        limit: int = 50,
        place: str = "",
        *,
        backwards: bool = False,
    ) -> Browsed:
        """Return the page of some namespaces after a place, or `backwards` the one before it. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        beyond = _read(place, order) if place else None
        now = self._clock()
        await self._memory.settled()
        back = backwards and beyond is not None
        total, found = 0, []
        for one in namespaces:
            count, rows = await asyncio.gather(
                self._reading.count(one, where, now),
                self._reading.ordered(one, where, now, order, limit + 1, beyond, backwards=back),
            )
            total += count
            found += rows
        if len(namespaces) > 1:  # places go through the whole store
            found.sort(key=lambda row: row[0], reverse=order in _FALLING)
            found = found[-limit - 1 :] if back else found[: limit + 1]
        is_cut = len(found) > limit
        found = (found[1:] if back else found[:limit]) if is_cut else found
        if not found:
            return Browsed((), total, None, None)
        first, last = _written(found[0][0]), _written(found[-1][0])
        has_before, has_after = (is_cut, True) if back else (beyond is not None, is_cut)
        memories = tuple(memory for _, memory in found)
        return Browsed(memories, total, first if has_before else None, last if has_after else None)

    async def facets(self, namespaces: Sequence[str], where: MemoryFilter) -> facets.Counted:
        """Return for each facet of a list how many memories of some namespaces its values would show."""
        now = self._clock()
        traits: Counter[facets.Traits] = Counter()
        tags: Counter[str] = Counter()
        for one in namespaces:
            traits.update(await self._counts.traits(one, facets.opened(where), now))
            tags.update(dict(await self._counts.tagged(one, where, now, facets.MOST)))
        return {**facets.counted(traits, where), "tags": tags.most_common(facets.MOST)}

    async def hourly(self, namespace: str, since: datetime, until: datetime) -> Mapping[int, int]:
        """Count the memories that happened in a span by the hours since it began."""
        return await self._counts.hourly(namespace, since, until)

    async def growth(
        self, namespace: str, since: datetime, until: datetime, zone: tzinfo = UTC
    ) -> Mapping[tuple[date, str, str], int]:
        """Count the memories that happened in a span by day in a zone, type and the name of the project."""
        return await self._counts.growth(namespace, since, until, zone)

    async def told_again(self, namespace: str, memory_ids: Sequence[str]) -> list[Alike]:
        """Return groups of memories that tell the same as some do, whole ones but for the most frequent."""
        kinds = (EVIDENCE_OF, SAME_AS)
        near = await self._surroundings.related(namespace, memory_ids, kinds, MOST_LINKS)
        if not near:
            return []
        named = {name for link in near for name in (link.from_id, link.to_id)}
        links = await self._surroundings.related(namespace, sorted(named), kinds, MOST_LINKS)
        named |= {name for link in links for name in (link.from_id, link.to_id)}
        memories = await self._reading.fetch(namespace, sorted(named))
        now = self._clock()
        shown = {one.id: one for one in memories if one.status not in HIDDEN and not one.has_ended(now)}
        return [group for group in grouped(links, shown) if group.others]

    async def count(self, namespace: str, where: MemoryFilter) -> int:
        """Count the memories that a filter lets pass."""
        return await self._reading.count(namespace, where, self._clock())

    async def chosen(self, namespace: str, where: MemoryFilter, order: Order, most: int) -> list[Memory]:
        """Return the first memories that a filter lets pass, in an order; at most `most`."""
        found: list[Memory] = []
        beyond: Sequence[float] | None = None
        while len(found) < most:
            limit = min(READ_AT_ONCE, most - len(found))
            rows = await self._reading.ordered(namespace, where, self._clock(), order, limit, beyond)
            found += [memory for _, memory in rows]
            if len(rows) < limit:
                break
            beyond = rows[-1][0]
        return found

    async def named(self, namespace: str, memory_ids: Sequence[str]) -> list[Memory]:
        """Return those of some memories that are there, in the order of their ids."""
        found = {memory.id: memory for memory in await self._reading.fetch(namespace, memory_ids)}
        return [found[one] for one in dict.fromkeys(memory_ids) if one in found]


def _written(place: Sequence[float]) -> str:
    return "~".join(repr(part) for part in place)


def _read(place: str, order: Order) -> tuple[float, ...]:
    """Return a place as it was written. Raises InvalidInput."""
    parts = place.split("~")
    try:
        if len(place) > 100 or len(parts) != _PARTS.get(order, 3):
            raise ValueError
        read = tuple(float(part) if "." in part or "e" in part else int(part) for part in parts)
    except ValueError:
        raise InvalidInput("place", "does not belong to this list; start again") from None
    if not all(math.isfinite(part) and abs(part) < 2**63 for part in read):
        raise InvalidInput("place", "does not belong to this list; start again")
    return read
