"""The work of one process that is under way: each piece comes to its end even when its caller is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Running:
    """Keeps hold of what runs, as the event loop itself does not."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of work, which goes on where the caller is cancelled."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may have been cancelled: then nobody else asks for it

    async def ended(self) -> None:
        """Wait until nothing runs any more."""
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
