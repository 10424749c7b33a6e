"""The newest changes, as those hear of them who wait for the next: one looks and reads for all of them."""

import asyncio
from collections import deque
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..errors import AgentOSError
from .hints import Hints, HintTopic
from .models import ChangeEvent, EventPage

if TYPE_CHECKING:
    from ...storage.repositories.events import EventsRepository

LOOK_EVERY_S = 0.25
"""How often the log is looked at while somebody waits: other processes write to it too."""
MAX_IDLE_LOOKS = 8
"""After so many looks that nobody waited for, nobody looks any more."""
MOST_READ = 500
MAX_BUFFERED = 2_000


class Newest:
    """The end of the log: its cursor, and the events before it since somebody waits."""

    def __init__(self, repository: "EventsRepository", hints: Hints) -> None:
        self._repository = repository
        self._hints = hints
        self._cursor = self._buffer_start = -1
        self._buffer: deque[ChangeEvent] = deque()
        self._moved = asyncio.Event()
        self._waiting = 0
        self._looking: asyncio.Task[None] | None = None
        self._failure: AgentOSError | None = None

    async def beyond(self, cursor: int, timeout_s: float) -> bool:
        """Wait until the newest change is behind a cursor; False if none came in time. Raises AgentOSError."""
        self._waiting += 1
        if self._looking is None or self._looking.done():
            self._failure, self._cursor = None, -1
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
        return True

    def page(
        self, cursor: int, namespaces: Collection[str], types: Collection[str] | None, limit: int
    ) -> EventPage | None:
        """Return the events behind a cursor out of what is kept; None where that does not reach back so far."""
        is_buffered = (
            self._looking is not None and not self._looking.done() and self._buffer_start <= cursor <= self._cursor
        )
        if self._cursor < 0 or not is_buffered:
            return None
        found: list[ChangeEvent] = []
        for event in reversed(self._buffer):
            if event.cursor <= cursor:
                break
            wanted = types is None or event.type in types or event.type.partition(".")[0] in types
            if wanted and event.namespace in namespaces:
                found.append(event)
        found.reverse()
        shown, has_more = tuple(found[:limit]), len(found) > limit
        return EventPage(shown, shown[-1].cursor if has_more else self._cursor, has_more)

    async def _look(self) -> None:
        idle_looks = 0
        while idle_looks < MAX_IDLE_LOOKS or self._waiting:  # somebody may have come in the last pause
            hinted = self._hints.number(HintTopic.EVENTS)
            try:
                newest = await self._repository.latest_everywhere()
                if newest != self._cursor:
                    await self._take(newest)
                    self._wake()
            except AgentOSError as error:
                self._failure = error
                self._wake()
                return
            idle_looks = 0 if self._waiting else idle_looks + 1
            await self._hints.beyond(hinted, HintTopic.EVENTS, timeout_s=LOOK_EVERY_S)

    async def _take(self, newest: int) -> None:
        """Read what came; where that is much, or is not behind what is kept, begin anew at the end."""
        if 0 <= self._cursor < newest <= self._cursor + MOST_READ:
            self._buffer.extend(await self._repository.between_everywhere(self._cursor, newest))
            while len(self._buffer) > MAX_BUFFERED:
                self._buffer_start = self._buffer.popleft().cursor
        else:
            self._buffer.clear()
            self._buffer_start = newest
        self._cursor = newest

    def _wake(self) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
