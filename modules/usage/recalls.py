"""The latest recalls of this process, for people who watch: what was asked, and what was found. Nothing is stored."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

MOST = 100
"""Recalls that are remembered."""
MAX_CHARS = 200
"""Characters of a question that are shown."""


@dataclass(frozen=True)
class Recall:
    """One search of an agent: by which client and tool, the question's words, and how many memories it was given."""

    number: int
    at: datetime
    namespace: str
    client: str
    tool: str
    query: str
    hits: int


class Recalls:
    """Remembers the latest recalls, and wakes those who wait for the next one."""

    def __init__(self) -> None:
        self._latest: deque[Recall] = deque(maxlen=MOST)
        self._given = asyncio.Event()
        self.number = 0

    def note(self, at: datetime, namespace: str, client: str, tool: str, query: str, hits: int) -> None:
        """Remember a recall."""
        self.number += 1
        self._latest.append(Recall(self.number, at, namespace, client, tool, query[:MAX_CHARS], hits))
        given, self._given = self._given, asyncio.Event()
        given.set()

    def without_hits(self, namespace: str) -> Sequence[Recall]:
        """Return the latest recalls in a namespace that were given nothing, the last first, each question once."""
        found = {one.query: one for one in self._latest if one.namespace == namespace and not one.hits}
        return list(found.values())[::-1]

    async def after(self, number: int, namespace: str) -> Sequence[Recall]:
        """Wait for recalls in a namespace behind the one of this number, and return them in order."""
        while True:
            found = [one for one in self._latest if one.number > number and one.namespace == namespace]
            if found:
                return found
            await self._given.wait()
