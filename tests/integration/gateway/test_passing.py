"""What passes through the gateway: byte for byte, at once, in both directions, and whatever fails."""

import asyncio
import json
import socket
from typing import Any

import httpx2
import pytest

from agentos.features.gateway.proxy import wire
from tests.provider import DONE
from tests.tables import every

OPENAI, ANTHROPIC = "/proxy/openai/v1", "/proxy/anthropic/v1"


async def until(true: Any) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.01)


@every(
    "method, path, arrives, body",
    [
        ("GET", f"{OPENAI}/models", "/v1/models", b""),
        ("GET", f"{OPENAI}/models/a%2Fb?x=%20&y=1", "/v1/models/a%2Fb?x=%20&y=1", b""),
        ("POST", f"{OPENAI}/embeddings", "/v1/embeddings", b'{ "input" : "\\u00e4" , "a":1e2}'),
        ("POST", f"{OPENAI}/audio/x", "/v1/audio/x", bytes(range(256)) * 50),
        ("DELETE", f"{OPENAI}/files/f", "/v1/files/f", b""),
        ("POST", f"{ANTHROPIC}/messages/batches", "/v1/messages/batches", b'{"requests": []}'),
        ("GET", f"{ANTHROPIC}/models?limit=1", "/v1/models?limit=1", b""),
    ],
)
async def test_what_holds_no_conversation_passes_as_it_is(
    gateway: Any, method: str, path: str, arrives: str, body: bytes
) -> None:
    headers = {
        "authorization": "Bearer sk-own",
        "x-custom": "a, b",
        "x-memory-mode": "off",
        "connection": "keep-alive, x",
    }
    answer = await gateway.client.request(method, path, content=body, headers=headers)
    seen, given, sent = gateway.provider.requests[-1]
    assert (seen, sent) == (arrives, body)
    assert given["authorization"] == "Bearer sk-own" and given["x-custom"] == "a, b"
    assert not any(name.startswith("x-memory") for name in given)
    assert answer.json()["said"] == body.decode("latin-1")
    assert not any(name.startswith("x-memory") for name in answer.headers)


async def test_a_request_without_anything_to_tell_passes_byte_for_byte(gateway: Any) -> None:
    sent = b'{"messages" : [ {"role":"user","content":"Is a\\u00e4 1.0E+2?"} ], "model":"m"}'
    answer = await gateway.client.post(f"{OPENAI}/chat/completions", content=sent)
    assert gateway.provider.requests[-1][2] == sent
    assert answer.headers["x-memory-gate-decision"].startswith("abstain")


@every("dialect", ["chat/completions", "responses", "messages"])
async def test_a_stream_passes_byte_for_byte_in_pieces_of_one_byte(gateway: Any, dialect: str) -> None:
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}], "input": "hi"}
    gateway.provider.chunk = 1
    root = ANTHROPIC if dialect == "messages" else OPENAI
    answer = await gateway.client.post(f"{root}/{dialect}", json=body)
    assert answer.content == gateway.provider.answered[-1]
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"


async def test_the_first_pieces_come_while_the_provider_still_thinks(gateway: Any) -> None:
    gateway.provider.gate = asyncio.Event()  # never set: only half of the stream ever goes out
    gateway.provider.chunk = 100
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    async with gateway.client.stream("POST", f"{OPENAI}/chat/completions", json=body) as answer:
        async for piece in answer.aiter_raw():
            assert piece.startswith(b"data: ")
            break
    await until(lambda: gateway.provider.cut == 1)


async def test_a_client_that_leaves_ends_the_providers_work(gateway: Any) -> None:
    gateway.provider.chunk, gateway.provider.pause_s = 4, 0.01
    gateway.provider.reply = lambda body: "long " * 10_000
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "My port is 5433"}]}
    async with gateway.client.stream("POST", f"{OPENAI}/chat/completions", json=body) as answer:
        async for _ in answer.aiter_raw():
            break
    await until(lambda: gateway.provider.cut == 1)
    assert await gateway.turns() == ["user: My port is 5433"], "half an answer is none"


async def test_a_stream_that_breaks_off_does_not_pass_for_a_complete_one(gateway: Any) -> None:
    gateway.provider.chunk, gateway.provider.breaks = 50, True
    with pytest.raises(httpx2.RemoteProtocolError):
        await gateway.ask("My port is 5433", stream=True)
    assert await gateway.turns() == ["user: My port is 5433"]


@every("status", [400, 401, 404, 429, 500, 503, 529])
async def test_a_providers_error_passes_as_it_is(gateway: Any, status: int) -> None:
    gateway.provider.failures = [status]
    answer = await gateway.ask("Remember that my port is 5433")
    assert (answer.status_code, answer.content) == (status, b'{"error":{"message":"not  now"}}')
    assert answer.headers["x-request-id"] == "req-7"
    assert await gateway.turns() == []


async def test_a_provider_that_is_not_there_is_named_so(start: Any) -> None:
    gateway = await start()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    gateway.provider.url = f"http://127.0.0.1:{port}/v1"
    gateway = await start()
    answer = await gateway.ask("hi")
    assert answer.status_code == 502 and answer.json()["error"]["type"] == "upstream_unreachable"


