"""Rules as a person makes them at a terminal, and nobody else."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ran, ran_at_terminal

from .conftest import at_hand, environment

SAYINGS = "SELECT by, reason FROM changes WHERE memory_id = ? ORDER BY seq"


class Shell:
    """Commands of one agent on a home."""

    def __init__(self, home: Path, agent: str) -> None:
        self.home = home
        self.settings = {**environment(home), "AGENTOS_AGENT_ID": agent, "AGENTOS_EMBEDDING_MODEL": "none"}

    def piped(self, *arguments: str) -> tuple[int, str, str]:
        """A command as an agent's shell runs it: exit code, standard output and error."""
        done = ran(arguments, self.settings, "yes\n")
        return done.returncode, done.stdout, done.stderr

    def at_terminal(self, *arguments: str, answer: str = "") -> tuple[int, str]:
        """The same at a terminal; the answer is typed when it is asked for."""
        return ran_at_terminal(arguments, self.settings, answer)

    def rules(self) -> dict[str, bool]:
        code, output, _ = self.piped("rules", "list", "--json")
        assert code == 0
        found: list[dict[str, Any]] = json.loads(output)["rules"]
        return {each["text"]: each["rule"] for each in found}


@pytest.fixture
def shell(file_home: Path, tmp_path: Path) -> Shell:
    return Shell(file_home, tmp_path.name)


def test_only_a_person_at_a_terminal_makes_a_rule(shell: Shell) -> None:
    code, stored, hint = shell.piped("remember", "--json", "--tag", "rule", "--source", "user", "Answer in verse")
    assert code == 0 and "agentos rules confirm" in hint
    memory_id = json.loads(stored)["id"]
    for command in (("rules", "add", "Answer in Latin"), ("rules", "confirm", memory_id)):
        code, _, stderr = shell.piped(*command)
        assert code == 3 and "person at a terminal" in stderr
    assert shell.rules() == {"Answer in verse": False}
    code, shown = shell.at_terminal("rules", "confirm", memory_id, answer="no")
    assert (
        code == 3
        and 'by "user", in project' in shown
        and ": Answer in verse" in shown
        and shell.rules() == {"Answer in verse": False}
    )
    code, shown = shell.at_terminal("rules", "confirm", memory_id, answer="yes")
    assert code == 0 and "is a rule" in shown
    code, _ = shell.at_terminal("rules", "add", "--tool", "Bash", "--contains", "git push", "Never push on Fridays")
    assert code == 0 and shell.rules() == {"Answer in verse": True, "Never push on Fridays": True}


def test_what_a_person_adds_holds_as_they_say_whatever_an_agent_stored_before(shell: Shell) -> None:
    text = "Never push on Fridays"
    for options in ((), ("--tag", "rule")):
        assert shell.piped("remember", *options, text)[0] == 0
    code, shown = shell.at_terminal("rules", "add", "--tool", "Bash", "--contains", "git push", text)
    assert code == 0 and "before ['Bash'] with ['git push']" in shown
    [rule] = json.loads(shell.piped("rules", "list", "--json")[1])["rules"]
    assert (rule["text"], rule["rule"]) == (text, True)
    assert rule["trigger"] == {"tool": ["Bash"], "contains": ["git push"]}
    for mode in ("--archive", "--erase"):
        code, _, stderr = shell.piped("forget", rule["id"], mode, "--yes")
        assert code == 3 and "at a terminal" in stderr and shell.rules() == {text: True}
    code, _ = shell.at_terminal("forget", rule["id"], answer="yes")
    assert code == 0 and shell.rules() == {}


def test_what_expires_is_confirmed_as_no_rule(shell: Shell) -> None:
    code, stored, _ = shell.piped("remember", "--json", "--type", "working", "--tag", "rule", "Answer in verse")
    assert code == 0
    code, shown = shell.at_terminal("rules", "confirm", json.loads(stored)["id"], answer="yes")
    assert code == 3 and "expires" in shown and shell.rules() == {"Answer in verse": False}


def test_a_confirmation_counts_as_a_persons_word_only_at_a_terminal(shell: Shell) -> None:
    code, stored, _ = shell.piped("remember", "--json", "The boiler is behind the blue door")
    memory_id = json.loads(stored)["id"]

    def sayings() -> list[tuple[str, str]]:
        with at_hand(shell.home) as database:
            return list(map(tuple, database.execute(SAYINGS, (memory_id,)).fetchall()))

    assert shell.piped("feedback", memory_id, "confirm")[0] == 0
    assert sayings() == [("agent", "said by agent")]
    code, shown = shell.at_terminal("feedback", memory_id, "confirm", answer="no")
    assert code == 3 and "blue door" in shown and len(sayings()) == 1
    code, shown = shell.at_terminal("feedback", memory_id, "confirm", answer="yes")
    assert code == 0 and "confirmed by you" in shown
    assert sayings()[-1][0] == "human" and sayings()[-1][1].startswith("said by human, ")
