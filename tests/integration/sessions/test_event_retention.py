"""Events of sessions that rest go after the days that were set, but for those that something was made of."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.sessions.models import EventType, NewEvent, Session, Signal, ToolCall
from agentos.modules.sessions.service import signal, turn
from agentos.modules.sessions.tool_calls import as_json
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.repositories import event_retention

NS = "ada"
RETENTION_DAYS = 30


@pytest.fixture
async def keeping(store: OpenedStore, tmp_path: Path, clock: Any) -> AsyncIterator[AgentOS]:
    """A memory that keeps events for 30 days."""
    settings = config.load({}, home=tmp_path / "home", session_event_days=RETENTION_DAYS)
    yield AgentOS.over(store, NoEmbedder(), settings, clock)


def edit(key: str) -> NewEvent:
    call = ToolCall("Edit", True, files_modified=("parser.py",))
    return NewEvent(EventType.TOOL_CALL, key, structured=as_json(call))


def look(key: str) -> NewEvent:
    return NewEvent(EventType.TOOL_CALL, key, structured=as_json(ToolCall("Bash", True, command="ls")))


async def session(agentos: AgentOS, key: str, *events: NewEvent, folder: str = "/w/app") -> Session:
    one, _ = await agentos.sessions.open(NS, "codex", key, folder)
    await agentos.sessions.record(one, *events)
    await agentos.sessions.end(one)
    await agentos.sessions.observe()
    return one


async def mixed(agentos: AgentOS) -> Session:
    """A session with a stretch that was observed between two that were not."""
    return await session(
        agentos,
        "s1",
        signal(Signal.STARTED, "k0"),
        *(turn("user", "What is here?", "k1"), look("k2"), signal(Signal.TURN_ENDED, "k3")),
        *(turn("user", "Fix the parser", "k4"), edit("k5"), signal(Signal.TURN_ENDED, "k6")),
        *(turn("user", "And now?", "k7"), look("k8"), signal(Signal.SESSION_ENDED, "k9")),
    )


async def texts(agentos: AgentOS, one: Session) -> list[str]:
    return [event.text for event in await agentos.sessions.events(one)]


async def test_without_a_setting_everything_stays(agentos: AgentOS, clock: Any) -> None:
    one = await mixed(agentos)
    clock.advance(days=10_000)
    assert await agentos.sessions.purge() == 0
    assert len(await agentos.sessions.events(one)) == 10


async def test_what_a_memory_was_made_of_stays_and_the_rest_goes(keeping: AgentOS, clock: Any) -> None:
    one = await mixed(keeping)
    [observation] = (await keeping.memory.page(NS)).memories
    before = await keeping.sessions.stretch_of(NS, observation.id)
    assert before is not None
    calls = await keeping.sessions.calls_of(before)
    clock.advance(days=RETENTION_DAYS - 1)
    assert await keeping.sessions.purge() == 0, "it has not rested for long enough"
    clock.advance(days=2)
    assert await keeping.sessions.purge() > 0
    left = await keeping.sessions.events(one)
    assert [event.id for event in left] == [event.id for event in calls]
    assert "Fix the parser" in [event.text for event in left]
    assert await keeping.sessions.purge() == 0
    assert (await keeping.memory.get(NS, observation.id))[0].content == observation.content
    await keeping.sessions.record(one, turn("user", "Fix the lexer", "k20"), edit("k21"))
    await keeping.sessions.end(one)
    assert await keeping.sessions.observe() == 1, "what comes later is observed, and nothing twice"


async def test_what_an_erased_observation_was_made_of_goes_too(keeping: AgentOS, clock: Any) -> None:
    one = await mixed(keeping)
    [observation] = (await keeping.memory.page(NS)).memories
    await keeping.memory.delete(NS, observation.id)
    clock.advance(days=RETENTION_DAYS + 1)
    await keeping.sessions.purge()
    assert await texts(keeping, one) == []


async def test_what_was_not_observed_yet_and_what_was_logged_stays(keeping: AgentOS, clock: Any) -> None:
    one, _ = await keeping.sessions.open(NS, "codex", "s2", "/w/app")
    await keeping.sessions.record(one, turn("user", "What is here?", "k1"), look("k2"))
    await keeping.reflection.log(NS, "deploy", "timeout", False, None, None, ())
    clock.advance(days=RETENTION_DAYS + 1)
    assert await keeping.sessions.purge() == 0
    assert len(await keeping.sessions.events(one)) == 2
    await keeping.sessions.observe()
    assert await keeping.sessions.purge() == 2
    assert (await keeping.reflection.totals(NS, timedelta(days=RETENTION_DAYS + 2)))[0] == 1


async def test_a_session_of_which_nothing_is_left_goes_on(keeping: AgentOS, clock: Any) -> None:
    one = await session(keeping, "s3", turn("user", "What is here?", "k1"), look("k2"))
    clock.advance(days=RETENTION_DAYS + 1)
    assert await keeping.sessions.purge() == 2
    await keeping.sessions.record(one, turn("user", "Fix the lexer", "k3"), edit("k4"))
    await keeping.sessions.end(one)
    assert await keeping.sessions.observe() == 1


async def test_what_habits_are_found_in_stays(keeping: AgentOS, clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    old = await session(keeping, "old", turn("user", "What is here?", "o1"), look("o2"))
    new = await session(keeping, "new", turn("user", "And there?", "n1"), look("n2"))
    await keeping.memory.store(
        NS, StoreRequest("Runs the tests first", tags=[event_retention.HABIT], source=event_retention.MINER)
    )
    clock.advance(days=RETENTION_DAYS + 1)
    assert await keeping.sessions.purge() == 0, "all of it is among what the miner reads"
    statements = {name: getattr(event_retention, name) for name in ("_SESSIONS", "_DELETE")}
    offset = f"OFFSET {event_retention.READ_FOR_HABITS - 1}"
    for name, sql in statements.items():
        assert offset in sql
        monkeypatch.setattr(event_retention, name, sql.replace(offset, "OFFSET 1"))
    assert await keeping.sessions.purge() == 2
    assert (await texts(keeping, old), len(await texts(keeping, new))) == ([], 2)


async def test_a_session_that_habits_are_found_in_stays_whole(
    keeping: AgentOS, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await session(keeping, "s4", turn("user", "Fix the parser", "k1"), edit("k2"))
    [observation] = (await keeping.memory.page(NS)).memories
    await keeping.memory.delete(NS, observation.id)
    await keeping.memory.store(
        NS, StoreRequest("Runs the tests first", tags=[event_retention.HABIT], source=event_retention.MINER)
    )
    clock.advance(days=RETENTION_DAYS + 1)
    for name in ("_SESSIONS", "_DELETE"):  # the miner reads the second event of the session alone
        sql = getattr(event_retention, name)
        monkeypatch.setattr(
            event_retention, name, sql.replace(f"OFFSET {event_retention.READ_FOR_HABITS - 1}", "OFFSET 0")
        )
    assert await keeping.sessions.purge() == 0
    await keeping.sessions.record(one, turn("user", "And now?", "k20"), look("k21"))
    await keeping.sessions.end(one)
    assert await keeping.sessions.observe() == 0, "what was erased is not made of the rest once more"
