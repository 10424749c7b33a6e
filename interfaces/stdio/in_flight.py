"""The unanswered requests of one session: limited, so that no session crowds out the others."""

import asyncio
from collections import Counter

from .wire import RequestId, canonical_id

MOST = 64
"""The most unanswered requests: later ones wait in the pipe, as they do when the client does not read its answers."""


class InFlight:
    """Counts unanswered requests; an id that is used twice is counted twice."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._requests: Counter[RequestId] = Counter()
        self._changed = asyncio.Event()

    async def begin(self, request_id: RequestId) -> None:
        """Count a request, once there is room for it."""
        while self._requests.total() >= self._most:
            await self._next_change()
        self._requests[canonical_id(request_id)] += 1

    def end(self, request_id: RequestId) -> None:
        """Remove a request that was answered or cancelled; one that is not counted changes nothing."""
        counted = canonical_id(request_id)
        if counted in self._requests:
            self._requests.subtract([counted])
            if not self._requests[counted]:
                del self._requests[counted]
            self._changed.set()

    async def settled(self, wait_s: float) -> None:
        """Wait until all are answered, at most `wait_s` seconds."""
        try:
            async with asyncio.timeout(wait_s):
                while self._requests:
                    await self._next_change()
        except TimeoutError:
            return

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()
