"""The embedding model that a store's vectors are from, by which searches go until all have one of the newer model."""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import AgentOSError
from ..records import dataclass
from .models import EmbeddingGeneration, QueryEncoding
from .ports import Embedder

if TYPE_CHECKING:
    from ...storage.repositories.backlog import BacklogRepository

OpenEmbedder = Callable[[str], Embedder | None]
"""Opens the model of a generation by its name; None where it is not on this machine."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EarlierEncoding:
    """A query as the earlier model encodes it, and the number and name of that model's generation."""

    generation: int
    name: str
    encoding: QueryEncoding


class EarlierModel:
    """Opened where it is first needed, and closed once it is needed no more."""

    def __init__(self, backlog: "BacklogRepository", open_: OpenEmbedder | None) -> None:
        self._backlog = backlog
        self._open = open_
        self._known: EmbeddingGeneration | None = None
        self._model: Embedder | None = None

    async def encoded(self, query: str, generation: int, done: int, wait_s: float) -> EarlierEncoding | None:
        """Return a query's encoding where the earlier model has embedded more than `done` memories, else None.

        None too where that model is not here, fails, or does not know the script. `generation` is the newer one's.
        """
        if self._open is None:
            return None
        if self._known is None:
            self._known = await self._backlog.largest_other(generation)
            self._model = self._open(self._known.name) if self._known is not None else None
        model, known = self._model, self._known
        if model is None or known is None or known.embedded <= done:
            return None
        try:
            if not await model.ready(wait_s) or model.fingerprint != known.name:
                return None
            async with asyncio.timeout(wait_s):
                encoding = await model.encode_query(query)
        except (AgentOSError, TimeoutError) as error:
            log.info("the earlier embedding model is not used: %s", error)
            return None
        return EarlierEncoding(known.id, known.name, encoding) if encoding.knows else None

    def close(self) -> None:
        """Close the model; a later change opens one again."""
        if self._model is not None:
            self._model.close()
        self._model = self._known = None
