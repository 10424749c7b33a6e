"""Conversations that name no session are told apart by all that their user has said."""

import json
from typing import Any

from agentos.features.gateway import requests
from agentos.features.gateway.requests import Dialect, Request
from agentos.features.gateway.sessions import ConversationTracker, StoredTurn, is_of


def request(*said: str) -> Request:
    messages: list[dict[str, Any]] = []
    for text in said:
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}]
    return requests.read(Dialect.CHAT, json.dumps({"messages": messages[:-1]}).encode(), "k")


def test_a_conversation_keeps_its_session_and_one_that_begins_alike_gets_another() -> None:
    sessions = ConversationTracker()
    one = [sessions.of(request(*said)) for said in (("hello",), ("hello",), ("hello", "a"), ("hello", "a", "b"))]
    two = [sessions.of(request(*said)) for said in (("hello",), ("hello", "c"), ("hello", "c", "d"))]
    assert len({*one}) == len({*two}) == 1 and one[0] != two[0]
    assert sessions.of(request("hello", "a", "b", "e")) == one[0], "the first goes on"


def test_conversations_behind_a_constant_beginning_are_as_many_as_go_on_otherwise() -> None:
    sessions = ConversationTracker()
    one, two = sessions.of(request("the files", "a")), sessions.of(request("the files", "b"))
    assert one != two
    assert sessions.of(request("the files", "b", "c")) == two and sessions.of(request("the files", "a", "c")) == one
    assert sessions.of(request("the files", "a", "c")) == one, "asked again it is the same"


def test_only_so_many_turns_are_known() -> None:
    sessions = ConversationTracker(max_turns=3)
    for number in range(9):
        sessions.of(request(f"talk {number}"))
    assert sessions.of(request("talk 8")) == sessions.of(request("talk 8"))


def test_a_conversation_that_has_rested_goes_on_as_another_session_of_it() -> None:
    now = [0.0]
    for thread in ("", "t1"):
        sessions = ConversationTracker(idle_s=3600, clock=lambda: now[0])
        first = [sessions.of(request(*said), thread) for said in (("hello",), ("hello", "a"))]
        now[0] += 7200
        later = [sessions.of(request(*said), thread) for said in (("hello", "a", "b"), ("hello", "a", "b", "c"))]
        assert len({*first}) == len({*later}) == 1 and first[0] != later[0]
        assert is_of(first[0], later[0]) and not is_of(first[0], "gateway-other")
    assert sessions.of(request("hi"), "t2") != first[0], "another name is another conversation"


def test_a_clients_name_of_a_conversation_decides_also_where_it_begins_anew() -> None:
    sessions = ConversationTracker()
    first = sessions.of(request("hello", "a"), "t1")
    assert sessions.of(request("a summary of it", "b"), "t1") == first
    assert sessions.of(request("hello", "a"), "t2") != first


def test_sessions_are_found_again_by_the_turns_that_are_stored() -> None:
    before, after = ConversationTracker(), ConversationTracker()
    one = [before.of(request(*said)) for said in (("hello",), ("hello", "a"))][-1]
    two = [before.of(request(*said)) for said in (("hello",), ("hello", "b"))][-1]
    assert one != two
    digests = {text: after.unknown(request("hello", text))[-1] for text in "ab"}
    opening = after.unknown(request("hello"))[0]
    after.restore([StoredTurn(opening, one, True, 0.0), StoredTurn(digests["a"], one, False, 0.0)])
    after.restore([StoredTurn(opening, two, True, 0.0), StoredTurn(digests["b"], two, False, 0.0)])
    assert after.of(request("hello", "a", "c")) == one and after.of(request("hello", "b", "c")) == two
    assert after.of(request("hello", "d")) not in (one, two) and after.of(request("hello")) not in (one, two)
