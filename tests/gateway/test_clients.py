"""The SDKs of OpenAI and Anthropic, plain and streaming, at a real gateway with a real daemon."""

import asyncio
import json
from typing import Any

import anthropic
import openai
import pytest

from tests.provider import Provider

PORT, ASKED = "Our staging database listens on port 5433.", "Which port does our staging database listen on?"


@pytest.fixture
async def chat(gateway: Any) -> Any:
    async with openai.AsyncOpenAI(base_url=gateway.openai, api_key="sk-own", max_retries=0) as client:
        yield client


@pytest.fixture
async def claude(gateway: Any) -> Any:
    async with anthropic.AsyncAnthropic(base_url=gateway.anthropic, api_key="sk-ant-own", max_retries=0) as client:
        yield client


def user_message(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


async def known(chat: Any, until: Any) -> None:
    """Say the fact once, and ask until it is told."""
    await chat.chat.completions.create(model="gpt-4o", messages=user_message(PORT))

    async def is_injected() -> bool:
        answer = await chat.chat.completions.with_raw_response.create(model="gpt-4o", messages=user_message(ASKED))
        return bool(int(answer.headers["x-memory-injected-count"]))

    await until(is_injected)


async def test_each_client_gets_the_facts_of_another(chat: Any, claude: Any, provider: Provider, until: Any) -> None:
    await known(chat, until)
    provider.reply = lambda body: "schön, 5433 東京 🎉"
    provider.chunk = 3
    text = ""
    stream = await chat.chat.completions.create(model="gpt-4o", messages=user_message(ASKED), stream=True)
    async for event in stream:
        text += event.choices[0].delta.content or ""
    assert text == "schön, 5433 東京 🎉" and "port 5433" in str(provider.body["messages"])
    answer = await chat.responses.create(model="gpt-4o", input=ASKED)
    assert answer.output_text == text and "port 5433" in provider.body["input"]
    async with chat.responses.stream(model="gpt-4o", input=user_message(ASKED)) as events:
        async for _ in events:
            pass
        assert (await events.get_final_response()).output_text == text
    assert "port 5433" in str(provider.body["input"])
    message = await claude.messages.create(model="claude-x", max_tokens=9, messages=user_message(ASKED))
    assert message.content[0].text == text and "port 5433" in str(provider.body["messages"])
    provider.calls = [("look", '{"at": "ä🎉"}')]
    async with claude.messages.stream(model="claude-x", max_tokens=9, messages=user_message(ASKED)) as events:
        final = await events.get_final_message()
    assert final.content[0].text == text and final.content[1].input == {"at": "ä🎉"}
    assert "port 5433" in str(provider.body["messages"]) and "port 5433" not in str(provider.body.get("system"))


def test_synchronous_clients_get_the_facts_too(gateway: Any, provider: Provider) -> None:
    tools: list[Any] = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    with (
        openai.OpenAI(base_url=gateway.openai, api_key="sk-own", max_retries=0) as chat,
        anthropic.Anthropic(base_url=gateway.anthropic, api_key="sk-ant-own", max_retries=0) as claude,
    ):
        chat.chat.completions.create(model="gpt-4o", messages=user_message(PORT))
        for _ in range(600):
            raw = chat.chat.completions.with_raw_response.create(model="gpt-4o", messages=user_message(ASKED))
            if raw.headers["x-memory-injected-count"] != "0":
                break
        provider.reply = lambda body: "schön, 5433 東京 🎉" if "port 5433" in json.dumps(body) else "nobody told"
        provider.calls, provider.chunk, provider.choices = [("look", '{"at": "ä🎉"}')], 3, 2
        texts, given = ["", ""], ["", ""]
        stream = chat.chat.completions.create(
            model="gpt-4o", n=2, messages=user_message(ASKED), tools=tools, stream=True
        )
        for event in stream:
            for choice in event.choices:
                texts[choice.index] += choice.delta.content or ""
                for call in choice.delta.tool_calls or ():
                    given[choice.index] += (call.function and call.function.arguments) or ""
        assert texts == ["schön, 5433 東京 🎉"] * 2 and json.loads(given[0]) == {"at": "ä🎉"}
        assert chat.responses.create(model="gpt-4o", input=ASKED).output_text == texts[0]
        image: list[Any] = [{"role": "user", "content": [{"type": "input_text", "text": ASKED}, {
            "type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "low"}]}]  # fmt: skip
        assert chat.responses.create(model="gpt-4o", input=image).output_text == texts[0]
        with claude.messages.stream(model="claude-x", max_tokens=9, messages=user_message(ASKED)) as events:
            assert "".join(events.text_stream) == texts[0]
        assert claude.messages.count_tokens(model="claude-x", messages=user_message(ASKED)).input_tokens > 0
        assert "port 5433" in str(provider.body["messages"]), "what was told before counts"
        assert chat.models.list().data[0].id == "m"


async def test_the_clients_see_the_providers_own_errors(chat: Any, claude: Any, provider: Provider) -> None:
    provider.failures = [429, 529]
    with pytest.raises(openai.RateLimitError) as refused:
        await chat.chat.completions.create(model="gpt-4o", messages=user_message("hi"))
    assert refused.value.request_id == "req-7"
    with pytest.raises(anthropic.APIStatusError) as overloaded:
        await claude.messages.create(model="claude-x", max_tokens=9, messages=user_message("hi"))
    assert overloaded.value.status_code == 529


async def test_a_daemon_that_is_killed_ends_no_stream_and_the_next_request_says_that_memory_is_out(
    gateway: Any, chat: Any, provider: Provider, until: Any
) -> None:
    await known(chat, until)
    provider.reply = lambda body: "word " * 200
    provider.chunk, provider.pause_s = 300, 0.02
    pieces = []
    async for event in await chat.chat.completions.create(model="m", messages=user_message(ASKED), stream=True):
        pieces.append(event.choices[0].delta.content or "")
        if len(pieces) == 10:
            await asyncio.to_thread(gateway.kill_daemon)
            provider.pause_s = 0.0
            raw = await chat.chat.completions.with_raw_response.create(model="m", messages=user_message(ASKED))
            assert raw.headers["x-memory-gate-decision"].startswith("unavailable")
            assert raw.parse().choices[0].message.content == "word " * 200
    assert "".join(pieces) == "word " * 200

    async def is_back() -> bool:
        answer = await chat.chat.completions.with_raw_response.create(model="m", messages=user_message(ASKED))
        return bool(answer.headers["x-memory-gate-decision"] == "inject")

    await until(is_back)
