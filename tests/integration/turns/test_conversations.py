"""Whole conversations: each message once, with the facts in it, and an account of what was left out."""

from dataclasses import replace
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.views.turns import ConversationAdded
from agentos.tools.bound import BoundTool
from agentos.tools.turns import TURN_TOOLS

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "I live in Porto.", "name": "ada"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Nice."}, {"type": "image_url", "image_url": {}}]},
]


async def add(agentos: AgentOS, messages: list[dict[str, Any]], **more: Any) -> ConversationAdded:
    async def opened() -> AgentOS:
        return agentos

    caller = local_owner("default", None, Door.LIBRARY)
    ran = await BoundTool(TURN_TOOLS[0]).run(opened, caller, "test", {"messages": messages, **more})
    assert isinstance(ran.result, ConversationAdded)
    return ran.result


async def test_a_conversation_tells_what_was_stored_found_and_left_out(agentos: AgentOS) -> None:
    first = await add(agentos, TALK)
    assert (first.new, first.known, first.new_facts) == (2, 0, 1)
    assert [fact.text for fact in first.facts] == ["The user lives in Porto."]
    assert first.skipped == {"parts without text": 1, "system messages": 1, "messages without text": 1}
    turns = await agentos.turns.window("default", first.session)
    assert [(turn.role, turn.text) for turn in turns] == [("user", "I live in Porto."), ("assistant", "Nice.")]
    assert "Porto" in first.as_text() and "system messages (1)" in first.as_text()


async def test_a_conversation_that_grew_adds_only_what_is_new(agentos: AgentOS) -> None:
    await add(agentos, TALK, session="talk")
    again = {"role": "user", "content": "I live in Porto."}
    grown = await add(agentos, [*TALK, again], session="talk")
    assert (grown.new, grown.known, grown.new_facts) == (1, 2, 0)
    same = await add(agentos, [*TALK, again], session="talk", extract=False)
    assert (same.new, same.known, same.facts) == (0, 3, ())
    assert replace(grown, new=0, known=3, facts=()) == same


async def test_a_message_that_cannot_be_stored_is_named_and_none_is(agentos: AgentOS) -> None:
    with pytest.raises(InvalidInput, match=r"^messages\.4\.content: contains a NUL"):
        await add(agentos, [*TALK, {"role": "user", "content": "\x00"}], session="talk")
    assert await agentos.turns.window("default", "talk") == []
    empty = await add(agentos, TALK[:1])
    assert (empty.new, empty.skipped) == (0, {"system messages": 1})


async def test_gemini_s_messages_are_taken_without_its_thoughts(agentos: AgentOS) -> None:
    parts = [{"text": "The user is nice.", "thought": True}, {"text": "Hello."}]
    added = await add(agentos, [{"role": "user", "parts": [{"text": "Hi."}]}, {"role": "model", "parts": parts}])
    turns = await agentos.turns.window("default", added.session)
    assert [(turn.role, turn.text) for turn in turns] == [("user", "Hi."), ("assistant", "Hello.")]
