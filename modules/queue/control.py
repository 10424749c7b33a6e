"""The tasks of the queue as objects: listed, cancelled, tried again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import inputs
from ..clock import Clock
from ..errors import Conflict, NotFound
from .models import Task, TaskState

if TYPE_CHECKING:
    from ...storage.repositories.queue import QueueRows

MAX_LISTED = 200
CANCELLED = "cancelled"
"""Why a task was given up that somebody cancelled."""
UNSETTLED = (TaskState.QUEUED, TaskState.LEASED, TaskState.DEAD)


class QueueControl:
    """Lists, cancels and retries the tasks of a namespace."""

    def __init__(self, repository: "QueueRows", clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def page(self, namespace: str, states: Sequence[TaskState] = UNSETTLED, limit: int = 50) -> list[Task]:
        """List tasks in these states, the newest first: by default what is not done. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LISTED)
        return await self._repository.page(namespace, states, limit)

    async def cancel(self, namespace: str, task_id: str) -> Task:
        """Give a task up. A worker that is at it loses its lease, and stops at its next renewal.

        Raises NotFound, or Conflict where it is over.
        """
        task = await self._existing(namespace, task_id)
        if not await self._repository.cancel(namespace, task.id, CANCELLED, self._clock()):
            raise Conflict(f"id: task {task.id} is over: it is {task.state}")
        return await self._existing(namespace, task_id)

    async def retry(self, namespace: str, task_id: str) -> Task:
        """Queue a task that was given up once more, with all its attempts. Raises NotFound or Conflict."""
        task = await self._existing(namespace, task_id)
        if not await self._repository.retry(namespace, task.id, self._clock()):
            raise Conflict(f"id: only abandoned tasks can be retried; task {task.id} is {task.state}")
        return await self._existing(namespace, task_id)

    async def _existing(self, namespace: str, task_id: str) -> Task:
        found = await self._repository.get(namespace, inputs.text("id", task_id, 200))
        if found is None:
            raise NotFound(f"id: there is no job or task {task_id[:60]!r}; job_list gives valid ids")
        return found
