"""Requests to models, in the forms of OpenAI, Anthropic, Gemini and Ollama.

What a block is put into is changed by characters: whatever else a client sent stays as it is, byte for byte, so that
the provider's cache of prompts still knows it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from ...modules.records import dataclass
from . import bodies, envelope, json_spans
from .envelope import Envelope
from .json_spans import Span

MAX_MESSAGES = 20_000
MOST_MARKS = 4
"""The most marks for its cache that Anthropic takes in a request."""


class Dialect(StrEnum):
    """The form of a request and of its answer."""

    CHAT = "chat"
    RESPONSES = "responses"
    MESSAGES = "messages"
    COMPLETIONS = "completions"
    GEMINI = "gemini"
    OLLAMA = "ollama"
    GENERATE = "generate"


_LISTS = {
    Dialect.CHAT: "messages",
    Dialect.RESPONSES: "input",
    Dialect.MESSAGES: "messages",
    Dialect.COMPLETIONS: "prompt",
    Dialect.GEMINI: "contents",
    Dialect.OLLAMA: "messages",
    Dialect.GENERATE: "prompt",
}
_KINDS = {Dialect.RESPONSES: "input_text", Dialect.GEMINI: ""}
"""The kinds of parts that are texts, where they are not "text"; "" where parts name none."""
_STREAMING = (Dialect.OLLAMA, Dialect.GENERATE)
"""What streams unless a request says otherwise."""
_INSTRUCTIONS = ("system", "developer")
_UNSTABLE = ("cache_control", "status", "id")
"""What clients change in a message that they send again."""


@dataclass(frozen=True)
class InsertionPoint:
    """The insertion point for a block in a message: the span of its content (string or list), and whether it is empty.

    With `as_part` a string becomes a list of parts: its client may send it so the next time, and a part beside a part
    is then what the provider's cache knows. `mark` is what the last part says to that cache: keep all up to here.
    """

    span: Span
    is_string: bool
    is_empty: bool
    as_part: bool = False
    mark: Mapping[str, Any] | None = None

    def filled(self, text: str, block: str, kind: str, *, marked: bool = False) -> str:
        """Return the content with a block at its end; `kind` is that of a part, which takes the mark if `marked`."""
        begin, end = self.span
        if self.is_string and not self.as_part:
            more = json.dumps(block if self.is_empty else f"\n\n{block}", ensure_ascii=False)
            return text[begin : end - 1] + more[1:]
        mark = {"cache_control": self.mark} if marked and self.mark else {}
        named = {"type": kind} if kind else {}
        part = json.dumps({**named, "text": block, **mark}, ensure_ascii=False, separators=(",", ":"))
        if self.is_string:
            return f'[{{"type":"{kind}","text":{text[begin:end]}}},{part}]'
        return f"{text[begin : end - 1]}{'' if self.is_empty else ','}{part}]"


@dataclass(frozen=True)
class RequestMessage:
    """A message of a request: who says it, its words, and the `digest` of the conversation up to and with it.

    `parts` are the words as they were sent, one text after the other. A reminder is nothing but what a client marks as
    its own.
    """

    role: str
    words: str
    digest: str
    slot: InsertionPoint | None
    parts: tuple[str, ...] = ()
    is_reminder: bool = False

    @property
    def is_the_models(self) -> bool:
        """Return whether the model said it, in words or as a tool call."""
        return bodies.is_models(self.role)


@dataclass(frozen=True)
class Request:
    """A request whose conversation is known. `continues` is the answer that it follows, where a client names one.

    `filled_in` are the words for the blanks of a prompt that the provider keeps, and `thread` is the client's own name
    of the conversation, where it has one. `turn_at` and `said` are the place and the words of what the user says now,
    where they are known better than by the last message.
    """

    dialect: Dialect
    text: str
    model: str
    streams: bool
    messages: tuple[RequestMessage, ...]
    continues: str = ""
    filled_in: tuple[str, ...] = ()
    thread: str = ""
    envelope: Envelope = field(default_factory=Envelope)
    turn_at: int | None = None
    said: str | None = None

    @property
    def asked(self) -> tuple[int, ...]:
        """The places of the messages that the user has sent since the model's last; none where a tool's result came.

        Whatever of the client's follows them does not matter: instructions, reminders, an answer that is begun.
        """
        found: list[int] = []
        for place in range(len(self.messages) - 1, -1, -1):
            one = self.messages[place]
            if one.role == "user" and not one.is_reminder:
                if not one.words and not found:
                    break
                found.append(place)
            elif one.role not in _INSTRUCTIONS and not one.is_reminder and (found or one.role != "assistant"):
                break
        return tuple(reversed(found))

    @property
    def turn(self) -> RequestMessage:
        """The message that the request is about: the user's last, else the last of all."""
        if self.turn_at is not None:
            return self.messages[self.turn_at]
        return self.messages[self.asked[-1] if self.asked else -1]

    @property
    def question(self) -> str:
        """Return the user's new message; "" if the request continues with something else, such as a tool result."""
        if self.said is not None:
            return self.said
        return self.turn.words if self.asked else ""

    @property
    def order(self) -> tuple[str, ...]:
        """All that the user has said since the model's last answer; one that the model is to go on with is none."""
        last = len(self.messages)
        while last and self.messages[last - 1].role == "assistant":
            last -= 1
        first = next((n for n in range(last, 0, -1) if self.messages[n - 1].is_the_models), 0)
        parts = (part for one in self.messages[first:last] if bodies.is_users(one.role) for part in one.parts)
        return (*parts, *self.filled_in)

    @property
    def opening(self) -> str:
        """The digest of the conversation up to what the user said first; "" where nothing is theirs."""
        return next((one.digest for one in self.messages if one.role == "user"), "")

    def with_blocks(self, blocks: Mapping[str, str]) -> str:
        """Return the text with blocks put into the messages of these digests.

        Where the client has the provider keep all up to the end, that is said behind the last block once more, if there
        is room for one more mark: else the block would be read anew a second time, with the next question.
        """
        pieces, done = [], 0
        has_room = self.text.count('"cache_control"') < MOST_MARKS
        for message in self.messages:
            block = blocks.get(message.digest)
            if block and (slot := message.slot) is not None:
                begin, end = slot.span
                pieces += [
                    self.text[done:begin],
                    slot.filled(
                        self.text, block, _KINDS.get(self.dialect, "text"), marked=has_room and message is self.turn
                    ),
                ]
                done = end
        return "".join([*pieces, self.text[done:]])


