"""Which project a checkout belongs to, decided without any disk."""

from dataclasses import replace

from agentos.modules.sessions.models import Checkout, Project
from agentos.modules.sessions.projects import matching, name_of, normalised_remote
from tests.tables import every

ROOT, OTHER_ROOT = "a" * 40, "b" * 40


def project(
    id: str = "prj_1", location: str = "/w/app/.git", root: str | None = ROOT, remote: str | None = "example.com/o/app"
) -> Project:
    return Project(id, "ada", "app", location, root, remote)


@every(
    "url",
    [
        "https://example.com/o/app.git",
        "https://user:secret@example.com/o/app",
        "ssh://git@example.com:22/o/app.git/",
        "git@example.com:o/app.git",
        "example.com:o/app",
        "HTTPS://EXAMPLE.com/o/app",
        "https://example.com/o/app.git?private_token=abc123#frag",
    ],
)
def test_an_address_is_the_same_however_it_is_written(url: str) -> None:
    assert normalised_remote(url) == "example.com/o/app"


@every("url", ["/srv/git/app.git", "../app", "file:///srv/git/app", "C:\\git\\app", ""])
def test_a_place_on_this_machine_is_no_address(url: str) -> None:
    assert normalised_remote(url) is None


def test_a_renamed_folder_a_worktree_and_a_clone_are_the_same_project() -> None:
    known = [project()]
    assert matching(Checkout("/w/renamed", "/w/renamed/.git", ROOT, "example.com/o/app"), known) is known[0]
    assert matching(Checkout("/w/tree", "/w/app/.git", ROOT, "example.com/o/app"), known) is known[0]
    assert matching(Checkout("/x/clone", "/x/clone/.git", ROOT, None), known) is known[0], "a clone of a clone"
    shallow = Checkout("/x/shallow", "/x/shallow/.git", None, "example.com/o/app")
    assert matching(shallow, known) is known[0]


def test_forks_and_folders_of_the_same_name_stay_apart() -> None:
    known = [project()]
    assert matching(Checkout("/w/fork", "/w/fork/.git", ROOT, "example.com/me/app"), known) is None
    assert matching(Checkout("/x/app", "/x/app/.git", OTHER_ROOT, None), known) is None
    assert matching(Checkout("/x/app"), known) is None


def test_another_repository_in_the_same_place_is_another_project() -> None:
    known = [project()]
    assert matching(Checkout("/w/app", "/w/app/.git", OTHER_ROOT, "example.com/o/new"), known) is None
    moved = Checkout("/w/app", "/w/app/.git", ROOT, "example.com/new-owner/app")
    assert matching(moved, known) is known[0], "only its remote was moved"


def test_a_repository_that_gets_its_first_commit_or_remote_stays_the_same() -> None:
    known = [project(root=None, remote=None)]
    assert matching(Checkout("/w/app", "/w/app/.git", ROOT, None), known) is known[0]
    known = [replace(known[0], root_commit=ROOT)]
    assert matching(Checkout("/w/app", "/w/app/.git", ROOT, "example.com/o/app"), known) is known[0]


def test_a_folder_without_git_is_known_by_its_path() -> None:
    known = [project("prj_2", "/notes", None, None)]
    assert matching(Checkout("/notes"), known) is known[0]
    assert matching(Checkout("/other/notes"), known) is None


def test_a_project_is_called_by_its_remote_else_by_its_folder() -> None:
    assert name_of(Checkout("/w/x", "/w/x/.git", ROOT, "example.com/o/app")) == "app"
    assert name_of(Checkout("/w/tree", "/w/main/.git", ROOT, None)) == "main"
    assert name_of(Checkout("/srv/t", "/srv/app.git", ROOT, None)) == "app"
    assert name_of(Checkout("/notes")) == "notes"
