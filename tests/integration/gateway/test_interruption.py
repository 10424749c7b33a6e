"""Answers under way when their client's key is taken away: they end, with an error that the client understands."""

import asyncio
from pathlib import Path
from typing import Any

from agentos.features.gateway.proxy import configuration
from agentos.features.gateway.proxy.interruption import Interruptible
from tests.tables import every

KEYS = {name: f"of-{name}-0123456789abcdef" for name in ("ann", "bob")}
ENTRIES = {
    name: f'[[keys]]\nname = "{name}"\nkey = "{key}"\n'
    + "".join(f'{provider}_key = "sk-1"\n' for provider in ("openai", "anthropic", "gemini", "ollama"))
    for name, key in KEYS.items()
}
SAID = [{"role": "user", "content": "Hello."}]


@every(
    ("path", "body", "kind", "told"),
    [
        ("openai/v1/chat/completions", {"messages": SAID, "stream": True}, "sse", 'event: error\ndata: {"error": {'),
        ("anthropic/v1/messages", {"messages": SAID, "stream": True}, "sse", 'event: error\ndata: {"type": "error", '),
        ("gemini/v1beta/models/m:streamGenerateContent?alt=sse", {"contents": []}, "sse", 'data: {"error": {'),
        ("ollama/api/chat", {"messages": SAID}, "lines", '{"error": "the key ann'),
    ],
)
async def test_a_stream_ends_with_an_error_when_its_key_is_taken_away(
    start: Any, home: Path, path: str, body: dict[str, Any], kind: str, told: str
) -> None:
    gateway = await start("".join(ENTRIES.values()))
    gateway.provider.chunk = 40  # so that it stands in the middle of a line
    gateway.provider.gate = asyncio.Event()
    request = {"model": "m", **body}

    def asked(name: str) -> Any:
        headers = {"authorization": f"Bearer {KEYS[name]}"}
        return gateway.client.stream("POST", f"/proxy/{path}", json=request, headers=headers)

    async with asked("ann") as anns, asked("bob") as bobs:
        pieces = anns.aiter_text()
        read = await anext(pieces)
        (home / configuration.FILE).write_text(ENTRIES["bob"], encoding="utf-8")
        read += "".join([piece async for piece in pieces])
        assert bobs.status_code == 200 and not bobs.is_closed
    last = read.rstrip("\n").rpartition("\n\n" if "sse" in kind else "\n")[2]
    assert last.startswith(told)
    assert "the key ann is no longer in gateway.toml" in last


@every(
    ("headers", "told"),
    [
        (None, [401, b"the key is gone"]),
        ({"content-type": "application/json", "content-length": "9"}, [200]),
        ({"content-type": "application/json"}, [200]),
        ({"content-type": "text/event-stream", "content-encoding": "gzip"}, [200]),
        ({"content-type": "text/event-stream; charset=utf-8"}, [200, b"event: error"]),
    ],
)
async def test_what_has_no_form_for_an_error_is_left_incomplete(
    headers: dict[str, str] | None, told: list[int | bytes]
) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    answer = Interruptible(send, configuration.OPENAI)
    if headers is not None:
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await answer.send({"type": "http.response.start", "status": 200, "headers": raw})
    await answer.interrupt(401, "authentication_error", "the key is gone")
    assert [one["status"] for one in sent if "status" in one] == told[:1]
    bodies = [one["body"] for one in sent if "body" in one]
    assert len(bodies) == len(told[1:])
    assert all(word in body for word, body in zip(told[1:], bodies, strict=True))


EVENTS, LINES = "text/event-stream", "application/x-ndjson"


@every(
    ("kind", "pieces", "before"),
    [
        (EVENTS, [], ""),
        (EVENTS, [b'data: {"x":1}\n\n'], ""),
        (EVENTS, [b'data: {"x":1}\r\n\r', b"\n"], ""),
        (EVENTS, [b'data: {"x":1}\n'], "\n\n"),
        (EVENTS, [b'data: {"x":1}\r\n'], "\n\n"),
        (EVENTS, [b'data: {"x"'], "\n\n"),
        (LINES, [b'{"x":1}\n'], ""),
        (LINES, [b'{"x"'], "\n"),
        (EVENTS, [b'data: {"x":1}\n\n', b""], None),
    ],
)
async def test_an_error_stands_apart_from_what_was_sent_and_never_after_the_end(
    kind: str, pieces: list[bytes], before: str | None
) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    answer = Interruptible(send, configuration.OPENAI)
    headers = [(b"content-type", kind.encode())]
    await answer.send({"type": "http.response.start", "status": 200, "headers": headers})
    for piece in pieces:
        await answer.send({"type": "http.response.body", "body": piece, "more_body": bool(piece)})
    await answer.interrupt(401, "authentication_error", "the key is gone")
    told = b"".join(one["body"] for one in sent[1 + len(pieces) :]).decode()
    form = "event: error\ndata: {" if kind == EVENTS else "{"
    assert not told if before is None else told.startswith(before + form)
