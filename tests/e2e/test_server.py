"""The server as an agent meets it: the official client over stdio, in both eras of the protocol."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client, MCPError

from tests.places import ROOT

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}

Connect = Callable[..., Client]


class Agent:
    """Calls tools through the official client; every answer must be in the shape that the tool promised."""

    def __init__(self, client: Client, schemas: dict[str, Any]) -> None:
        self._client = client
        self._schemas = schemas
        self.called: set[str] = set()

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result
        (content,) = result.content
        assert content.type == "text" and content.text
        assert isinstance(result.structured_content, dict)
        jsonschema.validate(result.structured_content, self._schemas[tool])
        self.called.add(tool)
        return result.structured_content


@pytest.mark.parametrize("era", ERAS)
async def test_every_tool_answers_the_official_client(
    era: str, shared_connect: Connect, shared_home: Path, run_job: Callable[..., None]
) -> None:
    async with shared_connect(era, {"AGENTOS_TOOLSETS": "sessions"}) as client:
        assert client.protocol_version == ERAS[era]
        listed = (await client.list_tools()).tools
        agent = Agent(client, {tool.name: tool.output_schema for tool in listed})
        await keep_and_correct_a_memory(agent)
        await look_around_in_a_conversation(agent)
        await change_what_is_true(agent)
        await look_back_at_no_session(agent)
        await pursue_a_goal(agent)
        await learn_from_failures(agent)
        run_job("reflection_analyzer", shared_home)
        await answer_an_insight(agent)
        assert agent.called == {tool.name for tool in listed}


async def keep_and_correct_a_memory(agent: Agent) -> None:
    stored = await agent.call(
        "memory_store",
        content="The staging database is called heron.",
        memory_type="semantic",
        importance=0.8,
        tags=["infra"],
        metadata={"ticket": 7, "nested": {"ok": True}},
        source="ann",
        occurred_at="2026-03-01T09:00:00+01:00",
    )
    memory_id = stored["id"]
    assert stored == {"id": memory_id}, "what the caller knows is not told again"
    stored_memory = await agent.call("memory_get", memory_id=memory_id)
    assert stored_memory["metadata"] == {"ticket": 7, "nested": {"ok": True}} and stored_memory["source"] == "ann"
    again = await agent.call("memory_store", content="The staging database is called heron.")
    assert again["duplicate"] and again["id"] == memory_id

    where = {"memory_type": "semantic", "tags": ["infra"], "since": "2026-03-01", "until": "2026-03-02"}
    found = await agent.call("memory_search", query="staging database", limit=3, min_importance=0.1, **where)
    assert [hit["id"] for hit in found["results"]] == [memory_id]
    assert found["results"][0].keys() == {"id", "content", "date", "source", "tags"}
    assert found["withheld"] == 0 and isinstance(found["notes"], list)
    explained = await agent.call("memory_search", query="staging database in March 2026", explain=True, detail="full")
    [hit], explanation = explained["results"], explained["explanation"]
    assert round(sum(explanation["parts"][memory_id].values()), 6) == hit["score"]
    assert explanation["reading"]["words"] == ["staging", "database", "march", "2026"]
    assert explanation["gate"]["answered"] and explanation["gate"]["support"] > explanation["gate"]["threshold"]
    nothing = await agent.call("memory_search", query="xqzvb wrtplk", explain=True)
    assert nothing["results"] == [] and nothing["withheld"] == len(nothing["explanation"]["withheld"]) == 1
    page = await agent.call("memory_list", limit=5, offset=0, **where)
    assert [memory["id"] for memory in page["results"]] == [memory_id] and page["total"] == 1
    [full] = (await agent.call("memory_list", detail="full"))["results"]
    assert full["memory_type"] == "semantic" and full["occurred_at"] == "2026-03-01T08:00:00Z"

    corrected = await agent.call(
        "memory_update", memory_id=memory_id, content="The staging database is called osprey.", version=1
    )
    assert corrected["version"] == 2
    weighed = await agent.call("memory_update_importance", memory_id=memory_id, importance=0.25)
    assert weighed["importance"] == 0.25
    full = await agent.call("memory_get", memory_id=memory_id)
    assert full["content"].endswith("osprey.") and full["history"][-1]["content"].endswith("heron.")

    assert (await agent.call("memory_delete", memory_id=memory_id))["deleted"] == 1
    assert (await agent.call("memory_list"))["total"] == 0


async def look_around_in_a_conversation(agent: Agent) -> None:
    texts = ["Ann: shall we move to Lisbon?", "Bob: the rent is too high", "Ann: and Porto?", "Bob: Porto it is!"]
    turns = [
        await agent.call("memory_store", content=text, session="chat-7", occurred_at=f"2026-03-0{day}")
        for day, text in enumerate(texts, start=1)
    ]
    other = await agent.call("memory_store", content="Bob: Porto it is!", session="chat-8")
    assert "duplicate" not in other

    found = await agent.call("memory_search", query="rent in Lisbon", session="chat-7", detail="compact")
    assert {hit["id"] for hit in found["results"]} <= {turn["id"] for turn in turns}
    assert found["results"][0].keys() == {"id", "date", "session", "summary"}
    first = await agent.call("memory_search", query="Ann Bob", limit=2)
    rest = await agent.call("memory_search", query="Ann Bob", limit=9, cursor=first["next_cursor"])
    ids = [hit["id"] for hit in (*first["results"], *rest["results"])]
    assert len(ids) == len(texts) and "next_cursor" not in rest, "what was said twice is told once"
    assert set(ids) < {turn["id"] for turn in (*turns, other)}
    assert {turn["id"] for turn in turns[:3]} < set(ids)
    around = await agent.call("memory_timeline", memory_id=turns[1]["id"], before=3, after=1)
    assert around["session"] == "chat-7"
    assert [moment["text"] for moment in around["results"]] == texts[:3]
    full = await agent.call("memory_get", memory_id=around["results"][0]["id"])
    assert full["content"] == texts[0]

    assert (await agent.call("memory_list", session="chat-8"))["total"] == 1
    assert (await agent.call("memory_delete", session="chat-7"))["deleted"] == len(texts)
    assert [memory["id"] for memory in (await agent.call("memory_list"))["results"]] == [other["id"]]
    await agent.call("memory_delete", memory_id=other["id"])


async def change_what_is_true(agent: Agent) -> None:
    about = {"subject": "Maria", "attribute": "city"}
    old = await agent.call(
        "memory_store", content="Maria lives in Lisbon", value="Lisbon", occurred_at="2025-01-10", **about
    )
    new = await agent.call(
        "memory_store", content="Maria lives in Porto now", value="Porto", occurred_at="2026-02-01", **about
    )
    assert new["superseded"] == [old["id"]]
    stands = await agent.call("memory_get", memory_id=new["id"])
    assert (stands["status"], stands["subject"], stands["value"]) == ("active", "maria", "Porto")
    where = {"query": "where does Maria live?"}
    assert [hit["id"] for hit in (await agent.call("memory_search", **where))["results"]] == [new["id"]]
    [then] = (await agent.call("memory_search", as_of="2025-06-01", **where))["results"]
    assert (then["id"], then["label"]) == (old["id"], f"superseded by {new['id']}")
    [then] = (await agent.call("memory_search", as_of="2025-06-01", detail="full", **where))["results"]
    assert then["superseded_by"] == new["id"] and then["valid_to"].startswith("2026-02-01")
    every = await agent.call("memory_search", include_superseded=True, detail="compact", **where)
    assert {hit.get("label") for hit in every["results"]} == {None, f"superseded by {new['id']}"}
    reverted = await agent.call("memory_revert", memory_id=new["id"])
    assert {view["id"]: view["status"] for view in reverted["results"]} == {old["id"]: "active", new["id"]: "archived"}
    judged = await agent.call("memory_feedback", memory_id=old["id"], verdict="confirm")
    assert judged == {"id": old["id"], "status": "active", "confidence": 0.95}
    assert (await agent.call("memory_delete", memory_id=old["id"], mode="forget"))["mode"] == "forget"
    assert (await agent.call("memory_search", **where))["results"] == []
    await agent.call("memory_revert", memory_id=old["id"])
    assert [hit["id"] for hit in (await agent.call("memory_search", **where))["results"]] == [old["id"]]
    for memory in (old, new):
        await agent.call("memory_delete", memory_id=memory["id"])


async def look_back_at_no_session(agent: Agent) -> None:
    assert (await agent.call("session_search", query="what was done to the build?"))["results"] == []
    assert (await agent.call("session_timeline"))["results"] == []
    assert (await agent.call("session_get", ids=["mem_unknown"]))["results"] == []
    opened = await agent.call("session_open", name="tuesday", folder="/srv/build", title="the build")
    ended = await agent.call("session_update", id=opened["id"], state="completed")
    assert (ended["id"], ended["state"]) == (opened["id"], "completed")
    assert [one["title"] for one in (await agent.call("session_list"))["results"]] == ["the build"]


async def pursue_a_goal(agent: Agent) -> None:
    goal = await agent.call(
        "goal_add",
        title="Ship the release",
        description="Version 1 on every platform",
        priority=0.9,
        urgency=0.7,
        deadline="2027-01-31T17:00:00+01:00",
        tags=["release"],
    )
    assert goal["deadline"] == "2027-01-31T16:00Z"
    part = await agent.call("goal_add", title="Write the notes", description="", parent_goal_id=goal["id"])
    assert part["parent_goal_id"] == goal["id"]
    pressing = await agent.call("goal_get_active", limit=1)
    assert [entry["id"] for entry in pressing["results"]] == [goal["id"]] and pressing["total"] == 2
    moved = await agent.call("goal_update_progress", goal_id=goal["id"], progress=0.4, notes="half of it")
    assert moved["progress"] == 0.4
    ended = await agent.call("goal_update_status", goal_id=part["id"], status="cancelled")
    assert ended["status"] == "abandoned"
    listed = await agent.call("goal_list", status="all", limit=10, offset=0)
    assert {entry["id"] for entry in listed["results"]} == {goal["id"], part["id"]}
    [full, _] = sorted(
        (await agent.call("goal_list", status="all", detail="full"))["results"], key=lambda one: one["title"]
    )
    assert full["notes"][-1]["text"] == "half of it" and full["score"] > 0.5


async def learn_from_failures(agent: Agent) -> None:
    for _ in range(3):
        await agent.call("reflection_log", action="run tests", outcome="timeout", success=False, tags=["ci"])
    analysis = await agent.call("reflection_analyze", lookback_days=7)
    assert analysis["total_actions"] == 3 and analysis["success_rate"] == 0
    patterns = await agent.call("reflection_get_patterns", pattern_type="repeated_failure")
    assert ["run tests" in found["description"] and found["frequency"] for found in patterns["patterns"]] == [3]
    assert patterns["patterns"][0]["suggested_action"]
    summary = await agent.call("reflection_get_summary", days=7)
    assert summary["most_common_failures"][0]["action"] == "run tests"


async def answer_an_insight(agent: Agent) -> None:
    snapshot = await agent.call("context_get_snapshot", query="what is next", max_tokens=800)
    assert [goal["title"] for goal in snapshot["active_goals"]] == ["Ship the release"]
    assert [pattern["frequency"] for pattern in snapshot["recent_patterns"]] == [3]
    insight = snapshot["proactive_insights"][0]
    answered = await agent.call("insight_update", insight_id=insight["id"], status="done")
    assert answered["status"] == "done"
    later = await agent.call("context_get_snapshot")
    assert insight["id"] not in {entry["id"] for entry in later["proactive_insights"]}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_protocol_version_with_a_handshake_is_spoken(version: str, shared_start: Any) -> None:
    assert shared_start().initialize(version)["protocolVersion"] == version


def test_a_version_that_nobody_knows_is_answered_with_the_newest_one_that_shakes_hands(shared_start: Any) -> None:
    assert shared_start().initialize("2099-01-01")["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    "command",
    [
        (sys.executable, str(ROOT / "server.py")),
        (str(Path(sys.executable).with_name("agentos-server")),),
        (str(Path(sys.executable).with_name("agentos-mcp")),),
    ],
    ids=lambda command: Path(command[-1]).name,
)
def test_the_server_starts_from_a_checkout_and_as_an_installed_command(
    command: tuple[str, ...], start: Any, shared_home: Path, shared_settings: Mapping[str, str]
) -> None:
    wire = start(shared_home, command, settings=shared_settings)
    assert wire.initialize()["serverInfo"]["name"] == "agentos"
    assert wire.call("memory_store", content="Started.")["id"].startswith("mem_")
    assert wire.end() == 0


@pytest.mark.parametrize("daemon", ["auto", "off"])
async def test_resources_are_offered_where_a_setting_says_so_with_and_without_a_daemon(
    home: Path, connect: Callable[..., Client], daemon: str
) -> None:
    """The front's answer to the handshake says what the server then does."""
    settings = {"AGENTOS_DAEMON": daemon, "AGENTOS_EMBEDDING_MODEL": "none"}
    for era in ("legacy", "auto"):
        async with connect(era, settings) as client:
            assert client.server_capabilities.resources is None
            with pytest.raises(MCPError):
                await client.list_resources()
        async with connect(era, {**settings, "AGENTOS_HTTP_RESOURCES": "true"}) as client:
            offered = client.server_capabilities.resources
            assert offered is not None and not offered.subscribe and not offered.list_changed
            stored = (await client.call_tool("memory_store", {"content": f"The kettle is {era}"})).structured_content
            uris = [one.uri for one in (await client.list_resources()).resources]
            assert "agentos://memories" in uris and len((await client.list_resource_templates()).resource_templates) > 4
            read = (await client.read_resource("agentos://memories")).contents[0]
            assert read.text == (await client.call_tool("memory_list", {})).content[0].text
            one = (await client.read_resource(f"agentos://memories/{stored['id']}")).contents[0]
            assert f"The kettle is {era}" in one.text
            with pytest.raises(MCPError):
                await client.read_resource("agentos://weather")
