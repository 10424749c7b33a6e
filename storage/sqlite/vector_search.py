"""Vector search: over all in memory, exact over the few that pass a filter, or by the index.

What is compared exactly is in memory, kept up to date with SQLite by the outbox.

The index is queried without any filter, and its answers are filtered afterwards: filters inside ChromaDB cost a hundred
times the plain query. Whenever it is not ready, hangs or fails, all vectors are compared instead.
"""

import asyncio
import json
import logging
import time
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ...modules.errors import StorageUnavailable
from ...modules.memory.models import Candidate, MemoryFilter, Vector
from ...modules.records import dataclass
from ..engine.times import to_us
from ..engine.vector_table import NearMemory, PassageVector, VectorRows, VectorTable, nearest_of
from ..repositories import predicates
from .database import Sqlite

EXACT_UP_TO = 200_000
"""The most vectors of a namespace to compare in memory, by their signs first: about 10 ms and 300 MB."""
FEW, MANY = 2_000, 20_000
"""The most memories passing a filter whose vectors are fetched and compared: without asking the index (30 ms), or when
it does not name enough of them (300 ms). With more than that, all vectors are compared."""
DEPTH_MAX = 5_000
"""The most that the index is asked for, when a filter drops most of its answers: about 40 ms."""
MARGIN = 1.5
EXCLUDED_AT_FIRST = 3
"""The extra depth at first, as a multiple of the limit, for memories that no answer may contain."""
INDEX_WAIT_S = 1.0
COUNT_AGAIN_S, SAMPLED = 30.0, 1_000
NAMESPACES_IN_MEMORY = 4
ROOM = 1.25
"""The room for vectors of a namespace that is loaded, as a share of its memories: the next ones need no copy of all."""
LOADED_AT_ONCE = 2_000
"""How many memories' vectors are read in one statement."""

log = logging.getLogger(__name__)


class ExactVectors:
    """Exact nearest neighbours over the vectors in SQLite; sees every process's committed writes."""

    def __init__(self, sqlite: Sqlite) -> None:
        self._sqlite = sqlite
        self._tables: OrderedDict[tuple[str, int], VectorTable] = OrderedDict()
        self._locks: defaultdict[tuple[str, int], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def nearest(
        self, namespace: str, vector: Vector, allowed: Sequence[int] | None, limit: int
    ) -> list[NearMemory]:
        """Return the nearest memories of the vector's own generation, best first."""
        rows = await self.rows(namespace, vector.generation)
        return await asyncio.to_thread(rows.nearest, vector.data, allowed, limit)

    async def rows(self, namespace: str, generation: int) -> VectorRows:
        """Return the vectors of a namespace, with every change that was committed when this was called."""
        return (await self._refreshed((namespace, generation))).rows()

    def forget(self, namespace: str) -> None:
        """Free the memory that a namespace's vectors take; the next search loads them again."""
        for key in [key for key in self._tables if key[0] == namespace]:
            del self._tables[key]

    async def _refreshed(self, key: tuple[str, int]) -> VectorTable:
        """Return the table with every change that was committed when this was called."""
        newest, oldest = await outbox_bounds(self._sqlite)
        table = self._tables.get(key)
        if table is None or table.applied < newest:
            async with self._locks[key]:  # somebody else may have done it meanwhile
                table = self._tables.get(key)
                if table is None or table.applied + 1 < oldest:
                    table = self._tables[key] = await self._loaded(*key)
                    table.applied = newest
                elif table.applied < newest:
                    await self._apply_changes(table, *key, newest)
                    table.applied = newest
        self._tables[key] = table
        self._tables.move_to_end(key)
        while len(self._tables) > NAMESPACES_IN_MEMORY or (
            len(self._tables) > 1 and sum(map(len, self._tables.values())) > EXACT_UP_TO
        ):
            self._tables.popitem(last=False)
        return table

    async def _loaded(self, namespace: str, generation: int) -> VectorTable:
        [(memories,)] = await self._sqlite.read(
            "SELECT coalesce(sum(memories), 0) FROM text_statistics WHERE namespace = ?", (namespace,)
        )
        table = VectorTable(round(ROOM * memories))
        newest = 0
        while True:
            rows = await self._sqlite.read(
                "SELECT own.seq, e.part, e.vector FROM (SELECT seq FROM memories INDEXED BY memories_by_namespace "
                "WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?) own "
                "LEFT JOIN embeddings e ON e.generation = ? AND e.memory_seq = own.seq ORDER BY own.seq, e.part",
                (namespace, newest, LOADED_AT_ONCE, generation),
            )
            await asyncio.to_thread(table.append, [PassageVector(*row) for row in rows if row[1] is not None])
            if len({row[0] for row in rows}) < LOADED_AT_ONCE:
                await asyncio.to_thread(table.settle)
                return table
            newest = rows[-1][0]

    async def _apply_changes(self, table: VectorTable, namespace: str, generation: int, newest: int) -> None:
        rows = await self._sqlite.read(
            "SELECT o.memory_seq, e.part, e.vector FROM "
            "(SELECT DISTINCT memory_seq FROM index_outbox WHERE seq > ? AND seq <= ? AND namespace = ?) o "
            "LEFT JOIN embeddings e ON e.memory_seq = o.memory_seq AND e.generation = ? "
            "ORDER BY o.memory_seq, e.part",
            (table.applied, newest, namespace, generation),
        )
        for seq, part, _ in rows:
            if part is None:
                table.discard(seq)
        table.put_all([PassageVector(*row) for row in rows if row[1] is not None])


async def outbox_bounds(sqlite: Sqlite) -> tuple[int, int]:
    """Return the newest change ever made to vectors, and the oldest one kept (newest + 1 when there is none)."""
    [row] = await sqlite.read(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'index_outbox'), 0) AS newest, "
        "(SELECT min(seq) FROM index_outbox) AS oldest"
    )
    return row["newest"], row["newest"] + 1 if row["oldest"] is None else row["oldest"]


