"""The daemon's jobs over a real store and a frozen clock."""

import contextlib
import dataclasses
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.daemon_pkg import index_worker
from agentos.daemon_pkg.index_worker import IndexWorker
from agentos.daemon_pkg.jobs import goal_monitor, memory_decay, memory_lifecycle, reflection_analyzer, self_maintenance
from agentos.daemon_pkg.jobs.schedule import jobs_of
from agentos.daemon_pkg.lock import DaemonLock
from agentos.daemon_pkg.logs import PrivateRotatingFileHandler
from agentos.daemon_pkg.report import status_text
from agentos.daemon_pkg.scheduler import Scheduler
from agentos.database import OpenedStore
from agentos.modules.acts.models import State
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.errors import Conflict, NotFound, StorageRefused
from agentos.modules.insights.models import InsightSeverity
from agentos.modules.own_actions import act_of
from agentos.modules.store_request import StoreRequest

NS = "agent"


async def texts(agentos: AgentOS, severity: InsightSeverity) -> list[str]:
    return [i.text for i in await agentos.insights.insights(NS, 100) if i.severity is severity]


async def fail(agentos: AgentOS, action: str, times: int) -> None:
    for _ in range(times):
        await agentos.reflection.log(NS, action, "timeout", success=False)


async def test_failing_actions_create_exactly_one_warning_however_often_the_job_runs(agentos: AgentOS) -> None:
    await fail(agentos, "deploy", 3)
    for _ in range(3):
        await reflection_analyzer.analyze_reflections(agentos, NS)
    assert len(await texts(agentos, InsightSeverity.WARNING)) == 1
    await fail(agentos, "deploy", 1)
    await reflection_analyzer.analyze_reflections(agentos, NS)
    [warning] = await texts(agentos, InsightSeverity.WARNING)
    assert "4 failures" in warning, "the same insight, brought up to date"


async def test_a_finding_that_names_nothing_to_do_is_not_written(agentos: AgentOS, clock: Callable[[], object]) -> None:
    for number in range(15):
        await agentos.memory.store(NS, StoreRequest(f"note number {number}", importance=0.1))
        await agentos.reflection.log(NS, f"step {number}", "no", success=number == 0)
    clock.advance(days=4)  # type: ignore[attr-defined]
    await reflection_analyzer.analyze_reflections(agentos, NS)
    await self_maintenance.maintain(agentos, NS)
    assert not await agentos.insights.insights(NS, 10) and not await agentos.insights.tasks(NS, 10)


async def test_what_works_is_reported_for_the_two_most_frequent_actions(agentos: AgentOS) -> None:
    for action, times in (("lint", 5), ("format", 4), ("typecheck", 3)):
        for _ in range(times):
            await agentos.reflection.log(NS, action, "ok", success=True)
    await reflection_analyzer.analyze_reflections(agentos, NS)
    text = " ".join(await texts(agentos, InsightSeverity.INFO))
    assert "'lint'" in text
    assert "'format'" in text
    assert "'typecheck'" not in text


async def test_a_finding_that_no_longer_holds_is_closed(agentos: AgentOS, clock: Callable[[], object]) -> None:
    await fail(agentos, "deploy", 3)
    await reflection_analyzer.analyze_reflections(agentos, NS)
    clock.advance(days=8)  # type: ignore[attr-defined]
    await reflection_analyzer.analyze_reflections(agentos, NS)
    assert await texts(agentos, InsightSeverity.WARNING) == []


async def test_a_goal_due_in_five_hours_is_due_soon_and_later_overdue(
    agentos: AgentOS, clock: Callable[[], object]
) -> None:
    await agentos.goals.add(NS, "Ship", "", 0.6, 0.5, deadline="2026-03-02T17:00:00+00:00")
    await goal_monitor.monitor_goals(agentos, NS)
    assert await texts(agentos, InsightSeverity.CRITICAL) == []
    [warning] = await texts(agentos, InsightSeverity.WARNING)
    assert "due soon" in warning
    clock.advance(hours=6)  # type: ignore[attr-defined]
    await goal_monitor.monitor_goals(agentos, NS)
    [critical] = await texts(agentos, InsightSeverity.CRITICAL)
    assert "overdue" in critical
    assert await texts(agentos, InsightSeverity.WARNING) == [], "due soon is over"
    assert [task.priority for task in await agentos.insights.tasks(NS, 10)] == [pytest.approx(0.9)]


