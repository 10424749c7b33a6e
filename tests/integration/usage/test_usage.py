"""Usage: what is counted, by whom, and that it is written."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from agentos import config
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.usage.models import Spending, SpendingKey, Tokens, Usage, UsageKey
from agentos.modules.usage.service import REMEMBERED_HITS
from agentos.storage.embedding.lazy import NoEmbedder
from tests.integration.conftest import Clock
from tests.tables import every

TODAY = date(2026, 3, 2)
EVER = datetime(1970, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)


async def opened(open_home: Any, home: Path, clock: Clock) -> tuple[OpenedStore, AgentOS]:
    settings = config.load({}, home=home)
    store = await open_home(settings.home, settings.database, clock)
    return store, AgentOS.over(store, NoEmbedder(), settings, clock)


async def test_calls_are_counted_by_day_agent_client_and_tool_and_survive_the_process(
    tmp_path: Path, open_home: Any
) -> None:
    clock = Clock()
    store, agentos = await opened(open_home, tmp_path / "home", clock)
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
    store, agentos = await opened(open_home, tmp_path / "home", clock)
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
    assert await agentos.usage.since(400) == {} and not await store.records.usage.between_everywhere(*EVER, UTC)
    await agentos.close()
    await store.close()


async def test_only_so_many_hits_are_remembered(tmp_path: Path, open_home: Any) -> None:
    store, agentos = await opened(open_home, tmp_path / "home", Clock())
    agentos.usage.note("ann", "zed", "memory_search", shown=[f"mem_{n}" for n in range(REMEMBERED_HITS + 1)])
    agentos.usage.note("ann", "zed", "memory_get", named="mem_0")
    assert (await agentos.usage.since(1))[UsageKey(TODAY, "ann", "zed", "memory_search")].used == 0
    await agentos.close()
    await store.close()


async def test_what_models_cost_is_added_up_by_day_key_and_model(tmp_path: Path, open_home: Any) -> None:
    clock = Clock()
    store, agentos = await opened(open_home, tmp_path / "home", clock)
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
    assert await agentos.usage.spending(400) == {} and not await store.records.usage.spending_between_everywhere(
        *EVER, UTC
    )
    await agentos.close()
    await store.close()


@every("zone, hour, minute, days_ago", [
    ("UTC", 23, 30, 0), ("Europe/Berlin", 22, 59, 0), ("Europe/Berlin", 23, 0, -1), ("Asia/Kathmandu", 18, 14, 0),
    ("Asia/Kathmandu", 18, 15, -1), ("America/New_York", 4, 59, 1), ("America/New_York", 5, 0, 0),
])  # fmt: skip
async def test_what_is_counted_is_told_by_the_days_of_any_zone(
    tmp_path: Path, open_home: Any, zone: str, hour: int, minute: int, days_ago: int
) -> None:
    clock = Clock(datetime(2026, 3, 2, hour, minute, tzinfo=UTC))
    store, agentos = await opened(open_home, tmp_path / "home", clock)
    day = TODAY - timedelta(days=days_ago)
    for _ in range(2):  # written and not written yet
        agentos.usage.note(clock().isoformat(), "zed", "memory_get")
        agentos.usage.spend(clock().isoformat(), "chat", "gpt-4o", Spending(1, 0, Tokens(output=1)))
        counted = await agentos.usage.since(1, ZoneInfo(zone)), await agentos.usage.spending(1, ZoneInfo(zone))
        own = [[key.day for key in one if key.namespace == clock().isoformat()] for one in counted]
        assert own == [[day], [day]]
        await agentos.usage.flush()
    assert counted[0][UsageKey(day, clock().isoformat(), "zed", "memory_get")].calls == 2
    assert await agentos.usage.since(1, ZoneInfo(zone)) == counted[0]
    await agentos.close()
    await store.close()
