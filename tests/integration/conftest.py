"""What integration tests stand on: a frozen clock, real stores on a temporary home, and a tiny embedder."""

import asyncio
import hashlib
import json
import math
import os
import re
import shutil
import sqlite3
import struct
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy  # noqa: F401 - whole, before a thread of ours begins to: pytest.approx looks into what is half imported
import pytest

from agentos import config
from agentos.database import OpenedStore
from agentos.features import registered
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import Passage, QueryEncoding
from agentos.modules.memory.ports import Embedder
from agentos.modules.plugins.feature import given_by, with_parts
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.git.checkouts import GitCheckouts
from agentos.storage.repositories.kept_by_gateway import KeptByGateway
from agentos.storage.repositories.kept_files import KeptFiles
from agentos.storage.sqlite.store import SqliteStore
from tests.at_hand import postgres_at_hand, sqlite_at_hand
from tests.kept_sessions import keeping_sessions, kept
from tests.lanes import run_on_engines


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

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        return [True] * len(texts)

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


TEST_SCHEMA = f"test_{os.getpid()}"

AtHand = Callable[[], AbstractContextManager[Any]]

OpenStore = Callable[[], Awaitable[OpenedStore]]
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        run_on_engines(metafunc)


@pytest.fixture(scope="session")
def kept_url(postgres_url: str) -> Iterator[str]:
    """The server, whose sessions go from test to test."""
    with keeping_sessions():
        yield kept(postgres_url)


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> Callable[..., Awaitable[OpenedStore]]:
    """Opens a store on an engine: each test that stands on a store is run on every one."""
    if request.param == "sqlite":
        return SqliteStore.open
    from agentos.storage.postgres.store import PostgresStore

    url = request.getfixturevalue("kept_url")

    async def open_tenant(home: Path, database: Path, clock: Clock) -> OpenedStore:
        home.mkdir(parents=True, exist_ok=True)
        return await PostgresStore.open(home, url, clock, schema=TEST_SCHEMA, tenant=str(database))

    return open_tenant


@pytest.fixture
def at_hand(request: pytest.FixtureRequest, home: Path) -> AtHand:
    """Opens the database beside the store: `with at_hand() as database: database.execute(…)`, in portable SQL."""
    if request.node.get_closest_marker("postgres") is None:
        return lambda: sqlite_at_hand(home / "agentos.db")
    url = request.getfixturevalue("kept_url")
    return lambda: postgres_at_hand(url, TEST_SCHEMA, str(home / "agentos.db"))


def require_intact_keys(database: Any) -> None:
    """Fail where a foreign key leads nowhere, which PostgreSQL never lets happen."""
    if isinstance(database, sqlite3.Connection):
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.fixture(scope="session")
def new_home(engine: Callable[..., Awaitable[OpenedStore]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after its first start: a copy of it takes a fraction of what making another one would."""
    home = tmp_path_factory.mktemp("new") / "home"

    async def first_start() -> None:
        await (await engine(home, home / "agentos.db", Clock())).close()

    asyncio.run(first_start())
    return home


@pytest.fixture(scope="session")
def open_home(engine: Callable[..., Awaitable[OpenedStore]], new_home: Path) -> Callable[..., Awaitable[OpenedStore]]:
    """Opens a store as `engine` does; a home that is not there yet is made as a copy."""

    async def open_copy(home: Path, database: Path, clock: Callable[[], datetime]) -> OpenedStore:
        if not home.exists():
            shutil.copytree(new_home, home)
        return await engine(home, database, clock)

    return open_copy


@pytest.fixture
def with_graphs(home: Path, new_home: Path, graphs: Path) -> None:
    """The home holds the graphs of the models, as after their first load."""
    if not home.exists():
        shutil.copytree(new_home, home)
    shutil.copytree(graphs, home / "models", dirs_exist_ok=True)


@pytest.fixture
async def open_store(
    open_home: Callable[..., Awaitable[OpenedStore]], home: Path, clock: Clock
) -> AsyncIterator[OpenStore]:
    """Opens as many stores on one home as a test asks for, like as many processes; closes them after it."""
    opened: list[OpenedStore] = []

    async def open_one() -> OpenedStore:
        opened.append(await open_home(home, home / "agentos.db", clock))
        return opened[-1]

    yield open_one
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: OpenStore) -> OpenedStore:
    return await open_store()


@pytest.fixture
async def wire(home: Path, clock: Clock, embedder: WordEmbedder) -> AsyncIterator[Wire]:
    """Wires the services over a store: `wire(store, embedder=…, **settings)`."""
    wired: list[AgentOS] = []

    def over(
        store: OpenedStore,
        embedder: Embedder = embedder,
        open_earlier: Callable[[str], Embedder | None] | None = None,
        **overrides: object,
    ) -> AgentOS:
        settings = config.load(home=home, **overrides)
        agentos = AgentOS.over(
            store,
            embedder,
            settings,
            clock,
            checkouts=GitCheckouts(),
            open_earlier=open_earlier,
            kept_files=KeptFiles(store.engine),
            left_by_gateway=KeptByGateway(store.engine),
            **given_by(registered(), store.engine, settings),
        )
        wired.append(with_parts(agentos, registered(), "wired", store.engine, settings))
        return wired[-1]

    yield over
    for agentos in wired:
        await agentos.close()


@pytest.fixture
def agentos(store: OpenedStore, wire: Wire) -> AgentOS:
    return wire(store)


@pytest.fixture
def lexical(store: OpenedStore, wire: Wire) -> AgentOS:
    """The services without any embedding model."""
    return wire(store, NoEmbedder())


Reply = Callable[[dict[str, Any]], Any]


class LanguageStub:
    """`requests` are the bodies that came, `paths` and `headers` what they came with.

    `answers` are taken first: a status, or a body for 200, or a function of the request; then `reply`'s.
    `silent` lets a request wait until `release` is set.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.answers: list[Any] = []
        self.reply: Reply = lambda request: {
            "choices": [{"message": {"content": "An answer."}, "finish_reason": "stop"}]
        }
        self.silent = False
        self.release = threading.Event()
        self.url = ""

    @property
    def sent(self) -> str:
        """All that ever came."""
        return json.dumps(self.requests)

    def answer(self, request: dict[str, Any]) -> tuple[int, Any]:
        answer = self.answers.pop(0) if self.answers else self.reply
        if callable(answer):
            answer = answer(request)
        return (answer, {"error": {"message": "SECRET-IN-ANSWER"}}) if isinstance(answer, int) else (200, answer)


@contextmanager
def serving_language() -> Iterator[LanguageStub]:
    """A stub that listens until the end of the block."""
    stub = LanguageStub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.requests.append(request)
            stub.paths.append(self.path)
            stub.headers.append({name.lower(): value for name, value in self.headers.items()})
            if stub.silent:
                stub.release.wait(60)
            status, content = stub.answer(request)
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if 300 <= status < 400:
                self.send_header("Location", f"{stub.url}/elsewhere")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *arguments: object) -> None:
            """A client that hangs up is as it should be."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.release.set()
        server.shutdown()
        server.server_close()
        thread.join(60)


@pytest.fixture
def language_stub() -> Iterator[LanguageStub]:
    with serving_language() as running:
        yield running