@pytest.mark.parametrize(("priority", "severity"), [(0.7, InsightSeverity.WARNING), (0.5, InsightSeverity.INFO)])
async def test_a_stalled_goal_is_reported_by_its_priority(
    agentos: AgentOS, clock: Callable[[], object], priority: float, severity: InsightSeverity
) -> None:
    await agentos.goals.add(NS, "Write the manual", "", priority)
    clock.advance(days=2, hours=23)  # type: ignore[attr-defined]
    await goal_monitor.monitor_goals(agentos, NS)
    assert not await agentos.insights.insights(NS, 10)
    clock.advance(hours=2)  # type: ignore[attr-defined]
    for _ in range(2):
        await goal_monitor.monitor_goals(agentos, NS)
    assert len(await texts(agentos, severity)) == 1
    assert len(await agentos.insights.tasks(NS, 10)) == (1 if severity is InsightSeverity.WARNING else 0)


async def test_the_monitor_finds_the_lesson_that_a_crash_swallowed(agentos: AgentOS, store: OpenedStore) -> None:
    goal = await agentos.goals.add(NS, "Ship", "")
    await agentos.goals.update_progress(NS, goal.id, 1.0)
    await agentos.insights.resolve_subject(NS, "nothing")
    [task] = await agentos.insights.tasks(NS, 10)
    for _ in range(2):
        await goal_monitor.monitor_goals(agentos, NS)
    assert [again.id for again in await agentos.insights.tasks(NS, 10)] == [task.id]


async def test_too_many_memories_leave_one_open_question_not_one_a_run(
    agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_maintenance, "MANY_MEMORIES", 3)
    for number in range(5):
        await agentos.memory.store(NS, StoreRequest(f"note number {number}", importance=0.1))
    for _ in range(3):
        await self_maintenance.maintain(agentos, NS)
    asked = [task for task in await agentos.insights.tasks(NS, 10) if task.key.rule == "many_memories"]
    assert len(asked) == 1


async def test_maintenance_erases_expired_working_memories(agentos: AgentOS, clock: Callable[[], object]) -> None:
    stored = await agentos.memory.store(NS, StoreRequest("a fact", "semantic"))
    await agentos.memory.store(NS, StoreRequest("scratch", "working"))
    clock.advance(hours=25)  # type: ignore[attr-defined]
    await self_maintenance.maintain(agentos, NS)
    assert [m.id for m in (await agentos.memory.page(NS)).memories] == [stored.memory.id]
    assert await agentos.archive.erase_expired_everywhere(agentos.clock()) == 0


async def test_what_nobody_uses_goes_in_two_steps_and_what_was_forgotten_for_good(
    agentos: AgentOS, clock: Callable[[], object]
) -> None:
    idle = (await agentos.memory.store(NS, StoreRequest("a passing remark", importance=0.0))).memory
    forgotten = (await agentos.memory.store(NS, StoreRequest("what is to go", importance=0.0))).memory
    await agentos.lifecycle.forget(NS, forgotten.id)
    clock.advance(days=181)  # type: ignore[attr-defined]
    seen = []
    for _ in range(3):
        await memory_lifecycle.age_memories(agentos)
        seen.append((await agentos.memory.get(NS, idle.id))[0].status)
    assert seen == ["stale", "archived", "archived"]
    with pytest.raises(NotFound):
        await agentos.lifecycle.revert(NS, forgotten.id)
    await agentos.lifecycle.revert(NS, idle.id)
    assert (await agentos.memory.get(NS, idle.id))[0].status == "stale"


