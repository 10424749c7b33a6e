"""Who gets in: keys, Host, Origin, addresses; and the one shape of every refusal."""

import asyncio
import json
import logging
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.log_lines import JsonLines
from agentos.modules.principals.models import Door, Right, Role, local_owner
from tests.tables import every

LIST = "/api/v1/memories"


@every(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Bearer agos_abcdefgh_wrong"}, 401),
        ({"authorization": "Basic x"}, 401),
        ({"authorization": f"Bearer {'x' * 9000}"}, 401),
        ({"x-api-key": "the-owners-key-of-24-characters"}, 200),
        ({"authorization": "Bearer the-owners-key-of-24-characters"}, 200),
        ({"authorization": "bearer  the-owners-key-of-24-characters "}, 200),
    ],
)
async def test_only_a_key_opens_it(served: Any, headers: dict[str, str], status: int) -> None:
    answer = await served.client(key=None, **headers).get(LIST)
    assert answer.status_code == status
    if status == 401:
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"
        body = answer.json()
        assert body["code"] == "unauthenticated" and body["request_id"] == answer.headers["x-request-id"]
    assert answer.headers["x-content-type-options"] == "nosniff" and "content-security-policy" in answer.headers


@every(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "memory.example.com"}, 200),
        ({"host": "MEMORY.example.com:8443"}, 200),
        ({"host": "[::1]:8420"}, 200),
        ({"content-length": "0", "transfer-encoding": "chunked"}, 400),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1"}, 200),
        ({"origin": "http://127.0.0.1:3000"}, 403),
        ({"origin": "https://memory.example.com", "host": "memory.example.com"}, 200),
    ],
)
async def test_other_sites_and_other_names_are_refused(serve: Any, headers: dict[str, str], status: int) -> None:
    served = await serve(http_hosts=("memory.example.com",))
    answer = await served.client(**headers).get(LIST)
    assert answer.status_code == status
    assert "access-control-allow-origin" not in answer.headers


@every(
    ("address", "forwarded", "status"),
    [
        ("10.1.2.3", None, 200),
        ("192.0.2.9", None, 403),
        ("192.0.2.9", "10.1.2.3", 403),  # whoever it says it is
        ("10.9.9.9", "192.0.2.9", 403),  # the proxy says where it comes from
        ("10.9.9.9", "10.1.2.3, 192.0.2.9", 403),  # and what the client said before counts for nothing
        ("10.9.9.9", "192.0.2.9, 10.1.2.3", 200),
    ],
)
async def test_addresses_count_as_a_trusted_proxy_tells_them(
    serve: Any, address: str, forwarded: str | None, status: int
) -> None:
    served = await serve(http_allow=("10.0.0.0/8",), http_proxies=("10.9.9.9",))
    headers = {} if forwarded is None else {"x-forwarded-for": forwarded}
    assert (await served.client(address=address, **headers).get(LIST)).status_code == status


async def test_a_revoked_key_is_refused_at_once(served: Any, make_key: Any, agentos: AgentOS) -> None:
    key = await make_key("ada", Role.WRITER, {"ada": Right.WRITE})
    client = served.client(key)
    assert (await client.get(LIST)).status_code == 200
    owner = local_owner("default", None, Door.COMMAND_LINE)
    [made] = await agentos.principals.list_keys(owner)
    await agentos.principals.revoke_key(owner, made.prefix)
    assert (await client.get(LIST)).status_code == 401


async def test_guessing_keys_is_stopped_but_not_for_others(served: Any) -> None:
    guessing = served.client("wrong", address="192.0.2.1")
    statuses = [(await guessing.get(LIST)).status_code for _ in range(32)]
    assert statuses[:30] == [401] * 30 and statuses[30:] == [429, 429]
    for address in ("192.0.2.1", "192.0.2.2"):
        assert (await served.client(address=address).get(LIST)).status_code == 200


async def test_paths_without_data_are_open_and_unknown_ones_are_not(served: Any) -> None:
    anybody = served.client(key=None)
    for path in ("/healthz", "/readyz", "/openapi.json", "/.well-known/oauth-protected-resource/mcp"):
        assert (await anybody.get(path)).status_code == 200, path
    for path in ("/metrics", "/", "/static/..%2f..%2fetc/passwd", "/mcp", "/api/v1/nothing"):
        assert (await anybody.get(path)).status_code == 401, path
    assert (await served.client().get("/api/v1/nothing")).json()["code"] == "not_found"
    refused = await served.client().put("/healthz")
    assert refused.status_code == 405 and refused.headers["allow"] == "GET"


