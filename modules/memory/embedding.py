"""Vectors for memories: at once when the model is ready, later by the backlog when it is not."""

import asyncio
import logging

from ..errors import AgentOSError
from .models import Vector
from .ports import Embedder, EmbeddingBacklog

BATCH = 32

log = logging.getLogger(__name__)


class MemoryEmbedding:
    """Embeds queries and memories with one model, and works off what was stored without a vector."""

    def __init__(self, embedder: Embedder, backlog: EmbeddingBacklog) -> None:
        self._embedder = embedder
        self._backlog = backlog
        self._generation: int | None = None
        self._worker: asyncio.Task[None] | None = None
        self._more = False

    async def warm_up(self) -> None:
        """Start loading the model in its thread; returns at once."""
        await self._embedder.ready(0)

    async def ready(self, wait_s: float) -> bool:
        """Whether the model can embed, waiting at most `wait_s` seconds for it."""
        return await self._embedder.ready(wait_s)

    async def generation(self) -> int | None:
        """The number of the model's generation of vectors; None while there is no model."""
        if self._generation is None and await self._embedder.ready(0):
            self._generation = await self._backlog.generation(self._embedder.fingerprint, self._embedder.dimension)
        return self._generation

    async def query_vector(self, query: str, wait_s: float) -> Vector | None:
        """The vector of a query, waiting a bounded time for the model; None means text index only."""
        if not await self._embedder.ready(wait_s):
            return None
        if self._working and self._worker is not None:
            # What was stored while the model was loading has no vector yet; it is a matter of moments.
            await asyncio.wait({self._worker}, timeout=wait_s)
        return await self._vector(query)

    @property
    def _working(self) -> bool:
        return self._worker is not None and not self._worker.done()

    async def vector_if_ready(self, content: str) -> Vector | None:
        """The vector of a text if the model is loaded now; starts loading it otherwise."""
        return await self._vector(content) if await self._embedder.ready(0) else None

    async def _vector(self, text: str) -> Vector | None:
        generation = await self.generation()
        if generation is None:
            return None
        [data] = await self._embedder.embed([text])
        return Vector(generation, data)

    def degraded_notes(self, lexical: bool) -> tuple[str, ...]:
        """What is degraded about an answer, and why."""
        if not lexical:
            return ("some new memories have no vector yet: only their words were searched",) if self._working else ()
        return (f"text index only: {self._embedder.problem or 'the embedding model is still loading'}",)

    def embed_later(self) -> None:
        """Work off the backlog in the background as soon as the model is there."""
        self._more = True
        if not self._working:
            self._worker = asyncio.create_task(self._work_off(), name="embedding-backlog")

    async def _work_off(self) -> None:
        while self._more:
            self._more = False
            try:
                while await self.embed_pending(wait_s=60.0):
                    pass
            except AgentOSError as error:
                # The texts stay in the backlog: the next store or the daemon takes it up again.
                log.warning("embedding backlog: %s", error)

    async def embed_pending(self, wait_s: float = 0.0) -> int:
        """Embed one batch of the backlog; returns how many memories got a vector."""
        if not await self._embedder.ready(wait_s):
            return 0
        generation = await self.generation()
        if generation is None:
            return 0
        texts = await self._backlog.unembedded(generation, BATCH)
        if not texts:
            return 0
        vectors = await self._embedder.embed([text.content for text in texts])
        return await self._backlog.add_vectors(texts, [Vector(generation, data) for data in vectors])

    async def close(self) -> None:
        """Stop working; what is left stays in the backlog."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        self._embedder.close()
