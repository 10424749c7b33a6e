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


class Leaving:
    """How a process that closes everything first ends: within LEAVE_WITHIN_S, and once, by one of its threads.

    What was acknowledged is on disk by then; a lock, a full pipe or a loading model must not hold up the exit.
    """

    def __init__(self) -> None:
        self.begins_again = False
        """Whether the process is to start anew then: a restore waits for that."""
        self._is_stopped = False
        self._ending = threading.Lock()
        self._watchdog: threading.Timer | None = None

    def begin(self) -> None:
        """End the process after LEAVE_WITHIN_S at the latest, counted from the first call."""
        if self._watchdog is None:
            self._watchdog = threading.Timer(LEAVE_WITHIN_S, self.end)
            self._watchdog.daemon = True
            self._watchdog.start()

    def stop(self) -> None:
        """Begin to end for good: who asks a process to end wants none that begins again."""
        self._is_stopped = True
        self.begin()

    def end(self) -> NoReturn:
        """End the process now, unless another thread does so already: two would save the same things at once."""
        self._ending.acquire()
        if self.begins_again and not self._is_stopped:
            try:
                os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
            except OSError:  # an update has moved its Python: another thread that ends would wait for this one
                os._exit(1)
        os._exit(0)


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