def read(dialect: Dialect, body: bytes, seed: str, named: str = "", *, streams: bool = False) -> Request:
    """Return what a body asks; `seed` keeps the digests of different keys apart. Raises ValueError.

    The model is `named`, and an answer `streams`, where the path says so and not the body.
    A body that is no JSON in UTF-8, or has no conversation where one belongs, is the provider's to refuse.
    """
    try:
        text = body.decode("utf-8")
        fields = json_spans.members(text, 0)
        document = json.loads(text)
        model, stream = document.get("model") or named, document.get("stream", dialect in _STREAMING)
        continues = document.get("previous_response_id")
        thread = _thread(document)
        given, seed = fields.get(_LISTS[dialect]), f"{seed}:{continues or ''}"
        messages = [] if given is None else list(_messages(dialect, text, given, document[_LISTS[dialect]], seed))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not messages:
        raise ValueError("it has no messages")
    return Request(
        dialect,
        text,
        model if isinstance(model, str) else "",
        streams or stream is True,
        tuple(messages),
        continues if isinstance(continues, str) else "",
        _filled_in(document) if dialect is Dialect.RESPONSES else (),
        thread,
        envelope.read(document, [one.words for one in messages if one.role in _INSTRUCTIONS]),
    )


def with_model(text: str, model: str) -> str:
    """Return a request for another model. Raises ValueError."""
    begin, end = json_spans.members(text, 0)["model"]
    return f"{text[:begin]}{json.dumps(model)}{text[end:]}"


