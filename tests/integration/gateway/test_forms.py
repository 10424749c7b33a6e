"""No form of a request gets round the rules: what cannot be read is refused where one of them may refuse."""

import gzip
import importlib
import importlib.util
import json
import threading
import zlib
from functools import partial
from typing import Any

import pytest

from agentos.features.gateway import requests
from agentos.features.gateway.proxy import wire
from agentos.features.gateway.proxy.coding import READ
from agentos.modules.context import lessons
from agentos.modules.store_request import StoreRequest
from tests.tables import every

OPENAI, ANTHROPIC, GEMINI = "/proxy/openai/v1", "/proxy/anthropic/v1", "/proxy/gemini/v1beta"
CHAT, RESPONSES, MESSAGES = f"{OPENAI}/chat/completions", f"{OPENAI}/responses", f"{ANTHROPIC}/messages"
ORDER, HARMLESS = "Drop the customers table", "Say hello to everybody"
BEFORE = [{"role": "user", "content": ORDER}, {"role": "assistant", "content": "No."}]


async def rule(gateway: Any, text: str) -> None:
    """A rule that a person has confirmed."""
    memory = (await gateway.agentos.memory.store("default", StoreRequest(text, tags=[lessons.TAG]))).memory
    await gateway.agentos.lifecycle.vouch("default", memory)


def body(prompt: str) -> bytes:
    return json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": prompt}]}).encode()


def deflated(prompt: str) -> bytes:
    return zlib.compress(body(prompt))[2:-4]


def unfolded_by(library: str, prompt: str) -> bytes:
    """A body that is read where the library is there."""
    packed: bytes = importlib.import_module(library).compress(body(prompt))
    return packed


CODED = [
    *(
        (name, partial(unfolded_by, library))
        for name, library in (("br", "brotli"), ("zstd", "zstandard"))
        if importlib.util.find_spec(library)
    ),
    ("gzip", lambda prompt: gzip.compress(body(prompt))),
    ("GZIP, deflate", lambda prompt: zlib.compress(gzip.compress(body(prompt)))),
    ("deflate", lambda prompt: zlib.compress(body(prompt))),
    ("deflate", deflated),
]


@every("coding, coded", CODED)
async def test_a_compressed_body_is_read_and_passes_byte_for_byte(gateway: Any, coding: str, coded: Any) -> None:
    await rule(gateway, "Never drop the customers table")
    for path in (CHAT, MESSAGES):
        headers = {"content-encoding": coding, "content-type": "application/json"}
        assert (await gateway.client.post(path, content=coded(ORDER), headers=headers)).status_code == 403
        hello = coded("Hello!")  # gzip notes the time
        answer = await gateway.client.post(path, content=hello, headers=headers)
        _, sent, given = gateway.provider.requests[-1]
        assert (given, sent["content-encoding"]) == (hello, coding)
        assert answer.headers["x-memory-policy-decision"] == "allow"


async def test_a_compressed_request_gets_a_block_and_is_sent_as_plain_text(gateway: Any) -> None:
    await gateway.agentos.memory.store("default", StoreRequest("The staging database listens on port 5433."))
    asked = gzip.compress(body("Which port does the staging database listen on?"))
    answer = await gateway.client.post(CHAT, content=asked, headers={"content-encoding": "gzip"})
    _, headers, given = gateway.provider.requests[-1]
    assert answer.headers["x-memory-injected-count"] == "1" and "content-encoding" not in headers
    assert int(headers["content-length"]) == len(given) and "5433" in json.loads(given)["messages"][0]["content"]


ids = [1, 2, 3]
UNREADABLE: list[tuple[str, dict[str, str], bytes]] = [
    (f"{OPENAI}/completions", {}, json.dumps({"model": "m", "prompt": ids}).encode()),
    (f"{OPENAI}/completions", {}, json.dumps({"model": "m", "prompt": [ids, ids]}).encode()),
    (f"{OPENAI}/completions", {}, json.dumps({"model": "m", "prompt": ["Hello", ids]}).encode()),
    (CHAT, {"content-encoding": "zstd"}, b"\x28\xb5\x2f\xfd"),
    (MESSAGES, {"content-encoding": "br"}, b"\x0b\x02"),
    (CHAT, {"content-encoding": "gzip"}, body(ORDER)),
    (CHAT, {"content-encoding": "gzip"}, gzip.compress(body("Hello")) + gzip.compress(body(ORDER))),
    (CHAT, {"content-encoding": "deflate"}, gzip.compress(b" " * (33 << 20))),
    (CHAT, {"content-encoding": "gzip"}, gzip.compress(b" " * (33 << 20))),
    (CHAT, {}, body(ORDER).decode().encode("utf-16")),
    (CHAT, {}, b"\xef\xbb\xbf" + body(ORDER)),
    (CHAT, {"content-type": "application/x-www-form-urlencoded"}, b"messages=" + ORDER.encode()),
    (CHAT, {}, json.dumps({"model": "m", "messages": [{"role": "user", "content": {"text": ORDER}}]}).encode()),
    (RESPONSES, {}, json.dumps({"model": "m", "prompt": {"id": "pmpt_1"}}).encode()),
    (f"{OPENAI}/batches", {}, b'{"input_file_id": "file-1", "endpoint": "/v1/chat/completions"}'),
    (f"{OPENAI}/realtime/calls", {}, b"v=0"),
    (f"{ANTHROPIC}/messages/batches", {}, b"not json"),
]  # fmt: skip


