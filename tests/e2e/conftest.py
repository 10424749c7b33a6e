"""Real servers over real pipes: a raw wire that can send anything, and the command that starts a server."""

import asyncio
import contextlib
import io
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from mcp import Client, StdioServerParameters

from agentos import config
from agentos.daemon import run_once
from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path
from tests.at_hand import postgres_at_hand, sqlite_at_hand
from tests.coverage import start_unmeasured
from tests.lanes import run_on_engines

DEADLINE_S = 180.0
"""How long a test waits for something that must happen, even on a busy machine; never how fast it must be."""

ON_LINUX = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="it looks at /proc, or is a socket in a file")
"""For tests that themselves use what the lane `platforms` takes away."""

SERVER = (sys.executable, "-m", "agentos.server")


ON_POSTGRES = """
bad_input bundles cli cognition consolidation graph library mirror procedures profile readme redaction server tiers
truth turns
""".split()
"""What stands on a store, whichever engine is under it: each file is run on PostgreSQL too, in its lane."""
SERVED_BY = "TESTS_POSTGRES_URL"
SCHEMA = f"e2e_{os.getpid()}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__.rpartition(".test_")[2] in ON_POSTGRES:
        run_on_engines(metafunc)


@pytest.fixture(scope="session", autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine under every home that `environment` names; for files that are not in ON_POSTGRES, SQLite."""
    name: str = getattr(request, "param", "sqlite")
    with pytest.MonkeyPatch.context() as changed:
        if name == "postgres":
            changed.setenv(SERVED_BY, request.getfixturevalue("postgres_url"))
        yield name


def environment(home: Path) -> dict[str, str]:
    """The environment of a process that keeps its data in `home` and reaches no hub."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    own |= {"AGENTOS_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    if url := own.get(SERVED_BY):
        own |= {"AGENTOS_DATABASE_URL": url, "AGENTOS_DATABASE_SCHEMA": SCHEMA, "AGENTOS_DATABASE_TENANT": str(home)}
    return own


def at_hand(home: Path) -> AbstractContextManager[Any]:
    """The database under a home: `with at_hand(home) as database: database.execute(…)`, in portable SQL."""
    if url := os.environ.get(SERVED_BY):
        return postgres_at_hand(url, SCHEMA, str(home))
    return sqlite_at_hand(home / "agentos.db")


class Wire:
    """A server process and its pipes, line by line."""

    def __init__(
        self,
        home: Path,
        command: Sequence[str] = SERVER,
        cwd: Path | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        self.stderr_path = home.with_name(f"{home.name}-{time.monotonic_ns()}.stderr")
        self.lines: list[str] = []
        self._next_id = 0
        self._received: queue.Queue[str | None] = queue.Queue()
        with self.stderr_path.open("wb") as stderr:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**environment(home), **(settings or {})},
                cwd=cwd or home.parent,
            )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def send(self, message: dict[str, Any] | bytes) -> None:
        """Send one message, or a line of bytes exactly as it is."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next message of the server."""
        line = self._received.get(timeout=DEADLINE_S)
        assert line is not None, f"the server ended; stderr: {self.stderr()}"
        message: dict[str, Any] = json.loads(line)
        return message

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The response to a request: its `result` or `error` is in it."""
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params or {}})
        return self.response(self._next_id)

    def response(self, request_id: int) -> dict[str, Any]:
        """The next message, which must answer `request_id`."""
        message = self.receive()
        assert message.get("id") == request_id, message
        return message

    def initialize(self, version: str = "2025-11-25", name: str = "test") -> dict[str, Any]:
        """Shake hands as a client of a protocol version before 2026-07-28; the server's answer."""
        client = {"name": name, "version": "1"}
        result = self.request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        answer: dict[str, Any] = result["result"]
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured result of a call that must succeed."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result["isError"], result
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    def refusal(self, tool: str, arguments: Any) -> str:
        """The text of a call that must be flagged as failed."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert result["isError"], result
        (content,) = result["content"]
        text: str = content["text"]
        return text

    def search_by_meaning(self, query: str) -> list[dict[str, Any]]:
        """The whole hits once the model has loaded; until then the server says that it searched by words only."""
        give_up = time.monotonic() + DEADLINE_S
        while (found := self.call("memory_search", query=query, detail="full")).get("mode") == "lexical":
            assert time.monotonic() < give_up, found["notes"]
        hits: list[dict[str, Any]] = found["results"]
        return hits

    def stderr(self) -> str:
        """What the server has written to standard error."""
        return self.stderr_path.read_text(encoding="utf-8", errors="replace")

    def end(self) -> int:
        """Close the server's input and wait for its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        """The exit code; every line that the server wrote is then in `lines`."""
        code = self.process.wait(DEADLINE_S)
        self._reader.join(DEADLINE_S)
        return code

    def kill(self) -> None:
        """Make sure that nothing is left."""
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.decode())
            self._received.put(self.lines[-1])
        self._received.put(None)


