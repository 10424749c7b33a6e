"""Exact vector search: the vectors of a namespace in memory, kept in step with SQLite by its outbox."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...modules.memory.models import Vector
from .sqlite import Sqlite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMESPACES_IN_MEMORY = 4
LOAD_ROWS = 5_000
MIN_CAPACITY = 256
_GONE = -1


class VectorTable:
    """Vectors of one namespace and generation: a float32 matrix (count × dimension) with unit rows.

    A row is never written twice: a changed vector gets a new one, a removed one only loses its number. So a
    search in another thread reads a consistent table without a lock while this one changes it.
    """

    def __init__(self) -> None:
        self.applied = -1
        self._position: dict[int, int] = {}
        self._rows = 0
        self._seqs: NDArray[np.int64] | None = None
        self._matrix: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self._position)

    def put_all(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Add the vectors of memories, or replace them."""
        import numpy as np

        pairs = list(dict(vectors).items())
        if not pairs:
            return
        values = np.frombuffer(b"".join(data for _, data in pairs), dtype="<f4").reshape(len(pairs), -1)
        self._reserve(len(pairs), values.shape[1])
        for seq, _ in pairs:
            self.discard(seq)
        if self._matrix is None or self._seqs is None:
            return
        begin, end = self._rows, self._rows + len(pairs)
        self._matrix[begin:end] = values
        self._seqs[begin:end] = [seq for seq, _ in pairs]
        self._position.update((seq, begin + index) for index, (seq, _) in enumerate(pairs))
        self._rows = end

    def _reserve(self, more: int, dimension: int) -> None:
        """Room for more rows; when rows are copied anyway, those that are gone are left out."""
        import numpy as np

        if self._matrix is not None and self._seqs is not None and self._rows + more <= len(self._matrix):
            return
        capacity = max(MIN_CAPACITY, more + 2 * len(self) if self._rows else more)
        matrix, seqs = np.empty((capacity, dimension), dtype=np.float32), np.empty(capacity, dtype=np.int64)
        if self._matrix is not None and self._seqs is not None:
            alive = self._seqs[: self._rows] != _GONE
            count = int(alive.sum())
            matrix[:count] = self._matrix[: self._rows][alive]
            seqs[:count] = self._seqs[: self._rows][alive]
            self._position = {int(seq): index for index, seq in enumerate(seqs[:count])}
            self._rows = count
        self._matrix, self._seqs = matrix, seqs

    def discard(self, seq: int) -> None:
        """Take a memory's vector out."""
        position = self._position.pop(seq, None)
        if position is not None and self._seqs is not None:
            self._seqs[position] = _GONE

    def rows(self) -> VectorRows:
        """The table as it is now, for another thread; what changes later is not in it, what goes may be."""
        if self._matrix is None or self._seqs is None:
            return VectorRows(None, None)
        return VectorRows(self._matrix[: self._rows], self._seqs[: self._rows])


@dataclass(frozen=True)
class VectorRows:
    """Vectors and the sequence numbers of their memories, row by row."""

    matrix: NDArray[np.float32] | None
    seqs: NDArray[np.int64] | None

    def nearest(self, data: bytes, allowed: Sequence[int] | None, limit: int) -> list[tuple[int, float]]:
        """(sequence number, cosine) of the nearest, best first, among `allowed` or all. Compares every vector."""
        import numpy as np

        matrix, seqs = self.matrix, self.seqs
        if matrix is None or seqs is None or not len(seqs):
            return []
        query = np.frombuffer(data, dtype="<f4")
        if allowed is None:
            scores = matrix @ query
        else:
            chosen = np.flatnonzero(np.isin(seqs, np.asarray(allowed, dtype=np.int64)))
            scores, seqs = matrix[chosen] @ query, seqs[chosen]
        alive = seqs != _GONE
        if not alive.all():
            scores, seqs = scores[alive], seqs[alive]
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
        self._locks: defaultdict[tuple[str, int], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def nearest(
        self, namespace: str, vector: Vector, allowed: Sequence[int] | None, limit: int
    ) -> list[tuple[int, float]]:
        """(sequence number, cosine) of the nearest memories of the vector's own generation, best first."""
        rows = (await self._refreshed((namespace, vector.generation))).rows()
        return await asyncio.to_thread(rows.nearest, vector.data, allowed, limit)

    def forget(self, namespace: str) -> None:
        """Free the memory that a namespace's vectors take; the next search loads them again."""
        for key in [key for key in self._tables if key[0] == namespace]:
            del self._tables[key]

    async def _refreshed(self, key: tuple[str, int]) -> VectorTable:
        """The table with every change that was committed when this was called."""
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
        after = 0
        while True:
            rows = await self._sqlite.read(
                "SELECT e.memory_seq, e.vector FROM embeddings e JOIN memories m ON m.seq = e.memory_seq "
                "WHERE e.generation = ? AND m.namespace = ? AND e.memory_seq > ? ORDER BY e.memory_seq LIMIT ?",
                (generation, namespace, after, LOAD_ROWS),
            )
            await asyncio.to_thread(table.put_all, [(row[0], row[1]) for row in rows])
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
        table.put_all((seq, data) for seq, data in rows if data is not None)


def nearest_of(vectors: Iterable[tuple[int, bytes]], query: bytes, limit: int) -> list[tuple[int, float]]:
    """(sequence number, cosine) of the nearest of a few vectors, best first."""
    table = VectorTable()
    table.put_all(vectors)
    return table.rows().nearest(query, None, limit)


async def outbox_bounds(sqlite: Sqlite) -> tuple[int, int]:
    """The newest change ever made to vectors, and the oldest one still kept (newest + 1 when none is)."""
    [row] = await sqlite.read(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'index_outbox'), 0) AS newest, "
        "(SELECT min(seq) FROM index_outbox) AS oldest"
    )
    return row["newest"], row["newest"] + 1 if row["oldest"] is None else row["oldest"]
