"""A reader of the graph that is killed: what it did is whole, and the next one ends with the same graph."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.sqlite.store import SqliteStore
from tests.fault.forked import running

NS = "ada"
TEXTS = [
    text
    for number in range(12)
    for text in (
        f"Maria met Tom in Kraków, round {number}",
        f"Atlas depends on RabbitMQ since round {number}",
        f"Zelda{number} Quux called Maria, see src/round_{number}.py",
        f"In round {number} Ana works at Acme",
    )
]
READER = """
import asyncio, sys
from pathlib import Path
from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.graph import service
from agentos.storage.sqlite.store import SqliteStore
from agentos.storage.embedding.lazy import NoEmbedder

service.BATCH = 5

async def main():
    home = Path(sys.argv[1])
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), config.load(home=home), system_clock)
    record = store.conversation.graph.record
    async def told(*arguments):
        print("begin", flush=True)
        return await record(*arguments)
    store.conversation.graph.record = told
    await agentos.graph.read("ada")
    print("done", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def filled(home: Path) -> None:
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), config.load(home=home), system_clock)
    for text in TEXTS:
        await agentos.memory.store(NS, StoreRequest(text))
    await agentos.close()
    await store.close()


async def read(home: Path) -> int:
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), config.load(home=home), system_clock)
    count = await agentos.graph.read(NS)
    await agentos.close()
    await store.close()
    return count


def graph(home: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        return {
            "nodes": database.execute(
                "SELECT e.type, e.key, count(m.memory_seq) FROM entities e "
                "LEFT JOIN entity_mentions m ON m.entity = e.seq GROUP BY e.seq ORDER BY 1, 2"
            ).fetchall(),
            "edges": database.execute(
                "SELECT a.key, r.type, b.key, r.weight, r.evidence FROM entity_relations r JOIN entities a "
                "ON a.seq = r.from_entity JOIN entities b ON b.seq = r.to_entity ORDER BY 1, 2, 3, 5"
            ).fetchall(),
        }


@pytest.mark.parametrize("after", [1, 2, 5])
async def test_a_killed_reader_leaves_whole_batches_and_the_next_one_the_same_graph(tmp_path: Path, after: int) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    await filled(home)
    shutil.copytree(home, other)
    assert await read(other) == len(TEXTS)
    with running(READER, home) as process:
        output = [process.stdout.readline().strip() for _ in range(after)]
    assert output == ["begin"] * after
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        [done] = database.execute("SELECT count(*) FROM readings WHERE reader = 'graph'").fetchone()
        [named] = database.execute("SELECT count(DISTINCT memory_seq) FROM entity_mentions").fetchone()
    assert done == named and done in (5 * (after - 1), 5 * after), "a batch is there whole or not at all"
    assert await read(home) == len(TEXTS) - done
    assert await read(home) == 0
    assert graph(home) == graph(other)
