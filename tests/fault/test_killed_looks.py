"""A process that is killed once a memory has its vector, before it is compared with others: the next one does it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.fault.forked import running
from tests.fault.test_crash import PRELUDE, lines

STORING = (
    PRELUDE
    + """

from agentos.modules.memory.near_duplicates import NearDuplicates

class Near(Embedder):
    async def encode(self, texts):
        return [[Passage(0, len(text), struct.pack("<8f", *[8 ** -0.5] * 8), b"s")] for text in texts]

class Judge:
    problem = None
    async def ready(self, wait_s): return True
    async def scores(self, query, texts): return [9.0 for _ in texts]
    def close(self): pass

async def killed(self, memory_id, generation):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    home = Path(sys.argv[1])
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    agentos = AgentOS.over(store, Near(), config.load(home=home), system_clock, succession_model=Judge())
    if sys.argv[2] == "kill":
        await agentos.memory.store("ada", StoreRequest("We deploy to production on Tuesday mornings."))
        assert await agentos.embedding.caught_up(60)
        await agentos.embedding.settled()
        NearDuplicates.look.__code__ = killed.__code__
        await agentos.memory.store("ada", StoreRequest("We deploy to production on Thursday mornings now."))
    agentos.embedding.embed_later()
    assert await agentos.embedding.caught_up(60)
    await agentos.embedding.settled()
    for memory in (await agentos.memory.page("ada")).memories:
        print(memory.content, "|", "maybe outdated" if memory.may_be_outdated_by else "holds", flush=True)
    await agentos.close()
    await store.close()

asyncio.run(main())
"""
)


def test_a_memory_that_has_its_vector_is_looked_at_after_a_kill(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(STORING, home, "kill") as process:
        assert process.wait(60) == -9
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        assert database.execute("SELECT count(DISTINCT memory_seq) FROM embeddings").fetchone() == (2,)
        assert database.execute("SELECT count(*) FROM owed_looks").fetchone() == (1,), "killed in between"
        assert database.execute("SELECT count(*) FROM relations").fetchone() == (0,)
    with running(STORING, home, "go on") as process:
        output = sorted(lines(process, 2))
    assert output == [
        "We deploy to production on Thursday mornings now. | holds",
        "We deploy to production on Tuesday mornings. | maybe outdated",
    ]
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        assert database.execute("SELECT count(*) FROM owed_looks").fetchone() == (0,)
