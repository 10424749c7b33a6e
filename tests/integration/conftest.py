"""What integration tests stand on: a frozen clock, real stores on a temporary home, and a tiny embedder."""

import hashlib
import math
import re
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import Passage, QueryEncoding
from agentos.modules.memory.ports import Embedder
from agentos.storage.embedded.store import EmbeddedStore
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.git.checkouts import GitCheckouts


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **amount: float) -> datetime:
        self.now += timedelta(**amount)
        return self.now


class WordEmbedder:
    """Implements the Embedder port: each word is a fixed direction, a text their normalised sum.

    Contents are cut into passages at each "|"; a passage has one token, which is all of it.
    """

    dimension = 64

    def __init__(self, fingerprint: str = "words-1", loaded: bool = True) -> None:
        self.fingerprint = fingerprint
        self.loaded = loaded
        self.failure: Exception | None = None
        self.problem: str | None = None

    async def ready(self, wait_s: float) -> bool:
        return self.loaded

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        if self.failure is not None:
            raise self.failure
        pieces = [[*re.finditer(r"[^|]+", content)] or [*re.finditer(r".*", content)] for content in contents]
        return [[self.passage(piece) for piece in of_one] for of_one in pieces]

    async def encode_query(self, query: str) -> QueryEncoding:
        if self.failure is not None:
            raise self.failure
        return QueryEncoding(self.vector(query), self.vector(query), (query.lower(),))

    def passage(self, piece: re.Match[str]) -> Passage:
        vector = self.vector(piece.group())
        signs = "".join("01"[value > 0] for value in struct.unpack(f"<{self.dimension}f", vector))
        return Passage(piece.start(), piece.end(), vector, int(signs, 2).to_bytes(self.dimension // 8, "big"))

    def close(self) -> None:
        self.loaded = False

    def vector(self, text: str) -> bytes:
        values = [0.0] * self.dimension
        for word in text.lower().split() or ["nothing"]:
            digest = hashlib.sha256(f"{self.fingerprint}:{word}".encode()).digest()
            for position in range(4):
                sign = 1.0 if digest[position + 8] & 1 else -1.0
                values[digest[position] % self.dimension] += sign
        length = math.sqrt(sum(value * value for value in values)) or 1.0
        return struct.pack(f"<{self.dimension}f", *(value / length for value in values))


OpenStore = Callable[[], Awaitable[EmbeddedStore]]
Wire = Callable[..., AgentOS]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def another_embedder() -> Callable[..., WordEmbedder]:
    return WordEmbedder


@pytest.fixture
async def open_store(home: Path, clock: Clock) -> AsyncIterator[OpenStore]:
    """Opens as many stores on one home as a test asks for, like as many processes; closes them after it."""
    opened: list[EmbeddedStore] = []

    async def open_one() -> EmbeddedStore:
        opened.append(await EmbeddedStore.open(home, home / "agentos.db", clock))
        return opened[-1]

    yield open_one
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: OpenStore) -> EmbeddedStore:
    return await open_store()


@pytest.fixture
async def wire(home: Path, clock: Clock, embedder: WordEmbedder) -> AsyncIterator[Wire]:
    """Wires the services over a store: `wire(store, embedder=…, **settings)`."""
    wired: list[AgentOS] = []

    def over(store: EmbeddedStore, embedder: Embedder = embedder, **overrides: object) -> AgentOS:
        wired.append(
            AgentOS.over(store, embedder, config.load(home=home, **overrides), clock, checkouts=GitCheckouts())
        )
        return wired[-1]

    yield over
    for agentos in wired:
        await agentos.close()


@pytest.fixture
def agentos(store: EmbeddedStore, wire: Wire) -> AgentOS:
    return wire(store)


@pytest.fixture
def lexical(store: EmbeddedStore, wire: Wire) -> AgentOS:
    """The services without any embedding model."""
    return wire(store, NoEmbedder())