class ApproximateIndex(Protocol):
    """The part of the index that a search needs."""

    @property
    def needed(self) -> bool: ...

    async def sequences(self, namespace: str, vector: Vector, limit: int) -> list[NearMemory]:
        """Return the nearest memories, best first. Raises StorageUnavailable when it is not ready."""


@dataclass(frozen=True)
class _Sought:
    """What is sought: the memories of a namespace nearest to a vector that pass a filter."""

    namespace: str
    vector: Vector
    where: MemoryFilter
    now: datetime
    limit: int


class VectorSearch:
    """The nearest memories by vectors, through the index where this process has one and it pays."""

    def __init__(self, sqlite: Sqlite, exact: ExactVectors) -> None:
        self._sqlite = sqlite
        self._exact = exact
        self._index: ApproximateIndex | None = None
        self._counts: dict[tuple[str, int], tuple[float, int, int]] = {}

    def use(self, index: ApproximateIndex) -> None:
        """Search large namespaces through an index that this process owns, whenever it is ready."""
        self._index = index

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the nearest living memories that pass a filter, best first."""
        sought = _Sought(namespace, vector, where, now, limit)
        if self._index is not None and self._index.needed:
            memories, vectors = await self._count(namespace, vector.generation)
            if vectors > EXACT_UP_TO:
                found = await self._by_index(self._index, sought, memories)
                if found is not None:
                    self._exact.forget(namespace)
                    return found
        return await self._by_scan(sought)

    async def _by_scan(self, sought: _Sought) -> list[Candidate]:
        namespace, vector, limit = sought.namespace, sought.vector, sought.limit
        if not sought.where.is_empty:
            nearest = await self._exact.nearest(namespace, vector, await self._matching(sought), limit)
            return await self._living(nearest, sought)
        # Memories that no answer may contain must not take the places of others; seldom are many of them near.
        excluded, rows = await asyncio.gather(
            self._excluded(namespace, sought.now), self._exact.rows(namespace, vector.generation)
        )
        for depth in sorted({limit + min(excluded, EXCLUDED_AT_FIRST * limit), limit + excluded}):
            nearest = await asyncio.to_thread(rows.nearest, vector.data, None, depth)
            found = await self._living(nearest, sought)
            if len(found) == limit:
                break
        return found

    async def _by_index(self, index: ApproximateIndex, sought: _Sought, memories: int) -> list[Candidate] | None:
        """Return the nearest memories by the index; None when all vectors must be compared instead."""
        limit = sought.limit
        if sought.where.is_empty:
            excluded = await self._excluded(sought.namespace, sought.now)
            depth = limit + min(excluded, EXCLUDED_AT_FIRST * limit)
            return await self._through(index, sought, depth, excluded <= depth - limit)
        passing = await self._passing(sought)
        if passing > FEW:
            share = passing / max(passing, memories)
            depth = min(DEPTH_MAX, round(MARGIN * limit / share))
            found = await self._through(index, sought, depth)
            if found is not None or passing > MANY:
                return found
        return await self._among(await self._matching(sought), sought)

    async def _through(
        self, index: ApproximateIndex, sought: _Sought, depth: int, enough: bool = False
    ) -> list[Candidate] | None:
        """Return the living ones among the `depth` that the index names; None when too few, or it does not answer.

        With `enough`, fewer than are wanted are accepted: there cannot be more than it has named.
        """
        try:
            async with asyncio.timeout(INDEX_WAIT_S):
                nearest = await index.sequences(sought.namespace, sought.vector, depth)
        except (StorageUnavailable, TimeoutError) as error:
            log.info("searching without the index: %s", error or f"it gave no answer in {INDEX_WAIT_S:g} s")
            return None
        found = await self._living(nearest, sought)
        return found if len(found) == sought.limit or (enough and len(nearest) == depth) else None

    async def _among(self, seqs: Sequence[int], sought: _Sought) -> list[Candidate]:
        vector = sought.vector
        rows = await self._sqlite.read(
            "SELECT memory_seq, part, vector FROM embeddings "
            "WHERE generation = ? AND memory_seq IN (SELECT value FROM json_each(?)) ORDER BY memory_seq, part",
            (vector.generation, json.dumps(seqs)),
        )
        passages = [PassageVector(*row) for row in rows]
        return await self._living(await asyncio.to_thread(nearest_of, passages, vector.data, sought.limit), sought)

    async def _living(self, nearest: Sequence[NearMemory], sought: _Sought) -> list[Candidate]:
        """Return those that still exist, have not expired and pass the filter, in the same order, at most `limit`."""
        chosen = predicates.for_memories(sought.namespace, sought.where, sought.now)
        rows = await self._sqlite.read(
            # For the few memories with several passages, the range of the nearest one.
            "SELECT m.seq, m.id, e.begins, e.ends FROM json_each(?) n "
            "CROSS JOIN memories m ON m.seq = json_extract(n.value, '$[0]') "
            "LEFT JOIN embeddings e ON e.generation = ? AND e.memory_seq = m.seq "
            "AND e.part = json_extract(n.value, '$[1]') AND EXISTS "
            "(SELECT 1 FROM embeddings o WHERE o.generation = e.generation AND o.memory_seq = e.memory_seq "
            f"AND o.part = 1) WHERE {chosen.sql}",
            (json.dumps([near[:2] for near in nearest]), sought.vector.generation, *chosen.parameters),
        )
        known = {row["seq"]: row for row in rows}
        living = [(near, known[near.memory_seq]) for near in nearest if near.memory_seq in known]
        return [
            Candidate(row["id"], near.cosine, None if row["begins"] is None else (row["begins"], row["ends"]))
            for near, row in living[: sought.limit]
        ]

    async def _matching(self, sought: _Sought) -> list[int]:
        chosen = predicates.for_memories(sought.namespace, sought.where, sought.now, tags_lead=True)
        rows = await self._sqlite.read(f"SELECT m.seq FROM memories m WHERE {chosen.sql}", chosen.parameters)
        return [row["seq"] for row in rows]

    async def _passing(self, sought: _Sought) -> int:
        """Return how many memories pass a filter; more than MANY are not counted."""
        chosen = predicates.for_memories(sought.namespace, sought.where, sought.now, tags_lead=True)
        [row] = await self._sqlite.read(
            f"SELECT count(*) FROM (SELECT 1 FROM memories m WHERE {chosen.sql} LIMIT ?)",
            (*chosen.parameters, MANY + 1),
        )
        return int(row[0])

    async def _excluded(self, namespace: str, now: datetime) -> int:
        """Return how many memories at most no answer may contain now: expired, hidden, no longer true, left aside."""
        # The + keeps SQLite from walking the whole namespace instead of the few that expire at all.
        [row] = await self._sqlite.read(
            "SELECT (SELECT count(*) FROM memories WHERE +namespace = ? AND expires_at <= ?) + "
            f"(SELECT count(*) FROM memories m WHERE {predicates.SELDOM_SHOWN} AND m.namespace = ?) + "
            f"(SELECT count(*) FROM memories m WHERE {predicates.ASIDE} AND m.namespace = ?)",
            (namespace, to_us(now), namespace, namespace),
        )
        return int(row[0])

    async def _count(self, namespace: str, generation: int) -> tuple[int, int]:
        """Return about how many memories and vectors a namespace has: good enough to choose a method.

        The vectors are estimated from how many passages its newest memories have.
        """
        counted_at, memories, vectors = self._counts.get((namespace, generation), (0.0, 0, 0))
        if not counted_at or time.monotonic() - counted_at > COUNT_AGAIN_S:
            [(memories, sampled, passages)] = await self._sqlite.read(
                "WITH sample AS MATERIALIZED (SELECT seq FROM memories INDEXED BY memories_by_namespace "
                "WHERE namespace = ?1 ORDER BY seq DESC LIMIT ?3) "
                "SELECT (SELECT coalesce(sum(memories), 0) FROM text_statistics WHERE namespace = ?1), "
                "(SELECT count(*) FROM sample), (SELECT count(*) FROM sample CROSS JOIN embeddings e "
                "ON e.generation = ?2 AND e.memory_seq = sample.seq)",
                (namespace, generation, SAMPLED),
            )
            vectors = round(memories * passages / max(1, sampled))
            self._counts[namespace, generation] = (time.monotonic(), memories, vectors)
        return memories, vectors