async def test_decay_tells_of_important_memories_nearly_forgotten_three_a_run(
    agentos: AgentOS, clock: Callable[[], object]
) -> None:
    ids = []
    for number in range(4):
        stored = await agentos.memory.store(
            NS, StoreRequest(f"critical and essential rule number {number}", "procedural", 1.0)
        )
        ids.append(stored.memory.id)
        await agentos.memory.update(NS, stored.memory.id, _importance(0.75))
    clock.advance(days=330)  # type: ignore[attr-defined]
    await memory_decay.find_fading_memories(agentos, NS)
    assert len(await texts(agentos, InsightSeverity.INFO)) == 3
    found = await agentos.memory.search(NS, "critical essential rule number", limit=10)
    assert len(found.hits) == 4, "being found restores strength"
    await memory_decay.find_fading_memories(agentos, NS)
    assert await texts(agentos, InsightSeverity.INFO) == []


def _importance(value: float):  # type: ignore[no-untyped-def]
    from agentos.modules.memory.service import MemoryChanges

    return MemoryChanges(importance=value)


@pytest.mark.usefixtures("unmeasured")
async def test_the_scheduler_runs_what_is_due_once_and_decay_not_at_the_first_start(
    agentos: AgentOS, store: OpenedStore, home: Path, clock: Callable[[], object]
) -> None:
    scheduler = Scheduler(agentos, jobs_of(None), IndexWorker(agentos.embedding, store.vector_index(home / "chroma")))
    await agentos.memory.store(NS, StoreRequest("something"))
    await scheduler.register()
    await scheduler.run_due()
    await scheduler.run_due()
    later = {"backup", "memory_decay", "memory_lifecycle"}
    runs = {run.name: run.runs for run in await agentos.jobs.runs()}
    assert runs == {job.name: 0 if job.name in later else 1 for job in jobs_of(None)}
    clock.advance(days=3)  # type: ignore[attr-defined]
    await scheduler.run_due()
    runs = {run.name: run.runs for run in await agentos.jobs.runs()}
    assert runs == {job.name: 1 if job.name in later else 2 for job in jobs_of(None)}


async def test_the_report_names_every_job_and_its_runs(agentos: AgentOS) -> None:
    report = await status_text(agentos)
    assert "never started" in report
    assert all(job.name in report for job in jobs_of(None))


@pytest.mark.usefixtures("unmeasured")
async def test_the_index_worker_gives_every_memory_a_vector_and_the_index_every_change(
    agentos: AgentOS, store: OpenedStore, home: Path
) -> None:
    for number in range(20):
        await agentos.memory.store(NS, StoreRequest(f"note number {number}"))
    worker = IndexWorker(agentos.embedding, store.vector_index(home / "chroma"))
    state = await worker.run_once()
    assert state is not None
    assert (state.count, state.applied) == (20, state.newest)
    await worker.close()


