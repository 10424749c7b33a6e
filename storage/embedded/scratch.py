"""A folder for one piece of work within the home, which no crash leaves there for good."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "import-"


@contextmanager
def scratch(home: Path) -> Iterator[Path]:
    """A new private folder, removed at the end; those that killed processes left go too. Blocks."""
    remove_left_over(home)
    folder, descriptor = _locked(home)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def remove_left_over(home: Path) -> None:
    """Remove the folders of processes that were killed: they may hold secrets that nobody has taken out yet. Blocks."""
    for folder in home.glob(f"{PREFIX}*"):
        if folder.is_symlink() or not folder.is_dir():
            continue
        try:
            descriptor = _lock(folder)
        except OSError:  # somebody is at work there, or it is gone
            continue
        if descriptor is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)


def _locked(home: Path) -> tuple[Path, int | None]:
    """A folder that is this process' by a lock, which ends with it; and the lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        try:
            descriptor = _lock(folder)
        except (BlockingIOError, FileNotFoundError):  # another process took it for a left-over one
            continue
        except OSError:  # a file system without locks: nobody can take it for one
            return folder, None
        if descriptor is None or folder.exists():
            return folder, descriptor
        os.close(descriptor)


def _lock(folder: Path) -> int | None:
    """The lock on a folder; None where folders cannot be locked (Windows). Raises OSError."""
    if sys.platform == "win32":
        return None
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
