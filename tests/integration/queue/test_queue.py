"""The queue: each task is done once, tried again when it fails, given up in the end, and outlives its worker."""

import asyncio
import logging
import re
from collections import Counter
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentos.features.consolidation.rows import ConsolidationRows
from agentos.features.tiers import rows as tier_rows
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, NotFound, StorageUnavailable
from agentos.modules.queue.models import Task, TaskState, Worked
from agentos.modules.queue.service import MAX_ATTEMPTS, QueueService
from agentos.storage.repositories import graph_writing, queue
from agentos.storage.sqlite.dialect import spelled
from agentos.storage.sqlite.store import SqliteStore
from tests.integration.conftest import Clock, OpenStore, Wire


@pytest.mark.sqlite("it reads its plans")
async def test_the_jobs_of_every_minute_look_only_at_what_is_to_do(agentos: AgentOS, home: Path, at_hand: Any) -> None:
    due = f"SELECT seq FROM queue WHERE {queue._DUE} ORDER BY run_at, seq LIMIT 1"
    pages = f"SELECT p.session FROM pages p WHERE p.namespace = :types AND {tier_rows._DUE.replace('?', ':now')}"
    with at_hand() as connection:
        for sql, index in ((due, "queue_to_do"), (pages, "pages_in_no_segment")):
            plan = connection.execute(f"EXPLAIN QUERY PLAN {spelled(sql)}", {"types": "[]", "now": 1}).fetchall()
            assert index in str(plan) and not re.search(r"SCAN (queue|p)\b", str(plan)), plan
        for sql, index in ((graph_writing._NEW, "readings_by_namespace"), (graph_writing._CHANGED, "readings_old")):
            given = ("default", graph_writing.READER, 1)
            plan = connection.execute(f"EXPLAIN QUERY PLAN {spelled(sql)}", given).fetchall()
            assert index in str(plan), plan


@pytest.mark.sqlite("it reads its plans")
async def test_jobs_over_large_stores_look_only_at_what_is_new(agentos: AgentOS, store: SqliteStore) -> None:
    seen: list[str] = []

    async def read(sql: str, parameters: Any = ()) -> list[Any]:
        seen.append(str([row["detail"] for row in await plain(f"EXPLAIN QUERY PLAN {sql}", parameters)]))
        return list(await plain(sql, parameters))

    plain = store._sqlite.read
    store._sqlite.read = read  # type: ignore[method-assign]
    await store.conversation.turn_readings.unread_everywhere(10)
    await ConsolidationRows(store.engine).due("default", 1_000, agentos.clock())
    unread, due = seen
    assert "turns_unread" in unread and "SCAN m" not in unread
    assert "turns_by_session" in due and "SCAN t" not in due.replace("SCAN t USING COVERING", "")


async def test_two_workers_do_a_hundred_tasks_once_each(open_store: OpenStore, wire: Wire) -> None:
    one, other = wire(await open_store()), wire(await open_store())
    for number in range(100):
        assert await one.queue.put("default", "count", str(number), {"number": number})
    assert not await other.queue.put("default", "count", "7", {}), "asked for already"
    done: Counter[int] = Counter()

    async def handle(task: Task) -> None:
        done[task.payload["number"]] += 1
        await asyncio.sleep(0)

    worked = await asyncio.gather(one.queue.work("count", handle, "one"), other.queue.work("count", handle, "other"))
    assert sum(w.done for w in worked) == 100 and set(done.values()) == {1} and len(done) == 100
    assert (await one.queue.status()).counts == {"count": {TaskState.DONE: 100}}
    assert not await one.queue.put("default", "count", "7", {}), "done already"
    assert await one.queue.work("count", handle) == Worked()


async def test_what_fails_is_tried_again_later_and_given_up_in_the_end(agentos: AgentOS, clock: Clock) -> None:
    await agentos.queue.put("default", "break", "k", {})

    async def handle(task: Task) -> None:
        raise ValueError("no luck")

    waits: list[timedelta] = []
    for attempt in range(1, MAX_ATTEMPTS + 1):
        assert await agentos.queue.work("break", handle) == Worked(failed=1)
        assert await agentos.queue.work("break", handle) == Worked(), "not again at once"
        task = await agentos.queue.find("default", "break", "k")
        assert task is not None and task.attempts == attempt and task.last_error == "ValueError: no luck"
        if task.state is TaskState.QUEUED:
            waits.append(task.run_at - clock())
            clock.now = task.run_at
    assert task.state is TaskState.DEAD and waits == sorted(waits) and len(waits) == MAX_ATTEMPTS - 1
    clock.advance(days=1)
    assert await agentos.queue.work("break", handle) == Worked()