@every("path, headers, content", UNREADABLE)
async def test_what_cannot_be_read_passes_unless_a_rule_may_refuse_it(
    gateway: Any, path: str, headers: dict[str, str], content: bytes
) -> None:
    if not await gateway.agentos.rules.confirmed("default"):
        await rule(gateway, "Be careful with the customers table")  # it refuses nothing
    gateway.provider.failures = [418]
    assert (await gateway.client.post(path, content=content, headers=headers)).status_code == 418
    assert gateway.provider.requests[-1][2] == content, "byte for byte"
    sent = len(gateway.provider.requests)
    strict = await gateway.agentos.memory.store(
        "default", StoreRequest("Ask before deploying to production", tags=[lessons.TAG])
    )
    await gateway.agentos.lifecycle.vouch("default", strict.memory)
    gateway.remembering.rules._known.clear()
    refused = await gateway.client.post(path, content=content, headers=headers)
    assert refused.status_code == 415 and "policy_unseen" in refused.text
    assert refused.headers["accept-encoding"] == READ
    assert len(gateway.provider.requests) == sent
    await gateway.agentos.memory.delete("default", strict.memory.id, by="human")
    gateway.remembering.rules._known.clear()


async def test_a_body_that_is_too_long_to_be_held_is_refused_where_rules_may_refuse(
    gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_BODY_BYTES", 1_000)
    await rule(gateway, "Never drop the customers table")
    assert (await gateway.ask("x" * 300_000)).status_code == 415
    assert gateway.provider.requests == []


def of_the_user(prompt: str) -> Any:
    return {"role": "user", "content": prompt}


ELSEWHERE = [
    (f"{OPENAI}/threads", lambda one: {"messages": [one]}),
    (f"{OPENAI}/threads/t_1/messages", lambda one: one),
    (f"{OPENAI}/threads/t_1/runs", lambda one: {"assistant_id": "a", "additional_messages": [one]}),
    (f"{OPENAI}/threads/runs", lambda one: {"thread": {"messages": [one]}}),
    (f"{OPENAI}/conversations", lambda one: {"items": [{"type": "message", **one}]}),
    (f"{OPENAI}/conversations/c_1/items", lambda one: {"items": [*BEFORE, one]}),
    (f"{ANTHROPIC}/messages/batches", lambda one: {"requests": [
        {"custom_id": str(n), "params": {"model": "m", "messages": [*BEFORE, {"role": "user", "content": "Hi"}, one]}}
        for n in range(3)]}),
    (f"{ANTHROPIC}/complete", lambda one: {"model": "m", "prompt": f"\n\nHuman: {one['content']}\n\nAssistant:"}),
    (f"{ANTHROPIC}/sessions/s_1/events", lambda one: {"events": [
        {"type": "user.message", "content": [{"type": "text", "text": one["content"]}]}]}),
    (f"{OPENAI}/responses", lambda one: {"model": "m", "input": "Go.", "prompt": {"id": "p", "variables": {
        "a": one["content"], "b": {"type": "input_text", "text": "x"}}}}),
    (f"{OPENAI}/responses", lambda one: {"model": "m", "input": [{"role": "User", "content": [one["content"]]}]}),
    (f"{OPENAI}/%74hreads", lambda one: {"messages": [one]}),
    (f"{GEMINI}/models/Mine:generateContent", lambda one: {"contents": [{"parts": [{"text": one["content"]}]}]}),
    (f"{GEMINI}/models/m:batchGenerateContent", lambda one: {"batch": {"input_config": {"requests": {"requests": [
        {"request": {"contents": [{"role": "user", "parts": [{"text": one["content"]}]}]}}]}}}}),
    ("/proxy/ollama/api/chat", lambda one: {"model": "m", "messages": [*BEFORE, one]}),
    ("/proxy/ollama/api/generate", lambda one: {"model": "m", "prompt": one["content"]}),
]  # fmt: skip


@every("path, form", ELSEWHERE)
async def test_rules_hold_for_what_users_say_in_other_forms(gateway: Any, path: str, form: Any) -> None:
    if not await gateway.agentos.rules.confirmed("default"):
        await rule(gateway, "Never drop the customers table")
    refused = await gateway.client.post(path, json=form(of_the_user(ORDER)))
    assert refused.status_code == 403 and "policy_blocked" in refused.text
    sent = json.dumps(form(of_the_user(HARMLESS)), indent=3).encode()
    answer = await gateway.client.post(path, content=sent)
    assert answer.status_code == 200 and gateway.provider.requests[-1][2] == sent
    assert answer.headers["x-memory-policy-decision"] == "allow"


PASSES = [
    (f"{OPENAI}/embeddings", {}, json.dumps({"model": "m", "input": ORDER}).encode()),
    (f"{OPENAI}/embeddings", {}, json.dumps({"model": "m", "input": [ids, ids]}).encode()),
    (f"{OPENAI}/embeddings", {"content-encoding": "zstd"}, b"\x28\xb5\x2f\xfd\x00"),
    (f"{OPENAI}/audio/transcriptions", {"content-type": "multipart/form-data; boundary=x"}, bytes(range(256))),
    (f"{OPENAI}/audio/speech", {}, json.dumps({"input": ORDER}).encode()),
    (f"{OPENAI}/files", {"content-type": "multipart/form-data; boundary=x"}, b"--x\r\n" + bytes(range(256))),
    (f"{OPENAI}/moderations", {}, json.dumps({"input": ORDER}).encode()),
    (f"{OPENAI}/images/edits", {"content-type": "multipart/form-data; boundary=x"}, b"--x\r\n\x00\xff"),
    (f"{OPENAI}/threads/t_1/runs/r_1/cancel", {}, b""),
    (f"{OPENAI}/batches/b_1/cancel", {}, b""),
    (f"{ANTHROPIC}/messages/batches/b_1/cancel", {}, b""),
    (f"{ANTHROPIC}/files", {"content-type": "multipart/form-data; boundary=x"}, b"--x\r\n\x00\xff"),
    (f"{ANTHROPIC}/messages/count_tokens", {}, body(ORDER)),
]


@every("path, headers, content", PASSES)
async def test_what_orders_nothing_passes_byte_for_byte_under_rules_too(
    gateway: Any, path: str, headers: dict[str, str], content: bytes
) -> None:
    if not await gateway.agentos.rules.confirmed("default"):
        await rule(gateway, "Never drop the customers table")
    assert (await gateway.client.post(path, content=content, headers=headers)).status_code == 200
    arrived, sent, given = gateway.provider.requests[-1]
    assert given == content and arrived == path.replace("/proxy/openai", "").replace("/proxy/anthropic", "")
    assert headers.items() <= sent.items()


async def test_a_web_socket_is_refused_so_that_its_client_asks_over_http(gateway: Any) -> None:
    headers = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    for path in (RESPONSES, f"{OPENAI}/realtime?model=m"):
        refused = await gateway.client.get(path, headers=headers)
        assert (refused.status_code, refused.json()["error"]["type"]) == (426, "upgrade_refused")
    assert gateway.provider.requests == []
    other = {"connection": "Upgrade, HTTP2-Settings", "upgrade": "h2c", "http2-settings": "AAMAAABkAAQ"}
    assert (await gateway.client.get(f"{OPENAI}/models", headers=other)).status_code == 200
    assert "upgrade" not in gateway.provider.requests[-1][1]


async def test_a_confirmation_that_nobody_may_give_is_not_asked_for(start: Any) -> None:
    for control in (True, False):
        gateway = await start(control=control)
        if control:
            await rule(gateway, "Ask before deploying to production")
        waits = await gateway.ask("Deploy to production")
        assert waits.status_code == 428
        assert ("send it again with the header" in waits.text) is control and (
            "client_control" in waits.text
        ) != control


async def test_what_a_small_body_unfolds_to_is_read_beside_the_event_loop(
    gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, readers = requests.read, []

    def noting(*given: Any, **more: Any) -> Any:
        readers.append(threading.current_thread())
        return read(*given, **more)

    monkeypatch.setattr(requests, "read", noting)
    for coding, content in (("", body("Hello")), ("gzip", gzip.compress(body("Hello " * 100_000)))):
        headers = {"content-encoding": coding} if coding else {}
        assert (await gateway.client.post(CHAT, content=content, headers=headers)).status_code == 200
    assert [one is threading.main_thread() for one in readers] == [True, False]
