"""A folder's repository, found by reading git's files; git itself is asked for one thing only: the first commit."""

import asyncio
import contextlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ...modules.sessions.models import Checkout
from ...modules.sessions.projects import normalised_remote

ROOT_COMMIT_WITHIN_S = 1.0
MAX_FILE_BYTES = 256 * 1024
MAX_HOPS = 5
"""A clone of a clone on the same machine has the remote that the first one has."""

_SECTION = re.compile(r'\s*\[\s*(\w+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_URL = re.compile(r"\s*url\s*=\s*(.*?)\s*", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone must not go to the network
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SAFELY = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never")


@dataclass(frozen=True)
class _Repository:
    top: Path
    git_dir: Path
    common_dir: Path


class GitCheckouts:
    """Implements `modules.sessions.ports.CheckoutReader`. First commits are remembered: they do not change."""

    def __init__(self) -> None:
        self._root_commits: dict[tuple[str, int], str] = {}

    async def read(self, folder: str) -> Checkout:
        place = Path(folder)
        found = await asyncio.to_thread(_find, place)
        if found is None:
            return Checkout(await asyncio.to_thread(os.path.realpath, place))
        remote = await asyncio.to_thread(_remote, found.common_dir)
        return Checkout(str(found.top), str(found.common_dir), await self._root_commit(found), remote)

    async def _root_commit(self, repository: _Repository) -> str | None:
        try:
            key = (str(repository.common_dir), repository.common_dir.stat().st_ino)
            if (repository.common_dir / "shallow").exists():
                return None  # where its history is cut off is not where it begins
        except OSError:
            return None
        if key not in self._root_commits and (commit := await _ask_for_root_commit(repository)):
            self._root_commits[key] = commit
        return self._root_commits.get(key)


async def _ask_for_root_commit(repository: _Repository) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    asked = await asyncio.create_subprocess_exec(
        git,
        f"--git-dir={repository.git_dir}",
        *_SAFELY,
        *("rev-list", "--max-parents=0", "HEAD"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_ENVIRONMENT,
        cwd="/",
    )
    try:
        async with asyncio.timeout(ROOT_COMMIT_WITHIN_S):
            said, _ = await asked.communicate()
    except TimeoutError:
        return None
    finally:
        if asked.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                asked.kill()
            await asked.wait()
    commits = said.decode("ascii", "replace").split()  # the newest first
    return commits[-1] if asked.returncode == 0 and commits and _COMMIT.fullmatch(commits[-1]) else None


def _find(folder: Path) -> _Repository | None:
    """The repository that a folder is in; None where it is in none, or where it cannot be read."""
    place = Path(os.path.realpath(folder))
    for top in (place, *place.parents):
        try:
            git_dir = _git_dir(top / ".git")
        except (OSError, ValueError):
            continue
        if git_dir is not None:
            return _Repository(top, git_dir, _common_dir(git_dir))
    return None


def _git_dir(entry: Path) -> Path | None:
    """What `.git` stands for: itself, or what it points to in a worktree or a submodule."""
    if entry.is_dir():
        return entry if (entry / "HEAD").exists() else None
    if not entry.is_file():
        return None
    kind, _, path = _text(entry).partition(":")
    if kind.strip() != "gitdir":
        return None
    found = Path(os.path.realpath(entry.parent / path.strip()))
    return found if (found / "HEAD").exists() else None


def _common_dir(git_dir: Path) -> Path:
    try:
        return Path(os.path.realpath(git_dir / _text(git_dir / "commondir").strip()))
    except (OSError, ValueError):
        return git_dir


def _remote(common_dir: Path) -> str | None:
    """The normalised address of `origin`, followed through clones on this machine."""
    for _ in range(MAX_HOPS):
        url = _origin(common_dir)
        if not url:
            return None
        if (remote := normalised_remote(url)) is not None:
            return remote
        path = Path(os.path.realpath(common_dir.parent / url.removeprefix("file://")))
        if (path / "HEAD").is_file():  # a bare repository
            common_dir = path
            continue
        found = _find(path)
        if found is None or found.top != path:
            return None
        common_dir = found.common_dir
    return None


def _origin(common_dir: Path) -> str:
    try:
        lines = _text(common_dir / "config").splitlines()
    except (OSError, ValueError):
        return ""
    section: tuple[str, str | None] = ("", None)
    for line in lines:
        if header := _SECTION.match(line):
            section = (header[1].lower(), header[2])
        elif section == ("remote", "origin") and (given := _URL.fullmatch(line)):
            return given[1].strip('"')
    return ""


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES).decode("utf-8", "replace")
