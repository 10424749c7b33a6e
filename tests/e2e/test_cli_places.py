"""Commands that could work on another memory, or on more of it, than the person means."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.commands import ran, ran_at_terminal
from tests.e2e.conftest import end_daemon

NOWHERE = "http://127.0.0.1:9"
QUIET = {"NO_COLOR": "1", "AGENTOS_EMBEDDING_MODEL": "none"}


def run(home: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return ran(words, {**os.environ, **QUIET, "AGENTOS_HOME": str(home), **settings})


def by_person(home: Path, *words: str) -> tuple[int, str]:
    """The same at a terminal: the exit code, and what it showed."""
    return ran_at_terminal(words, {**os.environ, **QUIET, "AGENTOS_HOME": str(home)})


@pytest.mark.parametrize(
    "words",
    [
        "status",
        "backup",
        "backups list",
        "export memory.jsonl",
        "keys list",
        "grants list",
        "namespaces list",
        "audit show",
        "rules list",
        "approvals list",
        "usage",
        "usage --cost",
        "scrub",
        "consolidate",
        "rollback --source mail --yes",
        "reembed",
        "explain deploys",
    ],
)
def test_a_command_of_this_machine_does_not_pass_for_one_of_the_server(tmp_path: Path, words: str) -> None:
    done = run(tmp_path / "home", *words.split(), AGENTOS_URL=NOWHERE, AGENTOS_KEY="k" * 32)
    assert done.returncode == 2 and "AGENTOS_URL" in done.stderr and "--home" in done.stderr, done
    assert not (tmp_path / "home").exists()


def test_a_home_that_is_named_is_meant(tmp_path: Path) -> None:
    assert run(tmp_path, "status", "--home", str(tmp_path / "here"), AGENTOS_URL=NOWHERE).returncode == 0


@pytest.mark.parametrize(
    ("given", "rights"),
    [
        (["team"], {"team": "write"}),
        (["team:read", "own"], {"team": "read", "own": "write"}),
        (["team:x:admin"], {"team:x": "admin"}),
        (["team:raed"], None),
        (["team:"], None),
        ([], {"scout": "write"}),
    ],
)
def test_a_misspelt_right_makes_no_key(tmp_path: Path, given: list[str], rights: dict[str, str] | None) -> None:
    words = ("keys", "create", "scout", "--json", *(word for one in given for word in ("--namespace", one)))
    code, shown = by_person(tmp_path, *words)
    result = json.loads(shown)
    assert result.get("namespaces") == rights, result
    if rights is None:
        assert code == 2 and ":write" in result["error"]["message"]


def test_only_what_is_about_a_topic_is_forgotten_and_each_can_be_had_back(tmp_path: Path) -> None:
    texts = ("The payment service deploys on Tuesdays", "Invoices are archived in Lisbon", "Invoices go to Ruth")
    try:
        for text in texts:
            assert run(tmp_path, "remember", text).returncode == 0
        assert run(tmp_path, "forget", "--about", "the old vendor", "--yes").returncode == 1
        gone = run(tmp_path, "forget", "--about", "invoices", "--yes", "--agent", "default")
        undo = [line.split()[1:] for line in gone.stdout.splitlines() if "agentos revert" in line]
        assert texts[0] not in gone.stdout and len(undo) == 2
        assert json.loads(run(tmp_path, "list", "--json").stdout)["total"] == 1
        assert [run(tmp_path, *words).returncode for words in undo] == [0, 0]
        assert json.loads(run(tmp_path, "list", "--json").stdout)["total"] == 3
    finally:
        end_daemon(tmp_path)


def test_short_output_shows_what_a_person_needs_and_no_more(tmp_path: Path) -> None:
    try:
        opened = run(tmp_path, "sessions", "open", "trip", "--title", "The trip")
        assert opened.returncode == 0 and "Quoted text" not in opened.stdout, opened
        listed = run(tmp_path, "jobs", "list").stdout
        assert "state" in listed.splitlines()[0]
        code, wrong = by_person(tmp_path, "keys", "create", "scout", "--expires", "5x")
        assert code == 2 and "30d" in wrong
        assert by_person(tmp_path, "keys", "create", "scout", "--expires", "30d")[0] == 0
        assert "expires" in run(tmp_path, "keys").stdout
        assert by_person(tmp_path, "grants", "add", "scout", "scout", "--expires", "2h")[0] == 0
        assert "." not in run(tmp_path, "grants").stdout
        assert "no prices are set" in run(tmp_path, "usage", "--cost").stderr
        assert run(tmp_path, "chat").returncode == 4
    finally:
        end_daemon(tmp_path)
