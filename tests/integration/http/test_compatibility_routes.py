"""The routes of other systems: off unless asked for, open to the same rights as ours, and answered in their shapes."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.database import OpenedStore
from agentos.features.compat.paths.table import SYSTEMS, table
from agentos.interfaces.http.app import application
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.principals.models import MOST_OF_A_ROLE, Right, Role
from agentos.modules.sealed_texts import NoSealedMemories
from agentos.modules.store_request import StoreRequest
from agentos.tools.bound import BoundTools
from tests.integration.conftest import Clock
from tests.tables import every

from .conftest import OWNER_KEY, door_over, served_by
from .test_rights import FOREIGN, MARK, MAY, OWN, value_for

ALL = ",".join(SYSTEMS)
OF_THE_STORE = {"storage_status", "re_embed", "re_embed_status", "cancel_re_embed"}
"""What takes a key that may touch every namespace; no key of a principal may."""
_IN_PATH = re.compile(r"\{(\w+)(?::path)?\}")


def request_of(route: Any, operation: Any, foreign: dict[str, str]) -> tuple[str, str, dict[str, Any]]:
    """A request that a route takes, whose ids are another tenant's."""
    schema = operation.model.model_json_schema()
    named = _IN_PATH.findall(route.path)
    given = {
        name: value_for(name, schema["properties"][name], foreign)
        for name in schema.get("required", ())
        if name not in named
    }
    for name, entry in (("memories", {"content": MARK[:4]}), ("queries", {"query": MARK[:4]})):
        if name in given:
            given[name] = [entry]
    path = _IN_PATH.sub(lambda found: foreign.get(found[1], f"{MARK}-session"), route.path)
    carried = "json" if route.method in ("POST", "PATCH") or route.sends else "params"
    return path, carried, given


async def test_none_is_there_unless_it_is_asked_for(served: Any) -> None:
    for route, _ in table(SYSTEMS):
        path = _IN_PATH.sub("x", route.path)
        assert (await served.client().request(route.method, path)).status_code == 404, path


async def test_none_is_there_where_the_feature_is_off(serve: Any) -> None:
    served = await serve(http_compat=ALL, features="sync", http_requests_per_minute=100_000)
    for route, _ in table(SYSTEMS):
        path = _IN_PATH.sub("x", route.path)
        assert (await served.client().request(route.method, path)).status_code == 404, path
    assert (await served.client(key=None).get("/health")).status_code == 401
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    answer = (await served.client(accept="application/json").post("/mcp", json=asked)).json()["result"]
    assert not {"add_memory", "save_memory"} & {tool["name"] for tool in answer["tools"]}


async def test_every_route_for_every_role(serve: Any, make_key: Any, agentos: AgentOS) -> None:
    served = await serve(http_compat=ALL, http_requests_per_minute=100_000)
    keys = {role: await make_key(f"the-{role}", role, {OWN: MOST_OF_A_ROLE[role]}) for role in Role}
    memory = (await agentos.memory.store(FOREIGN, StoreRequest(f"The {MARK} is at the pier", "semantic"))).memory
    await agentos.turns.add(FOREIGN, f"{MARK}-session", "user", f"I saw the {MARK} today")
    await agentos.sessions.open(FOREIGN, "agent-memory", f"{MARK}-session", f"/home/{MARK}")
    await agentos.memory.settled()
    before = await agentos.portability.canonical_hash([FOREIGN])
    foreign = dict.fromkeys(("id", "memory_id", "superseded_by"), memory.id)
    wrong: list[str] = []
    routes = table(SYSTEMS)
    assert len(routes) == sum(map(len, SYSTEMS.values())) > 35
    for route, operation in routes:
        path, carried, given = request_of(route, operation, foreign)
        nobody = await served.client(key=None, address=f"10.0.0.{len(wrong)}").request(
            route.method, path, **{carried: given}
        )
        if nobody.status_code != 401 and path != "/health":
            wrong.append(f"{route.method} {path}: open to everybody")
        for role, key in keys.items():
            client = served.client(key)
            answer = await client.request(route.method, path, **{carried: given})
            may = role in MAY[operation.needs] and operation.name not in OF_THE_STORE
            if answer.status_code >= 500 or (answer.status_code in (401, 403)) == may:
                wrong.append(f"{route.method} {path} as {role}: {answer.status_code} {answer.text[:200]}")
            if MARK in answer.text.replace(f"{MARK}-session", ""):
                wrong.append(f"{route.method} {path} as {role} tells what is another's: {answer.text[:300]}")
            if "namespace" in operation.model.model_fields:
                beyond = await client.request(route.method, path, **{carried: {**given, "namespace": FOREIGN}})
                if beyond.status_code != 403:
                    wrong.append(f"{route.method} {path} as {role} of another's: {beyond.status_code}")
    assert not wrong, "\n".join(wrong)
    assert await agentos.portability.canonical_hash([FOREIGN]) == before


