"""Exact vector search: the vectors of a namespace in memory, kept in step with SQLite by its outbox."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...modules.memory.models import Vector
from .sqlite import Sqlite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMESPACES_IN_MEMORY = 4
LOAD_ROWS = 20_000
MIN_CAPACITY = 256


class VectorTable:
    """Vectors of one namespace and generation: a float32 matrix (count × dimension) with unit rows."""

    def __init__(self) -> None:
        self.applied = -1
        self._position: dict[int, int] = {}
        self._seqs: NDArray[np.int64] | None = None
        self._matrix: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self._position)

    def put(self, seq: int, data: bytes) -> None:
        """Add the vector of a memory, or replace it."""
        import numpy as np

        values = np.frombuffer(data, dtype="<f4")
        if self._matrix is None or self._seqs is None:
            self._matrix = np.empty((MIN_CAPACITY, len(values)), dtype=np.float32)
            self._seqs = np.empty(MIN_CAPACITY, dtype=np.int64)
        position = self._position.setdefault(seq, len(self))
        if position == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.empty_like(self._matrix)])
            self._seqs = np.concatenate([self._seqs, np.empty_like(self._seqs)])
        self._seqs[position] = seq
        self._matrix[position] = values

    def discard(self, seq: int) -> None:
        """Take a memory's vector out; the last one takes its place."""
        position = self._position.pop(seq, None)
        if position is None or self._matrix is None or self._seqs is None:
            return
        last = len(self)
        if position != last:
            moved = int(self._seqs[last])
            self._position[moved] = position
            self._seqs[position] = moved
            self._matrix[position] = self._matrix[last]

    def nearest(self, data: bytes, allowed: Sequence[int] | None, limit: int) -> list[tuple[int, float]]:
        """The memories nearest by cosine, best first, among `allowed` or all. Compares every vector."""
        import numpy as np

        if self._matrix is None or self._seqs is None or not self:
            return []
        query = np.frombuffer(data, dtype="<f4")
        seqs = self._seqs[: len(self)]
        if allowed is None:
            scores = self._matrix[: len(seqs)] @ query
        else:
            positions = [self._position[seq] for seq in allowed if seq in self._position]
            scores = self._matrix[positions] @ query
            seqs = seqs[positions]
        if len(scores) > limit:
            top = np.argpartition(-scores, limit - 1)[:limit]
            scores, seqs = scores[top], seqs[top]
        best = np.lexsort((-seqs, -scores))  # of equal ones the newer first
        return [(int(seqs[i]), float(scores[i])) for i in best]


class ExactVectors:
    """Exact nearest neighbours over the vectors in SQLite; sees every process's committed writes."""

    def __init__(self, sqlite: Sqlite) -> None:
        self._sqlite = sqlite
        self._tables: OrderedDict[tuple[str, int], VectorTable] = OrderedDict()
        self._lock = asyncio.Lock()

    async def nearest(
        self, namespace: str, vector: Vector, allowed: Sequence[int] | None, limit: int
    ) -> list[tuple[int, float]]:
        """(sequence number, cosine) of the nearest memories of the vector's own generation, best first."""
        async with self._lock:
            table = await self._refreshed(namespace, vector.generation)
            return await asyncio.to_thread(table.nearest, vector.data, allowed, limit)

    async def _refreshed(self, namespace: str, generation: int) -> VectorTable:
        key = (namespace, generation)
        table = self._tables.setdefault(key, VectorTable())
        self._tables.move_to_end(key)
        while len(self._tables) > NAMESPACES_IN_MEMORY:
            self._tables.popitem(last=False)
        newest, oldest_kept = await outbox_bounds(self._sqlite)
        if table.applied < newest:
            if table.applied < 0 or table.applied + 1 < oldest_kept:
                table = self._tables[key] = await self._loaded(namespace, generation)
            else:
                await self._apply_changes(table, namespace, generation, newest)
            table.applied = newest
        return table

    async def _loaded(self, namespace: str, generation: int) -> VectorTable:
        table = VectorTable()
        after = 0
        while True:
            rows = await self._sqlite.read(
                "SELECT e.memory_seq, e.vector FROM embeddings e JOIN memories m ON m.seq = e.memory_seq "
                "WHERE e.generation = ? AND m.namespace = ? AND e.memory_seq > ? ORDER BY e.memory_seq LIMIT ?",
                (generation, namespace, after, LOAD_ROWS),
            )
            await asyncio.to_thread(_put_all, table, [(row[0], row[1]) for row in rows])
            if len(rows) < LOAD_ROWS:
                return table
            after = rows[-1][0]

    async def _apply_changes(self, table: VectorTable, namespace: str, generation: int, newest: int) -> None:
        rows = await self._sqlite.read(
            "SELECT o.memory_seq, e.vector FROM "
            "(SELECT DISTINCT memory_seq FROM index_outbox WHERE seq > ? AND seq <= ? AND namespace = ?) o "
            "LEFT JOIN embeddings e ON e.memory_seq = o.memory_seq AND e.generation = ?",
            (table.applied, newest, namespace, generation),
        )
        for seq, data in rows:
            if data is None:
                table.discard(seq)
            else:
                table.put(seq, data)


def _put_all(table: VectorTable, rows: Sequence[tuple[int, bytes]]) -> None:
    for seq, data in rows:
        table.put(seq, data)


async def outbox_bounds(sqlite: Sqlite) -> tuple[int, int]:
    """The newest change ever made to vectors, and the oldest one still kept (newest + 1 when none is)."""
    [row] = await sqlite.read(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'index_outbox'), 0) AS newest, "
        "(SELECT min(seq) FROM index_outbox) AS oldest"
    )
    return row["newest"], row["newest"] + 1 if row["oldest"] is None else row["oldest"]
