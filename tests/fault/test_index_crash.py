"""Killing the owner of the vector index: it equals the table afterwards, no child is left, a new model goes on."""

import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.fault.forked import Forked, running

DEADLINE_S = 60.0
PRELUDE = """
import asyncio, hashlib, random, struct, sys
from pathlib import Path
from agentos import config
from agentos.daemon_pkg.index_worker import IndexWorker
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.store_request import StoreRequest
from agentos.modules.memory.models import Passage, Vector
from agentos.storage.sqlite.store import SqliteStore

class Embedder:
    dimension, problem, texts = 16, None, 0
    def __init__(self, fingerprint): self.fingerprint = fingerprint
    async def ready(self, wait_s): return True
    async def knows(self, texts): return [True for _ in texts]
    async def encode(self, texts):
        self.texts += len(texts)
        return [[Passage(0, len(text), self.vector(text), b"si")] for text in texts]
    def vector(self, text):
        random_ = random.Random(self.fingerprint + text)
        values = [random_.gauss(0, 1) for _ in range(self.dimension)]
        length = sum(value * value for value in values) ** 0.5
        return struct.pack("<16f", *(value / length for value in values))
    def close(self): pass

async def opened(fingerprint="old"):
    home = Path(sys.argv[1])
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    embedder = Embedder(fingerprint)
    agentos = AgentOS.over(store, embedder, config.load(home=home), system_clock)
    return store, agentos, embedder, store.vector_index(home / "chroma")

def say(*words):
    print(*words, flush=True)
"""
OWNER = (
    PRELUDE
    + """
async def main():
    store, agentos, _, index = await opened()
    worker = IndexWorker(agentos.embedding, index)
    await worker.step()
    async def write():
        number = 0
        while True:
            kept = (await agentos.memory.store("ada", StoreRequest(f"fact {sys.argv[2]} {number}"))).memory
            if number % 7 == 0:
                await agentos.memory.delete("ada", kept.id)
            else:
                say(kept.id)
            number += 1
    async def follow():
        while True:
            await worker.step()
    await asyncio.gather(write(), follow())

asyncio.run(main())
"""
)
CHECKED = (
    PRELUDE
    + """
async def main():
    store, agentos, embedder, index = await opened()
    worker = IndexWorker(agentos.embedding, index)
    state = await worker.run_once()
    say(state.count, state.newest - state.applied)
    generation = await agentos.embedding.generation()
    wrong = 0
    for memory in (await agentos.memory.page("ada", limit=200)).memories:
        [nearest] = await index.nearest("ada", Vector(generation, embedder.vector(memory.content)), 1)
        wrong += nearest.id != memory.id
    say(wrong)
    await worker.close()
    await store.close()

asyncio.run(main())
"""
)
CHILD = (
    PRELUDE
    + """
async def main():
    store, agentos, _, index = await opened()
    await index.open(await agentos.embedding.generation())
    say(index._process.pid)
    await asyncio.Event().wait()

asyncio.run(main())
"""
)
RE_EMBEDDING = (
    PRELUDE
    + """
async def main():
    store, agentos, embedder, index = await opened("new")
    while await agentos.embedding.embed_pending():
        say(agentos.embedding.progress.done, agentos.embedding.progress.total)
        await asyncio.sleep(0.02)

asyncio.run(main())
"""
)
RESUMED = (
    PRELUDE
    + """
async def main():
    store, agentos, embedder, index = await opened("new")
    worker = IndexWorker(agentos.embedding, index)
    state = await worker.run_once()
    say(embedder.texts, state.count)
    await worker.close()
    await store.close()

asyncio.run(main())
"""
)


def line(process: Forked) -> list[str]:
    return process.stdout.readline().split()


def counted(home: Path, source: str) -> int:
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        return int(database.execute(f"SELECT count(*) FROM {source}").fetchone()[0])


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_index_equals_the_table_after_a_thousand_writes_and_many_kills(tmp_path: Path) -> None:
    home = tmp_path / "home"
    acknowledged = 0
    for round_, writes in enumerate((1, 40, 160, 300, 500)):
        with running(OWNER, home, str(round_)) as owner:
            for _ in range(writes):
                assert line(owner), "it writes until it is killed"
            acknowledged += writes
            owner.send_signal(signal.SIGKILL)
    memories = counted(home, "memories")
    assert memories >= acknowledged > 1000
    with running(CHECKED, home) as restarted:
        assert line(restarted) == [str(memories), "0"]
        assert line(restarted) == ["0"], "the index names each memory for its own vector"
    assert counted(home, "embeddings") == memories


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_the_child_ends_with_its_parent_however_that_ends(tmp_path: Path) -> None:
    for number in (signal.SIGKILL, signal.SIGTERM):
        with running(CHILD, tmp_path / "home") as owner:
            [pid] = map(int, line(owner))
            assert is_running(pid)
            owner.send_signal(number)
            owner.wait(DEADLINE_S)
            give_up = time.monotonic() + DEADLINE_S
            while is_running(pid):
                assert time.monotonic() < give_up
                time.sleep(0.01)


def test_a_change_of_the_model_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(OWNER, home, "0") as owner:
        for _ in range(300):
            assert line(owner)
    with running(CHECKED, home) as checked:
        assert line(checked)
        checked.wait(DEADLINE_S)
    memories = counted(home, "memories")
    with running(RE_EMBEDDING, home) as re_embedding:
        for _ in range(3):
            done, total = map(int, line(re_embedding))
        assert 0 < done < total == memories
    made = counted(home, "embeddings WHERE generation = 2")
    assert 0 < made < memories
    assert counted(home, "embeddings WHERE generation = 1") == memories, "the old ones stay until all are new"
    with running(RESUMED, home) as resumed:
        texts, count = map(int, line(resumed))
    assert (texts, count) == (memories - made, memories)
    assert counted(home, "embeddings WHERE generation = 1") == 0
    assert counted(home, "embeddings WHERE generation = 2") == memories
