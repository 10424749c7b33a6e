"""What this server carries for devices that are synced through it: files by the names that sync has, and no others.

All of it is ciphertext. It is no part of the store: no backup holds it, as every device can tell it again.
"""

import hashlib
import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from ...modules.attaching import MOST_BYTES
from ...modules.errors import Conflict, InvalidInput, NotFound, QuotaExceeded, StorageUnavailable
from ...modules.private_files import open_own
from ...modules.records import dataclass
from ...storage.sqlite.folder import sync
from .files import LONGEST_HEAD
from .folder import CARD, DEVICES, FILES, GROUP, KEYS, LONGEST_CARD, NAME, is_segment
from .segments import LONGEST

MOST_FILES, MOST_DEVICES = 200_000, 1_000
_EPOCH = re.compile(r"[0-9]{10}-[0-9a-f]{8}")
_DEVICE = re.compile(r"[0-9a-f]{24}")
_FILE = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class CarriedEntry:
    """A file or folder that is carried, with the bytes of a file."""

    name: str
    is_folder: bool
    size: int


class CarriedFiles:
    """The files that are carried, by namespace and path, in a folder that no other process writes to."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._held: tuple[int, int] | None = None
        """How many files there are, and their bytes, once they were counted."""

    def most(self, path: str) -> int:
        """Return how many bytes the file at a path may have. Raises InvalidInput where no device writes one."""
        most = _most_of(_names_of(path))
        if not most:
            raise InvalidInput("path", "is a folder")
        return most

    def entry(self, namespace: str, path: str) -> CarriedEntry:
        """Return what is at a path. Raises NotFound, InvalidInput, StorageUnavailable."""
        names = _names_of(path)
        is_folder = not _most_of(names)
        at = self._at(namespace, names)
        if is_folder and (not names or at.is_dir()):
            return CarriedEntry(names[-1] if names else "", True, 0)
        if is_folder or not at.is_file():
            raise NotFound("nothing is at this path")
        return CarriedEntry(names[-1], False, at.stat().st_size)

    def entries(self, namespace: str, path: str) -> Sequence[CarriedEntry]:
        """Return what is in the folder at a path. Raises as `entry`."""
        try:
            with os.scandir(self._at(namespace, _names_of(path))) as found:
                listed = [_entry(one) for one in found]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unavailable(error) from error
        return sorted(listed, key=lambda one: one.name)

    def open(self, namespace: str, path: str) -> tuple[BinaryIO, int]:
        """Open a file to be read; return it with its bytes. Raises as `entry`."""
        self.most(path)
        try:
            file = os.fdopen(open_own(self._at(namespace, _names_of(path)), os.O_RDONLY), "rb")
            return file, os.fstat(file.fileno()).st_size
        except FileNotFoundError as error:
            raise NotFound("nothing is at this path") from error
        except OSError as error:
            raise _unavailable(error) from error

    def keep(self, file: Path, namespace: str, path: str) -> None:
        """Move a file that was received to its path, in the place of one that is there.

        Raises Conflict where its folder is missing, QuotaExceeded, InvalidInput, StorageUnavailable.
        """
        at = self._at(namespace, _names_of(path))
        with self._lock:
            count, held = self._held = self._held or self._counted()
            try:
                if not at.parent.is_dir():
                    raise Conflict("its folder is missing: MKCOL makes it")
                size, before = file.stat().st_size, at.stat().st_size if at.exists() else None
                count, held = count + (before is None), held + size - (before or 0)
                if count > MOST_FILES or (held > self._most_bytes and size > (before or 0)):
                    raise QuotaExceeded("this server carries no more: raise its AGENTOS_HTTP_SYNC_MIB")
                self._held = None  # until all is done
                os.replace(file, at)
                sync(at.parent)
            except OSError as error:
                raise _unavailable(error) from error
            self._held = count, held

    def make_folder(self, namespace: str, path: str) -> bool:
        """Make a folder; return whether it is new. Raises QuotaExceeded, Conflict where the one above is missing."""
        names = _names_of(path)
        if _most_of(names):
            raise InvalidInput("path", "is one of a file")
        at = self._at(namespace, names)
        try:
            for folder in [at.parent.parent, at.parent] if len(names) == 1 else []:
                folder.mkdir(mode=0o700, exist_ok=True)
            if at.parent.name == DEVICES and not at.exists() and len(os.listdir(at.parent)) >= MOST_DEVICES:
                raise QuotaExceeded(f"a group has {MOST_DEVICES} devices at most")
            at.mkdir(mode=0o700)
            sync(at.parent)
        except FileExistsError:
            return False
        except FileNotFoundError as error:
            raise Conflict("the folder that it is in is missing: MKCOL makes it") from error
        except OSError as error:
            raise _unavailable(error) from error
        return True

    def remove(self, namespace: str, path: str) -> None:
        """Remove a file. Raises NotFound, InvalidInput, StorageUnavailable."""
        self.most(path)
        at = self._at(namespace, _names_of(path))
        with self._lock:
            (count, held), self._held = self._held or self._counted(), None
            try:
                size = at.lstat().st_size
                at.unlink()
            except FileNotFoundError as error:
                raise NotFound("nothing is at this path") from error
            except OSError as error:
                raise _unavailable(error) from error
            self._held = count - 1, held - size

    def _at(self, namespace: str, names: Sequence[str]) -> Path:
        """Return where a file lies; a namespace is no name of a folder, and some systems know no case of letters."""
        _most_of(names)
        folder = self._folder / hashlib.sha256(namespace.encode()).hexdigest()[:32]
        path = folder.joinpath(*names)
        if os.path.realpath(path) != os.path.join(os.path.realpath(self._folder), folder.name, *names):
            raise StorageUnavailable(f"{path} goes through a link, which is not followed: remove it")
        return path

    def _counted(self) -> tuple[int, int]:
        sizes = [
            os.lstat(os.path.join(folder, one)).st_size for folder, _, names in os.walk(self._folder) for one in names
        ]
        return len(sizes), sum(sizes)


def _entry(found: "os.DirEntry[str]") -> CarriedEntry:
    return CarriedEntry(found.name, found.is_dir(follow_symlinks=False), found.stat(follow_symlinks=False).st_size)


def _names_of(path: str) -> list[str]:
    return path.rstrip("/").split("/") if path.rstrip("/") else []


def _most_of(names: Sequence[str]) -> int:
    """Return how many bytes a file of these names may have, 0 for a folder. Raises InvalidInput for other names."""
    below = [*names[1:]] if names[:1] == [NAME] else None if names else []
    match below:
        case []:
            return 0
        case [name] if name in (KEYS, DEVICES):
            return 0
        case [name] if name == GROUP:
            return LONGEST_CARD
        case [folder, epoch] if folder == KEYS and _EPOCH.fullmatch(epoch):
            return LONGEST_CARD
        case [folder, device, *rest] if folder == DEVICES and _DEVICE.fullmatch(device):
            return _most_of_a_device(rest)
    raise _foreign()


def _most_of_a_device(names: Sequence[str]) -> int:
    match [*names]:
        case []:
            return 0
        case [name] if name == FILES:
            return 0
        case [name] if name == CARD:
            return LONGEST_CARD
        case [name] if is_segment(name):
            return LONGEST
        case [folder, name] if folder == FILES and _FILE.fullmatch(name):
            return MOST_BYTES + 2 * LONGEST_HEAD
    raise _foreign()


def _foreign() -> InvalidInput:
    return InvalidInput("path", "is none that agentos sync writes to")


def _unavailable(error: OSError) -> StorageUnavailable:
    return StorageUnavailable(f"what is carried cannot be kept or read: {error.strerror or error}")
