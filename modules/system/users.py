"""Who runs this process, and whose a file is. Windows keeps others out by the folder's access list, not by modes."""

import os
import stat
import sys

HAS_MODES = sys.platform != "win32"
"""Whether the modes of files say who may read and write them."""


def is_root() -> bool:
    """Return whether this process may do everything."""
    return sys.platform != "win32" and os.geteuid() == 0


def number() -> int:
    """Return the number of this process's user; 0 where users have none."""
    if sys.platform == "win32":
        return 0
    return os.getuid()


def owns(status: os.stat_result) -> bool:
    """Return whether a file is the effective user's; True where that is not said by a number."""
    return sys.platform == "win32" or status.st_uid == os.geteuid()


def owns_or_root_does(status: os.stat_result) -> bool:
    """Return whether a file is this user's or root's."""
    return owns(status) or status.st_uid == 0


def is_closed_to_others(status: os.stat_result) -> bool:
    """Return whether nobody else can have put anything into a folder; True where modes do not say that."""
    if not HAS_MODES:
        return True
    return (owns(status) or is_root()) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def name() -> str:
    """Return the name of this process's user, from the system: the environment can claim anything."""
    if sys.platform == "win32":
        import ctypes

        size = ctypes.c_ulong(257)
        text = ctypes.create_unicode_buffer(size.value)
        return text.value if ctypes.windll.advapi32.GetUserNameW(text, ctypes.byref(size)) else "somebody"
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "somebody"
