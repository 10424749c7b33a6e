"""Leaving in time: a process that was asked to end does, whatever it is waiting for."""

import contextlib
import os
import signal
import sys
import threading
from typing import NoReturn

from ..modules.system.processes import HANGUP

LEAVE_WITHIN_S = 2.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def leave_at_once_on_signals(code: int = 0) -> None:
    """End the process on a signal, until its event loop takes the signals over: there is nothing to close yet."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: os._exit(code))


def stay_on_hangup() -> None:
    """Let no closed terminal end the process; what wants to hear of it says so later."""
    if HANGUP is not None:
        signal.signal(HANGUP, signal.SIG_IGN)


def leave_in_time() -> None:
    """End the process after LEAVE_WITHIN_S at the latest, for a caller that is about to close everything.

    What was acknowledged is on disk by then; a lock, a full pipe or a loading model must not hold up the exit.
    """
    watchdog = threading.Timer(LEAVE_WITHIN_S, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()


def leave(code: int) -> NoReturn:
    """End the process with a code, after everything is closed.

    Where a model is still at work in its thread, the interpreter is not taken down: that would abort the process.
    """
    others = [thread for thread in threading.enumerate() if thread.daemon and thread is not threading.current_thread()]
    if others:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, OSError, ValueError):  # closed, or nobody reads it
                stream.flush()
        os._exit(code)
    sys.exit(code)
