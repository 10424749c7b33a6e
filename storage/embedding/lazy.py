"""Models behind async ports: each is loaded at first use, in its own thread, watched, and works in small jobs."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from ...modules.memory.models import Passage, QueryEncoding
from .encoder import Encoder
from .locate import EMBEDDER, EmbeddingUnavailable
from .passages import assembled, generation_name, pieces_of
from .watched_model import HUNG_S, WatchedModel, batches

QUERIES_MAX = 64
"""The most encodings kept, of up to 100 KB each."""
_QUERY, _TEXTS = 1, 2  # a job's urgency
SHORT_CHARS = 1_000
"""The longest text that is cut and encoded in one job: it is not many pieces, and somebody may wait for it."""


class RememberedQueries:
    """The latest encodings of one model, by the digest of their query, so that repeating one is free."""

    def __init__(self, most: int = QUERIES_MAX) -> None:
        self._most = most
        self._encodings: OrderedDict[bytes, QueryEncoding] = OrderedDict()

    def get(self, query: str) -> QueryEncoding | None:
        """Return the encoding of a query; None if it is not remembered."""
        key = _key(query)
        if key in self._encodings:
            self._encodings.move_to_end(key)
        return self._encodings.get(key)

    def add(self, query: str, encoding: QueryEncoding) -> QueryEncoding:
        """Remember an encoding, forgetting the least recently used one, and return it."""
        self._encodings[_key(query)] = encoding
        if len(self._encodings) > self._most:
            self._encodings.popitem(last=False)
        return encoding

    def clear(self) -> None:
        """Forget all of them."""
        self._encodings.clear()


def _key(query: str) -> bytes:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()


class LazyEmbedder(WatchedModel[Encoder]):
    """The Embedder of `modules.memory.ports`; searches go before a backlog."""

    def __init__(
        self,
        load: Callable[[], Encoder],
        hung_s: float = HUNG_S,
        *,
        late_interaction: bool = True,
        remembers: int = QUERIES_MAX,
    ) -> None:
        """Prepare the model; `load` is called in the thread, at the first `ready`, `encode` or `encode_query`.

        It remembers so many queries.
        """
        super().__init__(EMBEDDER, load, hung_s)
        self._late_interaction = late_interaction
        self._remembered = RememberedQueries(remembers)

    @property
    def fingerprint(self) -> str:
        """The name of the model, its weights and the kind of encoding.

        Raises EmbeddingUnavailable before `ready` has returned True.
        """
        return generation_name(self.loaded.fingerprint, late_interaction=self._late_interaction)

    @property
    def dimension(self) -> int:
        """The number of values in a vector; raises EmbeddingUnavailable before `ready` has returned True."""
        return self.loaded.dimension

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Return the passages of each content, in order; wait for the model. Raises EmbeddingUnavailable if there is
        none.

        Works in small jobs, so that a search need not wait long.
        """
        if not contents:
            return []
        await self.loading()
        if len(contents) == 1 and len(contents[0]) <= SHORT_CHARS:
            return await self.run(partial(self._encode_short, contents), _TEXTS)
        pieces = await self.run(partial(pieces_of, contents), _TEXTS)
        encoded: list[tuple[bytes, bytes]] = [(b"", b"")] * len(pieces)
        for part in batches([len(piece.text) for piece in pieces]):
            done = await self.run(partial(self._encode_pieces, [pieces[index].text for index in part]), _TEXTS)
            for index, each in zip(part, done, strict=True):
                encoded[index] = each
        return assembled(len(contents), pieces, encoded)

    async def encode_query(self, query: str) -> QueryEncoding:
        """Return the encoding of a query; wait for the model. Raises EmbeddingUnavailable if there is none."""
        if (known := self._remembered.get(query)) is not None:
            return known
        await self.loading()
        return self._remembered.add(query, await self.run(partial(self._encode_query, query), _QUERY))

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        """Return whether the model reads each text; wait for it. Raises EmbeddingUnavailable if there is none."""
        foreign = [text for text in texts if not text.isascii()]
        if not foreign:
            return [True] * len(texts)
        await self.loading()
        known = dict(zip(foreign, await self.run(partial(_known, foreign), _QUERY), strict=True))
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
        super().close()


def _known(texts: Sequence[str], encoder: Encoder) -> list[bool]:
    return [encoder.knows(text) for text in texts]


class PairModel(Protocol):
    """A loaded model that judges texts by a query. Blocks while it works, so it is called from a worker thread."""

    @property
    def fingerprint(self) -> str:
        """The model's name and a short sha256 of its weights."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, in order; higher is better."""


class LazyPairModel(WatchedModel[PairModel]):
    """The PairJudge of `modules.memory.ports`."""

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, in order; wait for the model. Raises ModelUnavailable if there is none.

        Works in small jobs: a caller that gives up leaves the thread at most one of them.
        """
        await self.loading()
        found = [0.0] * len(texts)
        for part in batches([len(query) + len(text) for text in texts]):
            done = await self.run(partial(_judge, query, [texts[index] for index in part]))
            for index, score in zip(part, done, strict=True):
                found[index] = score
        return found


def _judge(query: str, texts: Sequence[str], model: PairModel) -> list[float]:
    return model.scores(query, texts)


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
