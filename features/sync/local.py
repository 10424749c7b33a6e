"""A folder of this machine as what carries: files appear in it whole, and for their owner alone."""

import os
import tempfile
from pathlib import Path

from ...modules.errors import StorageUnavailable
from ...storage.sqlite.folder import sync


class LocalFolder:
    """A folder that something else carries, such as a program that synchronises folders, git, or a share."""

    if_missing = "mount it, or wait until it was carried here"

    def __init__(self, path: Path) -> None:
        self._path = path
        self.place = str(path)

    def read(self, *names: str, most: int) -> bytes | None:
        """Return the beginning of a file; None where there is none."""
        try:
            with self._path.joinpath(*names).open("rb") as file:
                return file.read(most)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise _unavailable(error) from error

    def write(self, text: bytes, *names: str) -> None:
        """Write a file: under a passing name first, so that no other device ever sees half of it."""
        path = self._path.joinpath(*names)
        try:
            for folder in reversed(path.parents[: len(names) - 1]):
                folder.mkdir(exist_ok=True, mode=0o700)
            descriptor, passing = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(passing, path)
            except BaseException:
                Path(passing).unlink(missing_ok=True)
                raise
            sync(path.parent)
        except OSError as error:
            raise _unavailable(error) from error

    def names(self, *names: str) -> list[str]:
        """Return what is in a folder, in order; nothing where there is none."""
        try:
            return sorted(one for one in os.listdir(self._path.joinpath(*names)) if not one.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _unavailable(error) from error

    def remove(self, *names: str) -> None:
        """Remove a file, if it is there."""
        try:
            self._path.joinpath(*names).unlink(missing_ok=True)
        except OSError as error:
            raise _unavailable(error) from error

    def close(self) -> None:
        """Do nothing: nothing is kept open."""


def _unavailable(error: OSError) -> StorageUnavailable:
    return StorageUnavailable(f"{error.filename or 'the folder of sync'}: {error.strerror or error}")