@pytest.fixture
async def tenants(serve: Any, make_key: Any) -> list[Any]:
    """Two tenants with a key each."""
    served = await serve(http_compat=ALL)
    return [served.client(await make_key(name, Role.WRITER, {name: Right.WRITE})) for name in ("ada", "bob")]


async def test_a_client_of_agentmem_os(tenants: list[Any], agentos: AgentOS, serve: Any) -> None:
    ada, bob = tenants
    for role, text in (
        ("user", "My deploy key is in the vault"),
        ("assistant", "Noted, in the vault"),
        ("user", "Now the tests"),
    ):
        await agentos.turns.add("ada", "trip", role, text)
    history = (await ada.get("/history/trip", params={"limit": 2})).json()
    assert [turn["content"] for turn in history["turns"]] == ["Noted, in the vault", "Now the tests"]
    assert (await bob.get("/history/trip")).json() == {"turns": []}
    made = await ada.post("/branch/create", json={"parent_id": "trip", "branch_name": "b"})
    assert made.json() == {"status": "success", "new_session_id": "trip/b"}
    [branch] = (await ada.get("/branch/list/trip")).json()
    assert branch == {"id": "trip/b", "parent": "trip", "name": "b", "tokens": 0}
    assert len((await ada.get("/history/trip/b")).json()["turns"]) == 3
    forgotten = await ada.post("/memory/forget", json={"session_id": "trip", "about": "the vault"})
    assert forgotten.json() == {"status": "ok", "turns_forgotten": 1, "topic": "the vault"}
    assert len((await ada.get("/history/trip")).json()["turns"]) == 2
    assert (await ada.get("/memory/conflicts/trip")).json() == {
        "session_id": "trip", "contradicted_turns": [], "count": 0,
    }  # fmt: skip
    shown = (await ada.get("/demo/memory/trip")).json()["tiers"]
    assert (shown["episodic"]["count"], shown["semantic"]["count"]) == (2, 0)
    assert (await bob.get("/demo/memory/trip")).status_code == 404
    assert (await bob.get("/demo/kg/trip")).json() == {"nodes": [], "edges": []}
    assert (await bob.post("/demo/reset", params={"agentmem_session": "trip"})).json()["status"] == "reset"
    assert (await ada.get("/demo/memory/trip")).status_code == 200
    assert (await ada.post("/demo/reset", params={"agentmem_session": "trip"})).json()["status"] == "reset"
    assert (await ada.get("/demo/memory/trip")).status_code == 404
    assert (await ada.post("/demo/compare", json={"message": "Hello"})).status_code == 422
    refused = await ada.post("/chat", json={"session_id": "trip", "message": "Hello"})
    assert refused.status_code == 422 and "AGENTOS_LLM_PROVIDER" in refused.json()["detail"]
    assert (await ada.get("/storage/status")).status_code == 403
    owner = (await serve(http_compat="agentmem,agent-memory")).client(OWNER_KEY)
    assert (await owner.get("/storage/status")).json()["is_fallback"] is False
    assert (await owner.post("/api/admin/re-embed", json={})).json()["status"] == "started"
    assert (await owner.post("/api/admin/re-embed/cancel")).json()["status"] == "cancelled"
    assert (await owner.get("/api/admin/re-embed/status")).json()["status"] in ("idle", "running")