async def test_a_task_whose_worker_is_gone_comes_back(open_store: OpenStore, wire: Wire, clock: Clock) -> None:
    one, other = wire(await open_store()), wire(await open_store())
    await one.queue.put("default", "long", "k", {})
    begun, handled = asyncio.Event(), []

    async def hang(task: Task) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def handle(task: Task) -> None:
        handled.append(task.attempts)

    hung = asyncio.create_task(one.queue.work("long", hang))
    await begun.wait()
    assert await other.queue.work("long", handle) == Worked(), "somebody has it"
    clock.advance(minutes=6)
    assert await other.queue.work("long", handle) == Worked(done=1) and handled == [2]
    hung.cancel()
    await asyncio.gather(hung, return_exceptions=True)
    task = await one.queue.find("default", "long", "k")
    assert task is not None and task.state is TaskState.DONE, "who lost the lease changes nothing"


async def test_work_that_is_cut_off_is_given_back(agentos: AgentOS) -> None:
    await agentos.queue.put("default", "long", "k", {})
    begun = asyncio.Event()

    async def hang(task: Task) -> None:
        begun.set()
        await asyncio.Event().wait()

    working = asyncio.create_task(agentos.queue.work("long", hang))
    await begun.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    task = await agentos.queue.find("default", "long", "k")
    assert task is not None and (task.state, task.attempts) == (TaskState.QUEUED, 0)


async def test_what_kills_its_worker_each_time_is_given_up(store: SqliteStore, agentos: AgentOS, clock: Clock) -> None:
    await agentos.queue.put("default", "deadly", "k", {})
    for _ in range(MAX_ATTEMPTS):
        claimed = await store.work.queue.claim(["deadly"], "a", clock(), clock() + timedelta(minutes=1), MAX_ATTEMPTS)
        assert claimed is not None
        clock.advance(minutes=2)

    async def handle(task: Task) -> None:
        raise AssertionError("not again")

    assert await agentos.queue.work("deadly", handle) == Worked()
    task = await agentos.queue.find("default", "deadly", "k")
    assert task is not None and task.state is TaskState.DEAD and task.last_error


async def test_what_is_done_is_forgotten_after_a_week(agentos: AgentOS, clock: Clock) -> None:
    await agentos.queue.put("default", "x", "done", {})
    await agentos.queue.put("default", "x", "later", {}, run_at=clock() + timedelta(days=30))

    async def handle(task: Task) -> None:
        pass

    assert await agentos.queue.work("x", handle) == Worked(done=1)
    clock.advance(days=6)
    assert await agentos.queue.purge() == 0
    clock.advance(days=2)
    assert await agentos.queue.purge() == 1
    assert await agentos.queue.find("default", "x", "done") is None
    assert await agentos.queue.find("default", "x", "later") is not None


class Renewals:
    """A queue whose renewals of a lease go as `answers` say, then as they do; `asked` counts them."""

    def __init__(self, store: SqliteStore, *answers: bool | Exception) -> None:
        self._queue = store.work.queue
        self._answers = list(answers)
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    async def renew(self, task: Task, owner: str, lease_until: Any) -> bool:
        self.asked += 1
        answer = self._answers.pop(0) if self._answers else await self._queue.renew(task, owner, lease_until)
        if isinstance(answer, Exception):
            raise answer
        return answer


SHORT = timedelta(milliseconds=60)


