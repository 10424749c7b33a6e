"""Answers of models, read while they pass: every choice, tool call and count of tokens, from pieces of any size."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...modules.usage.models import Tokens
from . import google_replies, ollama_replies
from .reply import ReplyParts, count, objects
from .requests import Dialect

MAX_EVENT_BYTES = 4 * 1024 * 1024


class EventStream:
    """Server-sent events from bytes in pieces of any size: lines end with CR, LF or both, and are decoded whole."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self._after_return = False
        self.is_lost = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event that is complete; none any more once one was too long."""
        if self._after_return and chunk.startswith(b"\n"):
            chunk, self._after_return = chunk[1:], False
        if chunk:
            self._after_return = chunk.endswith(b"\r")
        for line in chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")[:-1] if not self.is_lost else ():
            line, self._line = bytes(self._line) + line, bytearray()
            yield from self._ended(line)
        if not self.is_lost:
            rest = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
            self._line += chunk[rest:]
            self._bound(len(self._line))

    def _ended(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            data = line[5:].removeprefix(b" ")
            self._data.append(data)
            self._size += len(data)
            self._bound(self._size)
        elif not line and self._data:
            data, self._data, self._size = b"\n".join(self._data), [], 0
            yield data

    def _bound(self, size: int) -> None:
        if size > MAX_EVENT_BYTES:
            self.is_lost = True
            self._line, self._data = bytearray(), []


class LinesOfJson:
    """Values of JSON, one a line, from bytes in pieces of any size."""

    def __init__(self) -> None:
        self._line = bytearray()
        self.is_lost = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield each line that is complete; none any more once one was too long."""
        if self.is_lost:
            return
        *ended, rest = chunk.split(b"\n")
        for one in ended:
            line, self._line = bytes(self._line) + one, bytearray()
            yield line
        self._line += rest
        if len(self._line) > MAX_EVENT_BYTES:
            self.is_lost, self._line = True, bytearray()


class AnswerListener:
    """Hears an answer of one dialect, a stream of events or one JSON value; Ollama's are lines, if only one."""

    def __init__(self, dialect: Dialect, *, streams: bool) -> None:
        self._dialect = dialect
        self._events: EventStream | LinesOfJson | None = EventStream() if streams else None
        if dialect in (Dialect.OLLAMA, Dialect.GENERATE):
            self._events = LinesOfJson()
        self._body = bytearray()
        self.reply = ReplyParts()

    def feed(self, chunk: bytes) -> None:
        """Read some bytes. Never raises: an answer is passed on whatever is read from it."""
        if self._events is None:
            if len(self._body) <= MAX_EVENT_BYTES:
                self._body += chunk
            return
        for data in self._events.feed(chunk):
            if data.strip() == b"[DONE]":
                self.reply.is_complete = True
            elif (event := _object(data)) is not None:
                _EVENT_READERS[self._dialect](self.reply, event)

    def finish(self) -> ReplyParts:
        """Return what was read, at the end of the answer."""
        if isinstance(self._events, LinesOfJson):
            self.feed(b"\n")
        elif self._events is None:
            body = _value(bytes(self._body))
            for one in objects(body) if isinstance(body, list) else objects([body]):  # Gemini streams a list, too
                _BODY_READERS[self._dialect](self.reply, one)
        return self.reply


def _object(data: bytes) -> dict[str, Any] | None:
    value = _value(data)
    return value if isinstance(value, dict) else None