async def test_a_client_of_agent_memory(tenants: list[Any], agentos: AgentOS) -> None:
    ada, bob = tenants
    begun = {"session_id": "s-1", "project": "shop", "project_path": "/home/ada/shop"}
    session = (await ada.post("/api/sessions", json=begun)).json()
    assert (session["project_name"], session["status"]) == ("shop", "active")
    assert (await ada.post("/api/sessions", json=begun)).status_code == 409
    run = {"session_id": "s-1", "tool_name": "Bash", "tool_input": {"command": "pytest"}, "cwd": "/home/ada/shop"}
    assert (await ada.post("/api/queue", json=run)).json() == {"status": "queued"}
    observation = {
        "session_id": "s-1",
        "project": "shop",
        "title": "Fixed the cart",
        "type": "bugfix",
        "facts": ["It was a sum"],
    }
    row = (await ada.post("/api/observations", json=observation)).json()
    assert (row["title"], row["type"], row["facts"]) == ("Fixed the cart", "bugfix", ["It was a sum"])
    assert (await ada.get(f"/api/observations/{row['id']}")).json() == row
    assert (await bob.get(f"/api/observations/{row['id']}")).status_code == 404
    asked = {"query": "the cart", "type": ["bugfix", "feature"], "project": "shop"}
    found = (await ada.post("/api/observations/search", json=asked)).json()
    assert [one["id"] for one in found["observations"]] == [row["id"]] and found["total"] == 1
    assert (await bob.post("/api/observations/search", json=asked)).json()["observations"] == []
    assert len((await ada.get("/api/observations", params={"type": "bugfix"})).json()) == 1
    assert (await ada.get("/api/observations", params={"type": "feature"})).json() == []
    ended = await ada.patch("/api/sessions/s-1", json={"status": "completed", "summary": "The cart adds up"})
    assert ended.json() == {"status": "updated"} and (await bob.patch("/api/sessions/s-1", json={})).status_code == 404
    [listed] = (await ada.get("/api/sessions", params={"status": "completed"})).json()
    assert listed["summary"] == "The cart adds up" and listed["completed_at"]

    lesson = {
        "title": "No force",
        "rule": "Ask before a forced push",
        "trigger_tool": "Bash",
        "trigger_pattern": "push -f",
    }
    made = (await ada.post("/api/lessons", json={**lesson, "severity": "critical"})).json()
    about = {"tool_name": "Bash", "tool_input_preview": "git push -f origin"}
    [match] = (await ada.get("/api/lessons/match", params=about)).json()
    assert match["id"] == made["id"] and (await bob.get("/api/lessons/match", params=about)).json() == []
    assert (await ada.get("/api/lessons/match", params={**about, "tool_input_preview": "ls"})).json() == []
    assert (await ada.post(f"/api/lessons/{made['id']}/trigger")).json()["trigger_count"] == 1
    changed = await ada.patch(f"/api/lessons/{made['id']}", json={"severity": "info", "active": False})
    assert changed.json() | {"created_at": ""} == {
        **made, "severity": "info", "active": False, "trigger_count": 1, "created_at": "",
        "last_triggered_at": changed.json()["last_triggered_at"],
    }  # fmt: skip
    assert (await ada.get("/api/lessons")).json() == []
    assert len((await ada.get("/api/lessons", params={"active": False})).json()) == 1

    stats, others = [(await client.get("/api/admin/stats")).json() for client in tenants]
    assert (stats["observations"]["total"], stats["sessions"], stats["by_project"]) == (1, 1, {"shop": 1})
    assert (others["observations"]["total"], others["sessions"], others["projects"]) == (0, 0, 0)
    assert (await bob.get("/api/health")).json()["queue"]["observations_total"] == 0
    assert (await ada.post("/api/admin/re-embed", json={})).status_code == 403


