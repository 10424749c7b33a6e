"""Answers that are given again, streams whose key ends, and what one key may take of the server."""

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Any

import pytest

from agentos.interfaces.http import limits
from agentos.interfaces.http.rest import events
from agentos.interfaces.http.rest import streams as open_streams
from agentos.interfaces.http.rest.streams import MOST_OF_A_PRINCIPAL
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Door, Right, Role, local_owner
from tests.integration.http.conftest import OWNER_KEY
from tests.integration.http.test_events import stream
from tests.tables import every

API = "/api/v1"
OWNER = local_owner("default", None, Door.COMMAND_LINE)
AGAIN = {"idempotency-key": "k1"}


@every(
    ("path", "asked"),
    [
        ("/keys", {"name": "more", "role": "reader", "namespaces": {"a": "read"}}),
        ("/keys/{prefix}/rotate", {}),
        ("/auth/token", {"role": "reader"}),
    ],
)
async def test_a_secret_is_never_shown_twice(
    served: Any, make_key: Any, agentos: AgentOS, path: str, asked: dict[str, Any]
) -> None:
    boss = served.client(await make_key(f"boss{len(path)}", Role.OWNER, {"a": Right.ADMIN}))
    key, *_ = await agentos.principals.list_keys(OWNER)
    token = (await boss.post(f"{API}/auth/token", json={"role": "reader"})).json()["token"]
    path = API + path.format(prefix=key.prefix)
    first = await boss.post(path, json=asked, headers=AGAIN)
    assert first.status_code == 201
    assert (await boss.post(path, json=asked, headers=AGAIN)).headers.get("idempotent-replayed") is None
    assert (await served.client(token).post(path, json=asked, headers=AGAIN)).status_code in (400, 403)


async def test_what_is_answered_again_is_open_still(served: Any, make_key: Any, agentos: AgentOS) -> None:
    secret = await make_key("bob", Role.WRITER, {"bob": Right.WRITE})
    await agentos.principals.grant(OWNER, "team", "bob", Right.WRITE)
    await agentos.principals.grant(OWNER, "else", "bob", Right.READ)
    bob = served.client(secret)
    token = (await bob.post(f"{API}/auth/token", json={"role": "reader"})).json()["token"]
    asked = {"title": "Paint the shed", "description": "in teal", "namespace": "team"}
    search = {"query": "anything", "namespace": "team"}
    first = await bob.post(f"{API}/goals", json=asked, headers=AGAIN)
    assert (await bob.post(f"{API}/goals", json=asked, headers=AGAIN)).json() == first.json()
    assert (await served.client(token).post(f"{API}/goals", json=asked, headers=AGAIN)).status_code == 403
    found = {"idempotency-key": "k2"}
    assert (await bob.post(f"{API}/search", json=search, headers=found)).status_code == 200
    await agentos.principals.withdraw(OWNER, "team", "bob")
    assert (await bob.post(f"{API}/goals", json=asked, headers=AGAIN)).status_code == 403
    assert (await bob.post(f"{API}/search", json=search, headers=found)).status_code == 403


@every("ending", ["key", "grant"])
async def test_a_stream_ends_with_what_opened_it(
    served: Any, make_key: Any, agentos: AgentOS, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(events, "CHECKED_EVERY_S", 0.05)
    secret = await make_key("ada", Role.READER, {"ada": Right.READ})
    await agentos.principals.grant(OWNER, "team", "ada", Right.READ)
    key, *_ = await agentos.principals.list_keys(OWNER)
    client = served.client(key=None)
    async with stream(served, secret, "namespace=team") as followed:
        if ending == "key":
            await agentos.principals.revoke_key(OWNER, key.prefix)
        else:
            await agentos.principals.withdraw(OWNER, "team", "ada")
        await served.client().post(f"{API}/goals", json={"title": "t", "description": "d", "namespace": "team"})
        await followed.ended()
    assert "team" not in followed.text
    assert (await client.get("/healthz")).status_code == 200


async def test_streams_count_from_when_they_are_admitted(served: Any, make_key: Any) -> None:
    key = await make_key("ada", Role.READER, {"ada": Right.READ})

    async def admitted(opened: AsyncExitStack) -> bool:
        try:
            await opened.enter_async_context(stream(served, key))
        except AssertionError:
            return False
        return True

    async with AsyncExitStack() as opened:
        tried = await asyncio.gather(*(admitted(opened) for _ in range(MOST_OF_A_PRINCIPAL + 8)))
        assert sum(tried) == MOST_OF_A_PRINCIPAL
    async with stream(served, key):
        pass


def request(path: str, key: str, method: str = "POST") -> dict[str, Any]:
    headers = {"host": "127.0.0.1", "authorization": f"Bearer {key}", "content-type": "application/json"}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }


