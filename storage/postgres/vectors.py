"""The upkeep of the index over vectors: it is made when it pays, and the database itself keeps it up."""

import asyncio
from dataclasses import replace

from ...modules.errors import StorageUnavailable
from ...modules.memory.ports import IndexPhase, IndexState, IndexStatus
from ..engine.no_index import NoIndex
from . import directions
from .database import Postgres

EXACT_UP_TO = 5_000
"""The most vectors to compare exactly where an index is as good: about 40 ms."""
INDEXED_DIMENSIONS_MAX = 2_000
"""HNSW of pgvector takes no longer vectors of this type."""


class DirectionIndex(NoIndex):
    """Implements `modules.memory.ports.VectorIndex`: it makes the index when it pays; the database keeps it up.

    Without pgvector there is none, and nothing to do.
    """

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._generation = 0
        self._ready = False

    async def glance(self, generation: int) -> bool:
        return self._ready and generation == self._generation

    async def open(self, generation: int) -> IndexState:
        """Make the index if this store has enough vectors for it, or make a broken one again."""
        self._generation = generation
        state = await self.state()
        dimension = await self._dimension() if self._postgres.prepared.pgvector and state.count > EXACT_UP_TO else 0
        if 0 < dimension <= INDEXED_DIMENSIONS_MAX:
            self.status = replace(self.status, state=IndexPhase.BUILDING)
            try:
                await asyncio.to_thread(directions.make_index, self._postgres.direct, self._postgres.schema, dimension)
            except StorageUnavailable as error:
                self.status = replace(self.status, state=IndexPhase.FAILED, problem=str(error))
                raise
        self._ready = True
        self.status = IndexStatus(IndexPhase.READY, state.applied, state.newest, state.count, None)
        return state

    async def catch_up(self, limit: int) -> int:
        """Note that the database has applied every change."""
        state = await self.state()
        self.status = replace(self.status, applied=state.applied, newest=state.newest, count=state.count)
        return 0

    async def state(self) -> IndexState:
        """Return the state. Where the table is large, its vectors are not counted: there are as many as memories."""
        [row] = await self._postgres.read(_STATE, (self._generation, EXACT_UP_TO))
        return IndexState(self._generation, int(row[1]), int(row[1]), int(row[0]))

    async def _dimension(self) -> int:
        query = "SELECT length(vector) / 4 FROM embeddings WHERE generation = ? LIMIT 1"
        rows = await self._postgres.read(query, (self._generation,))
        return int(rows[0][0]) if rows else 0


_STATE = (
    "SELECT CASE WHEN (SELECT reltuples FROM pg_class WHERE oid = CAST('embeddings' AS regclass)) <= ?2 "
    "THEN (SELECT count(*) FROM embeddings WHERE generation = ?1) "
    "ELSE (SELECT coalesce(sum(memories), 0) FROM text_statistics) END, coalesce(newest('index_outbox'), 0)"
)
