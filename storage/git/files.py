"""A repository found by reading git's files, without running git: its folders, HEAD's commit, any missing objects."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...modules import foreign_files
from ...modules.records import dataclass
from ...modules.system.files import as_kept
from .settings import Setting, settings_of

MAX_FILE_BYTES = 256 * 1024
MAX_REFS_BYTES = 64 * 1024 * 1024
MAX_PACKS = 100_000
MAX_HOPS = 5
"""The most symbolic refs to follow, one to the next."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs/(?!.*\.\.)[^\x00-\x20\x7f~^:?*\[\\]+")


class UnreadableHistory(Exception):
    """A repository's history cannot be read, or must not be; the message says why and what to do."""


class PartialClone(UnreadableHistory):
    """The repository lacks objects, which would have to be fetched."""


class DubiousOwnership(UnreadableHistory):
    """The repository belongs to another user."""


@dataclass(frozen=True)
class Repository:
    """A working tree's top (or the bare repository itself), its git folder, and the one that its worktrees share."""

    top: Path
    git_dir: Path
    common_dir: Path


def find(folder: Path) -> Repository | None:
    """Return the repository that a folder is in; None where it is in none, or where it cannot be read."""
    place = as_kept(folder)
    for top in (place, *place.parents):
        try:
            git_dir = _git_dir(top / ".git")
        except (OSError, ValueError):
            continue
        if git_dir is not None:
            return Repository(top, git_dir, _common_dir(git_dir))
    return None


def bare(folder: Path) -> Repository | None:
    """Return the bare repository at a folder; None where the folder is none, even if it lies inside one."""
    place = as_kept(folder)
    is_one = all((place / name).exists() for name in ("HEAD", "objects", "refs"))
    return Repository(place, place, _common_dir(place)) if is_one else None


def head_of(repository: Repository) -> str | None:
    """Return the commit that HEAD leads to; None before the first commit. Raises UnreadableHistory."""
    try:
        value = text(repository.git_dir / "HEAD")
    except OSError as error:
        raise UnreadableHistory(f"its HEAD cannot be read: {error.strerror or error}") from error
    for _ in range(MAX_HOPS):
        if _COMMIT.fullmatch(value := value.strip()):
            return value
        kind, _, name = value.partition(":")
        if kind != "ref" or not _REF.fullmatch(name := name.strip()):
            raise UnreadableHistory("its HEAD is neither a commit nor a branch")
        if name == "refs/heads/.invalid":
            raise UnreadableHistory("it stores its branches as a reftable, which is not supported yet")
        if (found := _ref(repository.common_dir, name)) is None:
            return None
        value = found
    raise UnreadableHistory("its HEAD is a chain of branches")


def shallow_of(repository: Repository) -> bytes:
    """Return git's list of the commits where the history is cut off; empty if it is whole. Raises UnreadableHistory."""
    return _read_all(repository.common_dir / "shallow")


def is_partial(repository: Repository) -> bool:
    """Return whether objects may be missing that a remote has promised."""
    pack_folder = repository.common_dir / "objects" / "pack"
    try:
        with os.scandir(pack_folder) as packs:
            if any(pack.name.endswith(".promisor") for pack in islice(packs, MAX_PACKS)):
                return True
    except OSError:
        pass  # without packs, by its settings alone
    files = (repository.common_dir / "config", repository.git_dir / "config.worktree")
    return any(_promises(setting) for file in files for setting in settings(file))


def settings(file: Path) -> Iterator[Setting]:
    """Yield the settings in one of git's files; none where it cannot be read."""
    try:
        content = text(file)
    except OSError:
        return
    yield from settings_of(content)


def text(path: Path) -> str:
    """Return the beginning of a regular file, decoded. Raises OSError for others: a pipe or device could block the
    reader.
    """
    return _content(path, MAX_FILE_BYTES).decode("utf-8", "replace")


def _promises(setting: Setting) -> bool:
    if setting.section == "remote":
        return setting.key == "partialclonefilter" or (setting.key == "promisor" and setting.is_on)
    return (setting.section, setting.key) == ("extensions", "partialclone")


def _git_dir(entry: Path) -> Path | None:
    """Return the folder that `.git` stands for: itself, or what it points to in a worktree or a submodule."""
    if entry.is_dir():
        return entry if (entry / "HEAD").exists() else None
    if not entry.is_file():
        return None
    kind, _, path = text(entry).partition(":")
    if kind.strip() != "gitdir":
        return None
    found = as_kept(entry.parent / path.strip())
    return found if (found / "HEAD").exists() else None


def _common_dir(git_dir: Path) -> Path:
    try:
        return as_kept(git_dir / text(git_dir / "commondir").strip())
    except (OSError, ValueError):
        return git_dir


def _ref(common_dir: Path, name: str) -> str | None:
    try:
        return text(common_dir / name)
    except OSError:
        packed = re.compile(rb"^([0-9a-f]{40,64}) %s$" % re.escape(name.encode()), re.MULTILINE)
        found = packed.search(_read_all(common_dir / "packed-refs"))
        return found[1].decode("ascii") if found else None


def _read_all(path: Path) -> bytes:
    try:
        content = _content(path, MAX_REFS_BYTES + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise UnreadableHistory(f"{path.name} cannot be read: {error.strerror or error}") from error
    if len(content) > MAX_REFS_BYTES:
        raise UnreadableHistory(f"{path.name} is larger than {MAX_REFS_BYTES >> 20} MiB")
    return content


def _content(path: Path, most: int) -> bytes:
    """Return at most `most` bytes of a regular file. Raises OSError."""
    with foreign_files.opened(path) as file:
        return file.read(most)
