"""Hints that something was changed, by whatever process. What they hint at is read from the store."""

import asyncio
from collections import Counter
from collections.abc import Collection
from enum import StrEnum


class HintTopic(StrEnum):
    """The subject of a change notification: the change log, or the task queue."""

    EVENTS = "events"
    TASKS = "tasks"


class Hints:
    """The hints that this process was given; one may be late, lost or needless, so that who waits also looks."""

    def __init__(self) -> None:
        self._numbers: Counter[HintTopic] = Counter()
        self._given = asyncio.Event()

    def number(self, *topics: HintTopic) -> int:
        """Return how many hints were given of these topics: to be asked for before the store is read."""
        return sum(self._numbers[topic] for topic in topics)

    async def beyond(self, number: int, *topics: HintTopic, timeout_s: float | None = None) -> bool:
        """Wait for a hint of these topics after the first `number` ones; False if none came in time."""
        try:
            async with asyncio.timeout(timeout_s):
                while self.number(*topics) <= number:
                    await self._given.wait()
        except TimeoutError:
            return False
        return True

    def give(self, topics: Collection[HintTopic]) -> None:
        """Wake those who wait for one of these topics."""
        self._numbers.update(topics)
        given, self._given = self._given, asyncio.Event()
        given.set()
