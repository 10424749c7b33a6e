"""Writes a file that only its owner can read, whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_private(path: Path, data: bytes) -> None:
    """Replace `path` with `data` atomically: file 0600, folders that had to be made 0700.

    Raises OSError when the folder cannot be written.
    """
    _make_private(path.parent)
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


def _make_private(folder: Path) -> None:
    """Make a folder and its missing parents 0700; `mkdir(parents=True)` leaves parents readable by all."""
    if folder.is_dir():
        return
    _make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
