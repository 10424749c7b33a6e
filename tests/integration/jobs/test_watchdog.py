"""The daemon's watchdog: a loop that stands still is ended."""

import threading
import time

from agentos.daemon_pkg.watchdog import LoopWatchdog


async def test_a_loop_that_stands_still_is_ended() -> None:
    ended = threading.Event()
    LoopWatchdog(patience_s=0.12, end=ended.set).start()
    give_up = time.monotonic() + 60
    while not ended.is_set() and time.monotonic() < give_up:
        time.sleep(0.01)  # it is the loop that must not turn
    assert ended.is_set()