def _thread(document: Mapping[str, Any]) -> str:
    """Return the client's name of a conversation: OpenAI's `conversation`, or the session in Anthropic's user id."""
    named = document.get("conversation")
    named = named.get("id") if isinstance(named, dict) else named
    if isinstance(named, str) and named:
        return named
    metadata = document.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    return user if isinstance(user, str) and "session_" in user else ""


def _filled_in(document: Mapping[str, Any]) -> tuple[str, ...]:
    template = document.get("prompt")
    given = template.get("variables") if isinstance(template, dict) else None
    values = list(given.values()) if isinstance(given, dict) else []
    return tuple(part for value in values for part in bodies.texts(value if isinstance(value, str) else [value]))


def _messages(dialect: Dialect, text: str, span: Span, value: Any, seed: str) -> Iterator[RequestMessage]:
    digest = hashlib.sha256(f"{dialect}:{seed}".encode()).digest()
    if dialect is Dialect.GENERATE and not isinstance(value, str):
        raise ValueError("its prompt is no text")
    if isinstance(value, str):  # what the user says, alone
        digest = _chained(digest, {"role": "user"}, value)
        texts = bodies.texts(value)
        yield RequestMessage("user", "\n".join(texts), digest.hex(), InsertionPoint(span, True, not value), texts)
        return
    if dialect is Dialect.COMPLETIONS:
        prompts = bodies.prompts(value)
        yield RequestMessage("user", "\n".join(prompts), _chained(digest, {"role": "user"}, value).hex(), None, prompts)
        return
    if not isinstance(value, list) or len(value) > MAX_MESSAGES:
        raise ValueError("its messages are not a list, or too many")
    name = "parts" if dialect is Dialect.GEMINI else "content"
    for sent, (begin, _) in zip(value, json_spans.elements(text, span[0]), strict=True):
        if not isinstance(sent, dict):
            raise ValueError("a message is not an object")
        one = _of_gemini(sent) if dialect is Dialect.GEMINI else sent
        role, content = bodies.role_of(one), one.get("content")
        if isinstance(content, dict | int) and bodies.is_users(role):
            raise ValueError("the user's message has an unknown format")
        digest = _chained(digest, one, content)
        slot = None
        if role == "user" and isinstance(content, str | list):
            where = json_spans.members(text, begin)[name]
            slot = InsertionPoint(
                where, isinstance(content, str), not content, dialect is Dialect.MESSAGES, _mark(content)
            )
        texts = bodies.texts(content)
        is_reminder = role == "user" and not texts and bodies.is_all_text(content)
        yield RequestMessage(role, "\n".join(texts), digest.hex(), slot, texts, is_reminder)


def _of_gemini(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message of Gemini under the names that others have for its parts and its roles."""
    role = content.get("role") or "user"
    return {"role": "assistant" if role == "model" else role, "content": content.get("parts")}


def _mark(content: Any) -> Mapping[str, Any] | None:
    last = content[-1] if isinstance(content, list) and content else None
    mark = last.get("cache_control") if isinstance(last, dict) else None
    return mark if isinstance(mark, dict) else None


def _chained(before: bytes, message: Mapping[str, Any], content: Any) -> bytes:
    """Return the digest of a conversation and one more message, in whichever of its equal forms that is sent."""
    rest = {name: value for name, value in message.items() if name not in ("content", *_UNSTABLE) and value is not None}
    rest.pop("type", None) if "role" in message else None
    parts = [["text", content]] if isinstance(content, str) else content
    if isinstance(parts, list):
        parts = [_plain(part) for part in parts]
    canonical = json.dumps([rest, parts], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(before + canonical.encode()).digest()


def _plain(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    if bodies.is_text(part):
        return ["text", part["text"]]
    return {name: value for name, value in part.items() if name not in _UNSTABLE}
