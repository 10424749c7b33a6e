"""Retry transactions: a few times after conflicts, for a while when the server is unreachable."""

import asyncio
import random
import time

import psycopg

from . import failures
from .pool import AWAY_S

TRIES = 10
PAUSE_S = 0.02
AWAY_PAUSE_S = 0.1


class Tries:
    """The tries of one transaction: of `undone` by deadlocks at most so many, of lost connections for AWAY_S."""

    def __init__(self, undone: int = TRIES) -> None:
        self._left = undone
        self._undone = undone
        self._away_until: float | None = None

    async def again(self, error: psycopg.Error) -> bool:
        """Wait a little and return True where another try may succeed."""
        if failures.is_lost(error):
            now = time.monotonic()
            if self._away_until is None:
                self._away_until = now + AWAY_S
            if now >= self._away_until:
                return False
            await asyncio.sleep(random.uniform(0.5, 1.5) * AWAY_PAUSE_S)
            return True
        self._left -= 1
        if not failures.is_undone(error) or not self._left:
            return False
        await asyncio.sleep(random.uniform(0.5, 1.5) * PAUSE_S * 2 ** min(6, self._undone - self._left))
        return True
