"""The job service: a due job runs once, however many processes ask; one run makes up for all missed ones."""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .. import inputs
from ..clock import Clock, SharedClock
from ..errors import Conflict, NotFound, StorageRefused, StorageUnavailable, described
from .models import MOST_SKEW, DaemonRecord, DaemonState, DaemonStatus, JobRun, Round

if TYPE_CHECKING:
    from ...storage.repositories.jobs import JobsRepository

LEASE = timedelta(seconds=30)
"""How long a job is kept from others after its process was last seen at work on it."""
RETRY_AFTER = timedelta(minutes=1)
MAX_ERROR_CHARS = 500
LOOK_EVERY_S = 2.0
"""How often a running job renews its lease, and learns whether it was cancelled."""
REMEMBERED = timedelta(days=7)
"""How long the record of a daemon that ended is kept."""

log = logging.getLogger(__name__)


class JobService:
    """Leases, due times and the daemon's heartbeat over one store."""

    def __init__(self, repository: "JobsRepository", clock: Clock, look_every_s: float = LOOK_EVERY_S) -> None:
        self._repository = repository
        self._clock = clock
        self._look_every_s = look_every_s
        self._owner = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._daemon: DaemonRecord | None = None
        self._schema = 0
        self._rounds: dict[str, Round] = {}

    async def register(self, name: str, interval: timedelta, *, at_first_start: bool) -> None:
        """Register a job. At its first registration it is due at once, or only after one interval."""
        now = self._clock()
        await self._repository.register(name, interval, now if at_first_start else now + interval)

    async def withdraw(self, names: Sequence[str]) -> None:
        """Forget jobs that this daemon does not have, which would seem late for ever; not while another one may."""
        known = {run.name for run in await self._repository.runs()}
        if there := sorted(known.intersection(names)):
            now, own = self._clock(), self._daemon and self._daemon.id
            others = [one for one in await self._repository.daemons() if one.id != own]
            if not any(one.state(now) is DaemonState.RUNNING for one in others):
                await self._repository.withdraw(there, now)

    async def due(self) -> frozenset[str]:
        """Return the jobs that are due and that nobody runs."""
        return frozenset(await self._repository.due(self._clock(), LEASE))

    async def run(
        self, name: str, interval: timedelta, work: Callable[[], Awaitable[None]], *, force: bool = False
    ) -> bool:
        """Run a job if it is due and nobody else runs it; False if it did not run.

        Missed runs are made up for by one. A failed one is retried after a minute, then with exponential backoff, at
        the latest after its interval; its error is stored and raised.
        """
        now = self._clock()
        claimed = await self._repository.claim(name, self._owner, now, now + LEASE, even_if_not_due=force)
        if not claimed:
            return False
        try:
            if not await self._while_held(name, work):
                return False
        except asyncio.CancelledError:
            await self._repository.release(name, self._owner)
            raise
        except Exception as error:
            message = described(error)[:MAX_ERROR_CHARS]
            await self._finish(name, now + await self._retry_delay(name, interval), message)
            raise
        await self._finish(name, now + interval, None)
        return True

    async def _while_held(self, name: str, work: Callable[[], Awaitable[None]]) -> bool:
        """Do the work while the lease is ours; where it was taken away, cut the work off and return False."""
        doing = asyncio.create_task(_begun(work), name=name)
        try:
            while not (await asyncio.wait((doing,), timeout=self._look_every_s))[0]:
                if not await self._still_ours(name):
                    return False
            await doing
            return True
        finally:
            doing.cancel()
            await asyncio.gather(doing, return_exceptions=True)

    async def _still_ours(self, name: str) -> bool:
        """Renew a lease. While the store is busy nobody takes it away, so that the work goes on."""
        try:
            return await self._repository.renew(name, self._owner, self._clock() + LEASE)
        except StorageUnavailable:
            return True

    async def _finish(self, name: str, next_due_at: datetime, error: str | None) -> None:
        await self._repository.finish(name, self._owner, self._clock(), next_due_at, error)

    async def _retry_delay(self, name: str, interval: timedelta) -> timedelta:
        failures = next((run.failures for run in await self.runs() if run.name == name), 0)
        delay: timedelta = RETRY_AFTER * 2 ** min(failures, 10)
        return min(interval, delay)

    async def runs(self) -> list[JobRun]:
        """Return every known job with its last and next run."""
        return await self._repository.runs()

    async def run_soon(self, name: str) -> JobRun:
        """Make a job due now, also one that has failed; the daemon runs it at its next look. Raises NotFound."""
        if not await self._repository.make_due(inputs.text("id", name, 200), self._clock()):
            raise await self._unknown(name)
        return await self._existing(name)

    async def cancel(self, name: str) -> JobRun:
        """Cut off a job that runs, in whatever process; it is due again after its interval.

        What it has done stays, and what it had begun is undone: jobs may be cut off at any point. Raises NotFound, or
        Conflict where it does not run.
        """
        before = await self._existing(name)
        if not await self._repository.cancel(name, self._clock()):
            raise Conflict(f"id: {before.name} is not running")
        return await self._existing(name)

    async def _existing(self, name: str) -> JobRun:
        found = next((run for run in await self.runs() if run.name == name), None)
        if found is None:
            raise await self._unknown(name)
        return found

    async def _unknown(self, name: str) -> NotFound:
        names = ", ".join(run.name for run in await self.runs())
        further = f"there are: {names}" if names else "there are none before a daemon has run"
        return NotFound(f"id: there is no job {name[:60]!r}; {further}")

    async def namespaces(self) -> list[str]:
        """Return every namespace that jobs look at."""
        return await self._repository.namespaces()

    async def next_round(self, name: str, rests: timedelta) -> Round:
        """Begin a round of a job: through all namespaces, or those that changed where the others may rest as long.

        What changed is visited in two rounds: in the first one its vectors may be missing yet.
        """
        now, last = self._clock(), self._rounds.get(name)
        if not rests:
            return Round(await self._repository.namespaces(), 0, 0, now)
        reached = await self._repository.last_change()
        if last is None or now - last.full_at >= rests:
            round_ = Round(await self._repository.namespaces(), reached, reached, now)
        else:
            changed = await self._repository.changed(last.before, reached) if reached > last.before else []
            round_ = Round(sorted({*changed, *last.again}), last.reached, reached, last.full_at)
        self._rounds[name] = round_
        return round_

    async def daemon_started(self, version: str, number: int | None = None) -> None:
        """Record that this process is a daemon from now on, beside others, by its `number` in all stores it opens.

        Raises StorageRefused for a wrong clock.
        """
        skew = await self._compared()
        if abs(skew) > MOST_SKEW:
            raise StorageRefused(f"this machine's clock is {_apart(skew)} the database's: set it, and start again")
        now = self._clock()
        await self._repository.forget_daemons(now - REMEMBERED)
        number, host = number or secrets.randbits(62), socket.gethostname()[:200]
        self._daemon = DaemonRecord(number, host, os.getpid(), version, now, now, None, skew)
        self._schema = await self._repository.schema()
        await self._repository.save_daemon(self._daemon, durable=True)

    async def heartbeat(self) -> None:
        """Record that this daemon is alive, once it has started."""
        if self._daemon is None:
            return
        skew = await self._compared()
        if abs(skew) > MOST_SKEW:
            log.error("this machine's clock is %s the database's, whose time holds: set it", _apart(skew))
        self._daemon = replace(self._daemon, heartbeat_at=self._clock(), stopped_at=None, skew=skew)
        await self._repository.save_daemon(self._daemon, durable=False)

    async def is_outgrown(self) -> bool:
        """Return whether the schema was migrated since this daemon started: it must make way for a newer one."""
        return self._daemon is not None and await self._repository.schema() != self._schema

    async def daemon_stopped(self) -> None:
        """Record that this daemon ended on purpose."""
        if self._daemon is not None:
            now = self._clock()
            self._daemon = replace(self._daemon, stopped_at=now)
            await self._repository.save_daemon(self._daemon, durable=True)

    async def _compared(self) -> timedelta:
        """Return how far this machine's clock is ahead, zero where the database has none of its own."""
        if not isinstance(self._clock, SharedClock):
            return timedelta(0)
        await self._clock.compare()
        return self._clock.skew

    async def daemon_status(self) -> DaemonStatus:
        """Return the state of the store's daemon, of several the one that runs and was heard of last."""
        records, now = await self._repository.daemons(), self._clock()
        if not records:
            return DaemonStatus(DaemonState.NEVER_STARTED, None, None, None)
        record = next((each for each in records if each.state(now) is DaemonState.RUNNING), records[0])
        # The whole difference, not its `.seconds`, which starts again at 0 every day.
        minutes = max(0.0, (now - record.heartbeat_at).total_seconds() / 60)
        return DaemonStatus(record.state(now), record.pid, record.heartbeat_at, round(minutes, 1))


def _apart(skew: timedelta) -> str:
    return f"{abs(skew).total_seconds():.0f} s {'ahead of' if skew > timedelta(0) else 'behind'}"


async def _begun(work: Callable[[], Awaitable[None]]) -> None:
    await work()
