"""What systems tell of files and let one do with them, each in its own way."""

import os
import sys
from pathlib import Path

NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)
CLOSED_IN_CHILDREN: int = getattr(os, "O_CLOEXEC", 0)
NO_TERMINAL: int = getattr(os, "O_NOCTTY", 0)
FOLDER: int = getattr(os, "O_DIRECTORY", 0)
AS_BYTES: int = getattr(os, "O_BINARY", 0)
CAN_LOCK_FOLDERS = sys.platform != "win32"


def read_at(descriptor: int, most: int, offset: int) -> bytes:
    """Return at most so many bytes of an open file from an offset on. Raises OSError."""
    if sys.platform == "win32":
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, most)
    return os.pread(descriptor, most, offset)


def write_at(descriptor: int, content: bytes, offset: int) -> None:
    """Write into an open file from an offset on. Raises OSError."""
    if sys.platform == "win32":
        os.lseek(descriptor, offset, os.SEEK_SET)
        os.write(descriptor, content)
    else:
        os.pwrite(descriptor, content, offset)


def set_mode(descriptor: int, mode: int) -> None:
    """Set the rights of an open file, where files have such. Raises OSError."""
    if sys.platform != "win32":
        os.fchmod(descriptor, mode)


def is_on_read_only_system(path: Path) -> bool:
    """Return whether the file system that holds a file takes no writes."""
    return sys.platform != "win32" and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def mount_table() -> str | None:
    """Return the kernel's table of mounted file systems; None where it tells none. Blocks."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
