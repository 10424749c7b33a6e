"""Exact vector search: the vectors of a namespace in memory, kept up to date with SQLite by its outbox."""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Sequence

from ...modules.memory.models import Vector
from ..engine.vector_table import Near, PassageVector, VectorRows, VectorTable
from .database import Sqlite

NAMESPACES_IN_MEMORY = 4
LOAD_ROWS = 5_000


class ExactVectors:
    """Exact nearest neighbours over the vectors in SQLite; sees every process's committed writes."""

    def __init__(self, sqlite: Sqlite) -> None:
        self._sqlite = sqlite
        self._tables: OrderedDict[tuple[str, int], VectorTable] = OrderedDict()
        self._locks: defaultdict[tuple[str, int], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def nearest(self, namespace: str, vector: Vector, allowed: Sequence[int] | None, limit: int) -> list[Near]:
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
        newest, oldest_kept = await outbox_bounds(self._sqlite)
        table = self._tables.get(key)
        if table is None or table.applied < newest:
            async with self._locks[key]:  # somebody else may have done it meanwhile
                table = self._tables.get(key)
                if table is None or table.applied + 1 < oldest_kept:
                    table = self._tables[key] = await self._loaded(*key)
                    table.applied = newest
                elif table.applied < newest:
                    await self._apply_changes(table, *key, newest)
                    table.applied = newest
        self._tables[key] = table
        self._tables.move_to_end(key)
        while len(self._tables) > NAMESPACES_IN_MEMORY:
            self._tables.popitem(last=False)
        return table

    async def _loaded(self, namespace: str, generation: int) -> VectorTable:
        table = VectorTable()
        seq, part = 0, 0
        while True:
            rows = await self._sqlite.read(
                "SELECT e.memory_seq, e.part, e.vector FROM embeddings e JOIN memories m ON m.seq = e.memory_seq "
                "WHERE e.generation = ? AND m.namespace = ? AND (e.memory_seq, e.part) > (?, ?) "
                "ORDER BY e.memory_seq, e.part LIMIT ?",
                (generation, namespace, seq, part, LOAD_ROWS),
            )
            await asyncio.to_thread(table.append, [PassageVector(*row) for row in rows])
            if len(rows) < LOAD_ROWS:
                return table
            seq, part = rows[-1][0], rows[-1][1]

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
