"""Leaving in time: a process that was asked to end does, whatever it is waiting for."""

import os
import threading


def leave_within(seconds: float, code: int = 0) -> None:
    """End the process after `seconds` at the latest, for a caller that is about to close everything.

    What was acknowledged is on disk by then; a lock, a full pipe or a loading model must not hold up the exit.
    """
    watchdog = threading.Timer(seconds, os._exit, (code,))
    watchdog.daemon = True
    watchdog.start()
