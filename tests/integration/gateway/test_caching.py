"""Conversations cost at the provider what they cost without memory: its cache of prompts serves them as before."""

import json
import time
from typing import Any

import pytest

from agentos.features.gateway.block import BEGIN, END
from agentos.features.gateway.modes import Mode
from agentos.modules.store_request import StoreRequest

CHAT, RESPONSES = "/proxy/openai/v1/chat/completions", "/proxy/openai/v1/responses"
MESSAGES = "/proxy/anthropic/v1/messages"
PORT = "The staging database listens on port 5433."
ASKED = "Which port does the staging database listen on?"
SYSTEM = "Be kind. " * 500
"""As long as a prompt must be at least, about a thousand tokens, so that a provider keeps it at all."""
TURNS = 20
MARK = {"cache_control": {"type": "ephemeral"}}


def marked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages with the mark on the last part, as a client moves it from turn to turn."""
    *before, last = messages
    parts = last["content"]
    parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
    return [*before, {**last, "content": [*parts[:-1], {**parts[-1], **MARK}]}]


def call(path: str, number: int) -> list[dict[str, Any]]:
    """What a client adds when the model has called a tool: the call, and its result."""
    given, result = f'{{"n": {number}}}', f"result {number} " * 8
    if path == MESSAGES:
        used = {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": json.loads(given)}
        came = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": result}
        return [{"role": "assistant", "content": [used]}, {"role": "user", "content": [came]}]
    if path == RESPONSES:
        called = {"type": "function_call", "call_id": f"c{number}", "name": "look", "arguments": given}
        return [called, {"type": "function_call_output", "call_id": f"c{number}", "output": result}]
    calls = [{"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": given}}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


def request(path: str, messages: list[dict[str, Any]], *, marks: bool) -> dict[str, Any]:
    """A request as a client of that path sends it."""
    if path == RESPONSES:
        return {"model": "m", "instructions": SYSTEM, "input": messages}
    if path == CHAT:
        return {"model": "m", "messages": [{"role": "system", "content": SYSTEM}, *messages]}
    system = [{"type": "text", "text": SYSTEM, **MARK}] if marks else SYSTEM
    return {"model": "m", "max_tokens": 9, "system": system, "messages": marked(messages) if marks else messages}


def reply_text(answer: dict[str, Any]) -> str:
    if "content" in answer:
        return str(answer["content"][0]["text"])
    return str(
        answer["output"][0]["content"][0]["text"] if "output" in answer else answer["choices"][0]["message"]["content"]
    )


async def converse(gateways: list[Any], path: str, *, marks: bool, calls: bool) -> tuple[float, int]:
    """Hold a conversation, each gateway for its part of it; return the share of all prompts that was cached."""
    provider = gateways[0].provider
    provider.cached.clear()
    provider.prompts.clear()
    messages: list[dict[str, Any]] = []
    injected = 0
    for number in range(TURNS):
        client = gateways[number * len(gateways) // TURNS].client
        messages.append({"role": "user", "content": f"{ASKED} And what of host {number}, in a few words?"})
        for step in (1, 2) if calls else (1,):
            if step == 2:
                messages += call(path, number)
            answer = await client.post(path, json=request(path, messages, marks=marks))
            assert answer.status_code == 200
            injected += int(answer.headers["x-memory-injected-count"])
        messages.append({"role": "assistant", "content": reply_text(answer.json())})
    cached = sum(part for _, part in provider.cached[1:])
    return cached / sum(length for length, _ in provider.cached[1:]), injected


@pytest.mark.parametrize(
    "path, marks, calls",
    [(CHAT, False, True), (MESSAGES, True, True)],
)
async def test_the_cache_serves_a_conversation_as_without_memory_even_if_the_gateway_is_another_one_midway(
    start: Any, path: str, marks: bool, calls: bool
) -> None:
    plain = await start(mode=Mode.OFF)
    without, _ = await converse([plain], path, marks=marks, calls=calls)
    first = await start()
    for number in range(TURNS):  # each turn has something that the conversation was not told yet
        await first.agentos.memory.store("default", StoreRequest(f"Host {number} listens on port {5400 + number}."))
    await first.agentos.memory.store("default", StoreRequest(PORT))
    await first.agentos.memory.settled()
    share, injected = await converse([first, await start()], path, marks=marks, calls=calls)
    assert injected >= TURNS // 2 and share >= 0.95 * without, (share, without, injected)


def blocks(gateway: Any) -> list[str]:
    """The blocks in the last request, as they were sent."""
    sent = gateway.provider.requests[-1][2].decode()
    return [one[: one.index(END)] for one in sent.split(BEGIN)[1:]]


async def test_a_block_is_put_in_again_by_the_next_gateway_and_never_once_its_memory_is_forgotten(start: Any) -> None:
    first = await start()
    memory = (await first.agentos.memory.store("default", StoreRequest(PORT))).memory
    other = (
        await first.agentos.memory.store("default", StoreRequest("The staging database is backed up at noon."))
    ).memory
    await first.ask(ASKED)
    (block,) = blocks(first)
    later = (ASKED, "It is 5433.", "Thank you.")
    second = await start()
    answer = await second.ask(*later)
    assert blocks(second)[0] == block and answer.headers["x-memory-reinserted-count"] != "0"
    await second.agentos.lifecycle.forget("default", memory.id)
    for gateway in (second, await start()):
        answer = await gateway.ask(*later)
        assert PORT not in "".join(blocks(gateway)) and answer.headers["x-memory-reinserted-count"] == "0"
    for table in ("told_blocks", "told_memories"):
        assert await second.agentos.gateway().service._blocks._engine.read(f"SELECT * FROM {table}")
    await second.agentos.memory.delete("default", memory.id, other.id, by="human")
    for table in ("told_blocks", "told_memories"):
        assert not await second.agentos.gateway().service._blocks._engine.read(f"SELECT * FROM {table}")


async def test_no_call_of_a_conversation_tells_what_was_forgotten_in_its_middle(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = await start()
    port, noon = "The staging database listens on port 5433.", "The harbour crane is inspected on Fridays."
    memory = (await gateway.agentos.memory.store("default", StoreRequest(port))).memory
    await gateway.agentos.memory.store("default", StoreRequest(noon))
    messages = [{"role": "user", "content": ASKED}]
    await gateway.client.post(MESSAGES, json=request(MESSAGES, messages, marks=False))
    messages += [{"role": "assistant", "content": "5433."}, {"role": "user", "content": "When is the crane inspected?"}]
    await gateway.client.post(MESSAGES, json=request(MESSAGES, messages, marks=False))
    assert port in "".join(blocks(gateway)) and noon in "".join(blocks(gateway))
    await gateway.agentos.lifecycle.forget("default", memory.id)
    goes_on = request(MESSAGES, [*messages, *call(MESSAGES, 1)], marks=False)
    for path in (f"{MESSAGES}/count_tokens", MESSAGES):
        gateway.remembering.rules._known["default"] = (time.monotonic(), ())  # heard by another's call a moment ago
        await gateway.client.post(path, json=goes_on)
        assert port not in "".join(blocks(gateway))
    monkeypatch.setattr("agentos.features.gateway.proxy.remembering.MOST_MEMORIES", 0)
    await gateway.client.post(MESSAGES, json=goes_on)
    assert not blocks(gateway), "of more memories than can be asked about none is told again"


@pytest.mark.parametrize("state", ["hung", "refused"])
async def test_what_was_erased_while_memory_does_not_answer_is_repeated_for_a_minute_at_most(
    gateway: Any, state: str
) -> None:
    memory = (await gateway.agentos.memory.store("default", StoreRequest(PORT))).memory
    messages = [{"role": "user", "content": ASKED}]
    await gateway.client.post(CHAT, json=request(CHAT, messages, marks=False))
    (block,) = blocks(gateway)
    goes_on = request(CHAT, [*messages, *call(CHAT, 1)], marks=False)
    later = request(
        CHAT, [*messages, {"role": "assistant", "content": "5433."}, {"role": "user", "content": "So?"}], marks=False
    )
    for seconds, questions, left_out in (
        (50.0, (goes_on,), False),
        (59.0, (goes_on, later), False),
        (61.0, (goes_on, later), True),
    ):
        gateway.seconds += seconds
        gateway.daemon.state = state
        for one in questions:
            answer = await gateway.client.post(CHAT, json=one)
            assert blocks(gateway) == ([] if left_out else [block])
            assert answer.headers["x-memory-gate-decision"].endswith("may be forgotten: 1") == left_out
        if not left_out:
            gateway.daemon.state = "up"
            await gateway.client.post(CHAT, json=goes_on)
            assert blocks(gateway) == [block], "and memory has said that it is there"
    await gateway.agentos.memory.delete("default", memory.id, by="human")
    gateway.daemon.state = "up"
    await gateway.client.post(CHAT, json=goes_on)
    assert not blocks(gateway)


async def test_stored_blocks_have_a_bound(start: Any) -> None:
    gateway = await start()
    await gateway.agentos.memory.store("default", StoreRequest(PORT))
    for number in range(3):
        await gateway.ask(f"{ASKED} ({number})")
    repository = gateway.agentos.gateway().service._blocks
    now = gateway.agentos.clock()
    assert await repository.drop_before_everywhere(now.replace(year=2000), 100) == 0
    assert await repository.drop_before_everywhere(now.replace(year=2000), 1) in (2, 3)
    await repository.drop_before_everywhere(now, 100)
    assert not await repository._engine.read("SELECT * FROM told_blocks")


async def test_a_mode_that_keeps_nothing_keeps_no_block(start: Any) -> None:
    gateway = await start(mode=Mode.READONLY)
    await gateway.agentos.memory.store("default", StoreRequest(PORT))
    await gateway.ask(ASKED)
    assert blocks(gateway)
    assert not await gateway.agentos.gateway().service._blocks._engine.read("SELECT * FROM told_blocks")
    await gateway.ask(ASKED, "It is 5433.", "Thank you.")
    assert blocks(gateway), "as long as this gateway lives"
