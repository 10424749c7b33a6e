"""Events: every change leaves one with itself, they are read behind a cursor, and each handler is given each once."""

import asyncio
from pathlib import Path

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.models import ApprovalRequest, RiskInputs
from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.events import newest
from agentos.modules.events.hints import Hints
from agentos.modules.events.models import ChangeEvent
from agentos.modules.insights.models import InsightDraft, InsightKey, InsightKind, InsightSeverity, InsightStatus
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.queue.models import Worked
from agentos.modules.queue.service import MAX_ATTEMPTS
from agentos.modules.sessions.service import turn
from agentos.modules.store_request import StoreRequest
from agentos.storage.repositories import events
from tests.integration.conftest import Clock, OpenStore, Wire


async def types_after(agentos: AgentOS, cursor: int, namespace: str = "ann", *types: str) -> list[tuple[str, str]]:
    page = await agentos.events.after(cursor, [namespace], types or None)
    return [(event.type, event.subject) for event in page.events]


async def store(agentos: AgentOS, text: str, namespace: str = "ann") -> str:
    return (await agentos.memory.store(namespace, StoreRequest(text))).memory.id


async def test_each_change_leaves_its_events_in_order(agentos: AgentOS, tmp_path: Path) -> None:
    memory = await store(agentos, "The deploy runs on Tuesdays.")
    await agentos.memory.update("ann", memory, MemoryChanges(importance=0.9))
    goal = (await agentos.goals.add("ann", "ship", "ship it")).id
    await agentos.goals.update_progress("ann", goal, 0.1)
    draft = InsightDraft(InsightKind.INSIGHT, InsightKey("test", "x", "rule"), InsightSeverity.INFO, "look at x")
    [insight] = await agentos.insights.record("ann", [draft])
    await agentos.insights.record("ann", [draft])  # nothing new
    await agentos.insights.update("ann", insight.id, InsightStatus.DONE)
    asked = await agentos.approvals.request(
        ApprovalRequest("ann", "x", "archive_faded", {}, RiskInputs(1, 0, 1), "why not", "ann")
    )
    session, _ = await agentos.sessions.open("ann", "cli", "s1", str(tmp_path))
    await agentos.sessions.record(session, turn("user", "hello", "k1"))
    await agentos.sessions.end(session)
    await agentos.sessions.record(session, turn("user", "again", "k2"))
    await agentos.memory.delete("ann", memory)
    with pytest.raises(NotFound):
        await agentos.memory.delete("ann", memory)
    assert await types_after(agentos, 0) == [
        ("memory.store", memory),
        ("memory.update", memory),
        ("goal.add", goal),
        ("goal.update", goal),
        ("insight.add", insight.id),
        ("insight.update", insight.id),
        ("approval.pending", asked.id),
        ("session.open", session.id),
        ("session.end", session.id),
        ("session.resume", session.id),
        ("memory.erase", memory),
    ]
    assert [kind for kind, _ in await types_after(agentos, 0, "ann", "goal", "session.end")] == [
        *("goal.add", "goal.update", "session.end"),
    ]


async def test_a_reader_goes_on_behind_its_cursor_and_sees_its_namespaces_alone(
    agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "PART", 3)  # entries of others are passed over, part by part
    stored = [await store(agentos, f"note {number}", ["ann", "bob"][number % 2]) for number in range(10)]
    found, cursor, has_more = [], 0, True
    while has_more:
        page = await agentos.events.after(cursor, ["bob"], limit=2)
        assert page.cursor > cursor and len(page.events) <= 2
        found += page.events
        cursor, has_more = page.cursor, page.has_more
    assert [event.subject for event in found] == stored[1::2]
    assert {event.namespace for event in found} == {"bob"}
    assert cursor == await agentos.events.latest()
    assert (await agentos.events.after(0, [])).events == ()
    with pytest.raises(InvalidInput, match="ahead of the log"):
        await agentos.events.after(cursor + 1, ["bob"])
    with pytest.raises(InvalidInput, match="must start with one of"):
        await agentos.events.after(0, ["bob"], ["graph.node"])


async def test_who_waits_is_woken_by_another_process(open_store: OpenStore, wire: Wire) -> None:
    here, there = wire(await open_store()), wire(await open_store())
    waiting = [asyncio.create_task(here.events.wait(0, 20)) for _ in range(3)]
    await store(there, "said over there")
    assert await asyncio.gather(*waiting) == [True, True, True]
    assert not await here.events.wait(await here.events.latest(), 0)


