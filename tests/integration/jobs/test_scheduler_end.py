"""The end of a daemon is no failure of its jobs: they are cut off quietly, and none begins any more."""

import logging
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from agentos.daemon_pkg import plugged
from agentos.daemon_pkg.index_worker import IndexWorker
from agentos.daemon_pkg.jobs.job import StoreJob
from agentos.daemon_pkg.jobs.schedule import JOBS
from agentos.daemon_pkg.scheduler import Scheduler
from agentos.database import OpenedStore
from agentos.modules.errors import StorageUnavailable
from agentos.modules.jobs.service import JobService
from agentos.modules.plugins.loading import LoadedPlugins
from agentos.storage.repositories.jobs import JobsRepository


async def test_what_the_end_cuts_off_leaves_no_traceback_and_nothing_begins_after_it(
    agentos: Any, caplog: pytest.LogCaptureFixture
) -> None:
    begun: list[str] = []

    async def cut_off(_: Any) -> None:
        begun.append("first")
        scheduler.stop()
        raise StorageUnavailable("the database is closed")

    async def never(_: Any) -> None:
        begun.append("second")

    jobs = tuple(StoreJob(run.__name__, timedelta(hours=1), "a test", run) for run in (cut_off, never))
    scheduler = Scheduler(agentos, jobs, IndexWorker(agentos.embedding, None))  # type: ignore[arg-type]
    await scheduler.register()
    with caplog.at_level(logging.INFO):
        await scheduler.run_due()
    assert begun == ["first"]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_failure_of_a_job_is_reported_and_keeps_no_other_from_running(
    agentos: Any, caplog: pytest.LogCaptureFixture
) -> None:
    begun: list[str] = []

    async def fails(_: Any) -> None:
        raise StorageUnavailable("the disk is full")

    async def runs(_: Any) -> None:
        begun.append("runs")

    jobs = tuple(StoreJob(run.__name__, timedelta(hours=1), "a test", run) for run in (fails, runs))
    scheduler = Scheduler(agentos, jobs, IndexWorker(agentos.embedding, None))  # type: ignore[arg-type]
    await scheduler.register()
    await scheduler.run_due()
    assert begun == ["runs"] and "the disk is full" in caplog.text


async def test_the_job_of_a_feature_that_was_switched_off_is_not_late_for_ever(
    agentos: Any, store: OpenedStore
) -> None:
    async def names(features: frozenset[str]) -> set[str]:
        now = replace(agentos, features=features)
        jobs = plugged.all_jobs(LoadedPlugins((), ()), features)
        await Scheduler(now, jobs, IndexWorker(agentos.embedding, None)).register()  # type: ignore[arg-type]
        return {run.name for run in await agentos.jobs.runs()}

    every = await names(agentos.features)
    some = await names(agentos.features - {"sync", "lessons"})
    assert every - some == {"sync", "lessons"}
    assert await names(agentos.features) == every
    other = JobService(JobsRepository(store.engine), agentos.clock)
    await other.daemon_started("1")
    assert await names(frozenset()) == every, "another daemon may have them"
    await other.daemon_stopped()
    of_features = {job.name for job in plugged.all_jobs(LoadedPlugins((), ()), None)} - {job.name for job in JOBS}
    assert every - await names(frozenset()) == of_features >= {"code_anchors", "sync", "lessons", "tiers"}
