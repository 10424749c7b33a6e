"""Counting accesses: behind the answer, which does not wait for it."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime

from ..clock import Clock
from ..errors import StorageUnavailable
from .ports import MemoryWriting

log = logging.getLogger(__name__)


class AccessCounter:
    """Counts an access for each memory that an answer holds.

    Who reads counts next waits for those that are on their way (`settled`), so that one caller's steps stay in order.
    """

    def __init__(self, repository: MemoryWriting, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock
        self._running: set[asyncio.Task[None]] = set()
        self._problem: str | None = None

    def count(self, namespaces: Sequence[str], memory_ids: Sequence[str]) -> None:
        """Count an access for each memory, in the background; does not block.

        Nothing is counted while nothing can be written.
        """
        if memory_ids and self._repository.read_only is None:
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
            await self._repository.touch(namespaces, memory_ids, at)
        except StorageUnavailable as error:
            log.warning("accesses were not counted: %s", error)
            self._problem = str(error)