async def test_bodies_that_never_come_leave_room_for_others(
    served: Any, make_key: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SILENT_S", 6.0)
    key = await make_key("ada", Role.READER, {"ada": Right.READ})
    requests = limits.MAX_AT_ONCE + 4
    refused = asyncio.Event()
    statuses: list[int] = []

    async def never() -> Any:
        await asyncio.Event().wait()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
            if len(statuses) == requests - limits.MOST_AT_ONCE_OF_A_PRINCIPAL:
                refused.set()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(requests):
            tasks.create_task(served.app(request(f"{API}/search", key), never, send))
        await refused.wait()  # from here on those of one principal wait, and no others
        assert (await served.client(key=None).get("/healthz")).status_code == 200
        assert (await served.client().get(f"{API}/memories")).status_code == 200
    assert statuses.count(408) == limits.MOST_AT_ONCE_OF_A_PRINCIPAL
    assert set(statuses) <= {408, 429, 503}


async def test_health_is_answered_under_any_load(served: Any) -> None:
    asked: list[str] = []

    async def works(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])

    full = limits.ConcurrencyLimit(works, most=0)
    await full({"type": "http", "path": "/healthz"}, served, served)
    with pytest.raises(Exception, match="too many"):
        await full({"type": "http", "path": "/readyz"}, served, served)
    assert asked == ["/healthz"]


async def test_streams_of_events_leave_room_for_requests(served: Any) -> None:
    ended, began = asyncio.Event(), asyncio.Queue[Any]()

    async def streams(scope: Any, receive: Any, send: Any) -> None:
        kind = [(b"content-type", b"text/event-stream; charset=utf-8")] if scope["path"] == "/events" else []
        await send({"type": "http.response.start", "status": 200, "headers": kind})
        await ended.wait()

    limit = limits.ConcurrencyLimit(streams, most=1)
    async with asyncio.TaskGroup() as tasks:
        for path in ("/events", "/events", "/memories"):
            tasks.create_task(limit({"type": "http", "path": path}, served, began.put))
            await began.get()
        with pytest.raises(Exception, match="too many"):
            await limit({"type": "http", "path": "/memories"}, served, began.put)
        ended.set()
    await limit({"type": "http", "path": "/memories"}, served, began.put)


async def test_a_server_keeps_so_many_streams_open_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_streams, "MOST", 2)
    streams = open_streams.Streams()
    with streams.one_of("ada"), streams.one_of("bob"):
        with pytest.raises(Exception, match="2 streams are open already"), streams.one_of("eve"):
            pass
    with streams.one_of("eve"):
        pass


@every("path", ["/search", "/import"])
async def test_a_client_that_leaves_is_no_error(served: Any, caplog: pytest.LogCaptureFixture, path: str) -> None:
    sent: list[Any] = []

    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    with caplog.at_level(logging.DEBUG, logger="agentos.interfaces.http"):
        await served.app(request(API + path, OWNER_KEY), gone, send)
    assert not sent and "the client left" in caplog.text
    assert all(one.levelno < logging.WARNING and one.exc_info is None for one in caplog.records)


@every(
    ("method", "path"),
    [("GET", "/backups"), ("POST", "/backups"), ("POST", "/jobs/nothing/run"), ("POST", "/jobs/nothing/cancel")],
)
async def test_store_wide_routes_need_rights_to_every_namespace(
    served: Any, make_key: Any, method: str, path: str
) -> None:
    await served.client().post(f"{API}/memories", json={"content": "Of somebody else", "namespace": "other"})
    narrow = served.client(await make_key("op", Role.OPERATOR, {"op": Right.WRITE}))
    wide = {name: Right.WRITE for name in ("op", "other", "wide", "global", "default")}
    unlimited = served.client(await make_key("wide", Role.OPERATOR, wide))
    assert (await narrow.request(method, API + path)).status_code == 403
    for client in (unlimited, served.client()):
        assert (await client.request(method, API + path)).status_code in (200, 201, 404, 409), path


async def test_a_token_is_refused_that_no_header_holds(served: Any, make_key: Any) -> None:
    names = [f"{number:02}" + "ü" * 98 for number in range(50)]
    client = served.client(await make_key("ada", Role.READER, dict.fromkeys(names, Right.READ)))
    refused = await client.post(f"{API}/auth/token", json={"namespaces": names})
    assert (refused.status_code, refused.json()["field"]) == (400, "namespaces")
    made = (await client.post(f"{API}/auth/token", json={"namespaces": names[:20]})).json()["token"]
    assert (await served.client(made).get(f"{API}/auth/caller")).status_code == 200


@every("host", ["[::1]evil.com", "[::1", "[::1]:x", "127.0.0.1:80:80", "127.0.0.1:", "127.0.0.1@evil.com"])
async def test_a_host_is_a_name_and_a_port_and_no_more(served: Any, host: str) -> None:
    answer = await served.client(host=host).get("/.well-known/oauth-protected-resource")
    assert answer.status_code == 421 and "evil" not in answer.text


@every("tag", ["", "%20"])
async def test_an_empty_tag_is_not_no_tag(served: Any, make_key: Any, tag: str) -> None:
    owner = served.client()
    await make_key("ada", Role.READER, {"ada": Right.READ})
    await owner.post(f"{API}/grants", json={"namespace": "team", "principal": "ada"})
    path = f"{API}/grants?namespace=team&principal=ada"
    assert (await owner.delete(f"{path}&tag={tag}")).status_code == 400
    assert (await owner.delete(path)).status_code == 200


@every("body", [b"no bundle", b'{"agentos": 1}', b'{"a":1}\n{', b""])
async def test_an_import_tells_no_path(served: Any, home: Any, body: bytes) -> None:
    headers = {"content-type": "application/x-ndjson"}
    answer = await served.client().post(f"{API}/import", content=body, headers=headers)
    assert answer.status_code == 400 and str(home) not in answer.text and "bundle.jsonl" not in answer.text
