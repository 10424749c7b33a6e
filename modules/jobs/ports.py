"""The ports of background work: storage of jobs, and of the daemon's own record."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from .models import DaemonRecord, JobRun


class JobRepository(Protocol):
    """Storage of runs and leases."""

    async def register(self, name: str, interval: timedelta, first_due_at: datetime) -> None:
        """Register a job; a known one keeps its due time, but takes the new interval."""

    async def claim(
        self, name: str, owner: str, now: datetime, lease_until: datetime, *, even_if_not_due: bool
    ) -> bool:
        """Take the lease of a due job, in one statement; False if it is not due or somebody has it."""

    async def due(self, now: datetime, lease: timedelta) -> list[str]:
        """Return the jobs that could be claimed now."""

    async def finish(self, name: str, owner: str, now: datetime, next_due_at: datetime, error: str | None) -> None:
        """Release the lease and store how the run went."""

    async def release(self, name: str, owner: str) -> None:
        """Release the lease of an interrupted run: the job stays due, and it counts neither as run nor as failed."""

    async def runs(self) -> list[JobRun]:
        """Return every known job, by name."""

    async def renew(self, name: str, owner: str, lease_until: datetime) -> bool:
        """Extend the lease of a job that still runs; False if this owner has it no longer."""

    async def make_due(self, name: str, now: datetime) -> bool:
        """Make a job due now, as if it had never failed; False if there is none of that name."""

    async def cancel(self, name: str, now: datetime) -> bool:
        """Take the lease of a running job away, and put it off by its interval; False if it does not run."""

    async def withdraw(self, names: Sequence[str], now: datetime) -> None:
        """Forget jobs, but for those that run."""


class NamespacesRepository(Protocol):
    """What a round of a job visits."""

    async def namespaces(self) -> list[str]:
        """Return every namespace that holds anything, by name."""

    async def last_change(self) -> int:
        """Return the number of the last entry in the log of changes; 0 before the first."""

    async def changed(self, after: int, until: int) -> list[str]:
        """Return the namespaces that entries of the log with these numbers name, by name."""


class DaemonRepository(Protocol):
    """Storage of what each daemon records of itself."""

    async def save_daemon(self, record: DaemonRecord, *, durable: bool) -> None:
        """Write a daemon's record; a heartbeat need not be durable, since the next one replaces it."""

    async def forget_daemons(self, before: datetime) -> None:
        """Drop the records of daemons that have been silent since before a moment."""

    async def daemons(self) -> list[DaemonRecord]:
        """Return the record of each daemon, the one heard of last first."""

    async def schema(self) -> int:
        """Return the version of the schema as it is now."""


class JobStorage(JobRepository, NamespacesRepository, DaemonRepository, Protocol):
    """All of them."""
