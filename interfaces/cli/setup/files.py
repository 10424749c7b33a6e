"""Reading and replacing other programs' files: whole or not at all, with their mode, following links."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ....modules.records import dataclass
from ....modules.system import users
from ....modules.system.files import set_mode
from .documents import Unreadable

LARGEST_BYTES = 64 * 2**20
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class File:
    """A file as it was read: `path` has no links, `data` is None where there is no file yet."""

    path: Path
    data: bytes | None
    mode: int

    @property
    def text(self) -> str:
        """Its text, without a byte order mark. Raises Unreadable."""
        try:
            return (self.data or b"").removeprefix(_BOM).decode()
        except UnicodeDecodeError as error:
            raise Unreadable("it is not UTF-8 text") from error

    def encoded(self, text: str) -> bytes:
        """Return a new text for it as bytes, with its byte order mark if it has one."""
        return (_BOM if (self.data or b"").startswith(_BOM) else b"") + text.encode()


def read(path: Path, *, new_mode: int = 0o600) -> File:
    """Read a file that may not exist. Raises Unreadable where it is not one to be edited."""
    real = Path(os.path.realpath(path))
    try:
        status = real.stat()
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("it is not a regular file")
        if not users.owns(status):
            raise Unreadable("it belongs to another user")
        if status.st_size > LARGEST_BYTES:
            raise Unreadable("it is too large")
        return File(real, real.read_bytes(), stat.S_IMODE(status.st_mode))
    except (FileNotFoundError, NotADirectoryError):
        if real.is_symlink():
            raise Unreadable("it is a circular link") from None
        return File(real, None, new_mode)
    except OSError as error:
        raise Unreadable(f"it cannot be read ({error.strerror})") from error


def replace(file: File, data: bytes) -> list[Path]:
    """Write new content where `file` was read; return the folders that were created, outermost first.

    Raises Unreadable when it has changed since, or cannot be written.
    """
    if read(file.path, new_mode=file.mode) != file:
        raise Unreadable("it has just been changed by someone else; run this again")
    try:
        made = _make_folders(file.path.parent, 0o700 if file.mode == 0o600 else 0o755)
        _write(file.path, data, file.mode)
    except OSError as error:
        raise Unreadable(f"it cannot be written ({error.strerror})") from error
    return made


def remove(file: File, folders: Sequence[Path]) -> None:
    """Remove a file that setup had created, then of `folders`, innermost first, the empty ones. Raises Unreadable."""
    if read(file.path, new_mode=file.mode) != file:
        raise Unreadable("it has just been changed by someone else; run this again")
    try:
        file.path.unlink(missing_ok=True)
    except OSError as error:
        raise Unreadable(f"it cannot be removed ({error.strerror})") from error
    with contextlib.suppress(OSError):  # the first that is not empty ends it
        for folder in folders:
            folder.rmdir()


def write_private(path: Path, data: bytes) -> None:
    """Write a file of our own: 0600, in folders 0700."""
    _make_folders(path.parent, 0o700)
    _write(path, data, 0o600)


def _make_folders(folder: Path, mode: int) -> list[Path]:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(mode=mode)
    return missing[::-1]


def _write(path: Path, data: bytes, mode: int) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            set_mode(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
