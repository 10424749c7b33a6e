"""Killing whoever consolidates: a consolidation is there whole or not at all, and done once when it is done again."""

import os
import random
import select
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.fault.forked import running

ROUNDS = 4
DEADLINE_S = 120.0
PROGRAM = """
import asyncio, hashlib, struct, sys
from pathlib import Path
from agentos import config
from agentos.features import registered
from agentos.modules.plugins.feature import with_parts
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.memory.models import Passage
from agentos.storage.sqlite.store import SqliteStore

TOPICS = ("nora wedding lisbon", "billing timeout nginx", "cello bach okafor")

class Embedder:
    fingerprint, dimension, problem = "crash", 8, None
    async def ready(self, wait_s): return True
    async def knows(self, texts): return [True for _ in texts]
    async def encode(self, texts):
        return [[Passage(0, len(text), self.vector(text), b"s")] for text in texts]
    def vector(self, text):
        topic = next((place for place, words in enumerate(TOPICS) if words in text), 3)
        spread = [byte / 4096 for byte in hashlib.sha256(text.encode()).digest()[:8]]
        values = [(1.0 if place == topic else 0.0) + spread[place] for place in range(8)]
        length = sum(value * value for value in values) ** 0.5
        return struct.pack("<8f", *(value / length for value in values))
    def close(self): pass

async def main():
    home = Path(sys.argv[1])
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    own = AgentOS.over(store, Embedder(), config.load(home=home), system_clock)
    agentos = with_parts(own, registered(), "wired", store.engine, config.load(home=home))
    for session in ("one", "two", "three"):
        for number in range(12):
            text = f"{TOPICS[number % 3]} went on as number {number} of session {session} says"
            await agentos.turns.add("ada", session, "user", text, key=str(number))
    assert await agentos.memory.embedded(60)
    print("ready", flush=True)
    for session in ("one", "two", "three"):
        await agentos.of_feature("consolidation").consolidate("ada", session, keep=0)
        print(session, flush=True)
    await agentos.close()
    await store.close()
    print("done", flush=True)

asyncio.run(main())
"""


def finished(home: Path) -> None:
    with running(PROGRAM, home) as process:
        assert process.wait(DEADLINE_S) == 0
        assert process.stdout.read().endswith("done\n")


def content(home: Path) -> Any:
    """What was made: texts by level, and whether anything is half."""
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        made = connection.execute(
            "SELECT json_extract(metadata, '$.level'), content FROM memories WHERE kind = 'summary' ORDER BY 1, 2"
        ).fetchall()
        [(loose,)] = connection.execute(
            "SELECT count(*) FROM memories m WHERE kind = 'summary' AND (NOT EXISTS (SELECT 1 FROM consolidations c, "
            "json_each(c.summaries) s WHERE s.value = m.id) OR json_extract(metadata, '$.cluster_size') <> "
            "(SELECT count(*) FROM relations WHERE from_id = m.id AND type = 'derived_from'))"
        )
        [(missing,)] = connection.execute(
            "SELECT count(*) FROM consolidations c, json_each(c.summaries) s "
            "WHERE NOT EXISTS (SELECT 1 FROM memories WHERE id = s.value)"
        )
        [(twice,)] = connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM relations WHERE type = 'derived_from' "
            "GROUP BY to_id HAVING count(*) > 1)"
        )
        assert (loose, missing, twice) == (0, 0, 0)
        return made


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_a_killed_consolidation_is_complete_or_absent(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir(mode=0o700)
    finished(tmp_path / "whole")
    expected = content(tmp_path / "whole")
    assert {level for level, _ in expected} == {1, 2}
    chance = random.Random(7)
    for number in range(ROUNDS):
        home = tmp_path / str(number)
        home.mkdir(mode=0o700)
        with running(PROGRAM, home) as process:
            for _ in range(chance.randint(1, 3)):
                process.stdout.readline()
            select.select([process.stdout], [], [], chance.uniform(0, 0.05))  # somewhere within the next one
        content(home)
        finished(home)
        assert content(home) == expected
    finished(tmp_path / "whole")
    assert content(tmp_path / "whole") == expected, "the second time nothing is left to do"
