"""What systems tell of files and let one do with them, each in its own way."""

import os
import sys
import unicodedata
from pathlib import Path

NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
NO_WAITING: int = getattr(os, "O_NONBLOCK", 0)
CLOSED_IN_CHILDREN: int = getattr(os, "O_CLOEXEC", 0)
NO_TERMINAL: int = getattr(os, "O_NOCTTY", 0)
FOLDER: int = getattr(os, "O_DIRECTORY", 0)
AS_BYTES: int = getattr(os, "O_BINARY", 0)
CAN_LOCK_FOLDERS = sys.platform != "win32"


def as_kept(path: str | os.PathLike[str]) -> Path:
    """Return the one path of what is there, however it was named: links followed, letters composed, case as on disk.

    Some systems find a folder by any case and give names decomposed (NFD): two names of one file compare equal then.
    Blocks.
    """
    return Path(composed_name(_with_case(os.path.realpath(path))))


def composed_name(path: str) -> str:
    """Return a path with its letters composed (NFC), as they are typed, where the system finds it by that as well."""
    composed = path if path.isascii() else unicodedata.normalize("NFC", path)
    return composed if composed == path or os.path.lexists(composed) else path


def _with_case(path: str) -> str:
    """Return a path with the case in which its names were given, where other cases find it too."""
    if sys.platform != "darwin":  # on Windows `realpath` has done so
        return path
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | NO_WAITING)
    except OSError:
        return path
    try:
        kept = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))
    except OSError:
        return path
    finally:
        os.close(descriptor)
    return os.fsdecode(kept.rstrip(b"\0"))


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
