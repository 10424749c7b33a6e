"""The nearest memories on PostgreSQL: by the index where a store is large, else by comparing all, in the database.

A filter that few memories pass is always compared exactly. Where the index goes on after its first answers, it does so
in strict order (`hnsw.iterative_scan`), up to SCANNED_MAX vectors; what it leaves too short is compared exactly.
"""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ...modules.memory.models import Candidate, MemoryFilter, Vector
from ..engine.ports import Connection, Row
from ..repositories import predicates
from .database import Postgres
from .vectors import EXACT_UP_TO, INDEXED_DIMENSIONS_MAX, type_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCANNED_MAX = 40_000
"""The most vectors that the index looks at in one search."""
EF_SEARCH = 100
ASKED_MORE, ASKED_MAX = 4, 20_000
"""If the nearest passages belong to too few memories, `ASKED_MORE` times as many are asked for, up to `ASKED_MAX`."""
SPARE = 1.5
COUNT_AGAIN_S = 30.0
COUNTED_MAX = 100_000
ENOUGH = 200
"""The least vectors of a namespace that the index must be likely to meet before it gives up, or it is not asked."""


class DirectionSearch:
    """Implements `memories.Nearest` with pgvector, whose schema is `home`."""

    def __init__(self, postgres: Postgres, home: str) -> None:
        self._postgres = postgres
        self._type = type_of(home)
        self._nearer = f'OPERATOR("{home}".<=>)'
        self._counts: dict[tuple[str, int], tuple[float, int, int]] = {}

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the nearest living memories that pass a filter, best first."""
        dimension = len(vector.data) // 4
        if await self._pays(namespace, vector.generation, where, now) and dimension <= INDEXED_DIMENSIONS_MAX:
            found = await self._found(namespace, vector, where, now, limit, by_index=True)
            if len(found) >= limit:
                return found
        return await self._found(namespace, vector, where, now, limit, by_index=False)

    async def _pays(self, namespace: str, generation: int, where: MemoryFilter, now: datetime) -> bool:
        """Return whether so many vectors pass that the index is asked."""
        count, everywhere = await self._count(namespace, generation)
        if count <= EXACT_UP_TO or count * SCANNED_MAX < everywhere * ENOUGH:
            return False
        if where.is_empty:
            return True
        chosen = predicates.for_memories(namespace, where, now, tags_lead=True)
        [row] = await self._postgres.read(
            f"SELECT count(*) FROM (SELECT 1 FROM memories m WHERE {chosen.sql} LIMIT ?) few",
            (*chosen.parameters, EXACT_UP_TO + 1),
        )
        return int(row[0]) > EXACT_UP_TO

    async def _count(self, namespace: str, generation: int) -> tuple[int, int]:
        """Return how many vectors a namespace has, up to COUNTED_MAX, and about how many all have; good for a while."""
        counted_at, count, everywhere = self._counts.get((namespace, generation), (0.0, 0, 0))
        if not counted_at or time.monotonic() - counted_at > COUNT_AGAIN_S:
            [row] = await self._postgres.read(
                "SELECT count(*), (SELECT reltuples FROM pg_class WHERE oid = CAST('embeddings' AS regclass)) "
                "FROM (SELECT 1 FROM memories m JOIN embeddings e ON e.memory_seq = m.seq "
                "WHERE m.namespace = ? AND e.generation = ? LIMIT ?) counted",
                (namespace, generation, COUNTED_MAX),
            )
            count, everywhere = int(row[0]), int(row[1])
            if len(self._counts) >= COUNTS_KEPT:
                self._counts.clear()
            self._counts[namespace, generation] = (time.monotonic(), count, everywhere)
        return count, everywhere

    async def _found(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int, *, by_index: bool
    ) -> list[Candidate]:
        asked = round(SPARE * limit)
        query = self._query(len(vector.data), predicates.for_memories(namespace, where, now).sql, by_index=by_index)
        chosen = predicates.for_memories(namespace, where, now).parameters
        direction = _written(vector.data)
        while True:
            given = (direction, vector.generation, *chosen, direction, asked, vector.generation)

            async def work(connection: Connection, given: Sequence[Any] = given) -> list[Row]:
                if by_index:
                    for name, value in _SCAN.items():
                        await connection.execute("SELECT set_config(?, ?, TRUE)", (name, value))
                return await connection.fetch_all(query, given)

            rows = await self._postgres.write(work, durable=False)
            found = _candidates(rows)
            if len(found) >= limit or len(rows) < asked or asked >= ASKED_MAX:
                return found[:limit]
            asked = min(ASKED_MAX, asked * ASKED_MORE)

    def _query(self, size: int, chosen: str, *, by_index: bool) -> str:
        """Return the query for the nearest passages; only the one for the index is written as the index is."""
        column = f"CAST(e.direction AS {self._type}({size // 4}))"
        apart = f"{column} {self._nearer} CAST(? AS {self._type}({size // 4}))"
        order = apart if by_index else f"({apart}) + 0"
        return (
            f"WITH near AS MATERIALIZED (SELECT m.id, e.memory_seq, e.part, e.begins, e.ends, {apart} AS apart "
            "FROM embeddings e JOIN memories m ON m.seq = e.memory_seq "
            f"WHERE e.generation = ? AND length(e.vector) = {size} AND {chosen} ORDER BY {order} LIMIT ?) "
            "SELECT n.id, n.memory_seq, n.apart, n.begins, n.ends, EXISTS (SELECT 1 FROM embeddings o "
            "WHERE o.generation = ? AND o.memory_seq = n.memory_seq AND o.part = 1) AS several "
            "FROM near n ORDER BY n.apart, n.memory_seq DESC"
        )


COUNTS_KEPT = 10_000
_SCAN = {
    "hnsw.iterative_scan": "strict_order",
    "hnsw.max_scan_tuples": str(SCANNED_MAX),
    "hnsw.ef_search": str(EF_SEARCH),
}


def _written(data: bytes) -> str:
    """Return a vector as pgvector reads it."""
    import numpy as np

    values: NDArray[np.float32] = np.frombuffer(data, dtype="<f4")
    return "[" + ",".join(map(repr, values.tolist())) + "]"


def _candidates(rows: Sequence[Row]) -> list[Candidate]:
    """Return each memory once, by its nearest passage, which is named where it has several."""
    found: dict[str, Candidate] = {}
    for row in rows:
        if row["id"] not in found:
            passage = (row["begins"], row["ends"]) if row["several"] else None
            found[row["id"]] = Candidate(row["id"], 1.0 - float(row["apart"]), passage)
    return list(found.values())
