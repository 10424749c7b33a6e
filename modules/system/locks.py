"""Locks on open files, which end with their process whatever becomes of it."""

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import ctypes
    import msvcrt

    _AT_ONCE, _ALONE = 1, 2
    _HELD_BY_ANOTHER = 33
    _FAR = 0x7FFF_0000
    """The upper half of the place of the locked byte, far behind any content: nobody can read a locked one."""

    class _Overlapped(ctypes.Structure):
        _fields_ = [
            ("internal", ctypes.c_size_t),
            ("internal_high", ctypes.c_size_t),
            ("offset", ctypes.c_uint32),
            ("offset_high", ctypes.c_uint32),
            ("event", ctypes.c_void_p),
        ]

    def hold(descriptor: int, *, alone: bool) -> None:
        """Lock an open file until it is closed, alone or with others, without waiting.

        Raises BlockingIOError while somebody else's lock stands against it, OSError where there are no locks.
        """
        file = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        place = _Overlapped(0, 0, 0, _FAR, None)
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        if not kernel.LockFileEx(file, _AT_ONCE | (_ALONE if alone else 0), 0, 1, 0, ctypes.byref(place)):
            code = ctypes.get_last_error()
            if code == _HELD_BY_ANOTHER:
                raise BlockingIOError("somebody else holds the lock")
            raise ctypes.WinError(code)

else:
    import fcntl

    def hold(descriptor: int, *, alone: bool) -> None:
        """Lock an open file until it is closed, alone or with others, without waiting.

        Raises BlockingIOError while somebody else's lock stands against it, OSError where there are no locks.
        """
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)


def is_held(descriptor: int) -> bool:
    """Return whether somebody holds the lock of an open file alone; it is ours, shared, if nobody does."""
    try:
        hold(descriptor, alone=False)
    except BlockingIOError:
        return True
    return False


def is_held_at(path: Path) -> bool:
    """Return whether somebody holds the lock of a file alone, without creating it, or keeping anybody out for long."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return is_held(descriptor)
    finally:
        os.close(descriptor)