async def test_a_client_of_memoryoss(tenants: list[Any], serve: Any, make_key: Any) -> None:
    ada, bob = tenants
    batch = [
        {"content": "Maria deploys on Tuesdays", "tags": ["ops"], "agent": "ci"},
        {"content": "The pier is closed"},
    ]
    first, second = (await ada.post("/v1/store/batch", json={"memories": batch})).json()["stored"]
    assert first["version"] == 1
    found = (await ada.post("/v1/recall", json={"query": "When does Maria deploy?", "tags": ["ops", "none"]})).json()
    [hit] = found["memories"]
    assert hit["memory"]["id"] == first["id"] and hit["memory"]["agent"] == "ci" and hit["low_trust"] is False
    assert found["summaries"][0]["memory_id"] == first["id"] and found["next_cursor"] is None
    assert (await bob.post("/v1/recall", json={"query": "When does Maria deploy?"})).json()["memories"] == []
    several = {"queries": [{"query": "pier"}, {"query": "Maria", "agent": "nobody"}]}
    results = (await ada.post("/v1/recall/batch", json=several)).json()["results"]
    assert [len(one["memories"]) for one in results] == [1, 0]
    changed = (await ada.patch("/v1/update", json={"id": second["id"], "content": "The pier is open"})).json()
    assert changed["version"] == 2
    inspected = (await ada.get(f"/v1/inspect/{second['id']}")).json()
    assert [one["content"] for one in inspected["versions"]] == ["The pier is closed"]
    assert "content" not in (await ada.get(f"/v1/peek/{second['id']}")).json()
    feedback = await ada.post("/v1/feedback", json={"id": first["id"], "action": "confirm"})
    assert feedback.json()["confirm_count"] == 1
    assert (await ada.post("/v1/consolidate", json={"dry_run": True})).json()["total_merged"] == 0
    assert (await ada.get("/health")).json() == {"status": "ok", "memory_mode": "full", "total_memories": 2}
    assert (await bob.get("/health")).json()["total_memories"] == 0
    sealed = {"content": "U0VBTEVE", "zero_knowledge": True, "embedding": [1.0, 0.0]}
    assert (await ada.post("/v1/store", json=sealed)).status_code == 200
    nearest = (await ada.post("/v1/recall", json={"query": "-", "query_embedding": [0.9, 0.1]})).json()
    assert nearest["memories"][0]["memory"]["content"] == "U0VBTEVE"

    refused = {"ids": [first["id"]], "agent": "ci"}
    assert (await ada.request("DELETE", "/v1/forget", json=refused)).status_code == 400
    assert (await ada.request("DELETE", "/v1/forget", json={})).status_code == 400
    assert (await bob.request("DELETE", "/v1/forget", json={"ids": [first["id"]]})).json() == {"deleted": 0}
    assert (await ada.request("DELETE", "/v1/forget", json={"ids": [first["id"]]})).json() == {"deleted": 1}
    assert (await ada.request("DELETE", "/v1/forget", json={"tags": ["ops"]})).json() == {"deleted": 0}


async def test_where_sealed_memories_are_off_memoryoss_says_so(
    agentos: AgentOS, store: OpenedStore, home: Path, bound: BoundTools, clock: Clock
) -> None:
    settings = config.load(home=home, http="127.0.0.1:0", http_key=OWNER_KEY, http_compat="memoryoss")
    without = replace(agentos, sealed=NoSealedMemories())
    door = door_over(without, Decisions(store.work.approvals, clock), bound, settings)
    async with served_by(door, application(door)) as served:
        owner = served.client()
        sealed = {"content": "U0VBTEVE", "zero_knowledge": True, "embedding": [1.0, 0.0]}
        for path, given in (("store", sealed), ("recall", {"query": "-", "query_embedding": [1.0, 0.0]})):
            refused = await owner.post(f"/v1/{path}", json=given)
            assert refused.status_code == 404 and "the feature sealed is off" in refused.text
        assert (await owner.post("/v1/store", json={"content": "Tea"})).status_code == 200


