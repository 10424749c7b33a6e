"""Reads what identifies a folder's project: its repository, the first commit, and the remote that it comes from."""

import asyncio
import os
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ...modules.sessions.models import Checkout
from ...modules.sessions.projects import normalised_remote
from ...modules.system.files import as_kept
from .files import Repository, UnreadableHistory, find, settings
from .history import rev_list

ROOT_COMMIT_WITHIN_S = 1.0
MAX_ROOTS_BYTES = 64 * 1024
MAX_HOPS = 5
"""The most local clones to follow: a clone of a local clone has the remote of the first one."""

MARKERS = ("pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "Makefile", "AGENTS.md", "CLAUDE.md")
"""Files that make a folder outside of git a project."""
KEPT_OUT = ".agentos-ignore"
"""The file that keeps a folder out, with all below it: nothing is recorded of sessions there, and nothing told."""

_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitCheckouts:
    """Implements `modules.sessions.ports.CheckoutReader`. First commits are remembered: they do not change."""

    def __init__(self, kept_out: Sequence[str] = ()) -> None:
        """Keep out the folders of some patterns, with all below them, beside those with the marker file."""
        self._kept_out = [os.path.expanduser(one.strip()).rstrip("/") for one in kept_out if one.strip()]
        self._root_commits: dict[tuple[str, int], str] = {}

    async def read(self, folder: str) -> Checkout:
        return await asyncio.to_thread(self._read, Path(folder))

    def _read(self, folder: Path) -> Checkout:
        found = find(folder)
        top = str(as_kept(folder) if found is None else found.top)
        is_somewhere = top not in (str(as_kept(Path.home())), os.path.abspath(os.sep))
        marked = found is not None or any(os.path.exists(os.path.join(top, name)) for name in MARKERS)
        above = {Path(top), *Path(top).parents, folder, *folder.parents}
        is_kept_out = any(self._keeps_out(one) for one in above)
        if found is None:
            return Checkout(top, is_project=marked and is_somewhere, is_kept_out=is_kept_out)
        identity = (str(found.common_dir), self._root_commit(found), _remote(found.common_dir))
        return Checkout(top, *identity, is_project=is_somewhere, is_kept_out=is_kept_out)

    def _keeps_out(self, folder: Path) -> bool:
        return os.path.exists(folder / KEPT_OUT) or any(fnmatchcase(str(folder), one) for one in self._kept_out)

    def _root_commit(self, repository: Repository) -> str | None:
        try:
            key = (str(repository.common_dir), repository.common_dir.stat().st_ino)
            if (repository.common_dir / "shallow").exists():
                return None  # where its history is cut off is not where it begins
        except OSError:
            return None
        if key not in self._root_commits and (commit := _first_commit(repository)):
            self._root_commits[key] = commit
        return self._root_commits.get(key)


def _first_commit(repository: Repository) -> str | None:
    try:
        output = rev_list(repository, "--max-parents=0", within_s=ROOT_COMMIT_WITHIN_S, most_bytes=MAX_ROOTS_BYTES)
    except UnreadableHistory:
        return None  # a project is known by less, too
    commits = output.split()  # the newest first
    return commits[-1].decode("ascii") if commits and _COMMIT.fullmatch(commits[-1]) else None


def _remote(common_dir: Path) -> str | None:
    """Return the normalised address of `origin`, followed through clones on this machine; None where there is none."""
    for _ in range(MAX_HOPS):
        url = _origin(common_dir)
        if not url:
            return None
        if (remote := normalised_remote(url)) is not None:
            return remote
        path = as_kept(common_dir.parent / url.removeprefix("file://"))
        if (path / "HEAD").is_file():  # a bare repository
            common_dir = path
            continue
        found = find(path)
        if found is None or found.top != path:
            return None
        common_dir = found.common_dir
    return None


def _origin(common_dir: Path) -> str:
    """Return the first address of `origin`; empty where there is none."""
    named = (
        setting.value
        for setting in settings(common_dir / "config")
        if (setting.section, setting.about, setting.key) == ("remote", "origin", "url")
    )
    return next(named, None) or ""
