"""What the queue needs of storage."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from .models import QueueStatus, Task


class QueueRepository(Protocol):
    """Tasks; each call is one transaction. A task that is leased is told apart by its owner and its attempt."""

    async def put(
        self, namespace: str, type_: str, key: str, payload: Mapping[str, Any], run_at: datetime, now: datetime
    ) -> bool:
        """Add a task; False where it is there already, done or not."""

    async def claim(
        self, types: Sequence[str], owner: str, now: datetime, lease_until: datetime, max_attempts: int
    ) -> Task | None:
        """Lease the task of these types that is due longest, if any, in one statement. One whose lease has run out is
        due again, unless it was begun `max_attempts` times: that one is given up."""

    async def renew(self, task: Task, owner: str, lease_until: datetime) -> bool:
        """Keep the lease longer; False where it is lost."""

    async def complete(self, task: Task, owner: str, now: datetime) -> bool:
        """Note that it is done; False where the lease is lost."""

    async def fail(self, task: Task, owner: str, error: str, again_at: datetime | None, now: datetime) -> bool:
        """Note why it failed, and when it is tried again (None: never); False where the lease is lost."""

    async def release(self, task: Task, owner: str) -> None:
        """Give back a task that was cut off: it is due at once, and this attempt does not count."""

    async def purge(self, finished_before: datetime) -> int:
        """Delete what was finished before a moment; how many."""

    async def find(self, namespace: str, type_: str, key: str) -> Task | None:
        """One task."""

    async def status(self) -> QueueStatus:
        """How many there are."""
