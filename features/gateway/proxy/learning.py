"""Learn in the background: exchanges wait in a queue until the daemon has stored them."""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from .rules import Daemon

LEARN_WITHIN_S = 130.0
MOST_WAITING = 1_000
MOST_TRIES = 20
AGAIN_AFTER_S = 3.0
DOUBT_S = 30.0
"""How long a doubtful exchange waits for what shows that it is none."""

HOLD, WITHDRAW = "hold", "withdraw"

MakeRequest = Callable[[], dict[str, Any]]
"""Makes what is told to the daemon, the same whenever it is called; it may take a while: beside the event loop."""

log = logging.getLogger(__name__)


class Learning:
    """The exchanges that the daemon has yet to take, in order; the oldest go where too many wait, and are counted."""

    def __init__(self, daemon: Daemon, again_after_s: float = AGAIN_AFTER_S, doubt_s: float = DOUBT_S) -> None:
        self._daemon = daemon
        self._again_after_s = again_after_s
        self._doubt_s = doubt_s
        self._doubtful: deque[tuple[float, MakeRequest, Callable[[], bool]]] = deque()
        self._waiting: deque[MakeRequest] = deque()
        self._came = asyncio.Event()
        self._taken = asyncio.Event()
        self.lost = 0

    @property
    def waiting(self) -> int:
        """The number of exchanges that the daemon has yet to take."""
        return len(self._waiting)

    def put(self, make_request: MakeRequest, unless: Callable[[], bool] | None = None) -> None:
        """Let something wait for the daemon, which holds what is doubtful: it is withdrawn if `unless` comes true."""
        if unless is None:
            self._withdraw()  # else the daemon takes what follows for a sign that a person said it
            self._wait(make_request)
            return
        self._wait(lambda: {**make_request(), "what": HOLD})
        self._doubtful.append((time.monotonic() + self._doubt_s, make_request, unless))
        if len(self._doubtful) > MOST_WAITING:
            self._decide(self._doubtful.popleft())

    def _withdraw(self) -> None:
        """Have withdrawn what has shown to be a client's own by now."""
        doubtful, self._doubtful = self._doubtful, deque()
        for one in doubtful:
            if one[2]():
                self._decide(one)
            else:
                self._doubtful.append(one)

    def _wait(self, make_request: MakeRequest) -> None:
        self._waiting.append(make_request)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
            self._lose("too many wait for the daemon")
        self._came.set()

    async def run(self) -> None:
        """Hand over what waits, one after the other, until cancelled."""
        tries = 0
        made: dict[str, Any] | None = None
        while True:
            self._came.clear()
            while self._doubtful and self._doubtful[0][0] <= time.monotonic():
                self._decide(self._doubtful.popleft())
            if not self._waiting:
                pause_s = max(0.0, self._doubtful[0][0] - time.monotonic()) if self._doubtful else None
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._came.wait(), pause_s)
                continue
            make_request = self._waiting[0]
            if made is None:
                made = await asyncio.to_thread(make_request)
            if await self._daemon.ask(made, LEARN_WITHIN_S) is None and (tries := tries + 1) < MOST_TRIES:
                await asyncio.sleep(self._again_after_s)
                continue
            if tries >= MOST_TRIES:
                self._lose(self._daemon.problem)
            tries, made = 0, None
            if self._waiting and self._waiting[0] is make_request:
                self._waiting.popleft()
            self._taken.set()

    async def emptied(self) -> None:
        """Return once the daemon has taken everything, while `run` goes on."""
        while self._doubtful:
            self._decide(self._doubtful.popleft())
        while self._waiting:
            self._taken.clear()
            await self._taken.wait()

    def _decide(self, doubtful: tuple[float, MakeRequest, Callable[[], bool]]) -> None:
        _, make_request, unless = doubtful
        self._wait((lambda: {**make_request(), "what": WITHDRAW}) if unless() else make_request)

    def _lose(self, why: str) -> None:
        self.lost += 1
        log.error("an exchange is not kept: %s", why)
