"""Ends a daemon whose event loop hangs: its sessions then find another one instead of waiting for ever."""

import asyncio
import faulthandler
import logging
import os
import threading
from collections.abc import Callable
from typing import TextIO

PATIENCE_S = 60.0
LOOKS = 6

log = logging.getLogger(__name__)


class LoopWatchdog:
    """Watches the running event loop from a thread; `end` is called once it has hung for `patience_s`."""

    def __init__(self, patience_s: float = PATIENCE_S, end: Callable[[], None] = lambda: os._exit(1)) -> None:
        self._look_s = patience_s / LOOKS
        self._end = end
        self._turned = threading.Event()
        self._stopped = threading.Event()

    def start(self, traces: TextIO | None = None) -> None:
        """Begin to watch; a traceback of every thread goes to `traces` before the end."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._watch, args=(loop, traces), daemon=True, name="watchdog").start()

    def stop(self) -> None:
        """Stop watching."""
        self._stopped.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, traces: TextIO | None) -> None:
        missed = 0
        self._turned.set()
        # Looks are counted, not time: a suspended machine is not a hung loop.
        while not self._stopped.wait(self._look_s):
            missed = 0 if self._turned.is_set() else missed + 1
            if missed > LOOKS:
                log.critical("the event loop has stood still for %.0f s: ending", missed * self._look_s)
                if traces is not None:
                    faulthandler.dump_traceback(traces)
                self._end()
                return
            if missed == 0:
                self._turned.clear()
                try:
                    loop.call_soon_threadsafe(self._turned.set)
                except RuntimeError:  # the loop is closed: the process is about to end
                    return
