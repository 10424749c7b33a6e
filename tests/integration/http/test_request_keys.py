"""Requests that are sent again after the server ended: what they changed is in the store, their answers are not."""

from dataclasses import replace
from typing import Any

from agentos.interfaces.http.rest.once import Once
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.acting import acting
from agentos.modules.principals.models import Door, RequestKey, Right, Role, local_owner
from tests.integration.conftest import Clock
from tests.tables import every

API = "/api/v1"
KEY = {"idempotency-key": "k1"}
GOAL = {"title": "Paint the shed", "description": "in teal", "namespace": "default"}
ACTION = {"action": "deploy", "outcome": "it failed", "success": False}


def restart(once: Once, clock: Clock) -> None:
    """What becomes of answers when the server is started again."""
    once._entries.clear()
    clock.advance(seconds=2)


@every(
    ("path", "body"),
    [
        ("/goals", GOAL),
        ("/reflections", ACTION),
        ("/memories", {"content": "The lamp in the hall is green"}),
        ("/graph/nodes", {"node_type": "concept", "label": "Shed"}),
    ],
)
async def test_the_same_request_has_the_same_id_and_one_row(
    served: Any, clock: Clock, path: str, body: dict[str, Any]
) -> None:
    client, named = served.client(), {"idempotency-key": path}
    first = await client.post(API + path, json=body, headers=named)
    assert first.status_code == 201, first.text
    restart(served.once, clock)
    again = await client.post(API + path, json=body, headers=named)
    assert again.status_code == 201, again.text
    assert id_of(again.json()) == id_of(first.json())
    other = await client.post(API + path, json={**body, "namespace": "other"}, headers=named)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    if path == "/goals":
        listed = (await client.get(f"{API}/goals")).json()
        assert listed["total"] == 1


def id_of(answer: dict[str, Any]) -> Any:
    return answer.get("id") or answer["node_id"]


async def test_what_cannot_be_done_again_is_refused(served: Any, clock: Clock) -> None:
    client = served.client()
    made = (await client.post(f"{API}/memories", json={"content": "The lamp is green"})).json()
    path, body = f"{API}/memories/{made['id']}/feedback", {"verdict": "confirm"}
    first = await client.post(path, json=body, headers=KEY)
    assert first.status_code == 200, first.text
    restart(served.once, clock)
    again = await client.post(path, json=body, headers=KEY)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert "carried out" in again.json()["detail"]


async def test_keys_are_a_principals_own_and_last_for_a_day(
    served: Any, make_key: Any, agentos: AgentOS, clock: Clock
) -> None:
    client = served.client()
    first = (await client.post(f"{API}/goals", json=GOAL, headers=KEY)).json()
    restart(served.once, clock)
    ada = served.client(await make_key("ada", Role.WRITER, {"default": Right.WRITE}))
    assert (await ada.post(f"{API}/goals", json=GOAL, headers=KEY)).json()["id"] != first["id"]
    assert await agentos.requests.purge() == 0
    clock.advance(hours=25)
    assert await agentos.requests.purge() > 0
    assert (await client.post(f"{API}/goals", json={**GOAL, "title": "Another"}, headers=KEY)).status_code == 201


async def test_a_request_may_do_an_action_more_than_once(agentos: AgentOS, clock: Clock) -> None:
    asked = replace(local_owner("default", None, Door.HTTP), request_key=RequestKey("k", b"d", clock()))
    with acting(asked):
        ids = {(await agentos.goals.add("default", title, "d")).id for title in ("one", "two")}
    assert len(ids) == 2
