"""Whole sessions of real clients, whose model plays a script: what the second one is sent holds the first one's past.

The model is on loopback (`model_api.py`), the home is empty, and AgentOS got there by `agentos setup` or as a plugin.
"""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentos.interfaces.hooks.handler import ASKED_TO_KEEP
from tests.clients.model_api import Use, serving
from tests.clients.user import WAYS, User, Way

MEMORY = "The secret colour of the shop is vermilion"
RULE = "Say hello before anything else"
LAST_WORDS = "All is well with the shop."


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    with serving() as api:
        one = User(tmp_path, api)
        with one.daemon():
            yield one


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    return WAYS[request.param]


def test_the_second_session_is_sent_what_the_first_one_stored(user: User, way: Way) -> None:
    for command in way.installed:
        user.run(*command)
    rule = {"content": RULE, "tags": ["rule"], "metadata": {"trigger": {"tool": way.shell_name}}}
    stored = {"content": MEMORY, "importance": 0.9}
    user.converses(way, "Look after the shop", Use(way.store, stored), Use(way.store, rule), way.shell, LAST_WORDS)
    events = user.rows("SELECT type, text, json_extract(structured, '$.command') FROM events ORDER BY seq")
    started, prompt, ran, *end = events
    assert started[:2] == ("signal", "session started")
    assert prompt[:2] == ("turn", "Look after the shop"), "what the user wrote, and nothing that hooks have added"
    assert ran == ("tool_call", "", "echo hello"), "our own tools leave no trace"
    assert [row[:2] for row in end] == [("turn", LAST_WORDS), ("signal", "turn ended"), ("signal", "session ended")]
    assert user.rows("SELECT DISTINCT state FROM sessions") == [("completed",)]

    first, *later = user.converses(way, "Go on", way.shell, "Done with it.")
    assert MEMORY in json.dumps(first, ensure_ascii=False) and RULE not in json.dumps(first)
    assert (RULE in json.dumps(later[-1])) is way.hears_rules, "a lesson comes with the tool that it is about"
    assert user.rows("SELECT count(*) FROM sessions") == [(2,)]


def test_after_a_compaction_the_agent_is_reminded_where_it_was(user: User) -> None:
    way = WAYS["claude, setup"]
    user.run(*way.installed[0])
    user.converses(way, "Fix the parser", way.shell, LAST_WORDS)
    user.api.script, user.api.thinking = ("<summary>There was a parser.</summary>",), lambda: None
    user.run("claude", "-c", "-p", "/compact")
    assert user.rows("SELECT count(*) FROM events WHERE text = 'compacting'") == [(1,)]
    user.api.script = (LAST_WORDS,)
    user.run("claude", "-c", "-p", "What next?")
    request = json.dumps(user.api.received[-1], ensure_ascii=False)
    assert "There was a parser." in request and "## Where this session was" in request and "Fix the parser" in request


@pytest.mark.parametrize("name", ["claude, setup", "codex, setup", "gemini, setup"])
def test_an_agent_that_stored_nothing_is_asked_once_what_to_keep_where_that_is_wanted(
    tmp_path: Path, name: str
) -> None:
    way = WAYS[name]
    with serving() as api:
        user = User(tmp_path, api)
        with (user.data / ".env").open("a") as settings:
            settings.write("AGENTOS_HOOK_ASK_TO_KEEP=true\n")
        with user.daemon():
            user.run(*way.installed[0])
            work = Use(
                way.shell.tool, {name: text.replace("echo", "mkdir") for name, text in way.shell.arguments.items()}
            )
            sent = user.converses(way, "Look after the shop", work, LAST_WORDS)
            asked = [ASKED_TO_KEEP[:40] in json.dumps(request, ensure_ascii=False) for request in sent]
            assert asked == [False, False, True]
            [(closing,)] = user.rows("SELECT count(*) FROM events WHERE text = 'turn ended'")
            assert closing == 1


@pytest.mark.parametrize("name", ["claude, setup", "claude, plugin"])
def test_a_file_that_was_read_brings_its_notes_once_and_without_waiting(user: User, name: str) -> None:
    way, file = WAYS[name], user.project / "net.py"
    for command in way.installed:
        user.run(*command)
    (user.project / "go.mod").touch()
    file.write_text("TRIES = 3\n", encoding="utf-8")
    agentos = (sys.executable, "-m", "agentos.interfaces.cli", "anchors")
    user.run(*agentos, "follow")
    stored = Use(way.store, {"content": f"{MEMORY}, says net.py"})  # by now: what the start has told is not told again
    checks = Use("Bash", {"command": shlex.join((*agentos, "check")), "description": "Check"})
    read = Use("Read", {"file_path": str(file)})
    script = (stored, checks, read, checks, way.shell, read, checks, LAST_WORDS)  # checks take longer than hooks
    first, *_, last = user.converses(way, "Go on", *script)
    heard = "# AgentOS: notes on"
    assert heard not in json.dumps(first["messages"]) and json.dumps(last["messages"]).count(heard) == 1
