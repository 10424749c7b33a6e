"""A temporary folder within the home for one piece of work, which no crash leaves behind for good."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...modules.system import files, locks
from ..embedding.private_file import make_private_folder

PREFIX = "import-"


@contextmanager
def scratch(home: Path) -> Iterator[Path]:
    """Yield a new private folder and remove it at the end; first remove those of killed processes. Blocks."""
    make_private_folder(home)  # beside PostgreSQL nothing else may have needed it yet
    remove_left_over(home)
    folder, descriptor = _locked(home)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def remove_left_over(home: Path) -> None:
    """Remove the folders of killed processes: they may hold secrets that nobody has redacted yet. Blocks."""
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
    """Return a new folder, locked for this process as long as it lives, and the lock; None without locks."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        try:
            descriptor = _lock(folder)
        except (BlockingIOError, FileNotFoundError):  # another process took it for a left-over one
            continue
        except OSError:  # a file system without locks: nobody can take the folder for a left-over one
            return folder, None
        if descriptor is None or folder.exists():
            return folder, descriptor
        os.close(descriptor)


def _lock(folder: Path) -> int | None:
    """Lock a folder and return the descriptor; None where folders cannot be locked (Windows). Raises OSError."""
    if not files.CAN_LOCK_FOLDERS:
        return None
    descriptor = os.open(folder, os.O_RDONLY | files.FOLDER | files.NO_LINK)
    try:
        locks.hold(descriptor, alone=True)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
