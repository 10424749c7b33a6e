"""The folder that something else carries from device to device: files appear in it whole, and for their owner alone."""

import os
import tempfile
from pathlib import Path

from ...modules.errors import InvalidInput, StorageUnavailable

NAME = "agentos-sync"
GROUP, KEYS, DEVICES, CARD, FILES = "group.json", "keys", "devices", "card", "files"
SUFFIX = ".segment"
DIGITS = 10
LONGEST_CARD = 1 << 20


class Folder:
    """The files of one group, below a folder. All calls block; each raises StorageUnavailable."""

    def __init__(self, path: Path) -> None:
        self.path = path / NAME

    def is_there(self) -> bool:
        return (self.path / GROUP).is_file()

    def require(self) -> None:
        """Raise StorageUnavailable where the folder is not there just now, as with a share that is not mounted."""
        if not self.is_there():
            raise StorageUnavailable(f"{self.path} is not there: mount it, or wait until it was carried here")

    def read(self, *names: str, most: int = LONGEST_CARD) -> bytes | None:
        """Return the beginning of a file; None where there is none."""
        try:
            with self.path.joinpath(*names).open("rb") as file:
                return file.read(most)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise _unavailable(error) from error

    def write(self, text: bytes, *names: str) -> None:
        """Write a file: under a passing name first, so that no other device ever sees half of it."""
        path = self.path.joinpath(*names)
        try:
            for folder in (self.path, *reversed(path.parents[: len(names) - 1])):
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
            _sync_folder(path.parent)
        except OSError as error:
            raise _unavailable(error) from error

    def epochs(self) -> list[str]:
        return self._names(KEYS)

    def devices(self) -> list[str]:
        return self._names(DEVICES)

    def numbers(self, device: str) -> list[int]:
        """Return the numbers of a device's segments that are here, in order."""
        return sorted(int(name[:DIGITS]) for name in self._names(DEVICES, device) if _is_segment(name))

    def others(self, device: str) -> list[str]:
        """Return the files beside a device's segments that are none, such as the copies that carriers make."""
        return [one for one in self._names(DEVICES, device) if one not in (CARD, FILES) and not _is_segment(one)]

    def segment(self, device: str, number: int, most: int) -> bytes | None:
        return self.read(DEVICES, device, segment_name(number), most=most)

    def write_segment(self, text: bytes, device: str, number: int) -> None:
        self.write(text, DEVICES, device, segment_name(number))

    def files(self, device: str) -> list[str]:
        """Return the names of the files of memories that a device carries."""
        return self._names(DEVICES, device, FILES)

    def file(self, device: str, name: str, most: int) -> bytes | None:
        return self.read(DEVICES, device, FILES, name, most=most)

    def write_file(self, text: bytes, device: str, name: str) -> None:
        self.write(text, DEVICES, device, FILES, name)

    def remove_file(self, device: str, name: str) -> None:
        try:
            self.path.joinpath(DEVICES, device, FILES, name).unlink(missing_ok=True)
        except OSError as error:
            raise _unavailable(error) from error

    def _names(self, *names: str) -> list[str]:
        try:
            return sorted(one for one in os.listdir(self.path.joinpath(*names)) if not one.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise _unavailable(error) from error


def segment_name(number: int) -> str:
    """Return the name of a device's segment."""
    return f"{number:0{DIGITS}d}{SUFFIX}"


def _is_segment(name: str) -> bool:
    return name.endswith(SUFFIX) and name[:DIGITS].isascii() and name[:DIGITS].isdigit() and len(name) == DIGITS + 8


def usable(path: Path) -> Path:
    """Return a folder that a group can be in. Raises InvalidInput."""
    if not path.is_dir():
        raise InvalidInput("folder", f"{path} is no folder; create it, or mount it first")
    return path.resolve()


def _sync_folder(path: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unavailable(error: OSError) -> StorageUnavailable:
    return StorageUnavailable(f"{error.filename or 'the folder of sync'}: {error.strerror or error}")
