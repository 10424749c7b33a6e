"""Looks at new memories: what is compared with others once a memory has its vector, and that nothing of it is lost.

Each memory that got its first vector owes a look, which the database keeps until it is done: whoever starts after a
process that was killed in between goes on.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence

from ..errors import AgentOSError
from .foreground import Foreground
from .ports import OwedLooks, UnembeddedText

AT_ONCE = 32
"""The looks of which the database hears together that they are done."""
MOST_OWED = 5_000
"""The most memories that wait for a look, about two minutes of work: of an import of more the oldest get none."""
LAST_LOOK_S = 2.0
"""The seconds for which the end waits, so that what was stored last gets its labels."""

LookAt = Callable[[str, int], Awaitable[None]]
"""Called with the id of each new memory that has its vector, and with the vector's generation."""
Knows = Callable[[Sequence[str]], Awaitable[list[bool]]]
"""Called with contents; returns for each whether its vector says something."""

log = logging.getLogger(__name__)


class Looks:
    """Shows memories that owe a look to all of `look_at`, in the background; answers go before."""

    def __init__(self, owed: OwedLooks, look_at: Sequence[LookAt], knows: Knows, foreground: Foreground) -> None:
        self._owed = owed
        self._look_at = look_at
        self._knows = knows
        self._foreground = foreground
        self._may_be_owed = True  # an earlier process may have left some
        self._is_own = False
        self._task: asyncio.Task[None] | None = None

    def note(self, *, own: bool = True) -> None:
        """Note that looks may be owed, `own` ones where this process made the vectors."""
        self._may_be_owed = True
        self._is_own = self._is_own or own

    def begin(self, generation: int, is_idle: Callable[[], bool]) -> None:
        """Start to do what is owed, as long as the process `is_idle`; does not block."""
        if self._may_be_owed and self._look_at and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._work_off(generation, is_idle), name="looks")

    async def settled(self) -> None:
        """Wait until whatever is under way has ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def close(self, settled: Callable[[], Awaitable[None]]) -> None:
        """Stop; what this process embedded is looked at before, if it has `settled` within LAST_LOOK_S."""
        if self._is_own:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LAST_LOOK_S):
                    await settled()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work_off(self, generation: int, is_idle: Callable[[], bool]) -> None:
        """Do what is owed, oldest first, in batches; what failed is tried again when there is something new."""
        while self._may_be_owed and is_idle():
            self._may_be_owed, after, more = False, 0, True
            while more:
                try:
                    texts, after, more = await self._owed.looks(generation, after, AT_ONCE)
                    done = await self._done(texts, generation, is_idle)
                    if texts:
                        await self._owed.looked(done, MOST_OWED)
                except AgentOSError as error:
                    log.warning("new memories are compared with others later: %s", error)
                    return
                if not is_idle():
                    self._may_be_owed = True
                    return
        self._is_own = self._is_own and self._may_be_owed

    async def _done(self, texts: Sequence[UnembeddedText], generation: int, is_idle: Callable[[], bool]) -> list[str]:
        """Look at memories until the process is busy; return the ids of those that owe no look any more."""
        done = []
        known = await self._knows([text.content for text in texts]) if texts else []
        for text, knows in zip(texts, known, strict=True):
            if not is_idle():
                break
            if not knows or await self._looked(text.memory_id, generation):
                done.append(text.memory_id)
        return done

    async def _looked(self, memory_id: str, generation: int) -> bool:
        """Return whether a memory owes no look any more: it does where storage or model are not there just now."""
        looked = True
        for look in self._look_at:
            await self._foreground.passed()
            try:
                await look(memory_id, generation)
            except AgentOSError as error:
                log.warning("memory %s is compared with others later: %s", memory_id, error)
                looked = False
            except Exception as error:  # noqa: BLE001 - what fails of one memory must not stop the others, nor come back
                log.warning("memory %s was not compared with others: %s: %s", memory_id, type(error).__name__, error)
        return looked
