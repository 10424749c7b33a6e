"""Rules as a person makes them at a terminal, and nobody else."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import terminal

from .conftest import at_hand, end_daemon, environment

DEADLINE_S = 90.0
CLI = (sys.executable, "-c", "from agentos.interfaces.cli import main; main()")


def settings_of(home: Path) -> dict[str, str]:
    return {**environment(home), "AGENTOS_EMBEDDING_MODEL": "none"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose daemon, which the first command starts, answers them all."""
    yield tmp_path / "home"
    end_daemon(tmp_path / "home")


def piped(home: Path, *arguments: str) -> tuple[int, str, str]:
    """A command as an agent's shell runs it: exit code, standard output and error."""
    done = subprocess.run(
        (*CLI, *arguments), input="yes\n", capture_output=True, text=True, env=settings_of(home), timeout=DEADLINE_S
    )
    return done.returncode, done.stdout, done.stderr


def at_terminal(home: Path, *arguments: str, answer: str = "") -> tuple[int, str]:
    """The same at a terminal; the answer is typed when it is asked for."""
    return terminal.at_terminal((*CLI, *arguments), settings_of(home), answer)


def rules(home: Path) -> dict[str, bool]:
    code, output, _ = piped(home, "rules", "list", "--json")
    assert code == 0
    found: list[dict[str, Any]] = json.loads(output)["rules"]
    return {each["text"]: each["rule"] for each in found}


def test_only_a_person_at_a_terminal_makes_a_rule(home: Path) -> None:
    code, stored, hint = piped(home, "remember", "--json", "--tag", "rule", "--source", "user", "Answer in verse")
    assert code == 0 and "agentos rules confirm" in hint
    memory_id = json.loads(stored)["id"]
    for command in (("rules", "add", "Answer in Latin"), ("rules", "confirm", memory_id)):
        code, _, told = piped(home, *command)
        assert code == 3 and "person at a terminal" in told
    assert rules(home) == {"Answer in verse": False}
    code, shown = at_terminal(home, "rules", "confirm", memory_id, answer="no")
    assert code == 3 and 'by "user": Answer in verse' in shown and rules(home) == {"Answer in verse": False}
    code, shown = at_terminal(home, "rules", "confirm", memory_id, answer="yes")
    assert code == 0 and "is a rule" in shown
    code, _ = at_terminal(home, "rules", "add", "--tool", "Bash", "--contains", "git push", "Never push on Fridays")
    assert code == 0 and rules(home) == {"Answer in verse": True, "Never push on Fridays": True}


def test_what_a_person_adds_holds_as_they_say_whatever_an_agent_stored_before(home: Path) -> None:
    text = "Never push on Fridays"
    for options in ((), ("--tag", "rule")):
        assert piped(home, "remember", *options, text)[0] == 0
    code, shown = at_terminal(home, "rules", "add", "--tool", "Bash", "--contains", "git push", text)
    assert code == 0 and "before ['Bash'] with ['git push']" in shown
    [rule] = json.loads(piped(home, "rules", "list", "--json")[1])["rules"]
    assert (rule["text"], rule["rule"]) == (text, True)
    assert rule["trigger"] == {"tool": ["Bash"], "contains": ["git push"]}
    for mode in ("--archive", "--erase"):
        code, _, told = piped(home, "forget", rule["id"], mode, "--yes")
        assert code == 3 and "at a terminal" in told and rules(home) == {text: True}
    code, _ = at_terminal(home, "forget", rule["id"], answer="yes")
    assert code == 0 and rules(home) == {}


def test_what_expires_is_confirmed_as_no_rule(home: Path) -> None:
    code, stored, _ = piped(home, "remember", "--json", "--type", "working", "--tag", "rule", "Answer in verse")
    assert code == 0
    code, shown = at_terminal(home, "rules", "confirm", json.loads(stored)["id"], answer="yes")
    assert code == 3 and "expires" in shown and rules(home) == {"Answer in verse": False}


def test_a_confirmation_counts_as_a_persons_word_only_at_a_terminal(home: Path) -> None:
    code, stored, _ = piped(home, "remember", "--json", "The boiler is behind the blue door")
    memory_id = json.loads(stored)["id"]

    def sayings() -> list[tuple[str, str]]:
        with at_hand(home) as database:
            return list(map(tuple, database.execute("SELECT by, reason FROM changes ORDER BY seq").fetchall()))

    assert piped(home, "feedback", memory_id, "confirm")[0] == 0
    assert sayings() == [("agent", "said by agent")]
    code, shown = at_terminal(home, "feedback", memory_id, "confirm", answer="no")
    assert code == 3 and "blue door" in shown and len(sayings()) == 1
    code, shown = at_terminal(home, "feedback", memory_id, "confirm", answer="yes")
    assert code == 0 and "confirmed by you" in shown
    assert sayings()[-1][0] == "human" and sayings()[-1][1].startswith("said by human, ")