async def test_metrics_are_for_operators_and_move(served: Any, make_key: Any) -> None:
    reader = await make_key("reader", Role.READER, {"reader": Right.READ})
    assert (await served.client(reader).get("/metrics")).status_code == 403
    operator = served.client(await make_key("operator", Role.OPERATOR, {"ops": Right.READ}))
    await operator.get(f"{LIST}/mem_abcdefabcdef?namespace=ops")
    text = (await operator.get("/metrics")).text
    counted = 'agentos_http_requests_total{method="GET",route="/api/v1/memories/{memory_id}",status="404"} 1.0'
    assert counted in text and "mem_abc" not in text and "agentos_store_up 1.0" in text


@pytest.mark.parametrize("size", [1024, 1025])
async def test_a_body_may_be_as_large_as_the_limit_and_no_larger(serve: Any, size: int) -> None:
    served = await serve(http_max_body_bytes=1024)
    body = b'{"content":"' + b"x" * (size - 14) + b'"}'
    assert len(body) == size
    for chunked in (False, True):

        async def chunks() -> Any:
            yield body[:500]
            yield body[500:]

        answer = await served.client().post(
            LIST, content=chunks() if chunked else body, headers={"content-type": "application/json"}
        )
        assert answer.status_code == (201 if size == 1024 else 413)


async def test_a_key_has_a_rate_limit_and_answers_with_retry_after(serve: Any, make_key: Any) -> None:
    served = await serve(http_requests_per_minute=3)
    fast = served.client(await make_key("fast", Role.READER, {"fast": Right.READ}))
    answers = [await fast.get(LIST) for _ in range(4)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
    assert (await served.client().get(LIST)).status_code == 200


async def test_a_body_that_does_not_come_is_not_waited_for(served: Any) -> None:
    from agentos.interfaces.http.limits import BodyLimit

    async def reads(scope: Any, receive: Any, send: Any) -> None:
        await receive()

    async def nothing() -> Any:
        await asyncio.Event().wait()

    limited = BodyLimit(reads, served.policy, lambda _: 0, within_s=0.01)
    with pytest.raises(Exception, match="too long") as refused:
        await limited({"type": "http", "path": "/", "headers": []}, nothing, nothing)
    assert refused.value.status == 408  # type: ignore[attr-defined]


async def test_a_token_has_a_part_of_its_keys_rights_for_a_while(
    served: Any, make_key: Any, agentos: AgentOS, clock: Any
) -> None:
    client = served.client(await make_key("ada", Role.WRITER, {"ada": Right.WRITE, "shared": Right.READ}))
    asked = {"role": "reader", "namespaces": ["ada"], "seconds": 60}
    made = (await client.post("/api/v1/auth/token", json=asked)).json()
    narrow = served.client(made["token"])
    assert (await narrow.get(LIST)).status_code == 200
    assert (await narrow.get(f"{LIST}?namespace=shared")).status_code == 403
    assert (await narrow.post(LIST, json={"content": "x"})).status_code == 403
    assert (await narrow.post("/api/v1/auth/token", json=asked)).status_code == 400
    for wider in ({"role": "operator"}, {"namespaces": ["other"]}):
        assert (await client.post("/api/v1/auth/token", json=wider)).status_code == 403
    head, _, signature = made["token"].partition(".")
    for forged in (f"{head}.{'A' * 43}", f"{head[:-2]}AA.{signature}", "agot_x"):
        assert (await served.client(forged).get(LIST)).status_code == 401
    clock.advance(seconds=61)
    assert (await narrow.get(LIST)).status_code == 401
    lasting = served.client((await client.post("/api/v1/auth/token", json={"seconds": 3600})).json()["token"])
    assert (await lasting.get(f"{LIST}?namespace=shared")).status_code == 200
    owner = local_owner("default", None, Door.COMMAND_LINE)
    [key] = await agentos.principals.list_keys(owner)
    await agentos.principals.revoke_key(owner, key.prefix)
    assert (await lasting.get(LIST)).status_code == 401
    assert (await served.client().post("/api/v1/auth/token", json={})).status_code == 400


async def test_the_log_says_who_asked_in_which_request_and_no_key(
    served: Any, make_key: Any, caplog: pytest.LogCaptureFixture
) -> None:
    key = await make_key("ada", Role.READER, {"ada": Right.READ})
    with caplog.at_level(logging.INFO, logger="agentos.interfaces.http"):
        await served.client(key).get("/api/v1/search", params={"query": "purple"}, headers={"x-request-id": "r-17"})
    [line] = [JsonLines().format(record) for record in caplog.records]
    entry = json.loads(line)
    assert (entry["request_id"], entry["principal"], entry["door"]) == ("r-17", "ada", "http")
    assert key not in line and "purple" not in line
