"""README's five things to try, word for word, on a fresh home and a cold daemon, by the calls that an agent makes."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.places import ROOT, needs_weights

from .conftest import client_of, end_daemon

pytestmark = needs_weights

SECTION = (ROOT / "README.md").read_text("utf-8").partition("## Five things to try\n")[2].partition("\n## ")[0]
THINGS = [" ".join(thing.split()) for thing in re.split(r"^\d\. ", SECTION, flags=re.M)[1:]]
SAID = [re.findall(r'\*"([^"]+)"\*', thing) for thing in THINGS]
PROMISED = (
    *("It answers Thursday, and still knows the old value", "", "The next session sees it, and gets a warning"),
    *("fail three times in a row", ""),
)
Call = Callable[..., Awaitable[tuple[str, dict[str, Any]]]]


@pytest.fixture
def cold(home: Path) -> Iterator[Any]:
    """A session of a new process on one fresh home; the daemon ends with each session."""

    @asynccontextmanager
    async def session() -> AsyncIterator[Call]:
        async with client_of(home, "auto", {}) as client:

            async def call(tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error and isinstance(result.structured_content, dict), result
                return result.content[0].text, result.structured_content  # type: ignore[union-attr]

            yield call

    yield session
    end_daemon(home)


async def test_what_readme_tells_to_try_works_on_a_fresh_home(cold: Any, run_job: Any) -> None:
    (told, changed, when), (reviewed, who_approves), (goal_set,), (_,), (where_was_i,) = SAID
    assert all(promise in thing for promise, thing in zip(PROMISED, THINGS, strict=True))
    aim = re.fullmatch(r"Set a goal: (.+) by (Friday), and note that (.+)\.", goal_set)
    assert aim is not None

    async with cold() as call:
        await call("memory_store", content=told.removeprefix("Remember that "))
    async with cold() as call:
        await call("memory_store", content=changed)
    async with cold() as call:
        text, found = await call("memory_search", query=when)
        assert "Thursdays" in found["results"][0]["content"] and "Tuesdays" in text
        await call("memory_store", content=reviewed)
        _, found = await call("memory_search", query=who_approves)
        assert found["results"][0]["content"] == reviewed
        for deadline in (aim[2], "tomorrow"):
            title = f"{aim[1]}, {deadline}"
            _, goal = await call("goal_add", title=title, description=goal_set, deadline=deadline)
            await call("goal_update_progress", goal_id=goal["id"], progress=0.2, notes=aim[3])
        for _ in range(3):
            await call("reflection_log", action="deploy to staging", outcome="the health check failed", success=False)
    await asyncio.to_thread(run_job, "goal_monitor")
    async with cold() as call:
        text, snapshot = await call("context_get_snapshot", query=where_was_i)
        assert {goal["title"] for goal in snapshot["active_goals"]} == {f"{aim[1]}, Friday", f"{aim[1]}, tomorrow"}
        assert any("'deploy to staging' keeps failing before" in task["text"] for task in snapshot["autonomous_tasks"])
        assert any("tomorrow" in insight["text"] for insight in snapshot["proactive_insights"]), text
