"""A model behind the interfaces of three vendors, on loopback: it plays a script and keeps what it was sent.

Each turn of a client sends the whole conversation; how many tool results are in it says which step of the script is
next. What is asked without tools (titles, summaries) gets a text.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Use:
    """The model calls a tool."""

    tool: str
    arguments: Json


Step = Use | str
"""What the model does in one answer: a tool call, or a text that ends its turn."""


@dataclass
class ModelApi:
    """What the model will do in the next session, and the conversations that it was sent, newest last.

    `thinking` is what happens before its last answer: a model takes longer than what runs beside it.
    """

    url: str = ""
    script: Sequence[Step] = ("Done.",)
    received: list[Json] = field(default_factory=list)
    thinking: Callable[[], None] = lambda: None

    def answer(self, path: str, asked: Json) -> tuple[str, bytes]:
        """The content type and the body that answer a request."""
        for part, talk in (("/responses", _openai), ("enerateContent", _google), ("/messages", _anthropic)):
            if part in path and "count_tokens" not in path and "countTokens" not in path:
                done, events = talk(asked)
                step: Step = "Done."
                if asked.get("tools"):
                    self.received.append(asked)
                    step = self.script[min(done, len(self.script) - 1)]
                    if step is self.script[-1]:
                        self.thinking()
                return "text/event-stream", "".join(map(_event, events(step))).encode()
        if path == "/proxy/openai/v1/chat/completions":
            self.received.append(asked)
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Done."}}
            completion = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            return "application/json", json.dumps(completion).encode()
        return "application/json", b"{}"


@contextmanager
def serving() -> Iterator[ModelApi]:
    """The interface, listening on a free port of loopback."""
    api = ModelApi()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._reply("application/json", b'{"data": []}')

        def do_HEAD(self) -> None:
            self._reply("application/json", b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            self._reply(*api.answer(self.path, json.loads(body or b"{}")))

        def _reply(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        api.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()


def _event(event: Json) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def _count(parts: Any, kinds: Sequence[str]) -> int:
    return sum(isinstance(part, dict) and (part.get("type") in kinds or bool(set(kinds) & set(part))) for part in parts)


def _anthropic(asked: Json) -> tuple[int, Any]:
    done = sum(
        _count(message["content"], ("tool_result",))
        for message in asked["messages"]
        if isinstance(message["content"], list)
    )

    def events(step: Step) -> list[Json]:
        message = {
            "id": f"msg_{done}",
            "type": "message",
            "role": "assistant",
            "model": asked.get("model"),
            "content": [],
        }
        usage = {"input_tokens": 1, "output_tokens": 1}
        if isinstance(step, Use):
            block = {"type": "tool_use", "id": f"toolu_{done}", "name": step.tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step}
        reason = "tool_use" if isinstance(step, Use) else "end_turn"
        return [
            {
                "type": "message_start",
                "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage},
            },
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]

    return done, events


def _openai(asked: Json) -> tuple[int, Any]:
    done = _count(asked["input"], ("function_call_output",))

    def events(step: Step) -> list[Json]:
        if isinstance(step, Use):
            namespace, _, name = step.tool.rpartition("/")
            item: Json = {"type": "function_call", "id": f"fc_{done}", "call_id": f"call_{done}", "name": name}
            item |= {"arguments": json.dumps(step.arguments), **({"namespace": namespace} if namespace else {})}
        else:
            text = {"type": "output_text", "text": step}
            item = {"type": "message", "id": f"msg_{done}", "role": "assistant", "content": [text]}
        details = {"input_tokens_details": None, "output_tokens_details": None}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details}
        return [
            {"type": "response.created", "response": {"id": f"resp_{done}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": f"resp_{done}", "usage": usage}},
        ]

    return done, events


def _google(asked: Json) -> tuple[int, Any]:
    done = sum(_count(content.get("parts", ()), ("functionResponse",)) for content in asked["contents"])

    def events(step: Step) -> list[Json]:
        called = isinstance(step, Use)
        part: Json = {"functionCall": {"name": step.tool, "args": step.arguments}} if called else {"text": step}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        return [{"candidates": [candidate], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}}]

    return done, events