@pytest.mark.usefixtures("unmeasured")
async def test_an_idle_tick_of_the_index_worker_does_nothing_and_a_write_wakes_it(
    agentos: AgentOS, store: OpenedStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = IndexWorker(agentos.embedding, store.vector_index(home / "chroma"))
    steps = []
    step = worker.step

    async def counted() -> int:
        steps.append(await step())
        return steps[-1]

    monkeypatch.setattr(worker, "step", counted)
    monkeypatch.setattr(index_worker, "SETTLE_S", 0.0)
    await agentos.memory.store(NS, StoreRequest("first"))
    assert await agentos.embedding.caught_up(60)
    await worker.tick()
    worked = len(steps)
    await worker.tick()
    assert len(steps) == worked > 0
    await agentos.memory.store(NS, StoreRequest("second"))
    await worker.tick()
    assert len(steps) > worked
    state = await worker.run_once()
    assert state is not None and state.count == 2
    await worker.close()


def test_only_one_process_is_the_daemon_of_a_folder(tmp_path: Path) -> None:
    database = tmp_path / "agentos.db"
    with DaemonLock(database):
        with pytest.raises(Conflict, match="already"), DaemonLock(database):
            pass
    with DaemonLock(database):
        pass


async def test_opened_services_are_closed_even_after_a_failure(home: Path, clock: Callable[[], object]) -> None:
    settings = config.load(home=home, embedding_model="none")

    async def use_it() -> Awaitable[None]:
        async with database.opened(settings, clock) as (agentos, _):  # type: ignore[arg-type]
            await agentos.memory.store(NS, StoreRequest("kept"))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        await use_it()
    async with database.opened(settings, clock) as (agentos, _):  # type: ignore[arg-type]
        assert (await agentos.memory.page(NS)).total == 1


async def test_what_failed_today_is_no_news_a_day_later(agentos: AgentOS, clock: Callable[[], object]) -> None:
    await fail(agentos, "deploy", 3)
    assert len(await texts(agentos, InsightSeverity.CRITICAL)) == 1
    await reflection_analyzer.analyze_reflections(agentos, NS)
    assert len(await texts(agentos, InsightSeverity.CRITICAL)) == 1
    clock.advance(days=2)  # type: ignore[attr-defined]
    await reflection_analyzer.analyze_reflections(agentos, NS)
    assert await texts(agentos, InsightSeverity.CRITICAL) == []


async def test_an_analysis_of_a_short_window_only_reports(agentos: AgentOS, clock: Callable[[], object]) -> None:
    await fail(agentos, "deploy", 3)
    await agentos.reflection.analyze(NS)
    clock.advance(days=2)  # type: ignore[attr-defined]
    await agentos.reflection.log(NS, "deploy", "ok", success=True)
    assert (await agentos.reflection.analyze(NS, 1)).patterns == ()
    assert len(await agentos.reflection.patterns(NS)) == 1


async def test_dismissed_findings_of_decay_make_room_for_others(agentos: AgentOS, clock: Callable[[], object]) -> None:
    for number in range(6):
        stored = await agentos.memory.store(NS, StoreRequest(f"rule number {number}", "procedural"))
        await agentos.memory.update(NS, stored.memory.id, _importance(0.75))
    clock.advance(days=330)  # type: ignore[attr-defined]
    await memory_decay.find_fading_memories(agentos, NS)
    shown = await agentos.insights.insights(NS, 10)
    assert len(shown) == 3
    for insight in shown:
        await agentos.insights.update(NS, insight.id, "dismissed")
    await memory_decay.find_fading_memories(agentos, NS)
    others = await agentos.insights.insights(NS, 10)
    assert len(others) == 3
    assert not {insight.id for insight in shown} & {insight.id for insight in others}


async def test_a_job_that_fails_for_one_namespace_runs_for_the_others(agentos: AgentOS) -> None:
    seen = []

    async def run(agentos: AgentOS, namespace: str) -> None:
        seen.append(namespace)
        if namespace == "a":
            raise RuntimeError("bad luck")

    for namespace in ("a", "b"):
        await agentos.memory.store(namespace, StoreRequest("something"))
    job = dataclasses.replace(jobs_of(None)[0], run=run)
    with pytest.raises(ExceptionGroup, match="1 namespace"):
        await job.run_everywhere(agentos)
    assert seen == ["a", "b"]


async def test_a_namespace_in_which_nothing_changed_rests(agentos: AgentOS, clock: Any) -> None:
    seen: list[str] = []
    busy = {"b"}

    async def run(agentos: AgentOS, namespace: str) -> bool:
        seen.append(namespace)
        return namespace in busy

    async def visited() -> list[str]:
        seen.clear()
        await job.run_everywhere(agentos)
        return list(seen)

    for namespace in ("a", "b", "c"):
        await agentos.memory.store(namespace, StoreRequest("something"))
    job = dataclasses.replace(jobs_of(None)[0], run=run, rests=timedelta(hours=1))
    assert await visited() == ["a", "b", "c"]
    assert await visited() == ["b"], "it said that there may be more"
    busy.clear()
    assert (await visited(), await visited()) == (["b"], [])
    await agentos.memory.store("c", StoreRequest("something else"))
    assert (await visited(), await visited(), await visited()) == (["c"], ["c"], []), (
        "once more, when vectors are there"
    )
    clock.advance(hours=1)
    assert await visited() == ["a", "b", "c"]


async def test_times_written_under_a_wrong_clock_do_not_hold(agentos: AgentOS, clock: Callable[[], object]) -> None:
    ran = []

    async def work() -> None:
        ran.append(1)

    interval = timedelta(hours=1)
    await agentos.jobs.register("job", interval, at_first_start=True)
    clock.advance(days=365)  # type: ignore[attr-defined]
    assert await agentos.jobs.run("job", interval, work)
    await agentos.jobs.daemon_started("1")
    clock.advance(days=-365)  # type: ignore[attr-defined]
    assert await agentos.jobs.run("job", interval, work)
    assert (await agentos.jobs.daemon_status()).state == "dead"
    assert not await agentos.jobs.run("job", interval, work)


@pytest.mark.sqlite("its index has files")
async def test_an_index_that_cannot_be_opened_is_tried_again_after_a_pause(
    agentos: AgentOS, store: OpenedStore, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_worker, "SETTLE_S", 0.0)
    await agentos.memory.store(NS, StoreRequest("something"))
    (home / "chroma").write_text("not a folder")
    worker = IndexWorker(agentos.embedding, store.vector_index(home / "chroma"))
    for _ in range(3):
        with contextlib.suppress(OSError):
            await worker.tick()
    assert worker._pause_s == 1.0, "one failure, then a pause"
    await worker.close()


def test_the_log_stays_private_when_it_rotates(tmp_path: Path) -> None:
    path = tmp_path / "daemon.log"
    handler = PrivateRotatingFileHandler(path, maxBytes=200, backupCount=2, encoding="utf-8")
    for number in range(20):
        handler.emit(logging.LogRecord("x", logging.INFO, "", 0, f"line {number} " + "x" * 50, None, None))
    handler.close()
    files = list(tmp_path.iterdir())
    assert len(files) == 3
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


async def test_a_shared_folder_is_never_to_be_taken_from_others(home: Path, tmp_path: Path, clock: Any) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    settings = config.load(home=home, database_url=f"sqlite:///{shared}/x.db", embedding_model="none")
    with pytest.raises(StorageRefused, match="folder of its own") as refused:
        await database.open_store(settings, clock)
    assert "chmod" not in str(refused.value)


async def test_too_many_memories_ask_a_human_once_and_a_yes_archives_what_nobody_looks_at(
    agentos: AgentOS, store: OpenedStore, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_maintenance, "MANY_MEMORIES", 3)
    for number, (kind, importance) in enumerate([("episodic", 0), ("episodic", 0), ("procedural", 0), ("semantic", 1)]):
        request = StoreRequest(f"n{number}", kind, importance)
        await agentos.memory.store(NS, request)
    clock.advance(days=31)
    for _ in range(3):
        await self_maintenance.maintain(agentos, NS)
    [asked] = (await agentos.approvals.inbox(NS)).approvals
    assert asked.action == "archive_faded"
    decisions = Decisions(store.work.approvals, clock)
    await decisions.decide(asked, ApprovalStatus.APPROVED, "human:ann")
    await agentos.approvals.executor.run_due()
    assert {one.content for one in (await agentos.memory.page(NS)).memories} == {"n2", "n3"}
    await agentos.acts.undo(NS, act_of(asked), "human")
    assert (await agentos.acts.settled(NS, act_of(asked), 60)).undoing is State.FINISHED
    assert len((await agentos.memory.page(NS)).memories) == 4
    await self_maintenance.maintain(agentos, NS)
    assert not (await agentos.approvals.inbox(NS)).approvals, "what was answered is not asked again at once"
