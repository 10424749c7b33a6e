"""The queue service: tasks are leased, retried with exponential backoff, and given up after some attempts."""

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .. import inputs
from ..clock import Clock
from ..errors import AgentOSError, described
from .models import QueueStatus, Task, Worked

if TYPE_CHECKING:
    from ...storage.repositories.queue import QueueRows

LEASE = timedelta(minutes=5)
MAX_ATTEMPTS = 5
FIRST_BACKOFF, LONGEST_BACKOFF = timedelta(seconds=30), timedelta(hours=1)
TASK_LIFETIME = timedelta(days=7)
"""The time for which a finished task is kept: for so long its key is known, and it is not done again."""
AT_ONCE = 100
MAX_NAME_BYTES, MAX_KEY_BYTES = 200, 400
MAX_ERROR_CHARS = 500
MAX_KEYED = 1_000

Handler = Callable[[Task], Awaitable[None]]
"""Does a task. It may be called again after a crash, so that it must be idempotent."""

log = logging.getLogger(__name__)


class LeaseLost(AgentOSError):
    """A task was cancelled because its lease was lost; the new holder does it."""

    code = "lease_lost"


class QueueService:
    """Tasks over one store."""

    def __init__(self, repository: "QueueRows", clock: Clock, lease: timedelta = LEASE) -> None:
        self._repository = repository
        self._clock = clock
        self._lease = lease
        self._owner = f"{os.getpid()}-{secrets.token_hex(4)}"

    async def put(
        self, namespace: str, type: str, key: str, payload: Mapping[str, Any], run_at: datetime | None = None
    ) -> bool:
        """Queue a task to be done once, not before `run_at`; False if it was queued already, done or not.

        Raises InvalidInput.
        """
        inputs.text("type", type, MAX_NAME_BYTES)
        inputs.text("key", key, MAX_KEY_BYTES)
        inputs.metadata("payload", dict(payload))
        now = self._clock()
        return await self._repository.put(namespace, type, key, payload, run_at or now, now)

    async def work(self, type: str, handler: Handler, owner: str | None = None, limit: int = AT_ONCE) -> Worked:
        """Do the due tasks of a type, one after the other, until none is left or `limit` were begun.

        A failed task is retried after half a minute, then with exponential backoff; it has five attempts in all.
        """
        return await self.work_all({type: handler}, owner, limit)

    async def work_all(self, handlers: Mapping[str, Handler], owner: str | None = None, limit: int = AT_ONCE) -> Worked:
        """Do the due tasks of several types, the one due longest first."""
        worked = Worked()
        owner = owner or self._owner
        while handlers and worked.done + worked.failed < limit:
            now = self._clock()
            task = await self._repository.claim([*handlers], owner, now, now + self._lease, MAX_ATTEMPTS)
            if task is None:
                break
            worked += await self._do(task, handlers[task.type], owner)
        return worked

    async def _do(self, task: Task, handler: Handler, owner: str) -> Worked:
        try:
            await self._while_leased(task, handler, owner)
        except asyncio.CancelledError:
            await self._repository.release(task, owner)
            raise
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is kept with its task
            message = described(error)[:MAX_ERROR_CHARS]
            log.warning("%s %s failed, attempt %d: %s", task.type, task.key, task.attempts, message)
            now = self._clock()
            again_at = now + backoff(task.attempts) if task.attempts < MAX_ATTEMPTS else None
            await self._repository.fail(task, owner, message, again_at, now)
            return Worked(failed=1)
        if await self._repository.complete(task, owner, self._clock()):
            return Worked(done=1)
        log.warning(
            "%s %s was done, but its lease was somebody else's by then: it counts as theirs", task.type, task.key
        )
        return Worked(failed=1)

    async def _while_leased(self, task: Task, handler: Handler, owner: str) -> None:
        """Do a task while its lease is kept; if that is lost, cancel it and raise LeaseLost: another may be at it."""
        work = asyncio.create_task(_begun(handler, task), name="task")
        keeping = asyncio.create_task(self._keep(task, owner), name="lease")
        try:
            await asyncio.wait((work, keeping), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await keeping  # raises the reason
            await work
        finally:
            for one in (work, keeping):
                one.cancel()
            await asyncio.gather(work, keeping, return_exceptions=True)

    async def _keep(self, task: Task, owner: str) -> None:
        """Renew a lease until cancelled.

        A failed renewal is retried until the lease has run out; then raises LeaseLost.
        """
        pause = self._lease.total_seconds() / 3
        until = time.monotonic() + 3 * pause
        while True:
            await asyncio.sleep(pause)
            try:
                renewed = await self._repository.renew(task, owner, self._clock() + self._lease)
            except AgentOSError as error:
                log.warning("the lease of %s %s could not be renewed: %s", task.type, task.key, error)
                if time.monotonic() >= until:
                    raise LeaseLost("its lease ran out while it could not be renewed") from error
                pause = self._lease.total_seconds() / 15
                continue
            if not renewed:
                raise LeaseLost("its lease was lost to another worker")
            pause = self._lease.total_seconds() / 3
            until = time.monotonic() + 3 * pause

    async def purge(self) -> int:
        """Delete tasks finished more than TASK_LIFETIME ago; return how many."""
        return await self._repository.purge(self._clock() - TASK_LIFETIME)

    async def find(self, namespace: str, type: str, key: str) -> Task | None:
        """Return a task; None if it was never queued, or is gone."""
        return await self._repository.find(namespace, type, key)

    async def keyed(self, namespace: str, type: str, prefix: str, limit: int = MAX_KEYED) -> dict[str, Task]:
        """Return by its key each task of a type whose key begins with a prefix and a slash; at most `limit`."""
        return {task.key: task for task in await self._repository.keyed(namespace, type, prefix, limit)}

    async def status(self) -> QueueStatus:
        """Count the tasks by type and state."""
        return await self._repository.status()


async def _begun(handler: Handler, task: Task) -> None:
    await handler(task)


def backoff(attempts: int) -> timedelta:
    """Return the delay before the retry after this many attempts: doubled each time, up to LONGEST_BACKOFF."""
    longer: timedelta = FIRST_BACKOFF * 2 ** (min(attempts, 20) - 1)
    return min(longer, LONGEST_BACKOFF)
