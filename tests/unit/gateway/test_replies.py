"""Answers heard while they pass, split at every byte."""

import asyncio
import json
from typing import Any

from agentos.features.gateway.replies import MAX_EVENT_BYTES, AnswerListener
from agentos.features.gateway.reply import ReplyParts
from agentos.features.gateway.requests import Dialect
from agentos.modules.usage.models import Tokens
from tests.provider import Provider
from tests.tables import every

TEXT = "schön\r\n東🎉."
GIVEN = '{"a": "🎉"}'
PATHS = {
    Dialect.CHAT: "/chat/completions",
    Dialect.RESPONSES: "/responses",
    Dialect.MESSAGES: "/messages",
    Dialect.GEMINI: "/v1beta/models/m:generateContent",
    Dialect.OLLAMA: "/api/chat",
    Dialect.GENERATE: "/api/generate",
}


def answered(dialect: Dialect, *, streams: bool, choices: int = 1, calls: bool = True) -> bytes:
    provider = Provider()
    provider.reply, provider.choices = lambda _: TEXT, choices
    provider.calls = [("read", GIVEN)] if calls else []
    body: dict[str, Any] = {"model": "m", "messages": [], "stream": streams, "stream_options": {"include_usage": True}}
    path = PATHS[dialect]
    if streams and dialect is Dialect.GEMINI:
        path = path.replace(":generate", ":streamGenerate") + "?alt=sse"
    answer = provider._answer(path, json.dumps(body).encode())
    return answer if isinstance(answer, bytes) else b"".join(answer)


def read_reply(dialect: Dialect, *pieces: bytes, streams: bool = True) -> ReplyParts:
    listener = AnswerListener(dialect, streams=streams)
    for piece in pieces:
        listener.feed(piece)
    return listener.finish()


@every("dialect", list(PATHS))
def test_a_stream_is_understood_wherever_it_is_split(dialect: Dialect) -> None:
    data = answered(dialect, streams=True)
    complete = read_reply(dialect, data)
    assert complete.choices == [TEXT] and complete.is_complete
    assert bool(complete.id) is (dialect not in (Dialect.OLLAMA, Dialect.GENERATE)), "theirs have none"
    assert complete.tokens is not None and complete.tokens.output == len(TEXT) and complete.tokens.uncached > 0
    if dialect not in (Dialect.RESPONSES, Dialect.GENERATE):
        assert complete.tool_calls[0] == f"read {GIVEN}"
    for place in range(len(data) + 1):
        assert read_reply(dialect, data[:place], data[place:]) == complete, place
    assert read_reply(dialect, *(data[n : n + 1] for n in range(len(data)))) == complete
    for ends in (b"\r\n", b"\r") if dialect not in (Dialect.OLLAMA, Dialect.GENERATE) else (b"\r\n",):
        other = data.replace(b"\r\n", b"\n").replace(b"\n", ends)
        assert read_reply(dialect, *(other[n : n + 1] for n in range(len(other)))) == complete, ends


@every("dialect", list(PATHS))
def test_an_answer_in_one_piece_tells_the_same(dialect: Dialect) -> None:
    reply = read_reply(dialect, answered(dialect, streams=False), streams=False)
    assert reply.choices == [TEXT] and reply.is_complete and reply.tokens is not None


def test_every_choice_is_read() -> None:
    for streams in (True, False):
        assert (
            read_reply(Dialect.CHAT, answered(Dialect.CHAT, streams=streams, choices=3), streams=streams).choices
            == [TEXT] * 3
        )


def test_a_stream_that_breaks_off_is_not_whole() -> None:
    data = answered(Dialect.MESSAGES, streams=True)
    reply = read_reply(Dialect.MESSAGES, data[: len(data) // 2])
    assert reply.choices and not reply.is_complete


def test_tokens_are_those_of_the_end_and_those_of_the_cache() -> None:
    start = {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3, "cache_read_input_tokens": 90,
             "cache_creation_input_tokens": 7, "output_tokens": 1}}}  # fmt: skip
    end = {"type": "message_delta", "usage": {"output_tokens": 55}}
    data = b"".join(b"data:" + json.dumps(one).encode() + b"\n\n" for one in (start, end))
    assert read_reply(Dialect.MESSAGES, data).tokens == Tokens(3, 90, 7, 55)


@every(
    "data",
    [b"data: {\n\n", b"data: [1]\n\n", b'data: {"choices": 5, "usage": [1]}\n\n',
     b'data: {"choices": [{"delta": 1}]}\n\n', b"data: " + b"[" * 99_999 + b"\n\n",
     b"data: " + b"x" * (MAX_EVENT_BYTES + 1) + b"\n\ndata: {}\n\n", b": ping\n\n", b"\n\n\n",
     b'data: {"choices": [{"index": -4, "delta": {"content": 7, "tool_calls": [{"function": {"name": 5}}]}}]}\n\n'],
)  # fmt: skip
def test_nonsense_is_ignored(data: bytes) -> None:
    for dialect in PATHS:
        reply = read_reply(dialect, data[:40], data[40:])
        assert reply.choices == [] and reply.tool_calls == []
        read_reply(dialect, data.removeprefix(b"data: "), streams=False)


def test_the_provider_of_these_tests_keeps_a_cache_of_prompts() -> None:
    async def ask() -> list[tuple[int, int]]:
        provider = Provider()
        for prompt in ("one", "one two"):
            body = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
            provider._answer("/chat/completions", json.dumps(body).encode())
        return provider.cached

    (first, nothing), (second, cached) = asyncio.run(ask())
    assert nothing == 0 and cached == first and second > first


def test_an_answer_that_never_ends_is_kept_in_part() -> None:
    listener = AnswerListener(Dialect.CHAT, streams=True)
    event = b'data: {"choices": [{"index": 0, "delta": {"content": "' + b"x" * 100_000 + b'"}}]}\n\n'
    for _ in range(20):
        listener.feed(event)
    assert len(listener.finish().choices[0]) < 600_000
