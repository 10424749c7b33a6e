"""Questions about a repository's history, asked of git so that nothing in the repository itself takes effect.

Git obeys the repository that it runs in: its config names programs, hooks, remotes, filters and further config files.
So it runs in an empty repository of ours, which lasts for one question; that one borrows the other's objects, and its
list of the commits where the history is cut off (`shallow`). The commit that HEAD leads to is read before, from files.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ...modules.system import users
from .files import DubiousOwnership, PartialClone, Repository, UnreadableHistory, head_of, is_partial, shallow_of
from .runner import ALONE, UNCONFIGURED, program, run

SAFE_WITHIN_S = 5.0
MAX_SAFE_BYTES = 1024 * 1024
_SHA1_DIGITS = 40


def rev_list(repository: Repository, *arguments: str, within_s: float, most_bytes: int) -> bytes:
    """Return what `git rev-list` prints from HEAD on; nothing before the first commit. Blocks.

    Raises DubiousOwnership, PartialClone, and UnreadableHistory where git fails, takes or prints more than allowed.
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
        raise UnreadableHistory(
            f"git cannot read its history: {answer.complaint.strip()[:200] or f'code {answer.code}'}"
        )
    return answer.output


@contextlib.contextmanager
def _lent(repository: Repository, commit: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield an empty repository that borrows another's objects, and the environment to run git in it.

    Raises UnreadableHistory if it cannot be created.
    """
    cut_off = shallow_of(repository)
    with contextlib.ExitStack() as stack:
        try:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agentos-git-")))
            (folder / "refs").mkdir()
            (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
            (folder / "config").write_text(_config(commit), encoding="ascii")
            if cut_off:
                (folder / "shallow").write_bytes(cut_off)
        except OSError as error:
            raise UnreadableHistory(f"git has no folder to run in: {error.strerror or error}") from error
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
    """Return whether the repository belongs to the user running this, by git's own test. Raises UnreadableHistory."""
    entry = repository.top / ".git"
    try:
        found = [os.stat(place) for place in (repository.top, repository.git_dir)]
        found += [os.lstat(entry)] if os.path.lexists(entry) else []
    except OSError as error:
        raise UnreadableHistory(f"its owner cannot be determined: {error.strerror or error}") from error
    return all(map(users.owns, found))


def _is_declared_safe(repository: Repository, git: str) -> bool:
    """Return whether the user's `safe.directory` trusts this folder; no other setting of theirs is asked for."""
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
    for named in answer.output.split(b"\0")[:-1]:
        if not named:
            is_safe = False  # an empty value resets the list
        elif named == b"*" or named.rstrip(b"/") == top or (named.endswith(b"/*") and top.startswith(named[:-1])):
            is_safe = True
    return is_safe
