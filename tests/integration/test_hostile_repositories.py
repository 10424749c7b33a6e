"""Repositories that would run a program, hang or flood whoever reads them: real git, built of plain files.

Beside each stands what an import of it did before the runner of `storage/git` (`was`) and what is right (`now`).
"""

import os
import shutil
import subprocess
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

import pytest

from agentos.modules.errors import InvalidInput
from agentos.storage.git.checkouts import GitCheckouts
from agentos.storage.imports import git_history
from agentos.storage.imports.formats import FileImports

IDENTITY = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "2025-05-01T10:00:00Z"}
COMMITTER = {name.replace("AUTHOR", "COMMITTER"): value for name, value in IDENTITY.items()}
SIGNATURE = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n\n"
TOLD = "told: Add taxes | Fix the cart\nCents."
PARTIAL = "refused: it is a partial clone: what it lacks would have to be fetched; clone it whole, without --filter"
LACKING = "refused: git cannot tell its history: fatal: bad object"
SLOW = "refused: git took longer than"
RAN, HUNG = "ran the program", "hung for a minute"
VERSION_1 = "[core]\n\trepositoryformatversion = 1\n"
ALLOWED = '[protocol "ext"]\n\tallow = always\n'
PROMISOR = VERSION_1 + '[remote "o"]\n\tpromisor = true\n'
EXT = PROMISOR + "\turl = ext::{program} x\n" + ALLOWED
ODD = EXT.replace('[remote "o"]\n\tpromisor = true', '[REMOTE "o"] Promisor')
BY_EXTENSION = VERSION_1 + '[extensions]\n\tpartialClone = o\n[remote "o"]\n\turl = ext::{program} x\n' + ALLOWED
ASKING = """[core]
\teditor = {program}
\taskPass = {program}
[credential]
\thelper = !{program}
[trailer "x"]
\tcommand = {program}
"""
FORM = """[format]
\tpretty = %x
[log]
\tdate = format:%Y
\tfollow = true
[i18n]
\tlogOutputEncoding = UTF-16
"""


def git(folder: Path, *arguments: str, said: str | None = None) -> str:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        ("git", *arguments),
        cwd=folder,
        env={**environment, **IDENTITY, **COMMITTER},
        input=said,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


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
    git(top, "update-ref", "refs/heads/main", git(top, "hash-object", "-w", "-t", "commit", "--stdin", said=signed))
    return top


@dataclass(frozen=True)
class Place:
    """A repository to spoil, a program that leaves a trace, and the trace."""

    top: Path
    program: Path
    trace: Path

    @property
    def git(self) -> Path:
        return self.top / ".git"

    def configure(self, text: str, file: str = "config") -> None:
        with (self.git / file).open("a") as config:
            config.write(text.replace("{program}", str(self.program)).replace("{top}", str(self.top)))

    def lose_head(self) -> None:
        """What HEAD leads to is not there: git would fetch it."""
        commit = (self.git / "refs" / "heads" / "main").read_text().strip()
        (self.git / "objects" / commit[:2] / commit[2:]).unlink()

    def has_run(self) -> bool:
        return self.trace.exists()


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


def without_its_commit(config: str, file: str = "config") -> Callable[[Place], None]:
    def spoil(place: Place) -> None:
        place.configure(config, file)
        place.lose_head()

    return spoil


def promised(url: str, more: str) -> Callable[[Place], None]:
    return without_its_commit(f"{PROMISOR}\turl = {url}\n{more}")


def configured(config: str) -> Callable[[Place], None]:
    return lambda place: place.configure(config)


def in_an_included_file(place: Place) -> None:
    place.configure(EXT, "more")
    without_its_commit("[include]\n\tpath = more\n")(place)


def in_the_settings_of_a_worktree(place: Place) -> None:
    place.configure(EXT, "config.worktree")
    without_its_commit("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n")(place)


def by_the_mark_of_a_pack(place: Place) -> None:
    (place.git / "objects" / "pack" / "pack-1.promisor").touch()


def in_a_file_that_stands_for_git(place: Place) -> None:
    elsewhere = place.top.parent / "elsewhere"
    place.configure("[core]\n\tpager = {program}\n\tfsmonitor = {program}\n\tworktree = {top}\n")
    place.git.rename(elsewhere)
    place.git.write_text(f"gitdir: {elsewhere}\n")


