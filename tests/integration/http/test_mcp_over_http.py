"""MCP over HTTP with the official client, in both eras of the protocol."""

from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agentos.modules.principals.models import Right, Role
from agentos.tools.catalog import all_tools
from tests.tables import every

from .conftest import OWNER_KEY


def connect(served: Any, path: str, key: str, mode: str) -> Client:
    http: httpx2.AsyncClient = served.client(key)
    return Client(streamable_http_client(f"http://127.0.0.1{path}", http_client=http), mode=mode)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_the_official_client_stores_and_finds(served: Any, mode: str, path: str) -> None:
    async with connect(served, path, OWNER_KEY, mode) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [tool.name for tool in all_tools(None) if tool.toolset is None]
        stored = await client.call_tool("memory_store", {"content": "Maria deploys on Tuesdays"})
        found = await client.call_tool("memory_search", {"query": "When does Maria deploy?"})
        assert stored.structured_content and found.structured_content
        assert found.structured_content["results"][0]["id"] == stored.structured_content["id"]
        wrong = await client.call_tool("memory_search", {"query": "", "limit": 0})
        assert wrong.is_error


async def test_toolsets_are_asked_for_in_the_address(served: Any) -> None:
    async with connect(served, "/mcp?toolsets=graph,turns", OWNER_KEY, "auto") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"graph_stats", "turn_add"} <= names and "profile_get" not in names
    unknown = await served.client().post("/mcp?toolsets=none", json={})
    assert unknown.status_code == 400 and unknown.json()["field"] == "toolsets"


async def test_each_request_has_the_caller_of_its_own_key(served: Any, make_key: Any) -> None:
    keys = [await make_key(name, Role.WRITER, {name: Right.WRITE}) for name in ("ada", "bob")]
    async with connect(served, "/mcp", keys[0], "auto") as ada, connect(served, "/mcp", keys[1], "auto") as bob:
        await ada.call_tool("memory_store", {"content": "Ada likes tea"})
        await bob.call_tool("memory_store", {"content": "Bob likes coffee"})
        for client, own in ((ada, "Ada likes tea"), (bob, "Bob likes coffee")):
            listed = (await client.call_tool("memory_list", {})).structured_content
            assert listed and [one["content"] for one in listed["results"]] == [own]
        assert (await ada.call_tool("memory_list", {"agent_id": "bob"})).is_error


@every(("method", "status"), [("GET", 405), ("DELETE", 405), ("OPTIONS", 405)])
async def test_there_are_no_sessions_to_open_or_to_end(served: Any, method: str, status: int) -> None:
    answer = await served.client().request(method, "/mcp", headers={"accept": "text/event-stream"})
    assert answer.status_code == status and answer.headers["allow"] == "POST"


async def test_clients_learn_where_the_resource_is(served: Any) -> None:
    answer = await served.client(key=None, host="127.0.0.1:8420").get("/.well-known/oauth-protected-resource/mcp")
    assert answer.json()["resource"] == "http://127.0.0.1:8420/mcp"
    assert answer.json()["bearer_methods_supported"] == ["header"]


@every(
    ("params", "is_error"),
    [
        ({"arguments": {"content": "Nested notes are kept"}}, False),
        ({"content": "Flat notes are kept"}, False),
        ({"content": "Flat notes are kept", "_meta": {}}, False),
        ({"arguments": {}, "content": "Flat notes beside empty arguments"}, False),
        ({"arguments": None, "content": "Flat notes beside no arguments"}, False),
        ({"arguments": {"content": "Both"}, "tags": ["x"]}, False),
        ({"content": "Flat notes with a slip", "contnet": "x"}, True),
        ({}, True),
    ],
)
async def test_arguments_are_taken_nested_or_flat(served: Any, params: dict[str, Any], is_error: bool) -> None:
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-03-26"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_store", **params}}
    answer = (await served.client().post("/mcp", json=call, headers=headers)).json()
    assert answer["result"]["isError"] is is_error, answer
