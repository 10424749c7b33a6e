"""Repositories that would run a program, hang or flood whoever reads them: real git, built of plain files."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentos.modules.errors import InvalidInput
from agentos.storage.git.checkouts import GitCheckouts
from agentos.storage.imports import git_history
from agentos.storage.imports.formats import FileImports

from .spoiled_repositories import ATTACKS, READ, SIGNATURE, SLOW, Attack, Place, git


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of two commits, the second one signed."""
    top = tmp_path_factory.mktemp("plain") / "shop"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    (top / "cart.py").write_text("total = 1\n")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "Fix the cart\n\nCents.")
    (top / "cart.py").write_text("total = 2\n")
    git(top, "commit", "-q", "-a", "-m", "Add taxes")
    signed = git(top, "cat-file", "commit", "HEAD").replace("\n\n", SIGNATURE, 1) + "\n"
    git(top, "update-ref", "refs/heads/main", git(top, "hash-object", "-w", "-t", "commit", "--stdin", stdin=signed))
    return top


@pytest.fixture
def place(plain: Path, tmp_path: Path) -> Place:
    program, trace = tmp_path / "program", tmp_path / "it-ran"
    program.write_text(f"#!/bin/sh\ntouch '{trace}'\ncat >/dev/null\n")
    program.chmod(0o700)
    return Place(Path(shutil.copytree(plain, tmp_path / "shop")), program, trace)


def imported(path: Path) -> str:
    """What an import of a repository tells, or why it is refused."""
    try:
        _, entries = FileImports().entries(path, "git")
    except InvalidInput as error:
        return "refused: " + str(error).removeprefix(f"file: {path}: ")
    return "told: " + " | ".join(entry.content for entry in entries)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
