"""What is done behind the answers, which go before: accesses are counted, and new memories looked at.

Each memory that got its first vector owes a look, at which it is compared with others. The database keeps it until it
is done: whoever starts after a process that was killed in between goes on.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .. import lagging
from ..clock import Clock
from ..errors import AgentOSError, StorageUnavailable
from ..proving import Way
from .ports import UnembeddedText

if TYPE_CHECKING:
    from ...storage.repositories.backlog import LooksRepository
    from ...storage.repositories.memories import MemoriesRepository, Visit

QUIET_S = 0.03
"""The time without an answer on its way after which the background goes on: an agent that calls again does it sooner,
or much later."""
LONGEST_S = 1.0
"""The longest that one step of work in the background is put off."""
AT_ONCE = 32
"""The looks of which the database hears together that they are done."""
MOST_OWED = 5_000
"""The most memories that wait for a look, about two minutes of work: of an import of more the oldest get none."""
LAST_LOOK_S = 2.0
"""The seconds for which the end waits, so that what was stored last gets its labels."""

LookAt = Callable[[str, int], Awaitable[None]]
"""Called with the id of each new memory that has its vector, and with the vector's generation."""
Tell = Callable[[Sequence[str], Sequence[str], Way], None]
"""Called with the namespaces and ids of memories that an answer tells."""
Knows = Callable[[Sequence[str]], Awaitable[list[bool]]]
"""Called with contents; returns for each whether its vector says something."""

log = logging.getLogger(__name__)


class Foreground:
    """Knows whether somebody waits for an answer in this process."""

    def __init__(self) -> None:
        self._answering = 0
        self._answered_at = 0.0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Count an answer as on its way."""
        self._answering += 1
        try:
            yield
        finally:
            self._answering -= 1
            self._answered_at = time.monotonic()

    async def passed(self) -> None:
        """Wait until no answer has been on its way for QUIET_S seconds, but LONGEST_S at most."""
        give_up_at = time.monotonic() + LONGEST_S
        while (now := time.monotonic()) < give_up_at:
            quiet_at = now if self._answering else self._answered_at
            if now >= quiet_at + QUIET_S:
                return
            await asyncio.sleep(QUIET_S)


class AccessCounter:
    """Counts an access for each memory that an answer holds.

    Who reads counts next waits for those that are on their way (`settled`), so that one caller's steps stay in order.
    """

    def __init__(
        self,
        repository: "MemoriesRepository[Any]",
        clock: Clock,
        for_person: Callable[[], bool],
        tell: Tell | None = None,
        visits: "Sequence[Visit]" = (),
    ) -> None:
        """Set up the counter; `visits` are done where the accesses are counted."""
        self._tell = tell
        self._visits = visits
        self._repository = repository
        self._clock = clock
        self._for_person = for_person
        self._running: set[asyncio.Task[None]] = set()
        self._problem: str | None = None

    def count(self, namespaces: Sequence[str], memory_ids: Sequence[str], *, is_told: bool = True) -> None:
        """Count an access for each memory, in the background; does not block. It was told, unless it was only used.

        Nothing is counted for a person who looks, nor while nothing can be written.
        """
        if is_told and self._tell is not None:
            self._tell(namespaces, memory_ids, Way.ANSWER)
        if memory_ids and self._repository.read_only is None and not self._for_person():
            task = asyncio.create_task(self._count(list(namespaces), list(memory_ids), self._clock()), name="accesses")
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def settled(self) -> None:
        """Wait for what is being counted."""
        if self._running:
            await asyncio.wait(self._running)

    def take_problem(self) -> str | None:
        """Return why accesses of an earlier answer were not counted, and forget it; None when all were counted."""
        problem, self._problem = self._problem, None
        return problem

    async def _count(self, namespaces: list[str], memory_ids: list[str], at: datetime) -> None:
        try:
            await self._repository.touch(namespaces, memory_ids, at, self._visits)
        except StorageUnavailable as error:
            log.warning("accesses were not counted: %s", error)
            self._problem = str(error)


class Looks:
    """Shows memories that owe a look to all of `look_at`, in the background; answers go before."""

    def __init__(
        self, owed: "LooksRepository", look_at: Sequence[LookAt], knows: Knows, foreground: Foreground
    ) -> None:
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
            self._task = asyncio.create_task(
                self._work_off(generation, is_idle), name="looks", context=lagging.current()
            )

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
        """Do what is owed, oldest first, in batches; what failed is tried again with the next search or store."""
        failed = False
        while self._may_be_owed and is_idle():
            self._may_be_owed, after, more = False, 0, True
            while more:
                try:
                    texts, after, more = await self._owed.looks(generation, after, AT_ONCE)
                    done = await self._done(texts, generation, is_idle)
                    failed = failed or len(done) < len(texts)
                    if texts:
                        await self._owed.looked(done, MOST_OWED)
                except AgentOSError as error:
                    log.warning("new memories are compared with others later: %s", error)
                    self._may_be_owed = True
                    return
                if not is_idle():
                    self._may_be_owed = True
                    return
        self._is_own = self._is_own and self._may_be_owed
        self._may_be_owed = self._may_be_owed or failed

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
