"""A provider of models on loopback, in both dialects, that models its cache of prompts and can misbehave."""

import asyncio
import gzip
import json
import socket
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.prompt_cache import PromptCache

DONE = b"data: [DONE]\n\n"


class Provider:
    """Answers with `reply(body)`; `requests` are what came: path, headers, the body's bytes; `answered` what went.

    `failures` are statuses that are answered first. `chunk` bytes go out at once, with `pause_s` between two;
    `gate`, where it is there, is awaited in the middle of a stream. `cut` are streams that clients have left; one that
    `breaks` ends in its middle.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.reply: Callable[[dict[str, Any]], str] = lambda body: "Naturally — schön, 東京 🎉."
        self.calls: Sequence[tuple[str, str]] = ()
        self.choices = 1
        self.failures: list[int] = []
        self.chunk = 1 << 16
        self.pause_s = 0.0
        self.gate: asyncio.Event | None = None
        self.cut = 0
        self.breaks = False
        self.answered: list[bytes] = []
        self.cached: list[tuple[int, int]] = []
        self.prompts = PromptCache()
        self.models: list[dict[str, Any]] = [{"id": "m", "object": "model", "created": 1, "owned_by": "x"}]
        self.url = ""

    @property
    def body(self) -> dict[str, Any]:
        """The body of the last request to a model; the gateway asks beside it what the model reads."""
        bodies = (body for path, _, body in reversed(self.requests) if body and not path.endswith("/api/show"))
        found: dict[str, Any] = json.loads(next(bodies))
        return found

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        path = scope["raw_path"].decode() + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
        self.requests.append((path, headers, body))
        if self.failures:
            await _respond(
                send, self.failures.pop(0), b'{"error":{"message":"not  now"}}', [(b"x-request-id", b"req-7")]
            )
            return
        answer = self._answer(path, _unfolded(body, headers.get("content-encoding", "")))
        self.answered.append(answer if isinstance(answer, bytes) else b"".join(answer))
        kind = b"application/x-ndjson" if "/api/" in path else b"text/event-stream; charset=utf-8"
        if isinstance(answer, bytes):
            await _respond(send, 200, answer, [])
            return
        await self._stream(receive, send, self.answered[-1], kind)

    async def _stream(self, receive: Any, send: Any, data: bytes, kind: bytes) -> None:
        gone = asyncio.ensure_future(_gone(receive))
        headers = [(b"content-type", kind)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for place in range(0, len(data), self.chunk):
            if self.breaks and place > len(data) // 2:
                raise ConnectionAbortedError("the provider breaks off, as it was told")
            if gone.done():
                break
            await send({"type": "http.response.body", "body": data[place : place + self.chunk], "more_body": True})
            if self.gate is not None and place + self.chunk >= len(data) // 2:
                waiting = asyncio.ensure_future(self.gate.wait())
                await asyncio.wait([waiting, gone], return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
            elif self.pause_s:
                await asyncio.sleep(self.pause_s)
        if gone.done():
            self.cut += 1
            return
        gone.cancel()
        await send({"type": "http.response.body", "body": b""})

    def _answer(self, path: str, body: bytes) -> bytes | list[bytes]:
        name = path.partition("?")[0]
        if name.endswith("/chat/completions"):
            return self._chat(json.loads(body))
        if name.endswith("/responses"):
            return self._response(json.loads(body))
        if name.endswith("/messages") and "/threads/" not in name:
            return self._message(json.loads(body))
        if name.endswith((":generateContent", ":streamGenerateContent")):
            return self._gemini(json.loads(body), path)
        if name.endswith(("/api/chat", "/api/generate")):
            return self._ollama(json.loads(body), is_chat=name.endswith("/api/chat"))
        if name.endswith("/count_tokens"):
            return json.dumps({"input_tokens": self.prompts.read(json.loads(body))[0]}).encode()
        models = self.models if name.endswith("/models") else []
        listed = {"object": "list", "data": models, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        return json.dumps({**listed, "path": path, "said": body.decode("latin-1")}).encode()

    def _counted(self, body: dict[str, Any]) -> tuple[int, int]:
        """Return the characters of a prompt, and how many of them, from its beginning, were in the cache."""
        self.cached.append(self.prompts.read(body))
        return self.cached[-1]

    def _chat(self, body: dict[str, Any]) -> bytes | list[bytes]:
        text, (asked, cached) = self.reply(body), self._counted(body)
        usage = {
            "prompt_tokens": asked,
            "completion_tokens": len(text),
            "total_tokens": asked + len(text),
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        base = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
        calls = [
            {"id": f"call_{n}", "type": "function", "index": n, "function": {"name": name, "arguments": given}}
            for n, (name, given) in enumerate(self.calls)
        ]
        if not body.get("stream"):
            message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
            if calls:
                message["tool_calls"] = [{k: v for k, v in one.items() if k != "index"} for one in calls]
            choices = [{"index": n, "message": message, "finish_reason": "stop"} for n in range(self.choices)]
            return json.dumps({**base, "object": "chat.completion", "choices": choices, "usage": usage}).encode()
        pieces: list[tuple[int, dict[str, Any]]] = [
            (n, {"content": part, "role": "assistant"}) for part in _parts(text) for n in range(self.choices)
        ]
        for one in calls:
            named = {**one, "function": {"name": one["function"]["name"], "arguments": ""}}
            pieces.append((0, {"tool_calls": [named]}))
            pieces += [
                (0, {"tool_calls": [{"index": one["index"], "function": {"arguments": part}}]})
                for part in _parts(one["function"]["arguments"])
            ]
        events = [
            {**base, "object": "chat.completion.chunk", "choices": [{"index": n, "delta": d, "finish_reason": None}]}
            for n, d in pieces
        ]
        ends = [{"index": n, "delta": {}, "finish_reason": "stop"} for n in range(self.choices)]
        events.append({**base, "object": "chat.completion.chunk", "choices": ends})
        if (body.get("stream_options") or {}).get("include_usage"):
            events.append({**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        return [*(b"data: " + _json(one) + b"\n\n" for one in events), DONE]

    def _response(self, body: dict[str, Any]) -> bytes | list[bytes]:
        text, (asked, cached) = self.reply(body), self._counted(body)
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        response = {
            **{"id": f"resp_{len(self.requests)}", "object": "response", "created_at": 1, "status": "completed"},
            **{
                "model": body["model"],
                "output": [item],
                "parallel_tool_calls": True,
                "tool_choice": "auto",
                "tools": [],
            },
            "usage": {
                **{"input_tokens": asked, "output_tokens": len(text), "total_tokens": asked + len(text)},
                **{"input_tokens_details": {"cached_tokens": cached}, "output_tokens_details": {"reasoning_tokens": 0}},
            },
        }
        if not body.get("stream"):
            return json.dumps(response).encode()
        begun = {**response, "status": "in_progress", "output": [], "usage": None}
        events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
        events.append({"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}})
        place = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
        events.append({"type": "response.content_part.added", **place, "part": {**part, "text": ""}})
        events += [
            {"type": "response.output_text.delta", **place, "delta": one, "logprobs": []} for one in _parts(text)
        ]
        events.append({"type": "response.output_text.done", **place, "text": text, "logprobs": []})
        events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
        events.append({"type": "response.completed", "response": response})
        return [_named({**one, "sequence_number": n}) for n, one in enumerate(events)]

    def _message(self, body: dict[str, Any]) -> bytes | list[bytes]:
        text, (asked, cached) = self.reply(body), self._counted(body)
        usage = {
            **{"input_tokens": asked - cached, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0},
            "output_tokens": len(text),
        }
        blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
        blocks += [
            {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": json.loads(given)}
            for n, (name, given) in enumerate(self.calls)
        ]
        message = {
            **{"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": blocks},
            **{"stop_reason": "end_turn", "stop_sequence": None, "usage": usage},
        }
        if not body.get("stream"):
            return json.dumps(message).encode()
        begun = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
        events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
        for n, block in enumerate(blocks):
            is_text = block["type"] == "text"
            empty = {**block, **({"text": ""} if is_text else {"input": {}})}
            events.append({"type": "content_block_start", "index": n, "content_block": empty})
            given = text if is_text else json.dumps(block["input"], ensure_ascii=False)
            kind, field = ("text_delta", "text") if is_text else ("input_json_delta", "partial_json")
            events += [
                {"type": "content_block_delta", "index": n, "delta": {"type": kind, field: part}}
                for part in _parts(given)
            ]
            events.append({"type": "content_block_stop", "index": n})
        ended = {"stop_reason": "end_turn", "stop_sequence": None}
        events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": len(text)}})
        events.append({"type": "message_stop"})
        return [_named(one) for one in events]

    def _gemini(self, body: dict[str, Any], path: str) -> bytes | list[bytes]:
        text, (asked, cached) = self.reply(body), self._counted(body)
        usage = {"promptTokenCount": asked, "cachedContentTokenCount": cached, "candidatesTokenCount": len(text)}
        calls = [{"functionCall": {"name": name, "args": json.loads(given)}} for name, given in self.calls]
        base = {"modelVersion": "m", "responseId": "resp-1"}

        def piece(parts: list[Any], ended: str | None) -> dict[str, Any]:
            found = [
                {"content": {"role": "model", "parts": parts}, "index": n, **({"finishReason": ended} if ended else {})}
                for n in range(self.choices)
            ]
            return {**base, "candidates": found, "usageMetadata": usage}

        if ":stream" not in path:
            return json.dumps(piece([{"text": text}, *calls], "STOP")).encode()
        events = [*(piece([{"text": part}], None) for part in _parts(text)), piece(calls, "STOP")]
        if "alt=sse" in path:
            return [b"data: " + _json(one) + b"\r\n\r\n" for one in events]
        return b"[" + b",\r\n".join(_json(one) for one in events) + b"]"

    def _ollama(self, body: dict[str, Any], *, is_chat: bool) -> bytes | list[bytes]:
        text, (asked, _) = self.reply(body), self._counted(body)
        base = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z"}
        calls = [{"function": {"name": name, "arguments": json.loads(given)}} for name, given in self.calls]

        def said(part: str, **more: Any) -> dict[str, Any]:
            return {"message": {"role": "assistant", "content": part, **more}} if is_chat else {"response": part}

        ended = {"done": True, "done_reason": "stop", "prompt_eval_count": asked, "eval_count": len(text)}
        called = {"tool_calls": calls} if calls else {}
        if body.get("stream") is False:
            return json.dumps({**base, **said(text, **called), **ended}).encode()
        lines = [{**base, **said(part), "done": False} for part in _parts(text)]
        return [_json(one) + b"\n" for one in [*lines, {**base, **said("", **called), **ended}]]


async def _gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _unfolded(body: bytes, codings: str) -> bytes:
    """A body as it was before it was compressed, by its `content-encoding`."""
    for coding in reversed(codings.lower().split(", ")):
        if coding == "gzip":
            body = gzip.decompress(body)
        elif coding == "deflate":
            body = zlib.decompress(body, zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS)
    return body


async def _respond(send: Any, status: int, body: bytes, more: list[tuple[bytes, bytes]]) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _parts(text: str) -> list[str]:
    return [text[n : n + 5] for n in range(0, len(text), 5)]


def _json(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()


def _named(event: dict[str, Any]) -> bytes:
    return b"event: " + str(event["type"]).encode() + b"\ndata: " + _json(event) + b"\n\n"


@contextmanager
def serving(provider: Provider) -> Iterator[Provider]:
    """Let a provider listen on loopback, in a thread of its own, until the end of the block."""
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    provider.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    settings = uvicorn.Config(provider, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
