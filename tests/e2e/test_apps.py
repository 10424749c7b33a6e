"""Views and forms through the front, with the official client of Python: of both eras, with and without a daemon."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp.types as types
import pytest
from mcp import MCPError
from mcp.client.extension import advertise

from agentos.interfaces.stdio.asking import ASKED
from agentos.modules.abilities import PAGE, VIEWS

from .conftest import Wire, at_hand, client_of, end_daemon

SHOWS = [advertise(VIEWS, {"mimeTypes": [PAGE]})]
NO_MODEL = {"AGENTOS_EMBEDDING_MODEL": "none", "AGENTOS_TOOLSETS": "questions"}


@pytest.fixture
def server(home: Path) -> Iterator[Wire]:
    """A server whose daemon serves the clients after it too."""
    wire = Wire(home, settings=NO_MODEL)
    yield wire
    wire.kill()
    end_daemon(home)


async def test_views_and_forms_pass_the_front(home: Path, server: Wire) -> None:
    server.initialize()
    answers_to_nobody(server)
    for daemon, era in (("auto", "legacy"), ("off", "auto")):
        plant(server, home, era)
        await views_and_forms(home, era, {**NO_MODEL, "AGENTOS_DAEMON": daemon})
    assert server.end() == 0


async def views_and_forms(home: Path, era: str, settings: dict[str, str]) -> None:
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"answer": "the newer replaces the older"})

    async with client_of(home, era, settings) as plain:
        bare = (await plain.list_tools()).tools
        assert plain.server_capabilities.resources is None and not any(tool.meta for tool in bare)
    async with client_of(home, era, settings, extensions=SHOWS, elicitation_callback=answer) as client:
        assert client.server_capabilities.resources is not None
        tools = (await client.list_tools()).tools
        assert {tool.name: tool.meta for tool in tools if tool.meta} == {
            "context_get_snapshot": {"ui": {"resourceUri": "ui://agentos/snapshot"}},
            "memory_questions": {"ui": {"resourceUri": "ui://agentos/questions"}},
        }
        assert [tool.model_copy(update={"meta": None}) for tool in tools] == bare
        [page] = (await client.read_resource("ui://agentos/questions")).contents
        assert page.mime_type == PAGE and page.text.startswith("<!doctype html>")
        with pytest.raises(MCPError):
            await client.read_resource("agentos://memories")
        done = await client.call_tool("memory_questions", {"ask": True})
        assert (ASKED in done.content[0].text) is (era == "legacy")
        while (await client.call_tool("memory_questions", {})).structured_content.get("questions"):
            assert era == "legacy"  # there the answer comes before the question
        [message] = asked
        assert f"The {era} demo is on Thursday" in message


def plant(server: Wire, home: Path, era: str) -> None:
    """Store two memories of which one may replace the other, as the model of updates would say."""
    older, newer = (
        server.call("memory_store", content=f"The {era} demo is on {day}.")["id"] for day in ("Tuesday", "Thursday")
    )
    with at_hand(home) as database:
        database.execute(
            "INSERT INTO relations (from_id, to_id, type, weight, evidence, created_at) "
            "VALUES (?, ?, 'may_supersede', 0.9, 'planted', 0)",
            (newer, older),
        )


def answers_to_nobody(server: Wire) -> None:
    """Check that an answer to a form that nobody sent, or of a daemon that has ended, is no error and no message."""
    for identifier in ("agentos-form-1", "agentos-roots"):
        server.send({"jsonrpc": "2.0", "id": identifier, "result": {"action": "accept", "content": {}}})
        assert server.request("tools/call", {"name": "memory_list", "arguments": {}})["result"]["isError"] is False
    assert json.loads(server.lines[-1])["id"] == 3
