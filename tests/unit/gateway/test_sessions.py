"""Conversations that name no session are told apart by all that their user has said."""

import json
from typing import Any

from agentos.modules.gateway import requests
from agentos.modules.gateway.requests import Dialect, Request
from agentos.modules.gateway.sessions import Sessions


def request(*said: str) -> Request:
    messages: list[dict[str, Any]] = []
    for text in said:
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}]
    return requests.read(Dialect.CHAT, json.dumps({"messages": messages[:-1]}).encode(), "k")


def test_a_conversation_keeps_its_session_and_one_that_begins_alike_gets_another() -> None:
    sessions = Sessions()
    one = [sessions.of(request(*said)) for said in (("hello",), ("hello",), ("hello", "a"), ("hello", "a", "b"))]
    two = [sessions.of(request(*said)) for said in (("hello",), ("hello", "c"), ("hello", "c", "d"))]
    assert len({*one}) == len({*two}) == 1 and one[0] != two[0]
    assert sessions.of(request("hello", "a", "b", "e")) == one[0], "the first goes on"


def test_conversations_behind_a_constant_beginning_are_as_many_as_go_on_otherwise() -> None:
    sessions = Sessions()
    one, two = sessions.of(request("the files", "a")), sessions.of(request("the files", "b"))
    assert one != two
    assert sessions.of(request("the files", "b", "c")) == two and sessions.of(request("the files", "a", "c")) == one
    assert sessions.of(request("the files", "a", "c")) == one, "asked again it is the same"


def test_only_so_many_turns_are_known() -> None:
    sessions = Sessions(max_turns=3)
    for number in range(9):
        sessions.of(request(f"talk {number}"))
    assert sessions.of(request("talk 8")) == sessions.of(request("talk 8"))
