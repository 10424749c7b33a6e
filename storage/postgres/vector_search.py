"""The nearest memories on PostgreSQL: by the index where a store is large, else by comparing all, in the database.

The index spans all stores, so it pays where it meets enough vectors of this one before as many were looked at as would
cost more than comparing all of this one. What a small store has, or a filter lets pass, is looked up by its memories
and compared exactly. Where the index goes on after its first answers, it does so in strict order
(`hnsw.iterative_scan`), up to SCANNED_MAX vectors; what it leaves too short is compared exactly.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING

from ...modules.memory.models import Candidate, MemoryFilter, Vector
from ..engine.ports import Row
from ..repositories import predicates
from .database import Postgres
from .directions import index_name, type_of
from .vectors import EXACT_UP_TO

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCANNED_MAX = 40_000
"""The most vectors that the index looks at in one search."""
EF_SEARCH = 400
"""How many candidates a scan keeps: with fewer it goes on more often, takes twice as long, and recalls .9 of ten."""
ASKED_MORE, ASKED_MAX = 4, 20_000
"""If the nearest passages belong to too few memories, `ASKED_MORE` times as many are asked for, up to `ASKED_MAX`."""
SPARE = 1.5
A_VISIT = 16
"""What the index takes for a vector that it looks at, in vectors compared one after the other: they lie anywhere."""
A_LOOK_UP = 4
"""What a vector takes that is looked up by its memory, in the same measure."""


class _Way(Enum):
    """How vectors are compared: by the index, exhaustively, or only those of the few memories that pass the filter."""

    INDEX, ALL, FEW = range(3)


class DirectionSearch:
    """Implements `Nearest` of `repositories.searched_memories` with pgvector, whose schema is `home`."""

    def __init__(self, postgres: Postgres, home: str) -> None:
        self._postgres = postgres
        self._type = type_of(home)
        self._nearer = f'OPERATOR("{home}".<=>)'

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the nearest living memories that pass a filter, best first."""
        asked = round(SPARE * limit)
        count, everywhere, indexed = await self._count(namespace, len(vector.data) // 4)
        passing = await self._passing(namespace, where, now, count)
        if indexed and _index_pays(asked, passing, count, everywhere):
            found = await self._found(namespace, vector, where, now, limit, _Way.INDEX)
            if len(found) >= limit:
                return found
        # what others hold in the same table is not read for this; not yet analysed, it has less than no rows
        way = _Way.FEW if everywhere < 0 or passing * A_LOOK_UP < everywhere else _Way.ALL
        return await self._found(namespace, vector, where, now, limit, way)

    async def _passing(self, namespace: str, where: MemoryFilter, now: datetime, count: int) -> int:
        """Return how many memories pass a filter, of `count`; where they are more than EXACT_UP_TO, `count`."""
        if count <= EXACT_UP_TO or replace(where, without_aside=False).is_empty:
            return count
        chosen = predicates.for_memories(namespace, where, now, tags_lead=True)
        [row] = await self._postgres.read(
            f"SELECT count(*) FROM (SELECT 1 FROM memories m WHERE {chosen.sql} LIMIT ?) few",
            (*chosen.parameters, EXACT_UP_TO + 1),
        )
        return int(row[0]) if int(row[0]) <= EXACT_UP_TO else count

    async def _count(self, namespace: str, dimension: int) -> tuple[int, int, bool]:
        """Return how many memories a namespace has, about how many vectors the table, and whether that has an index.

        The table's are -1 if unknown. Both are read from statistics: counting would itself read what others hold.
        """
        [row] = await self._postgres.read(
            "SELECT (SELECT sum(s.memories) FROM namespaces n JOIN text_statistics s "
            "ON s.shelf IN (2 * n.number, 2 * n.number + 1) WHERE n.id = ?), "
            "(SELECT reltuples FROM pg_class WHERE oid = CAST('embeddings' AS regclass)), "
            "EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(?) AND indisvalid)",
            (namespace, index_name(dimension)),
        )
        return int(row[0] or 0), int(row[1]), bool(row[2])

    async def _found(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int, way: _Way
    ) -> list[Candidate]:
        asked = round(SPARE * limit)
        chosen = predicates.for_memories(namespace, where, now)
        query = self._query(len(vector.data), chosen.sql, way)
        of_all = (vector.generation, *chosen.parameters)
        given = (_written(vector.data), *(of_all if way is not _Way.FEW else (*chosen.parameters, vector.generation)))
        while True:
            parameters = (*given, asked, vector.generation)
            rows = await self._postgres.read(query, parameters, **(_SCAN if way is _Way.INDEX else {}))
            found = _candidates(rows)
            if len(found) >= limit or len(rows) < asked or asked >= ASKED_MAX:
                return found[:limit]
            asked = min(ASKED_MAX, asked * ASKED_MORE)

    def _query(self, size: int, chosen: str, way: _Way) -> str:
        """Return the query for the nearest passages; only the one for the index is written as the index is.

        OFFSET and IS TRUE keep the planner from ways that it takes for shorter: it expects every store to be as large
        as the mean of all.
        """
        vector = f"{self._type}({size // 4})"
        apart = f"CAST(e.direction AS {vector}) {self._nearer} CAST(? AS {vector}) AS apart"
        of_it = f"e.generation = ? AND length(e.vector) = {size}"
        passing = f"SELECT m.seq FROM memories m WHERE {chosen}"
        rows = {
            _Way.INDEX: f"embeddings e JOIN memories m ON m.seq = e.memory_seq WHERE {of_it} AND {chosen}",
            _Way.ALL: f"embeddings e WHERE {of_it} AND (e.memory_seq IN ({passing})) IS TRUE OFFSET 0",
            _Way.FEW: f"({passing} OFFSET 0) few CROSS JOIN LATERAL (SELECT * FROM embeddings e WHERE {of_it} "
            "AND e.memory_seq = few.seq OFFSET 0) e OFFSET 0",
        }[way]
        return (
            "WITH near AS MATERIALIZED (SELECT * FROM "
            f"(SELECT e.memory_seq, e.begins, e.ends, {apart} FROM {rows}) compared ORDER BY apart LIMIT ?) "
            "SELECT m.id, n.memory_seq, n.apart, n.begins, n.ends, EXISTS (SELECT 1 FROM embeddings o "
            "WHERE o.generation = ? AND o.memory_seq = n.memory_seq AND o.part = 1) AS several "
            "FROM near n JOIN memories m ON m.seq = n.memory_seq ORDER BY n.apart, n.memory_seq DESC"
        )


def _index_pays(asked: int, passing: int, count: int, everywhere: int) -> bool:
    """Return whether the index finds the `asked` nearest in less time than comparing those that pass."""
    if passing <= EXACT_UP_TO:
        return False
    visits = asked * max(everywhere, count) / count
    return visits <= SCANNED_MAX and visits * A_VISIT <= count


_SCAN = {
    "hnsw__iterative_scan": "strict_order",
    "hnsw__max_scan_tuples": str(SCANNED_MAX),
    "hnsw__ef_search": str(EF_SEARCH),
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
