"""The life of processes: started apart, ended with what they started, told by signals, and what one takes.

Windows knows no signals between processes: there a process that is ended is ended at once.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from asyncio import AbstractEventLoop

HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""The end of the terminal, with which daemons are told to read their settings again; None where there is none."""
_QUERY, _STILL_ACTIVE = 0x1000, 259


def apart() -> dict[str, Any]:
    """Return the arguments of `subprocess` that start a process which outlives this one and its terminal."""
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_all(process: "subprocess.Popen[bytes]") -> None:
    """End at once a process that was started `apart`, with all that it has started, and wait for its end."""
    if sys.platform == "win32":
        import subprocess

        subprocess.run(("taskkill", "/F", "/T", "/PID", str(process.pid)), capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # all of them have ended
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def lives(pid: int) -> bool:
    """Return whether there is a process of this number on this machine."""
    if sys.platform == "win32":  # where `os.kill` would end it
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(_QUERY, False, pid)
        code = ctypes.c_ulong()
        try:
            return bool(
                handle and kernel.GetExitCodeProcess(handle, ctypes.byref(code)) and code.value == _STILL_ACTIVE
            )
        finally:
            kernel.CloseHandle(handle)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


def at_signal(loop: "AbstractEventLoop", number: int, call: Callable[[], None]) -> None:
    """Call a function on the event loop whenever a signal comes."""
    try:
        loop.add_signal_handler(number, call)
    except NotImplementedError:  # Windows
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(call))


def hold_termination() -> None:
    """Let a request to end wait until `admit_termination`."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})


def admit_termination() -> None:
    """Let a request to end come, one that has waited too."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def resident_bytes() -> int | None:
    """Return the memory of this process, in bytes; None where the system does not tell it cheaply."""
    if sys.platform == "win32":
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def age_s(started_ticks: int) -> float:
    """Return the age of a process in seconds, given its start in ticks since boot, as Linux alone tells it."""
    if sys.platform != "linux":
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started_ticks / os.sysconf("SC_CLK_TCK")
