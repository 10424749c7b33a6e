"""Exact vector search: the vectors of a namespace in memory, kept up to date with SQLite by its outbox."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ...modules.memory.models import Vector
from .database import Sqlite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAMESPACES_IN_MEMORY = 4
LOAD_ROWS = 5_000
MIN_CAPACITY = 256
_GONE = -1


class PassageVector(NamedTuple):
    """The vector of one passage of a memory; passages count from 0."""

    memory_seq: int
    part: int
    data: bytes


class Near(NamedTuple):
    """A memory near a query, with its nearest passage."""

    memory_seq: int
    part: int
    cosine: float


class VectorTable:
    """Vectors of one namespace and generation: a float32 matrix (count × dimension) with unit rows.

    The passages of a memory are adjacent rows, in order. A row is never overwritten: a changed memory gets new rows,
    and the rows of a removed one only lose their number. So a search in another thread reads a consistent table without
    a lock while this one changes it.
    """

    def __init__(self) -> None:
        self.applied = -1
        self._first: dict[int, int] = {}
        self._rows = 0
        self._seqs: NDArray[np.int64] | None = None
        self._matrix: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """Return how many memories it holds."""
        return len(self._first)

    def put_all(self, vectors: Sequence[PassageVector]) -> None:
        """Add or replace memories: all passages of each, in order."""
        for seq in {vector.memory_seq for vector in vectors}:
            self.discard(seq)
        self.append(vectors)

    def append(self, vectors: Sequence[PassageVector]) -> None:
        """Add passages that are not in it; a memory's later ones must follow directly upon its earlier ones."""
        import numpy as np

        if not vectors:
            return
        values = np.frombuffer(b"".join([vector.data for vector in vectors]), dtype="<f4").reshape(len(vectors), -1)
        self._reserve(len(vectors), values.shape[1])
        if self._matrix is None or self._seqs is None:
            return
        begin, end = self._rows, self._rows + len(vectors)
        self._matrix[begin:end] = values
        self._seqs[begin:end] = [vector.memory_seq for vector in vectors]
        for row, vector in enumerate(vectors, start=begin):
            self._first.setdefault(vector.memory_seq, row)
        self._rows = end

    def _reserve(self, more: int, dimension: int) -> None:
        """Make room for more rows; when rows are copied anyway, removed ones are left out."""
        import numpy as np

        if self._matrix is not None and self._seqs is not None and self._rows + more <= len(self._matrix):
            return
        alive = np.empty(0, dtype=bool) if self._seqs is None else self._seqs[: self._rows] != _GONE
        count = int(alive.sum())
        capacity = max(MIN_CAPACITY, more + 2 * count if self._rows else more)
        matrix, seqs = np.empty((capacity, dimension), dtype=np.float32), np.empty(capacity, dtype=np.int64)
        if self._matrix is not None and self._seqs is not None:
            matrix[:count] = self._matrix[: self._rows][alive]
            seqs[:count] = self._seqs[: self._rows][alive]
            found, rows = np.unique(seqs[:count], return_index=True)
            self._first = dict(zip(found.tolist(), rows.tolist(), strict=True))
            self._rows = count
        self._matrix, self._seqs = matrix, seqs

    def discard(self, seq: int) -> None:
        """Remove a memory's vectors."""
        first = self._first.pop(seq, None)
        if first is None or self._seqs is None:
            return
        end = first + 1
        while end < self._rows and self._seqs[end] == seq:
            end += 1
        self._seqs[first:end] = _GONE

    def rows(self) -> VectorRows:
        """Return the table as it is now, for another thread; later additions are not in it, later removals may be."""
        if self._matrix is None or self._seqs is None:
            return VectorRows(None, None)
        return VectorRows(self._matrix[: self._rows], self._seqs[: self._rows])


@dataclass(frozen=True)
class VectorRows:
    """Vectors and the sequence numbers of their memories, row by row."""

    matrix: NDArray[np.float32] | None
    seqs: NDArray[np.int64] | None

    def nearest(self, data: bytes, allowed: Sequence[int] | None, limit: int) -> list[Near]:
        """Return the nearest memories, best first, among `allowed` or all. Compares every vector."""
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
        if not len(seqs):
            return []
        begins = np.flatnonzero(np.concatenate(([True], seqs[1:] != seqs[:-1])))
        ends = np.append(begins[1:], len(seqs))
        best, seqs = np.maximum.reduceat(scores, begins), seqs[begins]
        top = np.argpartition(-best, limit - 1)[:limit] if len(best) > limit else np.arange(len(best))
        order = top[np.lexsort((-seqs[top], -best[top]))]  # of equal ones the newer first
        return [Near(int(seqs[i]), int(scores[begins[i] : ends[i]].argmax()), float(best[i])) for i in order]


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


def nearest_of(vectors: Sequence[PassageVector], query: bytes, limit: int) -> list[Near]:
    """Return the nearest of a few memories, best first; the passages of each are given in order."""
    table = VectorTable()
    table.append(vectors)
    return table.rows().nearest(query, None, limit)


async def outbox_bounds(sqlite: Sqlite) -> tuple[int, int]:
    """Return the newest change ever made to vectors, and the oldest one kept (newest + 1 when there is none)."""
    [row] = await sqlite.read(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'index_outbox'), 0) AS newest, "
        "(SELECT min(seq) FROM index_outbox) AS oldest"
    )
    return row["newest"], row["newest"] + 1 if row["oldest"] is None else row["oldest"]
