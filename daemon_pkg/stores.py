"""Stores of one process that are opened when somebody asks for them, and closed when nobody has for a while."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import field
from typing import Generic, Protocol, TypeVar

from ..modules.errors import Overloaded, StorageUnavailable
from ..modules.records import dataclass

IDLE_S = 600.0
"""How long a store stays open that nobody asks for."""
ROOM_WITHIN_S = 5.0
"""How long a caller waits for a store to be closed that takes the place."""

log = logging.getLogger(__name__)


class Ending(Protocol):
    """What is open; `end` asks its long answers to come to an end."""

    def end(self) -> None:
        """Take leave of whoever waits for more."""


T = TypeVar("T", bound=Ending)


@dataclass(eq=False)
class _Kept(Generic[T]):
    """A store that opens, is open, or closes; `used_at` is when somebody who asked for it last was done with it."""

    ready: "asyncio.Future[T]"
    users: int = 0
    is_asked_for: bool = False
    used_at: float = -math.inf
    is_ending: bool = False
    unused: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None

    def end(self) -> None:
        self.is_ending = True
        if self.ready.done() and self.ready.exception() is None:
            self.ready.result().end()
        if not self.users:
            self.unused.set()


class Stores(Generic[T]):
    """Up to `most` stores at once that somebody asked for, by name; those that are worked on alone come on top.

    Each is opened and closed by a task of its own, and closed only when unused.
    """

    def __init__(
        self,
        opened: Callable[[str], AbstractAsyncContextManager[T]],
        most: int,
        idle_s: float = IDLE_S,
        room_within_s: float = ROOM_WITHIN_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._opened = opened
        self.most = most
        self._idle_s = idle_s
        self._room_within_s = room_within_s
        self._freed = asyncio.Event()
        self._clock = clock
        self._kept: dict[str, _Kept[T]] = {}
        self._is_closed = False
        self.openings = 0

    @property
    def names(self) -> list[str]:
        """The stores that are open."""
        return [*self._kept]

    @asynccontextmanager
    async def using(self, name: str, *, is_asked_for: bool = True) -> AsyncIterator[T]:
        """Yield an open store, which stays so while the block runs, and after it where it was asked for.

        Raises Overloaded where all that may be open are in use for longer, and what opening it raises.
        """
        kept = await self._taken(name, is_asked_for=is_asked_for)
        try:
            yield await asyncio.shield(kept.ready)
        finally:
            kept.users -= 1
            if is_asked_for:
                kept.used_at = self._clock()
            if not kept.users:
                if kept.is_ending or not kept.is_asked_for:
                    kept.end()
                self._freed.set()

    async def _taken(self, name: str, *, is_asked_for: bool) -> _Kept[T]:
        """Return a store with one user more."""
        give_up_at = self._clock() + self._room_within_s
        while True:
            if self._is_closed:
                raise StorageUnavailable("the server is ending; try again")
            kept = self._kept.get(name)
            if kept is not None and kept.is_ending:
                await self._closed(kept, give_up_at)
                continue
            if is_asked_for and not (kept and kept.is_asked_for) and len(self._asked_for) >= self.most:
                await self._make_room(give_up_at)
                continue
            if kept is None:
                kept = self._kept[name] = _Kept(asyncio.get_running_loop().create_future())
                kept.task = asyncio.create_task(self._keep(name, kept), name="store")
                self.openings += 1
            kept.users += 1
            kept.is_asked_for |= is_asked_for
            return kept

    @property
    def _asked_for(self) -> list[_Kept[T]]:
        return [one for one in self._kept.values() if one.is_asked_for]

    async def _make_room(self, give_up_at: float) -> None:
        """Close the store that nobody uses for longest, or wait for one. Raises Overloaded."""
        unused = [one for one in self._asked_for if not one.users]
        if unused:
            found = min(unused, key=lambda one: (not one.is_ending, one.used_at))
            found.end()
            await self._closed(found, give_up_at)
            return
        self._freed.clear()
        try:
            async with asyncio.timeout(max(0.0, give_up_at - self._clock())):
                await self._freed.wait()
        except TimeoutError:
            busy = f"{self.most} stores are in use on this server; try again in a few seconds"
            raise Overloaded(busy) from None

    async def _closed(self, kept: _Kept[T], give_up_at: float) -> None:
        """Wait for a store to be closed. Raises Overloaded."""
        assert kept.task is not None
        await asyncio.wait([kept.task], timeout=max(0.0, give_up_at - self._clock()))
        if not kept.task.done():
            raise Overloaded("this store is being closed; try again in a few seconds")

    async def _keep(self, name: str, kept: _Kept[T]) -> None:
        try:
            async with self._opened(name) as store:
                kept.ready.set_result(store)
                await kept.unused.wait()
        except Exception as error:
            if kept.ready.done():
                log.exception("a store was not closed well")
            else:
                kept.ready.set_exception(error)
                kept.ready.exception()  # whoever asked for it may have gone
        finally:
            if not kept.ready.done():
                kept.ready.cancel()
            kept.is_ending = True
            del self._kept[name]

    def end(self, names: Collection[str]) -> None:
        """Close stores as soon as nobody uses them any more; whoever streams from them is asked to leave."""
        for name in names:
            if (kept := self._kept.get(name)) is not None:
                kept.end()

    def close_idle(self) -> None:
        """Close those that nobody has asked for lately."""
        before = self._clock() - self._idle_s
        self.end([name for name, one in self._kept.items() if not one.users and one.used_at < before])

    async def close(self) -> None:
        """Close all of them, and open none any more."""
        self._is_closed = True
        tasks = [one.task for one in self._kept.values() if one.task is not None]
        self.end(self.names)
        if tasks:
            await asyncio.wait(tasks)
