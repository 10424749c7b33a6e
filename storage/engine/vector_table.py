"""Vectors in memory, compared exactly: a table that grows while other threads search it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...modules.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_CAPACITY = 256
SKETCHED_FROM = 10_000
"""From so many vectors on, only those are compared whose signs are the most like the query's: an eighth of the time."""
LOOKED_AT, A_WANTED = 2_000, 40
"""How many of these are compared at least, and for each memory that is wanted."""
BLOCK = 65_536
"""Rows whose signs are taken at once: the memory that this needs has a bound."""
_GONE = -1


class PassageVector(NamedTuple):
    """The vector of one passage of a memory; passages count from 0."""

    memory_seq: int
    part: int
    data: bytes


class NearMemory(NamedTuple):
    """A memory near a query, with its nearest passage."""

    memory_seq: int
    part: int
    cosine: float


class VectorTable:
    """Vectors of one namespace and generation: a float32 matrix (count × dimension) with unit rows.

    The passages of a memory are adjacent rows, in order. A row is never overwritten: a changed memory gets new rows,
    and the rows of a removed one only lose their number. So a search in another thread reads a consistent table without
    a lock while this one changes it.

    Signs are those of the difference to the mean, as all texts lie close to one another with some models. It is that of
    the rows that there were when it was last settled or copied, then at least half of all: the signs of a row and a
    query need the same one.
    """

    def __init__(self, room: int = 0) -> None:
        """Leave room for about so many rows, which are not copied while it grows to them."""
        self.applied = -1
        self._room = room
        self._first: dict[int, int] = {}
        self._rows = 0
        self._seqs: NDArray[np.int64] | None = None
        self._matrix: NDArray[np.float32] | None = None
        self._signs: NDArray[np.uint8] | None = None
        self._mean: NDArray[np.float32] | None = None

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
        self._reserve(values)
        if self._matrix is None or self._seqs is None or self._signs is None or self._mean is None:
            return
        begin, end = self._rows, self._rows + len(vectors)
        self._matrix[begin:end] = values
        _write_signs(self._signs[begin:end], values, self._mean)
        self._seqs[begin:end] = [vector.memory_seq for vector in vectors]
        for row, vector in enumerate(vectors, start=begin):
            self._first.setdefault(vector.memory_seq, row)
        self._rows = end

    def _reserve(self, values: NDArray[np.float32]) -> None:
        """Make room for more rows; rows copied for it are those not removed, with a new mean."""
        import numpy as np

        more, dimension = values.shape
        if self._matrix is not None and self._seqs is not None and self._rows + more <= len(self._matrix):
            return
        alive = np.empty(0, dtype=bool) if self._seqs is None else self._seqs[: self._rows] != _GONE
        count = int(alive.sum())
        capacity = max(MIN_CAPACITY, more + 2 * count if self._rows else more, self._room)
        matrix, seqs = np.empty((capacity, dimension), dtype=np.float32), np.empty(capacity, dtype=np.int64)
        signs = np.empty((capacity, -(-dimension // 8)), dtype=np.uint8)
        if self._matrix is not None and self._seqs is not None:
            matrix[:count] = self._matrix[: self._rows][alive]
            seqs[:count] = self._seqs[: self._rows][alive]
            found, rows = np.unique(seqs[:count], return_index=True)
            self._first = dict(zip(found.tolist(), rows.tolist(), strict=True))
            self._rows = count
        mean = (matrix[:count].sum(0) + values.sum(0)) / np.float32(count + more)
        _write_signs(signs[:count], matrix[:count], mean)
        self._matrix, self._seqs, self._signs, self._mean = matrix, seqs, signs, mean

    def settle(self) -> None:
        """Take the signs of all rows anew, by the mean of these; nobody may search it meanwhile.

        Room of which less than half is filled is given up: the copies on the way to more rows renew the mean.
        """
        import numpy as np

        if self._matrix is None or self._seqs is None or self._signs is None:
            self._room = 0
            return
        if 2 * self._rows < len(self._matrix):
            self._room = 0
            self._matrix, self._seqs = self._matrix[: self._rows].copy(), self._seqs[: self._rows].copy()
            self._signs = self._signs[: self._rows].copy()
        rows = self._matrix[: self._rows]
        self._mean = rows.sum(0) / np.float32(len(rows))
        _write_signs(self._signs[: self._rows], rows, self._mean)

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
        if self._matrix is None or self._seqs is None or self._signs is None:
            return VectorRows(None, None, None, None)
        return VectorRows(self._matrix[: self._rows], self._seqs[: self._rows], self._signs[: self._rows], self._mean)


@dataclass(frozen=True)
class VectorRows:
    """Vectors, the sequence numbers of their memories, and their signs, row by row; and the mean that these are of."""

    matrix: NDArray[np.float32] | None
    seqs: NDArray[np.int64] | None
    signs: NDArray[np.uint8] | None
    mean: NDArray[np.float32] | None

    def nearest(self, data: bytes, allowed: Sequence[int] | None, limit: int) -> list[NearMemory]:
        """Return the nearest memories, best first, among `allowed` or all.

        Compares every vector, or of SKETCHED_FROM and more those that have the most signs of the query.
        """
        import numpy as np

        matrix, seqs, signs, mean = self.matrix, self.seqs, self.signs, self.mean
        if matrix is None or seqs is None or signs is None or mean is None or not len(seqs):
            return []
        query = np.frombuffer(data, dtype="<f4")
        chosen = None if allowed is None else np.flatnonzero(np.isin(seqs, np.asarray(allowed, dtype=np.int64)))
        looked_at = max(LOOKED_AT, A_WANTED * limit)
        count = len(seqs if chosen is None else chosen)
        if hasattr(np, "bitwise_count") and count >= max(SKETCHED_FROM, 2 * looked_at):  # since numpy 2
            chosen = self._most_alike(seqs, signs, np.packbits(query > mean), chosen, looked_at)
        scores, among = (matrix @ query, seqs) if chosen is None else (matrix[chosen] @ query, seqs[chosen])
        alive = np.flatnonzero(among != _GONE)
        if not len(alive):
            return []
        rows = alive if chosen is None else chosen[alive]
        scores, among = scores[alive], among[alive]
        begins = np.flatnonzero(np.concatenate(([True], among[1:] != among[:-1])))
        ends = np.append(begins[1:], len(among))
        best, found = np.maximum.reduceat(scores, begins), among[begins]
        top = np.argpartition(-best, limit - 1)[:limit] if len(best) > limit else np.arange(len(best))
        order = top[np.lexsort((-found[top], -best[top]))]  # of equal ones the newer first
        return [
            NearMemory(
                int(found[i]), _part(seqs, int(rows[begins[i] + scores[begins[i] : ends[i]].argmax()])), float(best[i])
            )
            for i in order
        ]

    @staticmethod
    def _most_alike(
        seqs: NDArray[np.int64],
        signs: NDArray[np.uint8],
        sought: NDArray[np.uint8],
        chosen: NDArray[np.int64] | None,
        count: int,
    ) -> NDArray[np.int64]:
        """Return the rows, in order, whose signs differ the least from a query's, among `chosen` or all."""
        import numpy as np

        if chosen is not None:
            seqs, signs = seqs[chosen], signs[chosen]
        width = signs.shape[1] - signs.shape[1] % 8  # whole words are counted at once
        words, of_query = signs[:, :width].view(np.uint64), sought[:width].view(np.uint64)
        differ = np.bitwise_count(words ^ of_query).sum(1, dtype=np.int32)
        if width < signs.shape[1]:
            differ += np.bitwise_count(signs[:, width:] ^ sought[width:]).sum(1, dtype=np.int32)
        differ[seqs == _GONE] = np.iinfo(np.int32).max
        near = np.sort(np.argpartition(differ, count)[:count])
        return near if chosen is None else chosen[near]


def _write_signs(signs: NDArray[np.uint8], values: NDArray[np.float32], mean: NDArray[np.float32]) -> None:
    """Set the signs of rows: bits that say where a vector is above the mean."""
    import numpy as np

    for begin in range(0, len(values), BLOCK):
        signs[begin : begin + BLOCK] = np.packbits(values[begin : begin + BLOCK] > mean, axis=1)


def _part(seqs: NDArray[np.int64], row: int) -> int:
    """Return which passage of its memory a row is."""
    first = row
    while first and seqs[first - 1] == seqs[row]:
        first -= 1
    return row - first


def nearest_of(vectors: Sequence[PassageVector], query: bytes, limit: int) -> list[NearMemory]:
    """Return the nearest of a few memories, best first; the passages of each are given in order."""
    table = VectorTable()
    table.append(vectors)
    return table.rows().nearest(query, None, limit)
