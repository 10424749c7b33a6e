"""The ports of the queue: storage, for workers and for who looks at its tasks."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from .models import QueueStatus, Task, TaskState


class QueueRepository(Protocol):
    """Storage of tasks; each call is one transaction. A lease is identified by its owner and its attempt."""

    async def put(
        self, namespace: str, type_: str, key: str, payload: Mapping[str, Any], run_at: datetime, now: datetime
    ) -> bool:
        """Add a task; False if it already exists, done or not."""

    async def claim(
        self, types: Sequence[str], owner: str, now: datetime, lease_until: datetime, max_attempts: int
    ) -> Task | None:
        """Lease the task of these types that is due longest, if any, in one statement.

        A task whose lease has run out is due again, unless it was begun `max_attempts` times: that one is given up.
        """

    async def renew(self, task: Task, owner: str, lease_until: datetime) -> bool:
        """Extend the lease; False if it is lost."""

    async def complete(self, task: Task, owner: str, now: datetime) -> bool:
        """Mark the task as done; False if the lease is lost."""

    async def fail(self, task: Task, owner: str, error: str, again_at: datetime | None, now: datetime) -> bool:
        """Store why the task failed, and when it is retried (None: never); False if the lease is lost."""

    async def release(self, task: Task, owner: str) -> None:
        """Release an interrupted task: it is due at once, and this attempt does not count."""

    async def purge(self, finished_before: datetime) -> int:
        """Delete tasks finished before a moment; return how many."""

    async def find(self, namespace: str, type_: str, key: str) -> Task | None:
        """Return a task; None if there is none."""

    async def keyed(self, namespace: str, type_: str, prefix: str, limit: int) -> list[Task]:
        """Return the tasks of a type whose key is a prefix and a slash and more, in no order."""

    async def status(self) -> QueueStatus:
        """Count the tasks by type and state."""


class TaskRepository(Protocol):
    """The tasks of the queue, one by one."""

    async def page(self, namespace: str, states: Sequence[TaskState], limit: int) -> list[Task]:
        """Return tasks in any of these states, the newest first."""

    async def get(self, namespace: str, task_id: str) -> Task | None:
        """Return a task by its id; None if there is none."""

    async def cancel(self, namespace: str, task_id: str, why: str, now: datetime) -> bool:
        """Abandon a queued or leased task, whoever holds the lease; return False for any other."""

    async def retry(self, namespace: str, task_id: str, now: datetime) -> bool:
        """Queue a task that was given up, as if it had never been begun; False for any other."""


class QueueStorage(QueueRepository, TaskRepository, Protocol):
    """Both of them."""