def by_a_link(place: Place) -> None:
    place.configure("[core]\n\tpager = {program}\n\tfsmonitor = {program}\n")
    place.git.rename(place.top.parent / "elsewhere")
    place.git.symlink_to(place.top.parent / "elsewhere")


def in_a_common_folder(place: Place) -> None:
    """A working tree of its own, whose settings are those of another folder."""
    place.configure(EXT)
    place.lose_head()
    shutil.copytree(place.git, common := place.top.parent / "common")
    (common / "HEAD").write_text("ref: refs/heads/other\n")
    (place.git / "config").unlink()
    (place.git / "commondir").write_text(f"{common}\n")


def attributes(place: Place) -> None:
    (place.top / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    place.configure(
        '[filter "x"]\n\tprocess = {program}\n\tsmudge = {program}\n\tclean = {program}\n\trequired = true\n'
    )
    place.configure('[diff "x"]\n\ttextconv = {program}\n\tcommand = {program}\n[log]\n\tdiffMerges = on\n')


def hooks(place: Place) -> None:
    place.configure("[core]\n\thooksPath = {top}/hooks\n")
    (place.top / "hooks").mkdir()
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"):
        shutil.copy(place.program, place.top / "hooks" / name)


def a_pipe(*parts: str) -> Callable[[Place], None]:
    def spoil(place: Place) -> None:
        there = place.top.joinpath(*parts)
        shutil.rmtree(there) if there.is_dir() else there.unlink(missing_ok=True)
        there.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(there)

    return spoil


def a_commit_that_is_a_pipe(place: Place) -> None:
    commit = (place.git / "refs" / "heads" / "main").read_text().strip()
    a_pipe(".git", "objects", commit[:2], commit[2:])(place)


def people_from_a_pipe(place: Place) -> None:
    place.configure("[mailmap]\n\tfile = {top}/people\n[log]\n\tmailmap = true\n")
    a_pipe("people")(place)


def a_commit_that_claims_to_be_huge(place: Place) -> None:
    place.lose_head()
    data = zlib.compress(b"commit 30000000000\0tree " + b"0" * 40)
    commit = sha1(b"whatever").hexdigest()
    (place.git / "objects" / commit[:2]).mkdir(exist_ok=True)
    (place.git / "objects" / commit[:2] / commit[2:]).write_bytes(data)
    (place.git / "refs" / "heads" / "main").write_text(commit)


def another_text_in_its_place(place: Place) -> None:
    commit = (place.git / "refs" / "heads" / "main").read_text().strip()
    other = git(place.top, "commit-tree", "-m", "Something else", f"{commit}^{{tree}}")
    git(place.top, "replace", commit, other)


def ring_of_branches(place: Place) -> None:
    (place.git / "refs" / "heads" / "main").write_text("ref: refs/heads/next\n")
    (place.git / "refs" / "heads" / "next").write_text("ref: refs/heads/main\n")


def branch_outside(place: Place) -> None:
    (place.git / "HEAD").write_text("ref: refs/heads/../../../../it\n")
    (place.top.parent / "it").write_text("0" * 40)


@dataclass(frozen=True)
class Attack:
    name: str
    spoil: Callable[[Place], None]
    was: str
    now: str


ATTACKS = (
    Attack("a promisor over ext", without_its_commit(EXT), RAN, PARTIAL),
    Attack("a promisor over ssh", promised("ssh://h/x", "[core]\n\tsshCommand = {program}\n"), RAN, PARTIAL),
    Attack("a promisor over git", promised("git://h/x", "[core]\n\tgitProxy = {program}\n"), RAN, PARTIAL),
    Attack("a promisor in a folder", promised("{top}", "\tuploadpack = {program}\n"), RAN, PARTIAL),
    Attack("a promisor by a helper", promised("{program} x", "\tvcs = ext\n" + ALLOWED), RAN, PARTIAL),
    Attack("a promisor by extension", without_its_commit(BY_EXTENSION), RAN, PARTIAL),
    Attack("a promisor in odd letters", without_its_commit(ODD), RAN, PARTIAL),
    Attack("a promisor in an included file", in_an_included_file, RAN, LACKING),
    Attack("a promisor of a worktree", in_the_settings_of_a_worktree, RAN, PARTIAL),
    Attack("a promisor of a common folder", in_a_common_folder, RAN, PARTIAL),
    Attack("a promisor behind 400 KB", without_its_commit(("#" * 79 + "\n") * 5_000 + EXT), RAN, LACKING),
    Attack("a pack of a promisor", by_the_mark_of_a_pack, TOLD, PARTIAL),
    Attack("signatures", configured("[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature\n"), TOLD, TOLD),
    Attack("a pager", configured("[core]\n\tpager = {program}\n[pager]\n\tlog = {program}\n"), TOLD, TOLD),
    Attack("an alias", configured("[alias]\n\tlog = !{program}\n\trev-list = !{program}\n"), TOLD, TOLD),
    Attack("a watcher of files", configured("[core]\n\tfsmonitor = {program}\n\tuntrackedCache = 1\n"), TOLD, TOLD),
    Attack("an external diff", configured("[diff]\n\texternal = {program}\n[log]\n\tdiffMerges = on\n"), TOLD, TOLD),
    Attack("attributes", attributes, TOLD, TOLD),
    Attack("hooks", hooks, TOLD, TOLD),
    Attack("refs of alternates", configured("[core]\n\talternateRefsCommand = {program}\n"), TOLD, TOLD),
    Attack("programs that ask and edit", configured(ASKING), TOLD, TOLD),
    Attack("another form", configured(FORM), "told in UTF-16", TOLD),
    Attack("a file for .git", in_a_file_that_stands_for_git, TOLD, TOLD),
    Attack("a link for .git", by_a_link, TOLD, TOLD),
    Attack("another working tree", configured("[core]\n\tworktree = /\n"), TOLD, TOLD),
    Attack("replaced commits", another_text_in_its_place, "told: Something else", TOLD),
    Attack("settings that are none", configured("[[[\n=\n"), "refused: fatal: bad config line 6", TOLD),
    Attack("settings from a pipe", a_pipe(".git", "config"), HUNG, TOLD),
    Attack("packed refs from a pipe", a_pipe(".git", "packed-refs"), HUNG, TOLD),
    Attack("people from a pipe", people_from_a_pipe, HUNG, TOLD),
    Attack("HEAD is a pipe", a_pipe(".git", "HEAD"), HUNG, "refused: its HEAD cannot be read: it is not a regular"),
    Attack(
        ".git is a pipe", a_pipe(".git"), "refused: fatal: not a git repository", "refused: it is no git repository"
    ),
    Attack("a shallow pipe", a_pipe(".git", "shallow"), HUNG, "refused: shallow cannot be read: it is not a regular"),
    Attack("a commit is a pipe", a_commit_that_is_a_pipe, HUNG, SLOW),
    Attack(
        "a commit of 30 GB", a_commit_that_claims_to_be_huge, "refused, after asking for 30 GB", "refused: git cannot"
    ),
    Attack("branches in a ring", ring_of_branches, "refused", "refused: its HEAD leads from branch to branch"),
    Attack("a branch outside", branch_outside, "refused", "refused: its HEAD is neither a commit nor a branch"),
)


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
    assert (checkout.root_commit is None) == (attack.now != TOLD)


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
    assert imported(place.top) == TOLD and not place.has_run()


def test_git_is_never_taken_from_the_repository(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Was: the repository's own git ran."""
    (place.top / "bin").mkdir()
    for folder in (place.top, place.top / "bin"):
        shutil.copy(place.program, folder / "git")
    monkeypatch.chdir(place.top)
    theirs = os.pathsep.join(("", ".", "bin", str(place.top / "bin"), "/proc/self/cwd", "/proc/self/cwd/bin"))
    monkeypatch.setenv("PATH", f"{theirs}{os.pathsep}{os.environ['PATH']}")
    assert imported(place.top) == TOLD
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
    assert {trusting(str(place.top)), trusting("~/shop"), trusting(f"{tmp_path}/*"), trusting("*")} == {TOLD}
    assert (await GitCheckouts().read(str(place.top))).root_commit is not None


def test_a_bare_repository_is_read_where_it_is_named_and_never_found_by_what_lies_in_it(place: Place) -> None:
    """Was: a folder in it was enough."""
    place.configure("[core]\n\tbare = true\n\tpager = {program}\n\tfsmonitor = {program}\n")
    inner = place.top / "data"
    place.git.rename(inner)
    assert imported(place.top).startswith("refused: it is no git repository")
    assert imported(inner / "objects").startswith("refused: it is no git repository")
    assert imported(inner) == TOLD and not place.has_run()


BOUNDS = {
    "floods": ("exec cat /dev/zero", "refused: git told more than 33,554,432 bytes"),
    "complains": ("head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1", "refused: git cannot tell its history: xxx"),
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
    assert imported(path) == TOLD
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
