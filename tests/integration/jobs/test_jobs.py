"""Jobs: what is due runs once, whoever asks; what was missed runs once."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.clock import SharedClock
from agentos.modules.errors import Conflict, NotFound, StorageRefused, StorageUnavailable
from agentos.modules.jobs.service import LEASE, JobService

HOUR = timedelta(hours=1)


class Work:
    def __init__(self) -> None:
        self.runs = 0
        self.failure: BaseException | None = None

    async def __call__(self) -> None:
        self.runs += 1
        if self.failure is not None:
            raise self.failure


@pytest.fixture
async def jobs(store: Any, clock: Any) -> JobService:
    service = JobService(store.work.jobs, clock)
    await service.register("job", HOUR, at_first_start=True)
    return service


async def test_a_job_runs_when_it_is_due_and_not_before(jobs: JobService, clock: Any) -> None:
    work = Work()
    assert await jobs.run("job", HOUR, work)
    assert not await jobs.run("job", HOUR, work)
    clock.advance(minutes=59, seconds=59)
    assert not await jobs.run("job", HOUR, work)
    clock.advance(seconds=1)
    assert await jobs.run("job", HOUR, work)
    [run] = await jobs.runs()
    assert (work.runs, run.runs, run.failures, run.last_status) == (2, 2, 0, "ok")
    assert (run.last_finished_at, run.next_due_at, run.lease_until) == (clock.now, clock.now + HOUR, None)


async def test_a_job_need_not_run_at_the_first_start(jobs: JobService, clock: Any) -> None:
    await jobs.register("later", HOUR, at_first_start=False)
    work = Work()
    assert not await jobs.run("later", HOUR, work)
    clock.advance(hours=1)
    assert await jobs.run("later", HOUR, work)


async def test_of_many_services_one_runs_the_job(open_store: Any, jobs: JobService, clock: Any) -> None:
    others = [JobService((await open_store()).work.jobs, clock) for _ in range(3)]
    work = Work()
    results = await asyncio.gather(*(service.run("job", HOUR, work) for service in [jobs, *others] * 3))
    assert (work.runs, results.count(True)) == (1, 1)


async def test_a_service_does_not_run_a_job_beside_itself(jobs: JobService) -> None:
    begun, finish = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        begun.set()
        await finish.wait()

    running = asyncio.create_task(jobs.run("job", HOUR, slow))
    await begun.wait()
    assert not await jobs.run("job", HOUR, slow)
    assert not await jobs.run("job", HOUR, slow, force=True)
    finish.set()
    assert await running


async def test_what_was_missed_runs_once(jobs: JobService, store: Any, clock: Any) -> None:
    work = Work()
    await jobs.run("job", HOUR, work)
    clock.advance(hours=30)
    restarted = JobService(store.work.jobs, clock)
    await restarted.register("job", HOUR, at_first_start=True)
    assert await restarted.run("job", HOUR, work)
    assert not await restarted.run("job", HOUR, work)
    assert work.runs == 2


async def test_registering_again_does_not_count_from_zero(jobs: JobService, clock: Any) -> None:
    work = Work()
    await jobs.run("job", HOUR, work)
    for _ in range(6):
        clock.advance(minutes=10)
        await jobs.register("job", HOUR, at_first_start=True)
    assert await jobs.run("job", HOUR, work)


async def test_a_new_interval_holds_from_the_last_run(jobs: JobService, clock: Any) -> None:
    work = Work()
    await jobs.run("job", HOUR, work)
    await jobs.register("job", timedelta(minutes=5), at_first_start=True)
    clock.advance(minutes=5)
    assert await jobs.run("job", timedelta(minutes=5), work)


async def test_a_failure_is_kept_raised_and_tried_again_later_and_later(jobs: JobService, clock: Any) -> None:
    work = Work()
    work.failure = ValueError("broken " + "x" * 1000)
    waits = []
    for number in range(1, 10):
        with pytest.raises(ValueError, match="broken"):
            await jobs.run("job", HOUR, work)
        [run] = await jobs.runs()
        assert (run.failures, run.last_status, run.lease_until) == (number, "failed", None)
        assert run.last_error is not None
        assert len(run.last_error) <= 500
        waits.append((run.next_due_at - clock.now) // timedelta(minutes=1))
        assert not await jobs.run("job", HOUR, work)
        clock.now = run.next_due_at
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    work.failure = None
    assert await jobs.run("job", HOUR, work)
    [run] = await jobs.runs()
    assert (run.failures, run.last_error, run.next_due_at) == (0, None, clock.now + HOUR)


async def test_a_job_that_is_cancelled_gives_its_lease_back(jobs: JobService, clock: Any) -> None:
    begun = asyncio.Event()

    async def slow() -> None:
        begun.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(jobs.run("job", HOUR, slow))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    [run] = await jobs.runs()
    assert run.lease_until is None
    clock.now = run.next_due_at
    assert await jobs.run("job", HOUR, Work())


async def test_the_lease_of_a_killed_owner_ends(jobs: JobService, store: Any, clock: Any) -> None:
    assert await store.work.jobs.claim("job", "dead-owner", clock.now, clock.now + LEASE, even_if_not_due=False)
    work = Work()
    clock.advance(seconds=LEASE.total_seconds() - 1)
    assert not await jobs.run("job", HOUR, work)
    assert not await jobs.run("job", HOUR, work, force=True)
    clock.advance(seconds=1)
    assert await jobs.run("job", HOUR, work)
    before = await jobs.runs()
    await store.work.jobs.finish("job", "dead-owner", clock.now, clock.now, "a ghost")
    assert await jobs.runs() == before, "who lost the lease has no say any more"


async def test_a_forced_job_runs_before_it_is_due(jobs: JobService) -> None:
    work = Work()
    await jobs.run("job", HOUR, work)
    assert await jobs.run("job", HOUR, work, force=True)
    assert work.runs == 2


async def test_an_unknown_job_does_not_run(jobs: JobService) -> None:
    assert not await jobs.run("unknown", HOUR, Work(), force=True)


async def test_each_daemon_on_a_store_has_its_own_record_and_the_stop_of_one_hides_no_other(
    jobs: JobService, store: Any, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await jobs.daemon_status()).state == "never_started"
    await jobs.heartbeat()
    await jobs.daemon_stopped()
    assert (await jobs.daemon_status()).state == "never_started"
    await jobs.daemon_started("1.0")
    monkeypatch.setattr("os.getpid", lambda: 1)
    other = JobService(store.work.jobs, clock)
    clock.advance(minutes=1)
    assert (await jobs.daemon_status()).minutes_since_heartbeat == 1
    await other.daemon_started("1.1")
    assert (await jobs.daemon_status()).pid == 1
    await other.daemon_stopped()
    status = await other.daemon_status()
    assert status.pid != 1 and status.state == "running", "one of them still serves"
    assert [(each.version, each.stopped_at is None) for each in await store.work.jobs.daemons()] == [
        ("1.1", False),
        ("1.0", True),
    ]
    clock.advance(minutes=4)
    assert (await jobs.daemon_status()).state == "stopped"
    await jobs.heartbeat()
    assert (await other.daemon_status()).state == "running"
    clock.advance(days=8)
    await other.daemon_started("1.2")
    assert [each.version for each in await store.work.jobs.daemons()] == ["1.2"], "a week later those are forgotten"


async def test_a_daemon_works_by_the_databases_time_and_does_not_start_with_a_clock_that_is_far_off(
    store: Any, clock: Any
) -> None:
    async def shared(ahead: timedelta) -> SharedClock:
        own = SharedClock(lambda: clock() + ahead)
        await own.follow(asked)
        return own

    async def asked() -> Any:
        return clock()

    for ahead in (timedelta(minutes=10), timedelta(minutes=-2)):
        with pytest.raises(StorageRefused, match=r"clock is .* the database's"):
            await JobService(store.work.jobs, await shared(ahead)).daemon_started("1")
    here, there = [JobService(store.work.jobs, await shared(timedelta(seconds=ahead))) for ahead in (0, 50)]
    await here.register("job", HOUR, at_first_start=True)
    await there.daemon_started("1")
    [record] = await store.work.jobs.daemons()
    assert record.heartbeat_at == clock() and record.skew == timedelta(seconds=50)
    assert await store.work.jobs.claim("job", "here", clock(), clock() + LEASE, even_if_not_due=False)
    clock.advance(seconds=LEASE.total_seconds() - 20)
    assert not await there.run("job", HOUR, Work()), "the lease holds, though this clock says it is over"
    clock.advance(seconds=20)
    assert await there.run("job", HOUR, Work())


async def test_a_daemon_notices_that_the_store_was_migrated(
    jobs: JobService, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def newer() -> int:
        return 10_000

    await jobs.daemon_started("1")
    assert not await jobs.is_outgrown()
    monkeypatch.setattr(store.work.jobs, "schema", newer)
    assert await jobs.is_outgrown()
    assert not await JobService(store.work.jobs, SharedClock(jobs._clock)).is_outgrown(), "this is no daemon"


async def test_a_job_that_takes_longer_than_its_lease_keeps_it(store: Any, clock: Any) -> None:
    here, there = JobService(store.work.jobs, clock, look_every_s=0.01), JobService(store.work.jobs, clock)
    await here.register("job", HOUR, at_first_start=True)
    begun, end = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        begun.set()
        await end.wait()

    running = asyncio.create_task(here.run("job", HOUR, slow))
    await begun.wait()
    for _ in range(3):
        clock.advance(seconds=LEASE.total_seconds() - 1)
        async with asyncio.timeout(60):
            while (await here.runs())[0].lease_until < clock.now + LEASE:
                await asyncio.sleep(0)
        assert not await there.run("job", HOUR, Work(), force=True)
    end.set()
    assert await running


async def test_a_lease_that_was_renewed_a_moment_ahead_of_another_clock_holds(
    jobs: JobService, store: Any, clock: Any
) -> None:
    ahead = clock.now + timedelta(seconds=50)
    assert await store.work.jobs.claim("job", "another", ahead, ahead + LEASE, even_if_not_due=False)
    assert await jobs.due() == frozenset() and not await jobs.run("job", HOUR, Work(), force=True)


@pytest.mark.sqlite("PostgreSQL has no lock of the whole store")
async def test_a_job_goes_on_while_another_process_writes_for_long(
    store: Any, home: Path, clock: Any, monkeypatch: Any
) -> None:
    service = JobService(store.work.jobs, clock, look_every_s=0.01)
    await service.register("job", HOUR, at_first_start=True)
    refused, renew = asyncio.Event(), store.work.jobs.renew

    async def watched(*given: Any) -> bool:
        try:
            return bool(await renew(*given))
        except StorageUnavailable:
            refused.set()
            raise

    monkeypatch.setattr(store.work.jobs, "renew", watched)
    with closing(sqlite3.connect(home / "agentos.db", isolation_level=None, check_same_thread=False)) as other:

        async def work() -> None:
            await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
            await refused.wait()
            await asyncio.to_thread(other.execute, "ROLLBACK")

        assert await service.run("job", HOUR, work)


async def test_a_running_job_is_cancelled_by_another_process_and_leaves_no_half_state(
    store: Any, open_store: Any, clock: Any
) -> None:
    here = JobService(store.work.jobs, clock, look_every_s=0.01)
    there = JobService((await open_store()).work.jobs, clock)
    await here.register("job", HOUR, at_first_start=True)
    begun, cut_off = asyncio.Event(), []

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cut_off.append(True)
            raise

    running = asyncio.create_task(here.run("job", HOUR, endless))
    await begun.wait()
    run = await there.cancel("job")
    assert (run.lease_until, run.last_status, run.next_due_at) == (None, "cancelled", clock.now + HOUR)
    assert not await running and cut_off
    with pytest.raises(Conflict, match="is not running"):
        await there.cancel("job")
    work = Work()
    assert not await here.run("job", HOUR, work)
    await there.run_soon("job")
    assert await here.run("job", HOUR, work)


async def test_a_failed_job_is_tried_again_at_once_where_somebody_asks_for_it(jobs: JobService, clock: Any) -> None:
    work = Work()
    work.failure = ValueError("broken")
    with pytest.raises(ValueError, match="broken"):
        await jobs.run("job", HOUR, work)
    work.failure = None
    assert not await jobs.run("job", HOUR, work)
    assert (await jobs.run_soon("job")).failures == 0
    assert await jobs.run("job", HOUR, work)
    for refused in (jobs.run_soon("jab"), jobs.cancel("jab")):
        with pytest.raises(NotFound, match="there are: job"):
            await refused
