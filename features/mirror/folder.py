"""The mirror's folder on disk: Markdown files of people, read without following links, written whole or not at all."""

import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ...modules import foreign_files, private_files
from ...modules.errors import StorageRefused
from ...modules.system.files import composed_name
from .models import Damaged, Stamp
from .names import ENDING

MARKER = ".agentos-mirror.json"
PARTIAL = ".agentos-partial-"
MAX_FILES = 50_000
MAX_DEPTH = 32
BESIDE_THE_TEXT = 64 * 1024
"""How much larger than a memory's text a file may be, in bytes: its front matter."""


class MirrorFolder:
    """The folder that people edit. Names are relative, with `/` between folders."""

    def __init__(self, path: Path, max_content_bytes: int) -> None:
        self._path = path
        self._most = max_content_bytes + BESIDE_THE_TEXT
        self._is_tidy = False

    def prepare(self, owner: str, *, begun: bool) -> None:
        """Create the folder, or check that it is the one that `owner` mirrors. Raises StorageRefused."""
        marker = self._path / MARKER
        try:
            theirs = json.loads(foreign_files.text(marker, 4096, below=self._path))
            found = theirs.get("owner") if isinstance(theirs, dict) else None
        except FileNotFoundError:
            if begun:
                raise StorageRefused(
                    f"{self._path} is missing, or is not the mirrored folder ({MARKER} is gone); restore it, or "
                    "remove mirror/state.json in the home to start over"
                ) from None
            self._claim(marker, owner)
            return
        except (OSError, ValueError) as error:
            raise StorageRefused(f"{marker} cannot be read: {error}") from error
        if found != owner:
            raise StorageRefused(f"{self._path} is the mirror of another home; remove {marker} if that one is gone")

    def _claim(self, marker: Path, owner: str) -> None:
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with private_files.appearing(marker) as file:
                file.write(json.dumps({"owner": owner}).encode())
        except OSError as error:
            raise StorageRefused(f"{self._path} cannot be a mirror: {error.strerror or error}") from error

    def listing(self) -> Mapping[str, Stamp]:
        """Return the Markdown files by name, hidden ones and links left out, and folders that are called like files.

        Raises StorageRefused for too many.
        """
        found: dict[str, Stamp] = {}
        try:
            for name, stamp in self._walk(self._path, "", MAX_DEPTH):
                found[name] = stamp
                if len(found) > MAX_FILES:
                    raise StorageRefused(f"{self._path} has more than {MAX_FILES} Markdown files")
        except OSError as error:
            raise StorageRefused(f"{self._path} cannot be read: {error.strerror or error}") from error
        self._is_tidy = True
        return found

    def _walk(self, folder: Path, prefix: str, depth: int) -> Iterator[tuple[str, Stamp]]:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
        for entry in inside:
            name = os.path.basename(composed_name(entry.path))
            if entry.name.startswith("."):
                if not self._is_tidy and entry.name.startswith(PARTIAL):
                    Path(entry.path).unlink(missing_ok=True)
                continue
            if entry.is_dir(follow_symlinks=False):
                if name.endswith(ENDING) and _is_text(name):
                    yield prefix + name, _stamp(entry.stat(follow_symlinks=False))
                if depth:
                    yield from self._walk(Path(entry.path), f"{prefix}{name}/", depth - 1)
            elif name.endswith(ENDING) and _is_text(name):
                with suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        yield prefix + name, _stamp(status)

    def read(self, name: str) -> tuple[str, Stamp]:
        """Return a file's text and its stamp. Raises Damaged where it is no UTF-8 or too large, OSError."""
        if (self._path / name).is_dir():
            raise Damaged("it is a folder, not a file")
        with foreign_files.opened(self._path / name, below=self._path) as file:
            stamp = _stamp(os.fstat(file.fileno()))
            data = file.read(self._most + 1)
        if len(data) > self._most:
            raise Damaged(f"it is larger than {self._most} bytes")
        try:
            return data.decode("utf-8-sig"), stamp
        except UnicodeDecodeError:
            raise Damaged("it is not UTF-8 text") from None

    def has_place(self, name: str) -> bool:
        """Return whether the folder that a file is to lie in is there, and really lies in this one."""
        place = self._path
        for part in Path(name).parts[:-1]:
            place /= part
            if place.is_symlink() or not place.is_dir():
                return False
        return True

    def write(self, name: str, text: str, expected: Stamp | None) -> Stamp | None:
        """Write a file whole or not at all; None where it is not as `expected` any more. Raises OSError."""
        target = self._target(name)
        partial = target.with_name(f"{PARTIAL}{secrets.token_hex(8)}")
        try:
            with private_files.create(partial) as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
                made = os.fstat(file.fileno())
            if expected is None:
                if not _linked(partial, target):
                    return None
            elif _stamp_of(target) != expected:
                return None
            else:
                os.replace(partial, target)
        finally:
            partial.unlink(missing_ok=True)
        return _as_named(target, made)

    def remove(self, name: str, expected: Stamp) -> bool:
        """Remove a file, unless it is not as `expected` any more; return whether it is gone. Raises OSError."""
        target = self._target(name)
        found = _stamp_of(target)
        if found not in (None, expected):
            return False
        target.unlink(missing_ok=True)
        return True

    def _target(self, name: str) -> Path:
        target = self._path / name
        if not self.has_place(name):
            raise foreign_files.Unfit("its folder has gone, or leads elsewhere", target)
        return target


def _linked(partial: Path, target: Path) -> bool:
    """Give a file its name, unless something has that name already."""
    try:
        os.link(partial, target, follow_symlinks=False)
    except FileExistsError:
        return False
    except (OSError, NotImplementedError):  # a file system without second names
        if os.path.lexists(target):
            return False
        os.rename(partial, target)
    return True


def _as_named(target: Path, made: os.stat_result) -> Stamp:
    """Return the stamp of a file since it has its name, which counts as a change; of another one there, none."""
    with suppress(FileNotFoundError):  # it was removed at this very moment
        found = target.stat(follow_symlinks=False)
        if (found.st_ino, found.st_mtime_ns, found.st_size) == (made.st_ino, made.st_mtime_ns, made.st_size):
            return _stamp(found)
    return _stamp(made)  # what somebody else did just now differs, and is looked at next


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ctime_ns)


def _stamp_of(path: Path) -> Stamp | None:
    try:
        return _stamp(path.stat(follow_symlinks=False))
    except FileNotFoundError:
        return None


def _is_text(name: str) -> bool:
    """Return whether a name can be kept: one that is no valid text is nobody's note."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
