"""The vector index on a real Chroma server: as the one of our own process, and every answer stands while it is away."""

import asyncio
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import StorageUnavailable
from agentos.modules.health.models import Severity
from agentos.modules.memory.ports import IndexPhase
from agentos.storage.sqlite import chroma_server, vector_search
from agentos.storage.sqlite.chroma_index import ChromaIndex
from agentos.storage.sqlite.chroma_server import ChromaAddress
from agentos.storage.sqlite.examination import index as examination
from agentos.storage.sqlite.store import SqliteStore
from tests.integration.storage.test_index_process import FRUIT, NS, catch_up, found, store_all

RUN = "import sys; from chromadb.cli.cli import app; sys.argv = ['chroma', 'run', *sys.argv[1:]]; app()"
START_S = 60.0


class Server:
    """`chroma run` on a free port of this machine; it can be ended and started again."""

    def __init__(self, data: Path) -> None:
        self.data = data
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = ("--path", str(self.data), "--host", "127.0.0.1", "--port", str(self.port))
        self._process = subprocess.Popen(
            [sys.executable, "-c", RUN, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            assert self._process.poll() is None, "chroma run ended"
            try:
                urllib.request.urlopen(f"{self.url}/api/v2/heartbeat", timeout=1).close()
            except OSError:
                continue
            return
        raise AssertionError("chroma run does not answer")

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("chroma-server"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def opened(
    server: Server, home: Path, clock: Any, embedder: Any, wire: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[AgentOS, ChromaIndex]]:
    """Services over a store whose searches all go through an index on the server."""
    monkeypatch.setattr(vector_search, "EXACT_UP_TO", 0)
    monkeypatch.setattr(vector_search, "INDEX_WAIT_S", 60.0)
    monkeypatch.setattr(chroma_server, "QUERY_S", 60.0)
    monkeypatch.setattr(ChromaIndex, "needed", True)
    store = await SqliteStore.open(home, home / "agentos.db", clock, chroma=ChromaAddress(server.url))
    agentos = wire(store, embedder)
    index = store.vector_index(home / "chroma")
    yield agentos, index
    await index.close()
    await agentos.close()
    await store.close()


async def test_an_index_on_a_server_is_built_followed_and_found_again(
    opened: tuple[Any, ChromaIndex], server: Server, home: Path
) -> None:
    agentos, index = opened
    ids = await store_all(agentos, *FRUIT)
    generation = await agentos.embedding.generation()
    assert not await index.glance(generation)
    assert (await index.open(generation)).count == len(FRUIT)
    assert (await found(agentos, "apple"))[0] == "apple"
    await agentos.memory.delete(NS, ids[0])
    await catch_up(index)
    state = await index.state()
    assert (state.count, state.applied) == (len(FRUIT) - 1, state.newest)
    assert index.deleted == 1 and await index.glance(generation)
    await index.purge()
    assert (index.deleted, (await index.state()).count) == (0, len(FRUIT) - 1)
    assert not list((home / "chroma").glob("index-*")), "nothing but a note lies in the home"


async def test_while_the_server_is_away_every_vector_is_compared_and_then_it_goes_on_where_it_was(
    opened: tuple[Any, ChromaIndex], server: Server, home: Path
) -> None:
    agentos, index = opened
    await store_all(agentos, *FRUIT)
    generation = await agentos.embedding.generation()
    await index.open(generation)
    note = (home / "chroma/server.json").read_text()
    server.stop()
    try:
        assert (await found(agentos, "apple"))[0] == "apple"
        assert index.status.state is IndexPhase.FAILED and "cannot be reached" in (index.status.problem or "")
        await store_all(agentos, "apple pie")
        with pytest.raises(StorageUnavailable, match="out of reach"):
            await index.catch_up(100)
    finally:
        await asyncio.to_thread(server.start)
    assert (await index.open(generation)).count == len(FRUIT) + 1
    assert (home / "chroma/server.json").read_text() == note, "nothing was built anew"
    assert index.status.state is IndexPhase.READY


async def test_what_the_server_lost_is_built_anew_and_a_copied_home_has_an_index_of_its_own(
    opened: tuple[Any, ChromaIndex], server: Server, home: Path, tmp_path: Path
) -> None:
    agentos, index = opened
    await store_all(agentos, *FRUIT)
    generation = await agentos.embedding.generation()
    await index.open(generation)
    for collection in list(index._process._collections):  # type: ignore[attr-defined]
        place = f"{server.url}{index._process._place}/{collection}"  # type: ignore[attr-defined]
        await asyncio.to_thread(urllib.request.urlopen, urllib.request.Request(place, method="DELETE"))
    assert await index.catch_up(100) == 0
    assert (await index.state()).count == len(FRUIT)
    shutil.copytree(home / "chroma", tmp_path / "copy")
    elsewhere = chroma_server.ChromaServer(ChromaAddress(server.url), tmp_path / "copy")
    assert elsewhere.noted() is None
    assert await elsewhere.call("open") == (False, 0)
    await elsewhere.call("begin")
    await elsewhere.close()
    assert (await index.state()).count == len(FRUIT)


def test_the_doctor_says_whether_the_server_may_be_asked_and_answers(server: Server) -> None:
    assert examination.ask(ChromaAddress(server.url)).severity is Severity.OK
    away = examination.ask(ChromaAddress("http://127.0.0.1:9"))
    assert away.severity is Severity.WARNING and "all vectors are compared" in away.message
    offline = examination.look_at_address(ChromaAddress("https://chroma.example.com", "key"))
    assert offline.severity is Severity.WARNING and "AGENTOS_OFFLINE" in f"{offline.message}{offline.remedy}"
    assert "key" not in repr(ChromaAddress("https://chroma.example.com", "key"))
