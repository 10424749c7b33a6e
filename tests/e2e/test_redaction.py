"""Secrets over the protocol and the command line: they are named by kind, and stand nowhere."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentos.benchmarks.redaction.corpus import Maker, tokens
from tests.commands import ran
from tests.e2e.conftest import environment

SECRET = tokens(Maker(31))["github-pat"]

ECHOING: dict[str, dict[str, Any]] = {
    "memory_get": {"memory_id": f"mem {SECRET}"},
    "memory_search": {"query": "x", SECRET: 1},
    "memory_list": {"limit": SECRET},
    "turn_window": {"session": SECRET},
    "create_lesson": {"rule": "Look twice", "title": f"for {SECRET}"},
    "recall_memory": {"session_id": SECRET, "query": SECRET},
    f"no_{SECRET}": {},
}
"""Calls whose answers quote what they were given."""


def holding(home: Path) -> list[str]:
    return [str(path) for path in home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_a_tool_says_what_it_redacted_and_no_file_holds_it(start: Callable[..., Any], home: Path) -> None:
    server = start(settings={"AGENTOS_TOOLSETS": "agent-memory,agentmem,turns", "AGENTOS_EMBEDDING_MODEL": "none"})
    server.initialize()
    arguments = {"content": f"The deploy token is {SECRET}.", "metadata": {"pin": 4921}}
    result = server.request("tools/call", {"name": "memory_store", "arguments": arguments})["result"]
    assert result["structuredContent"]["redacted"] == {"github-token": 1, "pin": 1}
    stored = server.call("memory_get", memory_id=result["structuredContent"]["id"])
    assert stored["content"] == "The deploy token is [redacted:github-token]."
    assert "1 github-token" in result["content"][0]["text"] and SECRET not in json.dumps(result)
    logged = server.call("reflection_log", action="push", outcome=f"401 with {SECRET}", success=False)
    assert logged["redacted"] == {"github-token": 1}
    assert "redacted" not in server.call("goal_add", title="Rotate the token", description="Before Friday.")
    assert "redacted" not in server.call("memory_search", query=f"what is {SECRET}?")
    for tool, given in ECHOING.items():
        answer = server.request("tools/call", {"name": tool, "arguments": given})
        assert SECRET not in json.dumps(answer), answer
    refused = server.request("tools/call", {"name": "memory_list", "arguments": {"agent_id": SECRET}})["result"]
    assert refused["isError"] and refused["_meta"]["agentos/code"] == "invalid_input"
    assert server.end() == 0
    assert holding(home) == [] and SECRET not in server.stderr()


@pytest.mark.sqlite("it reads its files")
def test_scrub_tells_and_then_redacts_and_doctor_says_so(
    start: Callable[..., Any], home: Path, run_job: Callable[[str], None]
) -> None:
    server = start(settings={"AGENTOS_REDACT_SECRETS": "false", "AGENTOS_EMBEDDING_MODEL": "none"})
    server.initialize()
    server.call("memory_store", content=f"The deploy token is {SECRET}.")
    assert server.end() == 0
    run_job("graph_reader")
    assert holding(home)
    doctor = agentos("doctor", home)
    assert {check["id"]: check["status"] for check in doctor["checks"]}["rows.secrets"] == "warning"
    report = agentos("scrub", home, code=1)
    # The memory's text and the value that it states, and the name that the graph read there.
    assert set(report["rows"]) == {"memories", "entities"}
    assert set(report["kinds"]) == {"github-token"} and not report["applied"]
    assert agentos("scrub", home, "--apply", code=0)["applied"]
    assert holding(home) == []
    assert agentos("scrub", home, code=0)["rows"] == {}


def agentos(command: str, home: Path, *options: str, code: int | None = None) -> Any:
    done = ran((command, "--home", str(home), "--json", *options), environment(home))
    assert code is None or done.returncode == code, done.stderr
    return json.loads(done.stdout)
