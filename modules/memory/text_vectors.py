"""Vectors of texts that are no memories, to be compared with those of memories."""

import asyncio
import logging
from collections.abc import Sequence

from ..errors import AgentOSError, StorageUnavailable
from ..vectors import Familiar, as_they_are
from .embedding import MemoryEmbedding
from .ports import Embedder, UnembeddedText

BATCH = 64
MODEL_WAIT_S = 60.0

log = logging.getLogger(__name__)


class TextVectors:
    """One vector for each text, whatever its length."""

    def __init__(self, embedder: Embedder, embedding: MemoryEmbedding) -> None:
        self._embedder = embedder
        self._embedding = embedding

    async def generation(self) -> int | None:
        """Return the generation of memories' vectors that these may be compared with; None while there is no model."""
        return await self._embedding.generation() if await self._embedder.ready(MODEL_WAIT_S) else None

    async def caught_up(self, wait_s: float) -> bool:
        """Return whether each memory has its vector, waiting at most `wait_s` seconds."""
        return await self._embedding.caught_up(wait_s)

    def embed_soon(self, memory_id: str, text: str) -> None:
        """Queue a memory that was just written to be embedded in the background; does not block."""
        self._embedding.embed_soon(UnembeddedText(memory_id, text))

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """Return a unit vector for each text: of several passages, their common direction.

        Raises StorageUnavailable while there is no model.
        """
        if not await self._embedder.ready(MODEL_WAIT_S):
            raise StorageUnavailable(self._embedder.problem or "the embedding model is still loading; try again")
        found: list[list[bytes]] = []
        for begin in range(0, len(texts), BATCH):
            encoded = await self._embedder.encode(texts[begin : begin + BATCH])
            found += [[passage.vector for passage in passages] for passages in encoded]
        return await asyncio.to_thread(lambda: [_direction(vectors) for vectors in found])

    async def familiar(self, text: str) -> Familiar:
        """Return what the cosines of texts in the language of this one are worth; as they are if no model can tell."""
        try:
            return (await self._embedding.told_scale(text)).of_all
        except AgentOSError as error:
            log.info("cosines are taken as they are: %s", error)
            return as_they_are


def _direction(vectors: Sequence[bytes]) -> bytes:
    """Return the common direction of unit vectors, float32, little-endian."""
    if len(vectors) == 1:
        return vectors[0]
    import numpy as np

    together = np.stack([np.frombuffer(vector, dtype="<f4") for vector in vectors]).astype(np.float64).sum(axis=0)
    length = float(np.linalg.norm(together))
    return vectors[0] if length == 0 else (together / length).astype("<f4").tobytes()