async def test_each_handler_is_given_each_event_once_and_again_where_it_fails(agentos: AgentOS, clock: Clock) -> None:
    received: list[tuple[str, str, str]] = []

    async def good(event: ChangeEvent) -> None:
        received.append(("good", event.namespace, event.subject))

    async def bad(event: ChangeEvent) -> None:
        received.append(("bad", event.namespace, event.subject))
        raise RuntimeError("never")

    await store(agentos, "before anybody listened")
    agentos.events.subscribe("good", ["memory.store"], good)
    agentos.events.subscribe("bad", ["goal"], bad)
    await agentos.events.deliver()
    memory, goal = await store(agentos, "now they do", "bob"), (await agentos.goals.add("ann", "ship", "ship it")).id
    for _ in range(2):
        await agentos.events.deliver()
    assert await agentos.queue.work_all(agentos.handlers) == Worked(done=1, failed=1)
    for _ in range(MAX_ATTEMPTS + 1):
        clock.advance(hours=2)
        await agentos.events.deliver()
        await agentos.queue.work_all(agentos.handlers)
    assert received == [("good", "bob", memory), *[("bad", "ann", goal)] * MAX_ATTEMPTS]


async def test_two_processes_deliver_an_event_once(open_store: OpenStore, wire: Wire) -> None:
    received: list[str] = []

    async def hear(event: ChangeEvent) -> None:
        received.append(event.subject)

    processes = [wire(await open_store()) for _ in range(2)]
    for one in processes:
        one.events.subscribe("hear", ["memory"], hear)
        await one.events.deliver()
    stored = [await store(processes[0], f"note {number}") for number in range(5)]
    await asyncio.gather(*(one.events.deliver() for one in processes))
    await asyncio.gather(*(one.queue.work_all(one.handlers) for one in processes))
    assert sorted(received) == sorted(stored)


async def test_a_handler_has_a_name_and_subjects_that_there_are(agentos: AgentOS) -> None:
    async def hear(event: ChangeEvent) -> None: ...

    for name, types in (("Two words", ["memory"]), ("", ["memory"]), ("fine", ["weather"])):
        with pytest.raises(InvalidInput):
            agentos.events.subscribe(name, types, hear)


async def test_who_waits_together_hears_what_the_log_says(agentos: AgentOS, monkeypatch: pytest.MonkeyPatch) -> None:
    events = agentos.events
    begin = await events.latest()
    waiting = [asyncio.create_task(events.wait(begin, 20)) for _ in range(3)]
    last = asyncio.create_task(events.wait(2**62, 600))  # while one waits, what came is at hand
    assert await events.wait(begin - 1, 20)  # somebody has looked by now
    for namespace in ("ada", "bob", "ada"):
        await agentos.memory.store(namespace, StoreRequest(f"{namespace} has {await events.latest() * 7919} cups"))
    await agentos.goals.add("ada", "Wash up", "all of them", 0.5, 0.5, None, None, ())
    latest = await events.latest()
    assert await asyncio.gather(*waiting, events.wait(latest - 1, 20)) == [True] * 4
    asked: list[tuple[list[str], list[str] | None, int]] = [
        (["ada"], None, 100),
        (["ada", "bob"], ["memory"], 2),
        (["bob"], ["goal", "memory.store"], 1),
        ([], None, 100),
    ]
    expected = [
        (cursor, *one, await events.after(cursor, *one)) for cursor in range(begin, latest + 1) for one in asked
    ]

    async def nobody(*_: object) -> None:
        raise AssertionError("it is known already")

    monkeypatch.setattr(events, "after", nobody)
    for cursor, namespaces, types, limit, page in expected:
        followed = await events.follow(cursor, namespaces, types, limit)
        assert followed.events == page.events and followed.cursor <= latest
        assert followed.has_more or followed.cursor == latest
    last.cancel()


async def test_who_begins_to_wait_in_the_last_pause_of_who_looks_gets_the_event(
    agentos: AgentOS, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest, "MAX_IDLE_LOOKS", 1)
    log, looks = (await open_store()).work.events, asyncio.Semaphore(0)
    looked = log.latest_everywhere

    async def counted() -> int:
        found = await looked()
        looks.release()
        return found

    monkeypatch.setattr(log, "latest_everywhere", counted)
    begin = await looked()
    waiters = newest.Newest(log, Hints())
    assert not await waiters.beyond(begin, 0.01)
    await looks.acquire()
    await looks.acquire()  # nobody waited for this one, which is the last
    waiting = asyncio.create_task(waiters.beyond(begin, 5))
    await store(agentos, "The deploy runs on Tuesdays.")
    assert await waiting
