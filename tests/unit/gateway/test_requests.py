"""Requests of both dialects: what the user says now, and blocks put in without touching any other byte."""

import json
from typing import Any

import pytest

from agentos.features.gateway import requests
from agentos.features.gateway.requests import Dialect
from tests.tables import every

CHAT, RESPONSES, MESSAGES, COMPLETIONS, GEMINI, OLLAMA, GENERATE = Dialect
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
LAST = "Which port — 5433 or 東京?"


def chat(*contents: Any, role: str = "user") -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": role, "content": one} for one in contents]}


FORMS: list[tuple[str, Dialect, Any, str]] = [
    ("a text", CHAT, chat(LAST), LAST),
    ("parts", CHAT, chat([{"type": "text", "text": LAST}, IMAGE]), LAST),
    ("an image alone", CHAT, chat([IMAGE]), ""),
    ("the assistant last", CHAT, chat("x", role="assistant"), ""),
    (
        "a tool's result last",
        CHAT,
        {"messages": [*chat(LAST)["messages"], {"role": "assistant", "content": None, "tool_calls": [CALL]},
                      {"role": "tool", "tool_call_id": "c1", "content": "ok"}]},
        "",
    ),
    *[(f"{role} last", dialect, {key: [*chat(LAST)["messages"], {"role": role, "content": "Be brief."}]}, LAST)
      for role in ("system", "developer")
      for dialect, key in ((CHAT, "messages"), (RESPONSES, "input"), (MESSAGES, "messages"))],
    ("input as a text", RESPONSES, {"model": "m", "input": LAST}, LAST),
    ("input as messages", RESPONSES, {"input": [{"role": "user", "content": LAST}]}, LAST),
    ("input as parts", RESPONSES, {"input": [{"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": LAST}, {"type": "input_image", "image_url": "x"}]}]}, LAST),
    ("a function's output last", RESPONSES, {"input": [{"role": "user", "content": LAST}, {
        "type": "function_call_output", "call_id": "c", "output": "ok"}]}, ""),
    ("system as a text", MESSAGES, {"system": "be kind", **chat(LAST)}, LAST),
    ("system as blocks", MESSAGES, {"system": [{"type": "text", "text": "k", "cache_control": {"type": "ephemeral"}}],
                                    **chat([{"type": "text", "text": LAST}])}, LAST),
    ("a tool's result with words", MESSAGES, chat([{"type": "tool_result", "tool_use_id": "t", "content": "42"},
                                                   {"type": "text", "text": LAST}]), LAST),
    ("a tool's result alone", MESSAGES, chat([{"type": "tool_result", "tool_use_id": "t", "content": "42"}]), ""),
    ("a client's reminder", MESSAGES, chat([{"type": "text", "text": "<system-reminder>no</system-reminder>"},
                                            {"type": "text", "text": f"<system-reminder>x</system-reminder>{LAST}"}]),
     LAST),
    ("Gemini's contents", GEMINI, {"systemInstruction": {"parts": [{"text": "be kind"}]}, "contents": [
        {"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello!"}]},
        {"role": "user", "parts": [{"text": LAST}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}]}]}, LAST),
    ("Gemini's without a role", GEMINI, {"contents": [{"parts": [{"text": LAST}]}]}, LAST),
    ("a function's response last", GEMINI, {"contents": [{"role": "user", "parts": [{"text": LAST}]}, {
        "role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}, {
        "role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"text": "no"}}}]}]}, ""),
    ("Ollama's chat", OLLAMA, chat("Hi", LAST), LAST),
    ("Ollama's prompt", GENERATE, {"model": "m", "prompt": LAST}, LAST),
]  # fmt: skip


@every("name, dialect, body, question", FORMS)
def test_what_the_user_says_now_is_found_in_every_form(name: str, dialect: Dialect, body: Any, question: str) -> None:
    assert requests.read(dialect, json.dumps(body).encode(), "k").question == question


@every("name, dialect, body, question", [one for one in FORMS if one[3]])
def test_a_block_is_the_last_that_the_user_says_and_all_else_stays(
    name: str, dialect: Dialect, body: Any, question: str
) -> None:
    sent = json.dumps(body, indent=3, ensure_ascii=False)
    request = requests.read(dialect, sent.encode(), "k")
    block = 'a "b" \\ \n</memory_context> ü'
    changed = request.with_blocks({request.turn.digest: block})
    before, after = json.loads(sent), json.loads(changed)
    key = {RESPONSES: "input", GEMINI: "contents", GENERATE: "prompt"}.get(dialect, "messages")
    content = "parts" if dialect is GEMINI else "content"
    if isinstance(after[key], str):
        assert after[key] == f"{before[key]}\n\n{block}"
        after[key] = before[key]
    else:
        *_, was = (one for one in before[key] if one.get("role", "user") == "user")
        *_, last = (one for one in after[key] if one.get("role", "user") == "user")
        if dialect is GEMINI:
            assert last[content] == [*was[content], {"text": block}]
        elif isinstance(was["content"], str) and dialect is MESSAGES:
            was_text = {"type": "text", "text": was["content"]}
            assert last["content"] == [was_text, {"type": "text", "text": block}]
        elif isinstance(was["content"], str):
            assert last["content"] == f"{was['content']}\n\n{block}"
        else:
            *others, added = last["content"]
            assert others == was["content"] and added["text"] == block
            assert added["type"] == ("input_text" if dialect is RESPONSES else "text")
        last[content] = was[content]
    assert after == before
    same = _same(sent, changed), _same(sent[::-1], changed[::-1])
    wraps = len(question.encode()) if dialect is MESSAGES else 0
    assert sum(same) + wraps >= len(sent), "it is put in at one place, and nothing is written anew"


def _same(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def test_what_json_would_not_keep_is_kept() -> None:
    sent = '{"a": 1.0E+2, "a": 12345678901234567890, "messages" :[ {"role":"user", "content" : "\\u00e9\\/\\ud83d"} ] }'
    request = requests.read(CHAT, sent.encode(), "k")
    changed = request.with_blocks({request.messages[0].digest: "B"})
    assert changed == sent.replace('\\ud83d"', '\\ud83d\\n\\nB"')


def test_a_conversation_is_known_again_whatever_its_client_changes_in_what_it_repeats() -> None:
    first = chat("one")["messages"]
    again = [
        {"role": "user", "content": [{"type": "text", "text": "one", "cache_control": {"type": "ephemeral"}}]},
        {"role": "assistant", "content": "yes", "refusal": None},
        {"role": "user", "content": "two"},
    ]
    was = requests.read(CHAT, json.dumps({"messages": first}).encode(), "k")
    now = requests.read(CHAT, json.dumps({"messages": again, "system": "other"}).encode(), "k")
    assert now.messages[0].digest == was.messages[0].digest == now.opening
    assert len({one.digest for one in now.messages}) == 3
    assert requests.read(CHAT, json.dumps({"messages": first}).encode(), "other key").opening != was.opening
    follows = [{"input": "yes", "previous_response_id": one} for one in ("resp_1", "resp_2")]
    assert len({requests.read(RESPONSES, json.dumps(one).encode(), "k").opening for one in follows}) == 2


@every(
    "body",
    [b"", b"{", b"[]", b'"x"', b'{"messages":[]}', b'{"messages":"hi","model":1}', b'{"messages":[1]}', b'{"input":5}',
     b'\xff', b'{"model":"m"}', b'{"messages":' + b"[" * 100_000, b'{"messages":[{"role":"user","content":5}]} x{'],
)  # fmt: skip
def test_what_is_no_request_is_left_to_the_provider(body: bytes) -> None:
    for dialect in (CHAT, MESSAGES):
        try:
            request = requests.read(dialect, body, "k")
        except ValueError:
            continue
        assert request.with_blocks({}) == body.decode()


def test_another_model_is_named_in_place() -> None:
    assert requests.with_model('{"x": [1.0], "model" : "a" }', "b") == '{"x": [1.0], "model" : "b" }'
    with pytest.raises(KeyError):
        requests.with_model("{}", "b")


SAYS, MODEL = {"role": "user", "content": "a"}, {"role": "assistant", "content": "ok"}
TOOL = {"role": "tool", "content": "t"}


@every(
    "dialect, body, order",
    [
        (CHAT, {"messages": [SAYS, MODEL, SAYS, {"role": "user", "content": "b"}]}, ("a", "b")),
        (CHAT, {"messages": [SAYS, TOOL]}, ("a",)),
        (CHAT, {"messages": [SAYS, MODEL]}, ("a",)),
        (CHAT, {"messages": [SAYS, MODEL, TOOL]}, ()),
        (RESPONSES, {"input": [SAYS, {"type": "function_call", "name": "f"}]}, ()),
        (MESSAGES, chat([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), ("a", "b")),
        (MESSAGES, chat("<system-reminder>x</system-reminder>y <system-reminder>a"), ("y <system-reminder>a",)),
        (COMPLETIONS, {"prompt": "a"}, ("a",)),
        (
            GEMINI,
            {
                "contents": [
                    {"parts": [{"text": "x"}]},
                    {"role": "model", "parts": [{"text": "y"}]},
                    {"parts": [{"text": "a"}, {"text": "b"}]},
                ]
            },
            ("a", "b"),
        ),
        (COMPLETIONS, {"prompt": ["a", "b"]}, ("a", "b")),
    ],
)
def test_an_order_is_all_that_the_user_said_since_the_model_spoke(dialect: Dialect, body: Any, order: Any) -> None:
    assert requests.read(dialect, json.dumps(body).encode(), "k").order == order


@every("marks, added", [(1, True), (3, True), (4, False)])
def test_a_block_behind_the_last_mark_is_marked_where_there_is_room(marks: int, added: bool) -> None:
    mark = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    parts = [{"type": "text", "text": str(n), **mark} for n in range(marks)]
    body = {"messages": [{"role": "user", "content": parts}]}
    request = requests.read(MESSAGES, json.dumps(body).encode(), "k")
    sent = json.loads(request.with_blocks({request.opening: "B"}))["messages"][0]["content"]
    assert sent == [*parts, {"type": "text", "text": "B", **(mark if added else {})}]
