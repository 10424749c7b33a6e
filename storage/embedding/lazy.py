"""The embedding model behind an async port: loaded at first use, in its own thread; searches go before a backlog."""

from collections.abc import Callable, Sequence
from functools import partial

from ...modules.memory.models import Passage, QueryEncoding
from .batches import batches
from .encoder import Encoder
from .locate import EMBEDDER, EmbeddingUnavailable
from .passages import assembled, generation_name, pieces_of
from .remembered import RememberedQueries
from .watched_model import HUNG_S, WatchedModel

_QUERY, _TEXTS = 1, 2  # a job's urgency
SHORT_CHARS = 1_000
"""The longest text that is cut and encoded in one job: it is not many pieces, and somebody may wait for it."""


class LazyEmbedder:
    """The Embedder of `modules.memory.ports`, over a model that is watched (see WatchedModel)."""

    def __init__(self, load: Callable[[], Encoder], hung_s: float = HUNG_S, *, late_interaction: bool = True) -> None:
        """Prepare the model; `load` is called in the thread, at the first `ready`, `encode` or `encode_query`."""
        self._model = WatchedModel(EMBEDDER, load, hung_s)
        self._late_interaction = late_interaction
        self._remembered = RememberedQueries()

    @property
    def fingerprint(self) -> str:
        """The name of the model, its weights and the kind of encoding.

        Raises EmbeddingUnavailable before `ready` has returned True.
        """
        return generation_name(self._model.loaded.fingerprint, late_interaction=self._late_interaction)

    @property
    def dimension(self) -> int:
        """The number of values in a vector; raises EmbeddingUnavailable before `ready` has returned True."""
        return self._model.loaded.dimension

    @property
    def problem(self) -> str | None:
        """The reason why there is no model, in words for the user; None while it loads or once it is ready."""
        return self._model.problem

    async def ready(self, wait_s: float) -> bool:
        """Start loading if needed, and wait at most `wait_s` seconds; return whether it can embed now."""
        return await self._model.ready(wait_s)

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Return the passages of each content, in order; wait for the model. Raises EmbeddingUnavailable if there is
        none.

        Works in small jobs, so that a search need not wait long.
        """
        if not contents:
            return []
        await self._model.loading()
        if len(contents) == 1 and len(contents[0]) <= SHORT_CHARS:
            return await self._model.run(partial(self._encode_short, contents), _TEXTS)
        pieces = await self._model.run(partial(pieces_of, contents), _TEXTS)
        encoded: list[tuple[bytes, bytes]] = [(b"", b"")] * len(pieces)
        for part in batches([len(piece.text) for piece in pieces]):
            done = await self._model.run(partial(self._encode_pieces, [pieces[index].text for index in part]), _TEXTS)
            for index, each in zip(part, done, strict=True):
                encoded[index] = each
        return assembled(len(contents), pieces, encoded)

    async def encode_query(self, query: str) -> QueryEncoding:
        """Return the encoding of a query; wait for the model. Raises EmbeddingUnavailable if there is none."""
        if (known := self._remembered.get(query)) is not None:
            return known
        await self._model.loading()
        return self._remembered.add(query, await self._model.run(partial(self._encode_query, query), _QUERY))

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        """Return whether the model reads each text; wait for it. Raises EmbeddingUnavailable if there is none."""
        foreign = [text for text in texts if not text.isascii()]
        if not foreign:
            return [True] * len(texts)
        await self._model.loading()
        known = dict(zip(foreign, await self._model.run(partial(_known, foreign), _QUERY), strict=True))
        return [known.get(text, True) for text in texts]

    def _encode_short(self, contents: Sequence[str], encoder: Encoder) -> list[list[Passage]]:
        pieces = pieces_of(contents, encoder)
        return assembled(len(contents), pieces, self._encode_pieces([piece.text for piece in pieces], encoder))

    def _encode_pieces(self, texts: Sequence[str], encoder: Encoder) -> list[tuple[bytes, bytes]]:
        if self._late_interaction:
            return encoder.encode_with_signs(texts)
        return [(vector, b"") for vector in encoder.encode(texts)]

    def _encode_query(self, query: str, encoder: Encoder) -> QueryEncoding:
        if not encoder.knows(query):
            return QueryEncoding(b"", knows=False)
        return encoder.encode_query(query) if self._late_interaction else QueryEncoding(encoder.encode([query])[0])

    def close(self) -> None:
        """Let the thread end after its current job; waiting callers get an error. Does not block."""
        self._remembered.clear()
        self._model.close()


def _known(texts: Sequence[str], encoder: Encoder) -> list[bool]:
    return [encoder.knows(text) for text in texts]


class NoEmbedder:
    """The Embedder for the setting `none`: search works on words alone."""

    fingerprint = "none"
    dimension = 0
    problem = "embedding is switched off"

    async def ready(self, wait_s: float) -> bool:
        """Return False."""
        return False

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Raise EmbeddingUnavailable, unless there is nothing to encode."""
        if contents:
            raise EmbeddingUnavailable(self.problem)
        return []

    async def encode_query(self, query: str) -> QueryEncoding:
        """Raise EmbeddingUnavailable."""
        raise EmbeddingUnavailable(self.problem)

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        """Raise EmbeddingUnavailable."""
        raise EmbeddingUnavailable(self.problem)

    def close(self) -> None:
        """Do nothing."""