async def test_a_provider_is_asked_again_and_then_its_fallback(start: Any) -> None:
    plain = await start("[openai]\nretries = 2\n")
    plain.provider.failures = [429, 503]
    assert (await plain.ask("hi")).status_code == 200
    assert len(plain.provider.requests) == 3
    toml = (
        f'[openai]\nfallback_url = "{plain.provider.url}/other"\nfallback_key = "sk-other"\nfallback_model = "small"\n'
    )
    other = await start(toml)
    other.provider.failures = [503]
    answer = await other.ask("hi", headers={"authorization": "Bearer sk-own"})
    path, headers, body = other.provider.requests[-1]
    assert answer.headers["x-memory-upstream"] == "fallback" and path == "/v1/other/chat/completions"
    assert headers["authorization"] == "Bearer sk-other" and json.loads(body)["model"] == "small"


async def test_a_fallback_is_sent_no_credentials_and_no_name_of_the_client(start: Any) -> None:
    gateway = await start()
    gateway = await start(f'[openai]\nfallback_url = "{gateway.provider.url}/other"\n')
    gateway.provider.failures = [503]
    names = ("Authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization", "x-token")
    headers = dict.fromkeys(names, "sk-own") | {"openai-beta": "x"}
    assert (await gateway.ask("hi", headers=headers)).status_code == 200
    sent = gateway.provider.requests[-1][1]
    assert sent["openai-beta"] == "x" and sent["content-type"] == "application/json"
    assert "sk-own" not in json.dumps(sent)


async def asked_as_written(gateway: Any, path: str) -> int:
    """The status of an answer to a path that no client has tidied."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.client.base_url.port)
    writer.write(f"POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".encode())
    status = int((await reader.readline()).split()[1])
    await reader.read()
    writer.close()
    return status


@every(
    "path",
    [
        *("/../../admin", "/chat/../../../admin", "/%2e%2e/admin", "/%2E./admin", "/..%2fadmin", "/..\\admin"),
        *("/%5c..%5cadmin", "/./models", "/..;x/admin", "/%252e%252e/admin", "/a%00b", "/models/%zz"),
    ],
)
async def test_a_path_that_may_lead_elsewhere_is_refused(gateway: Any, path: str) -> None:
    assert await asked_as_written(gateway, OPENAI + path) == 400
    assert gateway.provider.requests == []


async def test_a_request_that_is_too_long_to_be_held_passes_without_memory(
    gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_BODY_BYTES", 1_000)
    answer = await gateway.ask("x" * 300_000)
    assert answer.status_code == 200 and len(gateway.provider.requests[-1][2]) > 300_000
    assert {one.get("question", "") for one in gateway.daemon.asked} == {""}, "rules alone are asked for"


async def test_pages_of_browsers_and_other_names_are_refused(gateway: Any) -> None:
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}, {"host": "evil.example:80"}):
        assert (await gateway.ask("hi", headers=headers)).status_code == 403
    assert gateway.provider.requests == []
    assert (await gateway.client.get("/proxy/openai")).status_code == 404
    assert (await gateway.client.get("/health")).json() == {"status": "ok", "memory": "attached"}


async def test_a_hundred_streams_at_once_do_not_mix(gateway: Any) -> None:
    gateway.provider.reply = lambda body: f"answer to {body['messages'][-1]['content'][:6]}"
    gateway.provider.chunk, gateway.provider.pause_s = 200, 0.001

    async def one(number: int) -> None:
        answer: httpx2.Response = await gateway.ask(f"n {number:04d}", stream=True)
        events = [json.loads(line[6:]) for line in answer.text.split("\n\n") if line[6:].startswith("{")]
        text = "".join(one["choices"][0]["delta"].get("content", "") for one in events)
        assert text == f"answer to n {number:04d}" and answer.content.endswith(DONE)

    await asyncio.gather(*(one(number) for number in range(100)))


async def test_a_provider_is_asked_once_how_much_an_unknown_model_reads(gateway: Any) -> None:
    gateway.provider.models = [{"id": "mine", "context_length": 3_000}]
    headers = ((b"authorization", b"Bearer sk-own"), (b"content-length", b"900"))
    for model in ("mine", "mine", "gpt-4o", ""):
        gateway.model_list.seek("openai", model, headers)
        await gateway.model_list.settled()
    ((path, sent, body),) = gateway.provider.requests
    assert path == "/v1/models" and sent["authorization"] == "Bearer sk-own" and body == b""
    assert gateway.remembering._windows.of("mine") == 3_000
    gateway.model_list.seek("openai", "other", headers)
    await gateway.model_list.settled()
    asked = [path for path, _, _ in gateway.provider.requests[1:]]
    assert asked == ["/v1/models", "/api/v0/models", "/api/ps", "/api/show"], "what runs here is asked in its own way"


async def test_what_a_provider_sends_after_an_answer_reaches_no_other_key(start: Any, provider: Any) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        answers = [b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(one), one) for one in (b"own", b"others")]
        writer.write(b"".join(answers))
        await reader.read()
        writer.close()
        await writer.wait_closed()

    keys = [f"of-{name}-0123456789abcdef" for name in ("ann", "bob")]
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        gateway = await start(
            "".join(f'[[keys]]\nname = "{key[3:6]}"\nkey = "{key}"\nopenai_key = "sk"\n' for key in keys)
        )
        for key in keys:
            told = await gateway.client.get(f"{OPENAI}/models", headers={"authorization": f"Bearer {key}"})
            assert told.text == "own"
