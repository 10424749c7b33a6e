"""The newest change, as those see it who wait for the next: one looks for all of them."""

import asyncio
from collections.abc import Awaitable, Callable

from ..errors import AgentOSError
from .hints import Hints, Topic

LOOK_EVERY_S = 0.25
"""How often the log is looked at while somebody waits: other processes write to it too."""


class Newest:
    """The cursor of the newest change; it is looked at while somebody waits, and by nobody else."""

    def __init__(self, latest: Callable[[], Awaitable[int]], hints: Hints) -> None:
        self._latest = latest
        self._hints = hints
        self._cursor = -1
        self._moved = asyncio.Event()
        self._waiting = 0
        self._looking: asyncio.Task[None] | None = None
        self._failure: AgentOSError | None = None

    async def beyond(self, cursor: int, timeout_s: float) -> bool:
        """Wait until the newest change is behind a cursor; False if none came in time. Raises AgentOSError."""
        self._waiting += 1
        if self._looking is None or self._looking.done():
            self._failure = None
            self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(timeout_s):
                while self._cursor <= cursor:
                    await self._moved.wait()
                    if self._failure is not None:
                        raise self._failure
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
            if not self._waiting and self._looking is not None:
                self._looking.cancel()
                self._looking, self._cursor = None, -1
        return True

    async def _look(self) -> None:
        while True:
            hinted = self._hints.number(Topic.EVENTS)
            try:
                newest = await self._latest()
            except AgentOSError as error:
                self._failure = error
                self._wake()
                return
            if newest != self._cursor:
                self._cursor = newest
                self._wake()
            await self._hints.beyond(hinted, Topic.EVENTS, timeout_s=LOOK_EVERY_S)

    def _wake(self) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