Start = Callable[..., Wire]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home of the test's own. A daemon that a command left there would stay for minutes: it is told to end."""
    folder = tmp_path / "home"
    yield folder
    if pid := daemon_pid(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


@pytest.fixture
def start(home: Path, graphs: Path) -> Iterator[Start]:
    """Starts servers, by default on the test's home, and ends them after the test.

    A new home is there already, with the graphs of the models in it, unless `new`.
    """
    started: list[Wire] = []

    def start_one(
        folder: Path = home,
        command: Sequence[str] = SERVER,
        cwd: Path | None = None,
        settings: Mapping[str, str] | None = None,
        *,
        new: bool = False,
    ) -> Wire:
        if not (new or folder.exists()):
            folder.mkdir(mode=0o700)
            shutil.copytree(graphs, folder / "models")
        started.append(Wire(folder, command, cwd, settings))
        return started[-1]

    yield start_one
    for wire in started:
        wire.kill()


@pytest.fixture
def start_plain(start: Start) -> Start:
    """As `start`, without an embedding model: for tests that search nothing by meaning."""

    def start_one(*given: Any, settings: Mapping[str, str] | None = None) -> Wire:
        return start(*given, settings={"AGENTOS_EMBEDDING_MODEL": "none", **(settings or {})})

    return start_one


@pytest.fixture
def connect(home: Path) -> Callable[..., Client]:
    """The official client, not yet entered: `async with connect(era) as client`; its server keeps its data in home."""
    return lambda era, settings=None: client_of(home, era, settings or {})


def client_of(home: Path, era: str, settings: Mapping[str, str], **able: Any) -> Client:
    """The official client of a server on a home, not yet entered; `able` is what it can do beside the usual."""
    command, *arguments = SERVER
    env = {**environment(home), **settings}
    parameters = StdioServerParameters(command=command, args=arguments, env=env, cwd=home.parent)
    return Client(parameters, mode=era, read_timeout_seconds=DEADLINE_S, **able)


@pytest.fixture(scope="module")
def file_home(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One home for all tests of a file; the daemon, which the first of them starts, answers them all, and is killed."""
    home = tmp_path_factory.mktemp("file") / "home"
    with pytest.MonkeyPatch.context() as changed:
        start_unmeasured(changed)
        yield home
    end_daemon(home)


@pytest.fixture(scope="session")
def shared_home(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home whose daemon stays until the last test has run; then it is killed."""
    home = tmp_path_factory.mktemp("shared") / "home"
    with pytest.MonkeyPatch.context() as changed:
        start_unmeasured(changed)
        first = Wire(home, settings={"AGENTOS_DAEMON_LINGER_S": "3600"})
        first.initialize()
        first.call("memory_list")
        first.kill()
    yield home
    end_daemon(home)


@pytest.fixture
def shared_settings(tmp_path: Path) -> Mapping[str, str]:
    """What lets the daemon stay, and an agent of the test's own: no other test sees its memories."""
    return {"AGENTOS_DAEMON_LINGER_S": "3600", "AGENTOS_AGENT_ID": tmp_path.name}


@pytest.fixture
def shared_start(start: Start, shared_home: Path, shared_settings: Mapping[str, str]) -> Start:
    """As `start`, on the shared home: for tests to which it does not matter whose daemon serves them."""
    return lambda settings=None: start(shared_home, settings={**shared_settings, **(settings or {})})


@pytest.fixture
def shared_connect(shared_home: Path, shared_settings: Mapping[str, str]) -> Callable[..., Client]:
    """As `connect`, on the shared home."""
    return lambda era, settings=None: client_of(shared_home, era, {**shared_settings, **(settings or {})})


def daemon_pid(home: Path) -> int:
    """The process that answers on the socket of a home; 0 where none does."""
    return int((hello.ask_status(socket_path(home)) or {}).get("pid", 0))


def end_daemon(home: Path) -> None:
    """End the daemon of a home at once, if there is one, and wait until its socket is nobody's."""
    if pid := daemon_pid(home):
        os.kill(pid, signal.SIGKILL)
        give_up = time.monotonic() + DEADLINE_S
        while daemon_pid(home) == pid:
            assert time.monotonic() < give_up
            time.sleep(0.02)


@pytest.fixture
def run_job(home: Path) -> Callable[..., None]:
    """Runs one job as `agentos-daemon --once` does, in this process, by default on the test's home.

    It waits until the daemon of sessions does not run the job.
    """

    def run(name: str, folder: Path = home) -> None:
        give_up = time.monotonic() + DEADLINE_S
        while (answer := _of_job(name, folder))[0]:
            assert BUSY in answer[1] and time.monotonic() < give_up, answer
            time.sleep(0.1)

    return run


BUSY = "somebody else runs it now"


def _of_job(name: str, home: Path) -> tuple[int, str]:
    """The exit code of a job, and what it wrote; a test's own loop may be running, so it has a thread of its own."""
    said = io.StringIO()
    with mock.patch.dict(os.environ, environment(home), clear=True), contextlib.redirect_stdout(said):
        with ThreadPoolExecutor(1) as beside:
            code = beside.submit(lambda: asyncio.run(run_once(config.load(), name))).result(DEADLINE_S)
    return code, said.getvalue()


@pytest.fixture(scope="module")
def server(shared_home: Path, request: pytest.FixtureRequest) -> Iterator[Wire]:
    """One initialized server on the shared home for all tests of a file, which are one agent."""
    wire = Wire(shared_home, settings={"AGENTOS_DAEMON_LINGER_S": "3600", "AGENTOS_AGENT_ID": request.module.__name__})
    wire.initialize()
    yield wire
    wire.kill()
