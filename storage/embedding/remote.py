"""The embedding model behind a server: the Embedder port over HTTP, in batches, with bounded retries."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...modules.memory.models import Passage, QueryEncoding
from .character_windows import WINDOW_CHARACTERS, CharacterWindows
from .endpoint import (
    REQUEST_S,
    Endpoint,
    ServerFailed,
    ServerRefuses,
    TextRefused,
    open_client,
    request_vectors,
)
from .lazy import QUERIES_MAX, RememberedQueries
from .locate import SETTING, EmbeddingUnavailable
from .passages import assembled, generation_name, pieces_of
from .tokens import clean

if TYPE_CHECKING:
    from httpx2 import AsyncClient

logger = logging.getLogger(__name__)

BATCH_TEXTS_MAX = 64
BATCH_CHARACTERS_MAX = 32_000
PAUSES_S = (0.5, 2.0)
"""The pauses before the second and the third try of a batch; a query, which somebody waits for, is tried once."""
ASK_AGAIN_S = 15.0
"""How long a failed server is not asked again: no search waits for it meanwhile."""
_CLOSED = "the embedding model is closed"
_FIRST_TEXT = "memory"


class RemoteEmbedder:
    """The Embedder of `modules.memory.ports` for a server. Its coroutines belong to one event loop.

    The first answer sets the dimension, which must not change from then on. There is no late interaction, as such a
    server gives no token vectors. While the server fails, `problem` says so, and it is asked again every ASK_AGAIN_S.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        offline: bool,
        timeout_s: float = REQUEST_S,
        pauses_s: Sequence[float] = PAUSES_S,
        monotonic: Callable[[], float] = time.monotonic,
        remembers: int = QUERIES_MAX,
    ) -> None:
        self._endpoint = endpoint
        self._forbidden = endpoint.why_not(offline=offline)
        self._timeout_s = timeout_s
        self._pauses_s = pauses_s
        self._monotonic = monotonic
        self._remembered = RememberedQueries(remembers)
        self._client: AsyncClient | None = None
        self._dimension: int | None = None
        self._failure: str | None = None
        self._ask_again_at = -math.inf
        self._first: asyncio.Task[None] | None = None
        self._closed = False
        self._closing: asyncio.Task[None] | None = None

    @property
    def fingerprint(self) -> str:
        """The name of server, model, dimension and encoding; raises EmbeddingUnavailable before `ready`."""
        return generation_name(self._endpoint.fingerprint(self.dimension), late_interaction=False)

    @property
    def dimension(self) -> int:
        """The number of values in a vector; raises EmbeddingUnavailable before `ready` has returned True."""
        if self._dimension is None:
            raise EmbeddingUnavailable(self.problem or "the embedding server has not answered yet")
        return self._dimension

    @property
    def problem(self) -> str | None:
        """The reason why nothing can be embedded, in words for the user; None until the server has failed."""
        return _CLOSED if self._closed else self._forbidden or self._failure

    async def ready(self, wait_s: float) -> bool:
        """Ask for a first vector if there is none or the server failed a while ago; return whether it can embed."""
        if self._closed or self._forbidden:
            return False
        if self._dimension is None or self._failure:
            if self._first is None and self._monotonic() >= self._ask_again_at:
                self._first = asyncio.create_task(self._ask_first(), name="embedding-server")
            if self._first is not None and wait_s > 0:
                await asyncio.wait([self._first], timeout=None if math.isinf(wait_s) else wait_s)
        return self._dimension is not None and self.problem is None

    async def _ask_first(self) -> None:
        try:
            await self._request([_FIRST_TEXT])
            self._failure = None
        except EmbeddingUnavailable:
            pass  # noted as `problem`
        except TextRefused as error:
            self._fail(f"{error}, even a single word: check {SETTING}")
        except Exception as error:  # noqa: BLE001 - the task's boundary: a library fails, for example on a proxy's name
            self._fail(f"the embedding server cannot be asked: {type(error).__name__}")
        finally:
            self._first = None

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Return each content's passages, in order. Raises EmbeddingUnavailable, or TextRefused if no retry helps."""
        await self._wait_for_server()
        pieces = await asyncio.to_thread(pieces_of, contents, CharacterWindows())
        vectors: list[bytes] = []
        for batch in _batches([piece.text for piece in pieces]):
            vectors += await self._persistently(batch)
        return assembled(len(contents), pieces, [(vector, b"") for vector in vectors])

    async def encode_query(self, query: str) -> QueryEncoding:
        """Return the vector of a query, or of its beginning if it is long. Raises EmbeddingUnavailable."""
        if (known := self._remembered.get(query)) is not None:
            return known
        await self._wait_for_server()
        try:
            [vector] = await self._request([query[:WINDOW_CHARACTERS]])
        except TextRefused as error:
            raise EmbeddingUnavailable(str(error)) from None
        return self._remembered.add(query, QueryEncoding(vector))

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        """Return True for each text: a server does not say what its model reads."""
        return [True] * len(texts)

    async def _wait_for_server(self) -> None:
        if not await self.ready(math.inf):
            raise EmbeddingUnavailable(self.problem or "the embedding server has not answered yet")

    async def _persistently(self, texts: Sequence[str]) -> list[bytes]:
        """Make a request; repeat it after each pause if the server fails. Raises EmbeddingUnavailable, TextRefused."""
        for pause in self._pauses_s:
            with contextlib.suppress(ServerFailed):
                return await self._request(texts, last=False)
            await asyncio.sleep(pause)
        return await self._request(texts)

    async def _request(self, texts: Sequence[str], *, last: bool = True) -> list[bytes]:
        """Make one request; a failure becomes the `problem` if this is the `last` try, or the server refuses."""
        if self._closed:
            raise EmbeddingUnavailable(_CLOSED)
        if self._client is None:
            self._client = open_client(self._endpoint)
        # Servers refuse an empty text: a blank is the closest to it.
        sent = [clean(text) or " " for text in texts]
        try:
            vectors = await request_vectors(self._client, self._endpoint, sent, self._dimension, self._timeout_s)
        except (ServerFailed, ServerRefuses) as error:
            if last or isinstance(error, ServerRefuses):
                self._fail(str(error))
            raise
        if self._dimension is None:
            self._dimension = len(vectors[0]) // 4
        return vectors

    def _fail(self, problem: str) -> None:
        if problem != self._failure:
            logger.warning("%s", problem)
        self._failure = problem
        self._ask_again_at = self._monotonic() + ASK_AGAIN_S

    def close(self) -> None:
        """Release the server; callers that still wait get an error. Does not block."""
        if not self._closed:
            self._closed = True
            self._closing = asyncio.get_running_loop().create_task(self.aclose(), name="embedding-server-closing")

    async def aclose(self) -> None:
        """Close, and wait until the connections are closed too."""
        self._closed = True
        self._remembered.clear()
        if self._first is not None:
            self._first.cancel()
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, in batches that a server takes at once."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS_MAX or characters + len(text) > BATCH_CHARACTERS_MAX):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch
