"""The scheduler: APScheduler ticks, and the table of runs decides which jobs are due.

An interval job that is registered again at a start would count from zero, and a missed run would be dropped silently;
so APScheduler's jobs live in memory and only consult the table, which outlives the process.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from ..modules.agentos import AgentOS
from ..modules.events.hints import HintTopic
from .index_worker import IndexWorker
from .jobs.job import AnyJob
from .jobs.queue_worker import work_at_once
from .jobs.schedule import JOBS

TICK_S = 30
HEARTBEAT_S = 60
INDEX_S = 1
EVENTS_S = 3
"""How often the log of changes is looked at for handlers: other processes write to it, not all of which hint."""
HINTED_S = 0.2
"""The shortest time between two rounds of the queue that hints ask for."""
CUT_OFF = "background work was interrupted by the daemon's shutdown; it runs again when due"

log = logging.getLogger(__name__)


class Scheduler:
    """Runs the jobs, the heartbeat and the index worker of one daemon."""

    def __init__(
        self,
        agentos: AgentOS,
        jobs: tuple[AnyJob, ...],
        index_worker: IndexWorker,
        make_way: Callable[[], None] = lambda: None,
    ) -> None:
        """`make_way` is called once the store was migrated, which this process's code does not know."""
        self._agentos = agentos
        self._make_way = make_way
        self._jobs = jobs
        self._index_worker = index_worker
        self._ticks = AsyncIOScheduler()
        self._stopped = False
        self._hinted: asyncio.Task[None] | None = None

    async def register(self) -> None:
        """Register the jobs in the table of runs, and take out those of features that are off."""
        on = self._agentos.features
        await self._agentos.jobs.withdraw([job.name for job in JOBS if job.feature and job.feature not in on])
        for job in self._jobs:
            await self._agentos.jobs.register(job.name, job.interval, at_first_start=job.at_first_start)

    async def start(self) -> None:
        """Begin to tick; what was missed runs once, now."""
        await self.start_hinted()
        await self._agentos.embedding.warm_up()
        self._schedule(TICK_S, self.run_due)
        self._schedule(HEARTBEAT_S, self.heartbeat)
        self._schedule(INDEX_S, self._index_worker.tick)
        self._schedule(EVENTS_S, self._report_changes)
        self._ticks.start()
        self._ticks.add_job(self.run_due)

    async def start_hinted(self) -> None:
        """Do what hints ask for from now on; it is for others to look what is due."""
        await self.register()
        await self._agentos.events.deliver()  # a new handler's place is the log's end, before anybody is served
        self._hinted = asyncio.create_task(self._work_when_hinted(), name="hinted")

    async def heartbeat(self) -> None:
        """Show that the daemon lives, or make way where the store has outgrown it."""
        if await self._agentos.jobs.is_outgrown():
            log.warning("the store was migrated: this daemon finishes its work and ends")
            self._make_way()
        else:
            await self._agentos.jobs.heartbeat()

    async def _work_when_hinted(self) -> None:
        """Do the tasks of the queue as soon as any process hints at new ones; the job finds them without that."""
        topics, hints = (HintTopic.EVENTS, HintTopic.TASKS), self._agentos.hints
        work = self._logged(partial(work_at_once, self._agentos))
        known = hints.number(*topics)
        while await hints.beyond(known, *topics):
            known = hints.number(*topics)
            await work()
            await asyncio.sleep(HINTED_S)

    async def _report_changes(self) -> None:
        """Give handlers what changed since, without the minute that the queue's job takes."""
        if await self._agentos.events.deliver():
            await work_at_once(self._agentos)

    def _schedule(self, seconds: int, work: Callable[[], Awaitable[None]]) -> None:
        self._ticks.add_job(
            self._logged(work), "interval", seconds=seconds, max_instances=1, coalesce=True, misfire_grace_time=None
        )

    async def run_due(self) -> None:
        """Run each job that is due; one that fails does not stop the others."""
        await self._logged(self._run_due)()

    async def _run_due(self) -> None:
        due = await self._agentos.jobs.due()
        for job in self._jobs:
            if self._stopped:
                return
            if job.name in due:
                await self._logged(partial(self.run, job))()

    async def run(self, job: AnyJob, *, force: bool = False) -> bool:
        """Run one job if it is due or forced, and nobody else runs it; return whether it ran."""
        ran = await self._agentos.jobs.run(
            job.name, job.interval, lambda: job.run_everywhere(self._agentos), force=force
        )
        if ran:
            log.info("%s done", job.name)
        return ran

    def stop(self) -> None:
        """Stop ticking; work under way is cancelled, and done again when it is due."""
        self._stopped = True
        if self._hinted is not None:
            self._hinted.cancel()
        if self._ticks.running:
            self._ticks.shutdown(wait=False)

    def _logged(self, work: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[None]]:
        """`work` with its failure written to the log: APScheduler would only say that a job raised.

        What fails because the daemon ends, and its store is closed, is no failure.
        """

        async def run() -> None:
            try:
                await work()
            except asyncio.CancelledError:
                log.info(CUT_OFF)
                if not self._stopped:
                    raise
            except Exception:
                if self._stopped:
                    log.info(CUT_OFF)
                else:
                    log.exception("background work failed")

        return run
