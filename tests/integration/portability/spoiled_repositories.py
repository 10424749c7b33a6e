"""Ways to spoil a repository: what an import of it did before `storage/git/runner.py` (`was`), and what is right."""

import os
import shutil
import subprocess
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

IDENTITY = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "2025-05-01T10:00:00Z"}
COMMITTER = {name.replace("AUTHOR", "COMMITTER"): value for name, value in IDENTITY.items()}
SIGNATURE = "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n\n"
READ = "told: Add taxes | Fix the cart\nCents."
PARTIAL = "refused: it is a partial clone: what it lacks would have to be fetched; clone it whole, without --filter"
LACKING = "refused: git cannot read its history: fatal: bad object"
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


def git(folder: Path, *arguments: str, stdin: str | None = None) -> str:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        ("git", *arguments),
        cwd=folder,
        env={**environment, **IDENTITY, **COMMITTER},
        input=stdin,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


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
    Attack("a pack of a promisor", by_the_mark_of_a_pack, READ, PARTIAL),
    Attack("signatures", configured("[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature\n"), READ, READ),
    Attack("a pager", configured("[core]\n\tpager = {program}\n[pager]\n\tlog = {program}\n"), READ, READ),
    Attack("an alias", configured("[alias]\n\tlog = !{program}\n\trev-list = !{program}\n"), READ, READ),
    Attack("a watcher of files", configured("[core]\n\tfsmonitor = {program}\n\tuntrackedCache = 1\n"), READ, READ),
    Attack("an external diff", configured("[diff]\n\texternal = {program}\n[log]\n\tdiffMerges = on\n"), READ, READ),
    Attack("attributes", attributes, READ, READ),
    Attack("hooks", hooks, READ, READ),
    Attack("refs of alternates", configured("[core]\n\talternateRefsCommand = {program}\n"), READ, READ),
    Attack("programs that ask and edit", configured(ASKING), READ, READ),
    Attack("another form", configured(FORM), "told in UTF-16", READ),
    Attack("a file for .git", in_a_file_that_stands_for_git, READ, READ),
    Attack("a link for .git", by_a_link, READ, READ),
    Attack("another working tree", configured("[core]\n\tworktree = /\n"), READ, READ),
    Attack("replaced commits", another_text_in_its_place, "told: Something else", READ),
    Attack("settings that are none", configured("[[[\n=\n"), "refused: fatal: bad config line 6", READ),
    Attack("settings from a pipe", a_pipe(".git", "config"), HUNG, READ),
    Attack("packed refs from a pipe", a_pipe(".git", "packed-refs"), HUNG, READ),
    Attack("people from a pipe", people_from_a_pipe, HUNG, READ),
    Attack("HEAD is a pipe", a_pipe(".git", "HEAD"), HUNG, "refused: its HEAD cannot be read: it is not a regular"),
    Attack(
        ".git is a pipe", a_pipe(".git"), "refused: fatal: not a git repository", "refused: it is not a git repository"
    ),
    Attack("a shallow pipe", a_pipe(".git", "shallow"), HUNG, "refused: shallow cannot be read: it is not a regular"),
    Attack("a commit is a pipe", a_commit_that_is_a_pipe, HUNG, SLOW),
    Attack(
        "a commit of 30 GB", a_commit_that_claims_to_be_huge, "refused, after asking for 30 GB", "refused: git cannot"
    ),
    Attack("branches in a ring", ring_of_branches, "refused", "refused: its HEAD is a chain of branches"),
    Attack("a branch outside", branch_outside, "refused", "refused: its HEAD is neither a commit nor a branch"),
)
