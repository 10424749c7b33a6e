"""What background work needs of storage."""

from datetime import datetime, timedelta
from typing import Protocol

from .models import DaemonRecord, JobRun


class JobRepository(Protocol):
    """The table of runs and leases, and the daemon's own record."""

    async def register(self, name: str, interval: timedelta, first_due_at: datetime) -> None:
        """Make a job known; one that is known keeps its due time, but takes a new interval."""

    async def claim(
        self, name: str, owner: str, now: datetime, lease_until: datetime, *, even_if_not_due: bool
    ) -> bool:
        """Take the lease of a due job, in one statement; False when it is not due or somebody has it."""

    async def finish(self, name: str, owner: str, now: datetime, next_due_at: datetime, error: str | None) -> None:
        """Give the lease back and note how the run went."""

    async def release(self, name: str, owner: str) -> None:
        """Give the lease of a run back that was cut off: it stays due, and counts neither as run nor as failed."""

    async def runs(self) -> list[JobRun]:
        """Every known job, by name."""

    async def save_daemon(self, record: DaemonRecord, *, durable: bool) -> None:
        """Write the daemon's record; a heartbeat need not be durable, since the next one replaces it."""

    async def daemon(self) -> DaemonRecord | None:
        """The last daemon's record, or None when none ever ran."""

    async def namespaces(self) -> list[str]:
        """Every namespace that holds anything, by name."""
