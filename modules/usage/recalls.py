"""The latest recalls of this process, for people who watch: what was asked, and what was found. Nothing is stored."""

import asyncio
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

MOST = 100
"""Recalls that are remembered."""
MAX_CHARS = 200
"""Characters of a question that are shown."""


@dataclass(frozen=True)
class Recall:
    """One search of an agent: by which client and tool, the question's words, and the memories it was given.

    `number` grows with each change of any; `used` is how many of the memories were used afterwards.
    """

    id: int
    number: int
    at: datetime
    namespace: str
    client: str
    tool: str
    query: str
    shown: tuple[str, ...]
    taken: frozenset[str] = frozenset()

    @property
    def hits(self) -> int:
        """How many memories it was given."""
        return len(self.shown)

    @property
    def used(self) -> int:
        """How many of them were used afterwards."""
        return len(self.taken)


class Recalls:
    """Remembers the latest recalls, and wakes those who wait for the next one."""

    def __init__(self) -> None:
        self._latest: deque[Recall] = deque(maxlen=MOST)
        self._given = asyncio.Event()
        self.number = 0

    def note(self, at: datetime, namespace: str, client: str, tool: str, query: str, shown: Sequence[str]) -> None:
        """Remember a recall."""
        self.number += 1
        recall = Recall(self.number, self.number, at, namespace, client, tool, query[:MAX_CHARS], tuple(shown))
        self._latest.append(recall)
        self._wake()

    def used(self, namespace: str, client: str, memory_id: str) -> None:
        """Note that a memory which the last recall of a client was given was used."""
        for place in range(len(self._latest) - 1, -1, -1):
            one = self._latest[place]
            if (one.namespace, one.client) == (namespace, client) and memory_id in one.shown:
                self.number += 1
                self._latest[place] = replace(one, number=self.number, taken=one.taken | {memory_id})
                self._wake()
                return

    def _wake(self) -> None:
        given, self._given = self._given, asyncio.Event()
        given.set()

    async def without_hits(self, namespaces: Collection[str]) -> Sequence[Recall]:
        """Return the questions in some namespaces that were given nothing when they were asked last, the last first."""
        last: dict[str, Recall] = {}
        for one in reversed(self._latest):
            if one.namespace in namespaces:
                last.setdefault(one.query, one)
        return [one for one in last.values() if not one.hits]

    async def after(self, number: int, namespaces: Collection[str]) -> Sequence[Recall]:
        """Wait for recalls in some namespaces behind the one of this number, and return them in order."""
        while True:
            found = [one for one in self._latest if one.number > number and one.namespace in namespaces]
            if found:
                return sorted(found, key=lambda one: one.number)
            await self._given.wait()
