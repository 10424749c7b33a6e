"""Foreground and background: what nobody waits for lets what somebody waits for pass."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

QUIET_S = 0.03
"""The time without an answer on its way after which the background goes on: an agent that calls again does it sooner,
or much later."""
LONGEST_S = 1.0
"""The longest that one step of work in the background is put off."""


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
