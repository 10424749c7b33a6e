"""Writes files and creates folders that only their owner can read."""

import os
import tempfile
from pathlib import Path
from typing import BinaryIO

from ...modules.system.files import AS_BYTES


def write_private(path: Path, data: bytes) -> None:
    """Replace `path` with `data` atomically: the file is 0600, folders that it creates are 0700.

    Raises OSError when the folder cannot be written.
    """
    make_private_folder(path.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp makes it 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def open_private(path: Path) -> BinaryIO:
    """Open a file to continue writing in it; a new one is 0600. Raises OSError."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | AS_BYTES, 0o600), "r+b")


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents 0700; `mkdir(parents=True)` leaves parents readable by all."""
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