def _value(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _read_chat_event(reply: ReplyParts, event: Mapping[str, Any]) -> None:
    for choice in objects(event.get("choices")):
        _chat_part(reply, count(choice.get("index")), choice.get("delta"))
        if choice.get("finish_reason"):
            reply.is_complete = True
    _note_id(reply, event)
    _chat_tokens(reply, event.get("usage"))


def _read_chat_body(reply: ReplyParts, answer: Mapping[str, Any]) -> None:
    for choice in objects(answer.get("choices")):
        _chat_part(reply, count(choice.get("index")), choice.get("message"))
        reply.is_complete = True
    _note_id(reply, answer)
    _chat_tokens(reply, answer.get("usage"))


def _chat_part(reply: ReplyParts, choice: int, part: object) -> None:
    if not isinstance(part, dict):
        return
    reply.say(choice, part.get("content"))
    for number, call in enumerate(objects(part.get("tool_calls"))):
        function = call.get("function")
        if isinstance(function, dict):
            place = count(call.get("index", number))
            reply.call(choice, place, f"{name} " if isinstance(name := function.get("name"), str) and name else "")
            reply.call(choice, place, function.get("arguments"))


def _chat_tokens(reply: ReplyParts, usage: object) -> None:
    if isinstance(usage, dict):
        cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
        asked = count(usage.get("prompt_tokens"))
        reply.tokens = Tokens(max(0, asked - cached), cached, 0, count(usage.get("completion_tokens")))


def _read_response_event(reply: ReplyParts, event: Mapping[str, Any]) -> None:
    kind = str(event.get("type"))
    if kind == "response.output_text.delta":
        reply.say(count(event.get("output_index")), event.get("delta"))
    elif kind in ("response.completed", "response.incomplete", "response.failed"):
        answer = event.get("response")
        if isinstance(answer, dict):
            _note_id(reply, answer)
            _response_tokens(reply, answer.get("usage"))
            _response_calls(reply, answer)
        reply.is_complete = kind == "response.completed"


def _read_response_body(reply: ReplyParts, answer: Mapping[str, Any]) -> None:
    for number, item in enumerate(objects(answer.get("output"))):
        for part in objects(item.get("content")):
            reply.say(number, part.get("text"))
    reply.is_complete = answer.get("status", "completed") == "completed"
    _note_id(reply, answer)
    _response_calls(reply, answer)
    _response_tokens(reply, answer.get("usage"))


def _response_calls(reply: ReplyParts, answer: Mapping[str, Any]) -> None:
    for number, item in enumerate(objects(answer.get("output"))):
        if item.get("type") == "function_call":
            reply.call(0, number, f"{item.get('name')} {item.get('arguments')}")


def _response_tokens(reply: ReplyParts, usage: object) -> None:
    if isinstance(usage, dict):
        cached = _detail(usage, "input_tokens_details", "cached_tokens")
        asked = count(usage.get("input_tokens"))
        reply.tokens = Tokens(max(0, asked - cached), cached, 0, count(usage.get("output_tokens")))


def _read_message_event(reply: ReplyParts, event: Mapping[str, Any]) -> None:
    match event.get("type"):
        case "message_start":
            answer = event.get("message")
            if isinstance(answer, dict):
                _note_id(reply, answer)
                _message_tokens(reply, answer.get("usage"))
        case "content_block_start":
            block = event.get("content_block")
            if isinstance(block, dict):
                _message_part(reply, count(event.get("index")), block, begun=True)
        case "content_block_delta":
            delta = event.get("delta")
            if isinstance(delta, dict):
                reply.say(0, delta.get("text"))
                reply.call(0, count(event.get("index")), delta.get("partial_json"))
        case "message_delta":
            _message_tokens(reply, event.get("usage"))
        case "message_stop":
            reply.is_complete = True


def _read_message_body(reply: ReplyParts, answer: Mapping[str, Any]) -> None:
    for number, block in enumerate(objects(answer.get("content"))):
        _message_part(reply, number, block, begun=False)
    reply.is_complete = answer.get("type") == "message"
    _note_id(reply, answer)
    _message_tokens(reply, answer.get("usage"))


def _message_part(reply: ReplyParts, number: int, block: Mapping[str, Any], *, begun: bool) -> None:
    if block.get("type") == "text":
        reply.say(0, block.get("text"))
    elif block.get("type") == "tool_use":
        given = "" if begun else json.dumps(block.get("input"), ensure_ascii=False)
        reply.call(0, number, f"{block.get('name')} {given}")


def _message_tokens(reply: ReplyParts, usage: object) -> None:
    """Let later values replace earlier ones: the end of a stream repeats some of its beginning."""
    if isinstance(usage, dict):
        was = reply.tokens or Tokens()
        reply.tokens = Tokens(
            count(usage.get("input_tokens"), was.uncached),
            count(usage.get("cache_read_input_tokens"), was.cached),
            count(usage.get("cache_creation_input_tokens"), was.written),
            count(usage.get("output_tokens"), was.output),
        )


def _note_id(reply: ReplyParts, answer: Mapping[str, Any]) -> None:
    if isinstance(identifier := answer.get("id"), str):
        reply.id = identifier[:200]


def _detail(usage: Mapping[str, Any], name: str, inner: str) -> int:
    details = usage.get(name)
    return count(details.get(inner)) if isinstance(details, dict) else 0


_EVENT_READERS = {
    Dialect.CHAT: _read_chat_event,
    Dialect.RESPONSES: _read_response_event,
    Dialect.MESSAGES: _read_message_event,
    Dialect.GEMINI: google_replies.read,
    Dialect.OLLAMA: ollama_replies.read,
    Dialect.GENERATE: ollama_replies.read,
}
_BODY_READERS = {
    Dialect.CHAT: _read_chat_body,
    Dialect.RESPONSES: _read_response_body,
    Dialect.MESSAGES: _read_message_body,
    Dialect.GEMINI: google_replies.read,
}