async def test_a_repository_runs_nothing_and_is_told_or_refused(
    place: Place, attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    if attack.now == SLOW:
        monkeypatch.setattr(git_history, "WITHIN_S", 0.3)
    attack.spoil(place)
    assert imported(place.top).startswith(attack.now) and not place.has_run()
    checkout = await GitCheckouts().read(str(place.top))
    assert checkout.folder == str(place.top) and not place.has_run()
    assert (checkout.root_commit is None) == (attack.now != READ)


def test_nothing_of_the_environment_or_of_the_user_reaches_git(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Was: nothing told, for GIT_DIR; and GIT_TRACE wrote the trace."""
    program, trace = str(place.program), str(place.trace)
    home = place.top.parent / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f"[core]\n\tpager = {program}\n[trace2]\n\tnormalTarget = {trace}\n")
    given = dict.fromkeys(("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EDITOR"), program)
    given |= dict.fromkeys(("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE_SETUP", "GIT_TRACE2_EVENT"), trace)
    given |= dict.fromkeys(("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE", "GIT_EXEC_PATH"), str(home))
    given |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "alias.rev-list", "GIT_CONFIG_VALUE_0": f"!{program}"}
    for name, value in {**given, "HOME": str(home)}.items():
        monkeypatch.setenv(name, value)
    assert imported(place.top) == READ and not place.has_run()


def test_git_is_never_taken_from_the_repository(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Was: the repository's own git ran."""
    (place.top / "bin").mkdir()
    for folder in (place.top, place.top / "bin"):
        shutil.copy(place.program, folder / "git")
    monkeypatch.chdir(place.top)
    theirs = os.pathsep.join(("", ".", "bin", str(place.top / "bin"), "/proc/self/cwd", "/proc/self/cwd/bin"))
    monkeypatch.setenv("PATH", f"{theirs}{os.pathsep}{os.environ['PATH']}")
    assert imported(place.top) == READ
    monkeypatch.setenv("PATH", theirs)
    assert imported(place.top).startswith("refused: git is not installed") and not place.has_run()


async def test_a_repository_of_another_user_is_read_where_git_was_told_to_trust_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)  # to give it to somebody takes root

    def trusting(*folders: str) -> str:
        lines = "".join(f"\tdirectory = {folder}\n" for folder in folders)
        (tmp_path / ".gitconfig").write_text(f"[safe]\n{lines}")
        return imported(place.top)

    refused = f"refused: {place.top} belongs to another user; if you trust it, say so to git: git config --global "
    place.configure("[safe]\n\tdirectory = *\n")
    assert trusting().startswith(refused)
    assert trusting(str(tmp_path / "other")).startswith(refused)
    assert trusting(str(place.top), "").startswith(refused), "an empty one takes back what stands before"
    assert (await GitCheckouts().read(str(place.top))).root_commit is None
    assert {trusting(str(place.top)), trusting("~/shop"), trusting(f"{tmp_path}/*"), trusting("*")} == {READ}
    assert (await GitCheckouts().read(str(place.top))).root_commit is not None


def test_a_bare_repository_is_read_where_it_is_named_and_never_found_by_what_lies_in_it(place: Place) -> None:
    """Was: a folder in it was enough."""
    place.configure("[core]\n\tbare = true\n\tpager = {program}\n\tfsmonitor = {program}\n")
    inner = place.top / "data"
    place.git.rename(inner)
    assert imported(place.top).startswith("refused: it is not a git repository")
    assert imported(inner / "objects").startswith("refused: it is not a git repository")
    assert imported(inner) == READ and not place.has_run()


BOUNDS = {
    "floods": ("exec cat /dev/zero", "refused: git printed more than 33,554,432 bytes"),
    "complains": ("head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1", "refused: git cannot read its history: xxx"),
    "hangs": ("exec 9>{lives}; echo >&9; sleep 600 & wait", SLOW),
    "leaves": ("exec 9>{lives}; echo >&9; sleep 600 &", SLOW),
}


@pytest.mark.parametrize(("does", "expected"), BOUNDS.values(), ids=BOUNDS)
def test_git_is_killed_with_all_that_it_started_where_it_takes_too_long_or_says_too_much(
    place: Place, does: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives, folder = place.top.parent / "lives", place.top.parent / "bin"
    os.mkfifo(lives)
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{does.format(lives=lives)}\n")
    (folder / "git").chmod(0o700)
    monkeypatch.setenv("PATH", str(folder))
    if expected == SLOW:
        monkeypatch.setattr(git_history, "WITHIN_S", 1.0)
    with open(os.open(lives, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        assert imported(place.top).startswith(expected)
        assert (pipe.read(1) == b"\n") == (expected == SLOW)
        until = time.monotonic() + 10
        while pipe.read(1) is None:  # somebody still holds its other end
            assert time.monotonic() < until, "somebody was left behind"


def detached(top: Path) -> Path:
    git(top, "checkout", "-q", "--detach")
    return top


def packed(top: Path) -> Path:
    git(top, "pack-refs", "--all")
    git(top, "gc", "-q")
    git(top, "commit-graph", "write", "--reachable")
    return top


def branch_with_a_long_name(top: Path) -> Path:
    git(top, "checkout", "-q", "-b", "fix/größe(1)+")
    return top


def worktree(top: Path) -> Path:
    git(top, "worktree", "add", "-q", "../tree")
    return top.parent / "tree"


def clone_that_shares(top: Path) -> Path:
    git(top.parent, "clone", "-q", "--shared", "shop", "copy")
    return top.parent / "copy"


def folder_in_it(top: Path) -> Path:
    (top / "deep" / "er").mkdir(parents=True)
    return top / "deep" / "er"


@pytest.mark.parametrize(
    "made",
    (detached, packed, branch_with_a_long_name, worktree, clone_that_shares, folder_in_it),
    ids=lambda m: m.__name__,
)
async def test_every_other_repository_is_told(place: Place, made: Callable[[Path], Path]) -> None:
    path = made(place.top)
    assert imported(path) == READ
    assert (await GitCheckouts().read(str(path))).root_commit == git(place.top, "rev-parse", "main~")


async def test_of_a_shallow_clone_is_told_what_is_there(place: Place) -> None:
    git(place.top.parent, "clone", "-q", "--depth=1", f"file://{place.top}", "copy")
    assert imported(place.top.parent / "copy") == "told: Add taxes"
    assert (await GitCheckouts().read(str(place.top.parent / "copy"))).root_commit is None


async def test_a_repository_of_longer_hashes_and_one_without_commits_are_told(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    assert imported(tmp_path / "long") == "told: "
    git(tmp_path / "long", "commit", "-q", "--allow-empty", "-m", "First")
    assert imported(tmp_path / "long") == "told: First"
    root = (await GitCheckouts().read(str(tmp_path / "long"))).root_commit
    assert root is not None and len(root) == 64
