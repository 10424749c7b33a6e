"""Vectors for memories: at once when the model is ready, later by the backlog when it is not."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import AgentOSError
from .models import Vector
from .ports import Embedder, EmbeddingBacklog, UnembeddedText

BATCH = 32

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class QueryVector:
    """The vector of a query, None when only words can be searched; `notes` say what is degraded and why."""

    vector: Vector | None
    notes: tuple[str, ...]


class MemoryEmbedding:
    """Embeds queries and memories with one model, and works off what was stored without a vector."""

    def __init__(self, embedder: Embedder, backlog: EmbeddingBacklog) -> None:
        self._embedder = embedder
        self._backlog = backlog
        self._generation: int | None = None
        self._worker: asyncio.Task[None] | None = None
        self._waited_for: asyncio.Task[None] | None = None
        self._more = False
        self._refused: set[tuple[str, int]] = set()

    async def warm_up(self) -> None:
        """Start loading the model in its thread; returns at once."""
        await self._embedder.ready(0)

    async def ready(self, wait_s: float) -> bool:
        """Whether the model can embed, waiting at most `wait_s` seconds for it."""
        return await self._embedder.ready(wait_s)

    async def state(self) -> dict[str, str | None]:
        """Whether the model is `ready`, `loading` or `none`, and what the `problem` is."""
        if await self._embedder.ready(0):
            return {"state": "ready", "problem": None}
        problem = self._embedder.problem
        return {"state": "none" if problem else "loading", "problem": problem}

    async def generation(self) -> int | None:
        """The number of the model's generation of vectors; None while there is no model."""
        if self._generation is None and await self._embedder.ready(0):
            self._generation = await self._backlog.generation(self._embedder.fingerprint, self._embedder.dimension)
        return self._generation

    async def query_vector(self, query: str, wait_s: float) -> QueryVector:
        """The vector of a query, waiting a bounded time for the model, or why there is none."""
        if not await self._embedder.ready(wait_s):
            problem = self._embedder.problem or "the embedding model is still loading"
            return QueryVector(None, (f"text index only: {problem}",))
        if self._worker is not None and self._working and self._worker is not self._waited_for:
            # What was stored while the model was loading has no vector yet; it is a matter of moments.
            # A backlog that takes longer, as after a change of the model, holds up one search, not every one.
            self._waited_for = self._worker
            await asyncio.wait({self._worker}, timeout=wait_s)
        try:
            vector = await self._vector(query)
        except AgentOSError as error:  # the model broke, or cannot be registered: words can still be searched
            return QueryVector(None, (f"text index only: {error}",))
        owed = ("some new memories have no vector yet: only their words were searched",) if self._working else ()
        return QueryVector(vector, owed)

    @property
    def _working(self) -> bool:
        return self._worker is not None and not self._worker.done()

    async def vector_if_ready(self, content: str) -> Vector | None:
        """The vector of a text if the model is loaded now; starts loading it otherwise."""
        if not await self._embedder.ready(0):
            return None
        try:
            return await self._vector(content)
        except AgentOSError as error:  # the text is kept all the same, and embedded when that works again
            log.warning("no vector for a new text: %s", error)
            return None

    async def _vector(self, text: str) -> Vector | None:
        generation = await self.generation()
        if generation is None:  # the model was closed meanwhile
            return None
        [data] = await self._embedder.embed([text])
        return Vector(generation, data)

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

    async def mark(self) -> tuple[int, int]:
        """Changes whenever there may be something to embed or to index."""
        return await self._backlog.mark()

    async def embed_pending(self, wait_s: float = 0.0) -> int:
        """Embed one batch of the backlog; returns how many memories were dealt with, 0 when none is left."""
        if not await self._embedder.ready(wait_s):
            return 0
        generation = await self.generation()
        if generation is None:
            return 0
        owed = await self._backlog.unembedded(generation, BATCH + len(self._refused))
        texts = [text for text in owed if (text.memory_id, text.version) not in self._refused][:BATCH]
        if not texts:
            return 0
        embedded = await self._embedded(texts)
        vectors = [Vector(generation, data) for _, data in embedded]
        stored = await self._backlog.add_vectors([text for text, _ in embedded], vectors)
        return stored or len(texts) - len(embedded)

    async def _embedded(self, texts: Sequence[UnembeddedText]) -> list[tuple[UnembeddedText, bytes]]:
        """The texts with their vectors; one that the model cannot take is left out, and not tried again."""
        try:
            return list(zip(texts, await self._embedder.embed([text.content for text in texts]), strict=True))
        except AgentOSError:
            raise  # the model is gone: all of them can wait
        except Exception as error:  # noqa: BLE001 - whatever a library makes of one text must not stop the others
            if len(texts) == 1:
                log.warning("memory %s cannot be embedded: %s", texts[0].memory_id, error)
                self._refused.add((texts[0].memory_id, texts[0].version))
                return []
        return [pair for text in texts for pair in await self._embedded([text])]

    async def close(self) -> None:
        """Stop working; what is left stays in the backlog."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        self._embedder.close()