async def test_a_key_in_the_body_is_taken_for_a_token_alone(serve: Any, make_key: Any) -> None:
    served = await serve(http_compat="memoryoss")
    key = await make_key("ada", Role.WRITER, {"ada": Right.WRITE})
    nobody = served.client(key=None)
    made = await nobody.post("/v1/auth/token", json={"api_key": key})
    assert made.status_code == 200 and made.json()["expires_in"] == 3600
    assert (await served.client(made.json()["token"]).post("/v1/store", json={"content": "Tea"})).status_code == 200
    assert (await nobody.post("/v1/store", json={"content": "Tea", "api_key": key})).status_code == 401
    for wrong in ({"api_key": "agk_wrong"}, {"api_key": 1}, [], {"api_key": "a\r\nb"}):
        assert (await nobody.post("/v1/auth/token", json=wrong)).status_code == 401


@every("path", ["/", "/health"])
async def test_clients_of_memoryos_see_that_it_lives(serve: Any, path: str) -> None:
    served = await serve(http_compat="memoryos")
    answer = await served.client(key=None).get(path)
    assert answer.status_code == 200 and answer.json()["status"] == "healthy"
    assert (await served.client(key=None).post(path)).status_code == 405


@every("given", [
    {"user_input": "I moved to Oslo", "agent_response": "Noted"},
    {"params": {"user_input": "I moved to Oslo", "agent_response": "Noted"}},
])  # fmt: skip
async def test_a_client_of_memoryos_calls_with_nested_and_flat_arguments(serve: Any, given: dict[str, Any]) -> None:
    served = await serve(http_compat="memoryos")
    client = served.client(accept="application/json")

    async def ask(method: str, params: dict[str, Any]) -> Any:
        answer = await client.post("/mcp/", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    assert (await ask("initialize", hello))["protocolVersion"] == "2024-11-05"
    notified = await client.post("/mcp/", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert notified.status_code == 202
    assert "add_memory" in {tool["name"] for tool in (await ask("tools/list", {}))["tools"]}
    stored = await ask("tools/call", {"name": "add_memory", "arguments": given})
    assert not stored.get("isError"), stored
    asked = {"query": "Where do I live?"}
    wrapped = {"params": asked} if "params" in given else asked
    found = await ask("tools/call", {"name": "retrieve_memory", "arguments": wrapped})
    notified = json.loads(found["content"][0]["text"])
    assert notified["short_term_memory"][0]["user_input"] == "I moved to Oslo" and notified["retrieved_pages"] == []
    wrong = await served.client("a-wrong-key-of-24-characters").post("/mcp/", json={})
    assert wrong.status_code == 401


ODD = (None, "", "\ud800", "x" * 9_000, -1, 10**20, 0.5, True, [], [{}], [1.0], ["x"], {}, {"params": {}})


async def test_no_odd_argument_is_more_than_refused(serve: Any) -> None:
    client = (await serve(http_compat=ALL, http_requests_per_minute=100_000)).client()
    for route, operation in table(SYSTEMS):
        path, carried, given = request_of(route, operation, {"memory_id": "mem_none"})
        for name in operation.model.model_fields:
            for odd in ODD if carried == "json" else ("", "x" * 9_000, "-1", "true", "{}", "\u0000"):
                if carried == "json":
                    body = json.dumps({**given, name: odd})
                    sent = {"content": body, "headers": {"content-type": "application/json"}}
                else:
                    sent = {"params": {**given, name: odd}}
                answer = await client.request(route.method, path, **sent)
                assert answer.status_code < 500, f"{route.method} {path} {name}={str(odd)[:40]}: {answer.text[:300]}"
