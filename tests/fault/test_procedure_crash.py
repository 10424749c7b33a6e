"""Killing whoever mines procedures, before and after each of its writes: the next one leaves what one alone would."""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.features import registered
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.plugins.feature import with_parts
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.sqlite.database import Sqlite
from agentos.storage.sqlite.store import SqliteStore
from tests.fault.forked import running

DEADLINE_S = 60.0
MAX_STEPS = 60


async def work(home: Path, todo: Callable[[AgentOS], Awaitable[Any]]) -> Any:
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    own = AgentOS.over(store, NoEmbedder(), config.load({}, home=home), system_clock)
    agentos = with_parts(own, registered(), "wired", store.engine, config.load({}, home=home))
    try:
        return await todo(agentos)
    finally:
        await agentos.close()
        await store.close()


async def fill(agentos: AgentOS) -> None:
    for number in range(2):
        asked = f"The export crashes, case {number}."
        await agentos.turns.add("default", "talk", "user", asked, answer="I wrote a regression test and ran the tests.")
    for success in (False, False, False, True):
        await agentos.reflection.log("default", "git push", "with --force" if success else "rejected", success)


async def mine(agentos: AgentOS) -> None:
    await agentos.of_feature("procedures").mine("default")


async def stored_procedures(agentos: AgentOS) -> list[str]:
    page = await agentos.memory.page("default", MemoryFilter(source="procedures"), 200)
    return sorted(json.dumps([m.content, m.status, m.metadata, m.version], default=str) for m in page.memories)


def mine_and_die(home: Path, step: int) -> None:
    """Kill this process before (even) or after (odd) one of its writes; say when there are fewer."""
    left = step
    write = Sqlite.write

    async def counted(self: Sqlite, todo: Any, *, durable: bool = True) -> Any:
        nonlocal left
        for after in (False, True):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            if not after:
                result = await write(self, todo, durable=durable)
        return result

    Sqlite.write = counted  # type: ignore[method-assign, assignment]
    asyncio.run(work(home, mine))
    sys.stdout.write("done")


@pytest.mark.parametrize("remains", [False, True], ids=["each on a store of its own", "all on one store"])
def test_a_miner_that_is_killed_at_any_write_leaves_nothing_that_the_next_does_not_finish(
    tmp_path: Path, remains: bool
) -> None:
    filled = tmp_path / "filled"
    asyncio.run(work(filled, fill))
    shutil.copytree(filled, tmp_path / "whole")
    asyncio.run(work(tmp_path / "whole", mine))
    wanted = asyncio.run(work(tmp_path / "whole", stored_procedures))
    assert len(wanted) == 3
    for step in range(MAX_STEPS):
        home = tmp_path / ("one" if remains else f"home-{step}")
        if not home.exists():
            shutil.copytree(filled, home)
        with running(mine_and_die, home, step) as process:
            code = process.wait(DEADLINE_S)
            said = process.stdout.read()
        if not remains:
            asyncio.run(work(home, mine))
            assert content(asyncio.run(work(home, stored_procedures))) == content(wanted)
        if code == 0:
            assert said == "done"
            break
        assert code == -signal.SIGKILL
    else:
        raise AssertionError("it writes without end")
    asyncio.run(work(home, mine))
    assert content(asyncio.run(work(home, stored_procedures))) == content(wanted)


def content(memories: list[str]) -> list[Any]:
    """What is kept, but for the ids of events, which every store has its own of."""
    parsed = [json.loads(memory) for memory in memories]
    for _, _, metadata, _ in parsed:
        metadata.get("lesson", {}).pop("attempts", None)
    return parsed