async def test_a_renewal_that_fails_is_reported_and_tried_again(
    store: SqliteStore, clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Time stands still: the lease does not run out, however slow the machine is.
    monkeypatch.setattr("agentos.modules.queue.service.time", SimpleNamespace(monotonic=lambda: 0.0))
    renewals = Renewals(store, StorageUnavailable("the disk is busy"))
    service = QueueService(renewals, clock, SHORT)  # type: ignore[arg-type]
    await service.put("default", "slow", "k", {})

    async def handle(task: Task) -> None:
        async with asyncio.timeout(60):
            while renewals.asked < 3:
                await asyncio.sleep(0)

    with caplog.at_level(logging.WARNING):
        assert await service.work("slow", handle) == Worked(done=1)
    assert "the disk is busy" in caplog.text


@pytest.mark.parametrize("answer", [False, StorageUnavailable("the disk is gone")])
async def test_a_task_whose_lease_is_lost_is_ended_and_not_finished_twice(
    store: SqliteStore, clock: Clock, caplog: pytest.LogCaptureFixture, answer: bool | Exception
) -> None:
    service = QueueService(Renewals(store, *[answer] * 1_000), clock, SHORT)  # type: ignore[arg-type]
    await service.put("default", "slow", "k", {})
    ended = []

    async def handle(task: Task) -> None:
        try:
            await asyncio.wait_for(asyncio.Event().wait(), 60)
        finally:
            ended.append(task.key)

    with caplog.at_level(logging.WARNING):
        assert await service.work("slow", handle) == Worked(failed=1)
    assert ended == ["k"] and "lease" in caplog.text
    task = await service.find("default", "slow", "k")
    assert task is not None and task.state is TaskState.QUEUED, "it is to be done again, and was not taken for done"


async def test_what_somebody_else_has_by_now_is_theirs_to_finish(
    store: SqliteStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = (QueueService(store.work.queue, clock) for _ in range(2))
    await first.put("default", "slow", "k", {})
    finished = []

    async def handle(task: Task) -> None:
        if not finished:  # the first worker is held up for so long that its lease runs out
            finished.append("second began")
            clock.advance(minutes=6)
            assert await second.work("slow", handle) == Worked(done=1)

    with caplog.at_level(logging.WARNING):
        assert await first.work("slow", handle) == Worked(failed=1)
    assert "somebody else" in caplog.text
    task = await first.find("default", "slow", "k")
    assert task is not None and (task.state, task.attempts) == (TaskState.DONE, 2)


async def test_a_task_is_cancelled_and_tried_again_by_hand(agentos: AgentOS, clock: Clock) -> None:
    done: list[str] = []

    async def handle(task: Task) -> None:
        done.append(task.key)
        if len(done) == 1:
            raise RuntimeError("once")

    await agentos.queue.put("ann", "x", "first", {})
    [task] = await agentos.queue_control.page("ann")
    cancelled = await agentos.queue_control.cancel("ann", task.id)
    assert (cancelled.state, cancelled.last_error) == (TaskState.DEAD, "cancelled")
    assert await agentos.queue.work("x", handle) == Worked()
    assert (await agentos.queue_control.retry("ann", task.id)).state is TaskState.QUEUED
    assert await agentos.queue.work("x", handle) == Worked(failed=1)
    clock.advance(minutes=1)
    assert await agentos.queue.work("x", handle) == Worked(done=1)
    assert done == ["first", "first"] and await agentos.queue_control.page("ann") == []
    for error, refused in (
        (Conflict, agentos.queue_control.cancel("ann", task.id)),
        (Conflict, agentos.queue_control.retry("ann", task.id)),
        (NotFound, agentos.queue_control.cancel("bob", task.id)),
    ):
        with pytest.raises(error):
            await refused


async def test_a_worker_whose_task_is_cancelled_stops_and_does_not_count_it_as_done(
    agentos: AgentOS, store: SqliteStore, clock: Clock
) -> None:
    service = QueueService(store.work.queue, clock, SHORT)
    begun = asyncio.Event()

    async def endless(task: Task) -> None:
        begun.set()
        await asyncio.Event().wait()

    await service.put("ann", "x", "k", {})
    working = asyncio.create_task(service.work("x", endless))
    await begun.wait()
    [task] = await agentos.queue_control.page("ann")
    assert task.state is TaskState.LEASED
    await agentos.queue_control.cancel("ann", task.id)
    assert await working == Worked(failed=1)
    [task] = await agentos.queue_control.page("ann")
    assert (task.state, task.last_error) == (TaskState.DEAD, "cancelled")
