"""Questions about a repository's history, asked of git where none of the repository's own words counts.

Git takes orders from the repository that it stands in: its config names programs, hooks, remotes, filters and further
files of orders. So it stands in an empty one of ours, which lasts for one question; another's objects are lent to it,
and where that one's history is cut off. What HEAD leads to is read before, from files.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .files import DubiousOwnership, PartialClone, Repository, Unreadable, head_of, is_partial, shallow_of
from .runner import ALONE, UNCONFIGURED, program, run

SAFE_WITHIN_S = 5.0
MAX_SAFE_BYTES = 1024 * 1024
_SHA1_DIGITS = 40


def rev_list(repository: Repository, *arguments: str, within_s: float, most_bytes: int) -> bytes:
    """What `git rev-list` says from HEAD on; nothing before the first commit. Blocks.

    Raises DubiousOwnership, PartialClone, and Unreadable where git cannot tell, takes longer or says more.
    """
    git = program((repository.top, repository.git_dir, repository.common_dir))
    if not _is_ours(repository) and not _is_declared_safe(repository, git):
        raise DubiousOwnership(
            f"{repository.top} belongs to another user; if you trust it, say so to git:"
            f" git config --global --add safe.directory '{repository.top}'"
        )
    if is_partial(repository):
        raise PartialClone(
            "it is a partial clone: what it lacks would have to be fetched; clone it whole, without --filter"
        )
    commit = head_of(repository)
    if commit is None:
        return b""
    with _lent(repository, commit) as (folder, environment):
        answer = run(
            git,
            ("rev-list", *arguments, commit, "--"),
            environment,
            folder=folder,
            within_s=within_s,
            most_bytes=most_bytes,
        )
    if answer.code:
        raise Unreadable(f"git cannot tell its history: {answer.complaint.strip()[:200] or f'code {answer.code}'}")
    return answer.said


@contextlib.contextmanager
def _lent(repository: Repository, commit: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """An empty repository of ours with the objects of another, and the environment in which git stands in it."""
    cut_off = shallow_of(repository)
    with contextlib.ExitStack() as kept:
        try:
            folder = Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="agentos-git-")))
            (folder / "refs").mkdir()
            (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
            (folder / "config").write_text(_config(commit), encoding="ascii")
            if cut_off:
                (folder / "shallow").write_bytes(cut_off)
        except OSError as error:
            raise Unreadable(f"git has no place to stand: {error.strerror or error}") from error
        yield (
            folder,
            {
                **UNCONFIGURED,
                "GIT_DIR": str(folder),
                "GIT_OBJECT_DIRECTORY": str(repository.common_dir / "objects"),
            },
        )


def _config(commit: str) -> str:
    is_sha256 = len(commit) > _SHA1_DIGITS
    extensions = "[extensions]\n\tobjectformat = sha256\n" if is_sha256 else ""
    return f"[core]\n\trepositoryformatversion = {int(is_sha256)}\n\tbare = true\n{extensions}"


def _is_ours(repository: Repository) -> bool:
    """Whether all of it belongs to whoever runs this, as git asks before it reads a repository."""
    if os.name != "posix":
        return True
    user = os.geteuid()
    try:
        owners = {os.stat(place).st_uid for place in (repository.top, repository.git_dir)}
        entry = repository.top / ".git"
        owners |= {os.lstat(entry).st_uid} if os.path.lexists(entry) else set()
    except OSError as error:
        raise Unreadable(f"its owner cannot be told: {error.strerror or error}") from error
    return owners == {user}


def _is_declared_safe(repository: Repository, git: str) -> bool:
    """Whether the user has told git that this folder is to be trusted: the one setting of theirs that is asked for."""
    answer = run(
        git,
        ("config", "--null", "--type=path", "--get-all", "safe.directory"),
        {**ALONE, "GIT_DIR": os.devnull, "HOME": os.path.expanduser("~")},
        folder=Path(os.path.abspath(os.sep)),
        within_s=SAFE_WITHIN_S,
        most_bytes=MAX_SAFE_BYTES,
    )
    top = os.fsencode(repository.top)
    is_safe = False
    for named in answer.said.split(b"\0")[:-1]:
        if not named:
            is_safe = False  # what was named before does not count
        elif named == b"*" or named.rstrip(b"/") == top or (named.endswith(b"/*") and top.startswith(named[:-1])):
            is_safe = True
    return is_safe
