"""REST: the tools' services as resources, with versions, pages, batches and problems."""

import asyncio
import json
import re
from typing import Any

import pytest

from agentos.interfaces.http.rest.routes import routes_of
from agentos.modules.principals.models import Right, Role
from agentos.tools.catalog import all_tools
from tests.tables import every

API = "/api/v1"


async def stored(client: Any, content: str = "Maria deploys on Tuesdays", **more: Any) -> str:
    answer = await client.post(f"{API}/memories", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def test_a_memory_lives_through_all_its_methods(owner: Any) -> None:
    path = f"{API}/memories/{await stored(owner, tags=['ops'])}"
    read = await owner.get(path)
    assert read.headers["etag"] == '"1"' and read.json()["content"] == "Maria deploys on Tuesdays"
    for listed in ('"1"', 'W/"1"', '"7", W/"1"', "*"):
        assert (await owner.get(path, headers={"if-none-match": listed})).status_code == 304
    assert (await owner.get(path, headers={"if-none-match": '"2"'})).status_code == 200
    changed = await owner.patch(path, json={"content": "Maria deploys on Fridays"}, headers={"if-match": '"1"'})
    assert changed.status_code == 200 and changed.headers["etag"] == '"2"'
    late = await owner.patch(path, json={"content": "Maria never deploys"}, headers={"if-match": '"1"'})
    assert late.status_code == 412 and late.json()["code"] == "precondition_failed"
    also_late = await owner.patch(path, json={"content": "Maria never deploys", "version": 1})
    assert also_late.status_code == 409 and also_late.json()["code"] == "conflict"
    found = (await owner.get(f"{API}/search", params={"query": "Maria deploys"})).json()
    assert found["results"][0]["content"] == "Maria deploys on Fridays"
    posted = (await owner.post(f"{API}/search", json={"query": "Maria deploys", "limit": 1})).json()
    assert [one["id"] for one in posted["results"]] == [found["results"][0]["id"]]
    assert (await owner.delete(path, headers={"if-match": "*"})).json() == {"deleted": 1, "mode": "erase"}
    gone = await owner.get(path)
    assert gone.status_code == 404 and f"GET {API}/memories" in gone.json()["detail"], "the next step is a route"


@every("mode", ["erase", "forget", "archive"])
async def test_a_memory_is_deleted_at_the_version_that_was_read_and_at_no_other(owner: Any, mode: str) -> None:
    path = f"{API}/memories/{await stored(owner)}"
    assert (await owner.patch(path, json={"content": "Maria deploys on Fridays"})).headers["etag"] == '"2"'
    late = await owner.delete(path, params={"mode": mode}, headers={"if-match": '"1"'})
    assert late.status_code == 412 and late.json()["code"] == "precondition_failed"
    assert (await owner.get(path)).json()["content"] == "Maria deploys on Fridays"
    both = await owner.delete(path, params={"mode": mode, "version": 1}, headers={"if-match": '"2"'})
    assert (both.status_code, both.json()["field"]) == (400, "version"), "no condition is left out"
    done = await owner.delete(path, params={"mode": mode}, headers={"if-match": '"2"'})
    assert (done.status_code, done.json()) == (200, {"deleted": 1, "mode": mode}) and "etag" not in done.headers


@every("path", sorted(route.path for route in routes_of(None) if route.method == "DELETE" and not route.versioned))
async def test_what_has_no_version_is_not_deleted_on_condition_of_one(owner: Any, path: str) -> None:
    at = re.sub(r"{\w+}", "any", path)
    unheeded = await owner.delete(f"{API}{at}", headers={"if-match": '"1"'})
    assert unheeded.status_code == 400 and unheeded.json()["field"] == "If-Match"
    matching = [one for one in routes_of(None) if one.path == path and one.method in ("GET", "PATCH")]
    assert not any(one.versioned for one in matching), "what answers with an ETag is deleted by it"


async def test_head_asks_for_the_head_alone_and_opens_no_stream(owner: Any) -> None:
    assert (await owner.head(f"{API}/memories")).status_code == 200
    assert (await owner.head(f"{API}/events")).status_code == (await owner.head(f"{API}/export")).status_code == 405


async def test_pages_follow_each_other_by_cursor(owner: Any) -> None:
    rows = [{"content": f"Note number {number} about {number * 7919}"} for number in range(5)]
    batch = (await owner.post(f"{API}/memories/batch", json={"memories": [*rows, {"content": ""}]})).json()
    assert len(batch["results"]) == 5 and batch["refused"][0]["index"] == 5
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        given = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = (await owner.get(f"{API}/memories", params=given)).json()
        seen += [one["id"] for one in page["results"]]
        cursor = page["next_cursor"]
    assert cursor is None and sorted(seen) == sorted(one["id"] for one in batch["results"])


async def test_lists_in_a_query_are_named_entry_by_entry(owner: Any) -> None:
    await stored(owner, "Both tags are here", tags=["a", "b"])
    await stored(owner, "Only one tag is there", tags=["a"])
    both = (await owner.get(f"{API}/memories?tags=a&tags=b")).json()
    assert [one["content"] for one in both["results"]] == ["Both tags are here"]


@every(
    ("method", "path", "sent", "status", "field"),
    [
        ("POST", "/memories", {"content": ""}, 400, "content"),
        ("POST", "/memories", {}, 400, "content"),
        ("POST", "/memories", {"content": "x", "colour": "red"}, 400, "colour"),
        ("POST", "/memories", {"content": "x", "importance": 7}, 400, "importance"),
        ("POST", "/memories", {"content": "x", "agent_id": "other"}, 400, "agent_id"),
        ("POST", "/memories", {"content": "x", "namespace": " no "}, 400, "namespace"),
        ("POST", "/memories", {"content": "x", "namespace": ["a"]}, 400, "namespace"),
        ("POST", "/sealed", {"content": "x", "embedding": [1], "namespace": 5}, 400, "namespace"),
        ("GET", "/memories?limit=many", None, 400, "limit"),
        ("GET", "/memories?limit=1&limit=2", None, 400, "limit"),
        ("GET", "/memories?q=%ff", None, 400, "query"),
        ("GET", "/memories/%00", None, 400, "memory_id"),
        ("GET", "/memories/mem_0123456789abcdef0123", None, 404, None),
        ("PATCH", "/memories/x", {"memory_id": "y"}, 400, "memory_id"),
        ("PATCH", "/goals/goal_0123456789abcdef0123", {"title": "x"}, 404, None),
        ("DELETE", "/memories", None, 400, "memory_id"),
        ("POST", "/goals", {"title": "t", "description": "d", "deadline": "soon"}, 400, "deadline"),
        ("POST", "/jobs/nothing/run", None, 404, None),
        ("TRACE", "/memories", None, 405, None),
        ("DELETE", "/events", None, 405, None),
    ],
)
async def test_what_is_wrong_is_named(
    owner: Any, method: str, path: str, sent: Any, status: int, field: str | None
) -> None:
    answer = await owner.request(method, API + path, json=sent)
    assert (answer.status_code, answer.json().get("field")) == (status, field), answer.text
    assert answer.json()["status"] == status and len(answer.json()["detail"]) > 5


@every("body", [b"{", b"[]", b"null", b'"x"', b"[" * 5000, b'{"a":' * 5000, b"\x00", b'{"content":NaN}', b"\xff\xfe"])
async def test_a_body_that_is_no_object_changes_nothing(owner: Any, body: bytes) -> None:
    answer = await owner.post(f"{API}/memories", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert (await owner.get(f"{API}/memories")).json()["total"] == 0


@every("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
async def test_a_form_of_a_web_page_is_no_request(owner: Any, kind: str) -> None:
    answer = await owner.post(f"{API}/memories", content=b'{"content":"x"}', headers={"content-type": kind})
    assert answer.status_code == 415


async def test_a_request_that_is_sent_again_is_done_once(owner: Any, served: Any, make_key: Any) -> None:
    goal = {"title": "Ship", "description": "once"}
    again = {"idempotency-key": "7f3a"}
    first, second = await asyncio.gather(*(owner.post(f"{API}/goals", json=goal, headers=again) for _ in range(2)))
    assert first.status_code == second.status_code == 201 and first.json() == second.json()
    assert [one.headers.get("idempotent-replayed") for one in (first, second)] == [None, "true"]
    other = await owner.post(f"{API}/goals", json={**goal, "title": "Rest"}, headers=again)
    assert other.status_code == 409 and "Idempotency-Key" in other.json()["detail"]
    ada = served.client(await make_key("ada", Role.WRITER, {"ada": Right.WRITE}))
    assert (await ada.post(f"{API}/goals", json=goal, headers=again)).json()["id"] != first.json()["id"]
    wrong = {"idempotency-key": "8f3a"}
    assert (await owner.post(f"{API}/goals", json={}, headers=wrong)).status_code == 400
    assert (await owner.post(f"{API}/goals", json=goal, headers=wrong)).status_code == 201, "a failure is not kept"
    assert (await owner.post(f"{API}/goals", json=goal, headers={"idempotency-key": "x" * 201})).status_code == 400


async def test_goals_reflections_and_turns_go_through_the_same_services(owner: Any) -> None:
    goal = (await owner.post(f"{API}/goals", json={"title": "Ship", "description": "the door"})).json()
    assert (await owner.put(f"{API}/goals/{goal['id']}/progress", json={"progress": 0.5})).json()["progress"] == 0.5
    assert (await owner.patch(f"{API}/goals/{goal['id']}", json={"title": "Ship it"})).json()["title"] == "Ship it"
    assert (await owner.get(f"{API}/goals")).json()["results"][0]["description"] == "the door"
    for _ in range(3):
        logged = {"action": "deploy", "outcome": "broke", "success": False}
        assert (await owner.post(f"{API}/reflections", json=logged)).status_code == 201
    assert (await owner.post(f"{API}/reflections/analyze")).json()["total_actions"] == 3
    assert "deploy" in (await owner.get(f"{API}/patterns")).text
    turn = {"content": "When do we deploy?", "role": "user"}
    assert (await owner.post(f"{API}/sessions/s1/turns", json=turn)).status_code == 201
    assert "deploy" in (await owner.get(f"{API}/sessions/s1/turns")).text
    assert (await owner.get(f"{API}/snapshot")).json()["active_goals"]


async def test_an_export_is_a_bundle_that_import_takes(owner: Any, served: Any, make_key: Any) -> None:
    await stored(owner, "What everybody may carry away", namespace="shared")
    await stored(owner, "What only the owner may see", namespace="private")
    scoped = served.client(await make_key("ops", Role.OPERATOR, {"shared": Right.READ}))
    part = await scoped.get(f"{API}/export")
    assert part.headers["content-type"].startswith("application/x-ndjson")
    assert "everybody" in part.text and "only the owner" not in part.text and "private" not in part.text
    assert all(json.loads(line) for line in part.text.splitlines())
    bundle = await owner.get(f"{API}/export")
    assert "everybody" in bundle.text and "only the owner" in bundle.text
    headers = {"content-type": "application/x-ndjson"}
    again = await owner.post(f"{API}/import?dry_run=true", content=bundle.content, headers=headers)
    assert again.status_code == 200 and not any(again.json()["new"].values())
    refused = await served.client(await make_key("boss", Role.OWNER, {"shared": Right.ADMIN})).post(
        f"{API}/import", content=bundle.content, headers=headers
    )
    assert refused.status_code == 403
    assert (await owner.post(f"{API}/import", content=b"no bundle", headers=headers)).status_code == 400


async def test_a_sealed_text_is_found_by_its_vector_alone(owner: Any) -> None:
    path = f"{API}/sealed"
    one = (await owner.post(path, json={"content": "ciphertext-one", "embedding": [1.0, 0.0]})).json()
    await owner.post(path, json={"content": "ciphertext-two", "embedding": [0.0, 1.0]})
    found = (await owner.post(f"{path}/search", json={"embedding": [0.9, 0.1], "limit": 1})).json()["results"]
    assert [hit["content"] for hit in found] == ["ciphertext-one"]
    assert (await owner.post(path, json={"content": "x", "embedding": [1.0, 0.0, 0.0]})).status_code == 400
    assert (await owner.get(f"{API}/search?query=ciphertext-one")).json()["results"] == []
    assert (await owner.delete(f"{path}/{one['id']}")).json() == {"deleted": 1}
    assert (await owner.get(f"{path}/{one['id']}")).status_code == 404


async def test_keys_and_grants_are_made_over_http(owner: Any, served: Any) -> None:
    asked = {"name": "ada", "role": "writer", "namespaces": {"ada": "write"}}
    made = (await owner.post(f"{API}/keys", json=asked)).json()
    ada = served.client(made["secret"])
    assert (await ada.get(f"{API}/auth/caller")).json()["namespaces"] == {"ada": "write"}
    await stored(ada, "What ada keeps")
    await stored(owner, "What is shared", namespace="shared")
    shared = f"{API}/memories?namespace=shared"
    assert (await ada.get(shared)).status_code == 403
    await owner.post(f"{API}/grants", json={"namespace": "shared", "principal": "ada"})
    assert (await ada.get(shared)).json()["total"] == 1
    assert (await ada.post(f"{API}/memories", json={"content": "x", "namespace": "shared"})).status_code == 403
    assert "secret" not in str((await owner.get(f"{API}/keys")).json()["results"][0]["secret"])
    assert (await ada.get(f"{API}/keys")).status_code == 403
    names = [one["name"] for one in (await ada.get(f"{API}/namespaces")).json()["results"]]
    assert sorted(names) == ["ada", "shared"]
    assert (await owner.delete(f"{API}/keys/{made['prefix']}")).json()["state"] == "revoked"
    assert (await ada.get(f"{API}/auth/caller")).status_code == 401


async def test_usage_tells_only_of_namespaces_that_may_be_read(owner: Any, served: Any, make_key: Any) -> None:
    await stored(owner, "Somebody else's", namespace="other")
    ada = served.client(await make_key("ada", Role.WRITER, {"ada": Right.WRITE}))
    await stored(ada, "Ada's own")
    rows = (await ada.get(f"{API}/usage")).json()["results"]
    assert {row["namespace"] for row in rows} == {"ada"} and rows[0]["client"] == "rest"


async def test_a_delete_of_one_memory_is_counted_as_the_tool_that_every_door_lists(owner: Any) -> None:
    path = f"{API}/memories/{await stored(owner)}"
    assert [(await owner.delete(path)).status_code for _ in range(2)] == [200, 404]
    rows = (await owner.get(f"{API}/usage")).json()["results"]
    assert [(row["calls"], row["failures"]) for row in rows if row["tool"] == "memory_delete"] == [(2, 1)]
    assert {row["tool"] for row in rows} <= {tool.name for tool in all_tools(None)}


@pytest.mark.parametrize("path", ["backups", "jobs", "health"])
async def test_operators_see_how_it_runs(owner: Any, path: str) -> None:
    if path == "backups":
        assert (await owner.post(f"{API}/backups")).status_code == 201
    answer = await owner.get(f"{API}/{path}")
    assert answer.status_code == 200 and str(answer.request.url).endswith(path)
    assert "/" not in answer.text.replace("://", "") or "home" not in answer.text


async def test_a_header_names_the_project_that_a_request_is_for(owner: Any) -> None:
    for name in ("shop", "radar"):
        opened = await owner.post(f"{API}/sessions", json={"folder": f"/w/{name}", "name": name})
        assert opened.status_code in (200, 201), opened.text
        there = {"x-agentos-project": name}
        kept = await owner.post(f"{API}/memories", json={"content": f"The {name} deploys at noon"}, headers=there)
        assert kept.status_code == 201, kept.text
        rows = [{"content": f"The {name} is tested"}, {"content": f"All of {name} is shared", "project": "everywhere"}]
        batch = await owner.post(f"{API}/memories/batch", json={"memories": rows}, headers=there)
        assert len(batch.json()["results"]) == 2, batch.text
    there = {"x-agentos-project": "shop"}
    for path, most in (("search?query=deploys%20noon", 1), ("memories?limit=9", 2)):
        own = (await owner.get(f"{API}/{path}", headers=there)).json()
        assert own["results"] and not any("radar de" in one["content"] for one in own["results"])
        assert own["elsewhere"] == f"{most} more in project radar: project='*'"
        every_one = (await owner.get(f"{API}/{path}&project=*", headers=there)).json()
        assert any("radar de" in one["content"] for one in every_one["results"]) and not every_one["elsewhere"]
    unknown = await owner.get(f"{API}/memories", headers={"x-agentos-project": "shopp"})
    assert unknown.status_code == 400 and "nearest: shop" in unknown.json()["detail"]
