"""Killing processes: what was acknowledged is there, nothing is half-written, the index is repaired."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.sqlite.store import SqliteStore
from tests.fault.forked import Forked, running

NS = "ada"
PRELUDE = """
import asyncio, hashlib, struct, sys
from datetime import timedelta
from pathlib import Path
from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.store_request import StoreRequest
from agentos.modules.memory.models import Passage
from agentos.storage.sqlite.store import SqliteStore

class Embedder:
    fingerprint, dimension, problem = "crash", 8, None
    async def ready(self, wait_s): return True
    async def knows(self, texts): return [True for _ in texts]
    async def encode(self, texts):
        return [[Passage(0, 1, self.vector(text), b"s"), Passage(1, len(text), self.vector(text[1:]), b"t")]
                for text in texts]
    def vector(self, text):
        return struct.pack("<8f", *(b / 512 for b in hashlib.sha256(text.encode()).digest()[:8]))
    def close(self): pass

async def opened():
    home = Path(sys.argv[1])
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    return store, AgentOS.over(store, Embedder(), config.load(home=home), system_clock)
"""
WRITER = (
    PRELUDE
    + """
async def main():
    store, agentos = await opened()
    number = 0
    while True:
        request = StoreRequest(f"fact {sys.argv[2]} {number}", tags=["a", "b"])
        memory = (await agentos.memory.store("ada", request)).memory
        print(memory.id, flush=True)
        number += 1

asyncio.run(main())
"""
)
CATCHING_UP = (
    PRELUDE
    + """
async def main():
    store, agentos = await opened()
    print(await agentos.embedding.caught_up(60), flush=True)

asyncio.run(main())
"""
)
INDEXER = (
    PRELUDE
    + """
async def main():
    store, agentos = await opened()
    index = store.vector_index(Path(sys.argv[1]) / "chroma")
    await index.open(await agentos.embedding.generation())
    print("open", flush=True)
    while True:
        await index.catch_up(7)
        print("step", flush=True)

asyncio.run(main())
"""
)
JOB = (
    PRELUDE
    + """
async def main():
    store, agentos = await opened()
    await agentos.jobs.register("job", timedelta(hours=1), at_first_start=True)
    async def work():
        print("running", flush=True)
        await asyncio.Event().wait()
    await agentos.jobs.run("job", timedelta(hours=1), work)

asyncio.run(main())
"""
)


def lines(process: Forked, count: int) -> list[str]:
    return [process.stdout.readline().strip() for _ in range(count)]


def counted(database: sqlite3.Connection, source: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {source}").fetchone()[0])


def rest(process: Forked) -> list[str]:
    """What a killed process had still said; its last line may be cut."""
    return [line.strip() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]


@pytest.mark.parametrize("after", [1, 2, 30, 150])
async def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path: Path, after: int) -> None:
    home = tmp_path / "home"
    acknowledged: list[str] = []
    for number in range(2):
        with running(WRITER, home, str(number)) as first, running(WRITER, home, f"other {number}") as second:
            for process in (first, second):
                acknowledged += lines(process, after)
            first.kill()
            second.kill()
            acknowledged += rest(first) + rest(second)
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        database.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")
        stored = {row[0] for row in database.execute("SELECT id FROM memories")}
        counts = {counted(database, source) for source in ("memory_text", "memory_tags WHERE tag = 'b'", "audit")}
    assert set(acknowledged) <= stored
    assert counts == {len(stored)}
    assert len(stored) - len(acknowledged) <= 4, "at most the one that each writer was about to report"
    with running(CATCHING_UP, home) as restarted:
        assert lines(restarted, 1) == ["True"]
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        assert counted(database, "index_outbox") == len(stored), "each was embedded once"
        assert counted(database, "embeddings") == counted(database, "token_signs") == 2 * len(stored), "and whole"


async def test_a_killed_index_worker_leaves_an_index_that_is_repaired(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(WRITER, home, "0") as writer:
        lines(writer, 60)
    for steps in (0, 1, 3):
        with running(INDEXER, home) as indexer:
            assert lines(indexer, 1 + steps)[0] == "open"
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        expected = database.execute("SELECT count(*) FROM embeddings").fetchone()[0]
    index = store.vector_index(home / "chroma")
    state = await index.open(await store.memory.backlog.generation("crash", 8))
    assert (state.count, state.applied) == (expected, state.newest)
    assert len(list((home / "chroma").glob("index-*"))) == 1
    await index.close()
    await store.close()


async def test_the_job_of_a_killed_process_runs_again_when_its_lease_ends(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(JOB, home) as process:
        assert lines(process, 1) == ["running"]
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    later = system_clock() + timedelta(minutes=11)
    now = system_clock()

    async def work() -> None:
        return

    settings = config.load(home=home)
    soon = AgentOS.over(store, NoEmbedder(), settings, lambda: now)
    assert not await soon.jobs.run("job", timedelta(hours=1), work)
    after = AgentOS.over(store, NoEmbedder(), settings, lambda: later)
    assert await after.jobs.run("job", timedelta(hours=1), work)
    await store.close()
