"""Usage: what is counted, by whom, and that it is written."""

from datetime import date
from pathlib import Path
from typing import Any

from agentos import config
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.usage.models import Spending, SpendingKey, Tokens, Usage, UsageKey
from agentos.modules.usage.service import REMEMBERED_HITS
from agentos.storage.embedding.lazy import NoEmbedder
from tests.integration.conftest import Clock

TODAY = date(2026, 3, 2)


async def opened(engine: Any, home: Path, clock: Clock) -> tuple[OpenedStore, AgentOS]:
    settings = config.load({}, home=home)
    store = await engine(settings.home, settings.database, clock)
    return store, AgentOS.over(store, NoEmbedder(), settings, clock)


async def test_calls_are_counted_by_day_agent_client_and_tool_and_survive_the_process(
    tmp_path: Path, engine: Any
) -> None:
    clock = Clock()
    store, agentos = await opened(engine, tmp_path / "home", clock)
    agentos.usage.note("ann", "cursor", "memory_search", text="x" * 10, shown=["mem_1", "mem_2"])
    agentos.usage.note("ann", "cursor", "memory_get", text="abcd", named="mem_1")
    agentos.usage.note("ann", "cursor", "memory_get", named="mem_1")
    agentos.usage.note("ann", "zed", "memory_get", named="mem_2")
    agentos.usage.note("ann", "cursor", "memory_search", failed=True, asked=True)
    agentos.usage.note("ann", "codex", "memory_search", shown=["mem_3", "mem_4"], asked=True)
    agentos.usage.note("ann", "codex", "memory_search", asked=True)
    for one in ("mem_3", "mem_4"):
        agentos.usage.used("ann", "codex", one)
    expected = {
        UsageKey(TODAY, "ann", "cursor", "memory_search"): Usage(2, 1, 10, 2, 1, 0, 1),
        UsageKey(TODAY, "ann", "codex", "memory_search"): Usage(2, 0, 0, 2, 2, unanswered=1, helpful=1),
        UsageKey(TODAY, "ann", "cursor", "memory_get"): Usage(2, 0, 4, 0, 0),
        UsageKey(TODAY, "ann", "zed", "memory_get"): Usage(1, 0, 0, 0, 0),
    }
    assert await agentos.usage.since(1) == expected, "what is not written yet is told too"
    await agentos.close()
    await store.close()
    store, agentos = await opened(engine, tmp_path / "home", clock)
    assert await agentos.usage.since(1) == expected
    agentos.usage.note("ann", "zed", "memory_get")
    await agentos.usage.flush()
    await agentos.usage.flush()
    assert (await agentos.usage.since(1))[UsageKey(TODAY, "ann", "zed", "memory_get")].calls == 2
    assert expected[UsageKey(TODAY, "ann", "cursor", "memory_search")].tokens == 3
    clock.advance(days=1)
    assert await agentos.usage.since(1) == {}
    assert len(await agentos.usage.since(2)) == 4
    clock.advance(days=500)
    await agentos.usage.tidy_up()
    assert await agentos.usage.since(400) == {} and not await store.usage.since_everywhere(TODAY)
    await agentos.close()
    await store.close()


async def test_only_so_many_hits_are_remembered(tmp_path: Path, engine: Any) -> None:
    store, agentos = await opened(engine, tmp_path / "home", Clock())
    agentos.usage.note("ann", "zed", "memory_search", shown=[f"mem_{n}" for n in range(REMEMBERED_HITS + 1)])
    agentos.usage.note("ann", "zed", "memory_get", named="mem_0")
    assert (await agentos.usage.since(1))[UsageKey(TODAY, "ann", "zed", "memory_search")].used == 0
    await agentos.close()
    await store.close()


async def test_what_models_cost_is_added_up_by_day_key_and_model(tmp_path: Path, engine: Any) -> None:
    clock = Clock()
    store, agentos = await opened(engine, tmp_path / "home", clock)
    agentos.usage.spend("ann", "aider", "gpt-4o", Spending(1, 0, Tokens(10, 90, 0, 5), 7, 700))
    agentos.usage.spend("ann", "aider", "gpt-4o", Spending(1, 1, Tokens(1, 2, 3, 4), 1, 2))
    agentos.usage.spend("ann", "chat", "gpt-4o", Spending(1, 0, Tokens(output=1)))
    expected = {
        SpendingKey(TODAY, "ann", "aider", "gpt-4o"): Spending(2, 1, Tokens(11, 92, 3, 9), 8, 702),
        SpendingKey(TODAY, "ann", "chat", "gpt-4o"): Spending(1, 0, Tokens(output=1)),
    }
    assert await agentos.usage.spending(1) == expected
    await agentos.usage.flush()
    assert await agentos.usage.spending(1) == expected
    agentos.usage.spend("ann", "chat", "gpt-4o", Spending(1, 0, Tokens(output=1)))
    assert (await agentos.usage.spending(1))[SpendingKey(TODAY, "ann", "chat", "gpt-4o")].calls == 2
    clock.advance(days=401)
    await agentos.usage.tidy_up()
    assert await agentos.usage.spending(400) == {} and not await store.usage.spending_since_everywhere(TODAY)
    await agentos.close()
    await store.close()
