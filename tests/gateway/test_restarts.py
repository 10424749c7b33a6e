"""Gateway and daemon killed in the middle of conversations: what was told stays, and what was said is kept."""

import contextlib
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import anthropic
import openai

from agentos.features.gateway.block import BEGIN, END
from tests.gateway.conftest import Process
from tests.provider import Provider

PORT, ASKED = "Our staging database listens on port 5433.", "Which port does our staging database listen on?"


def messages_of(*texts: str) -> list[Any]:
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]


def blocks(provider: Provider) -> list[str]:
    """The blocks in the last request, as they were sent."""
    sent = provider.requests[-1][2].decode()
    return [one[: one.index(END)] for one in sent.split(BEGIN)[1:]]


async def ask(gateway: Process, *texts: str) -> Any:
    """The headers of an answer, in Anthropic's form, and in OpenAI's for what must be known to both."""
    async with anthropic.AsyncAnthropic(base_url=gateway.anthropic, api_key="sk-own", max_retries=0) as client:
        answer = await client.messages.with_raw_response.create(
            model="claude-x", max_tokens=9, messages=messages_of(*texts)
        )
        return answer.headers


async def test_blocks_are_put_in_again_byte_for_byte_after_gateway_and_daemon_were_killed(
    provider: Provider, tmp_path: Path, until: Any
) -> None:
    gateway = Process(tmp_path / "home", provider)
    gateway.daemon()
    async with openai.AsyncOpenAI(base_url=gateway.openai, api_key="sk-own", max_retries=0) as client:
        await client.chat.completions.create(model="gpt-4o", messages=messages_of(PORT))

    async def is_injected() -> bool:
        return (await ask(gateway, ASKED))["x-memory-injected-count"] != "0"

    await until(is_injected)
    (block,) = blocks(provider)
    assert "5433" in block
    gateway.kill_daemon()
    os.kill(gateway.process.pid, signal.SIGKILL)
    gateway.process.communicate()
    following = Process(tmp_path / "home", provider)
    try:
        following.daemon()
        history = (ASKED, "It is 5433.", "Thank you for that.")

        async def is_back() -> bool:
            return (await ask(following, *history))["x-memory-reinserted-count"] != "0"

        await until(is_back)
        assert blocks(provider)[0] == block
    finally:
        assert following.end() == 0


async def test_the_last_turn_is_stored_when_the_gateway_is_ended_at_once(
    provider: Provider, tmp_path: Path, until: Any
) -> None:
    gateway = Process(tmp_path / "home", provider)
    gateway.daemon()
    provider.reply = lambda body: "Noted."
    await ask(gateway, PORT)
    assert gateway.end() == 0
    following = Process(tmp_path / "home", provider)
    try:
        following.daemon()

        async def is_injected() -> bool:
            return (await ask(following, ASKED))["x-memory-injected-count"] != "0"

        await until(is_injected)
        assert "5433" in blocks(provider)[0]
    finally:
        assert following.end() == 0


async def test_a_first_exchange_that_may_be_the_clients_own_outlives_a_kill_and_is_kept_in_order(
    provider: Provider, tmp_path: Path, until: Any
) -> None:
    first, second = messages_of(PORT)[0], messages_of("And the other listens on 5434.")[0]
    history: list[Any] = [{"role": "system", "content": "You run the databases."}, first]

    async def said(gateway: Process, **more: Any) -> None:
        async with openai.AsyncOpenAI(base_url=gateway.openai, api_key="sk-own", max_retries=0) as client:
            await client.chat.completions.create(model="gpt-4o", messages=history, **more)

    def rows(sql: str) -> list[str]:
        with contextlib.closing(sqlite3.connect(f"file:{tmp_path}/home/agentos.db?mode=ro", uri=True)) as database:
            return [one for (one,) in database.execute(sql)]

    async def is_held() -> bool:
        return bool(rows("SELECT key FROM held_exchanges"))

    gateway = Process(tmp_path / "home", provider)
    gateway.daemon()
    form = {"type": "json_schema", "json_schema": {"name": "ports", "schema": {"type": "object"}}}
    await said(gateway, response_format=form)
    await until(is_held)
    gateway.kill_daemon()
    os.kill(gateway.process.pid, signal.SIGKILL)
    gateway.process.communicate()
    following = Process(tmp_path / "home", provider)
    try:
        following.daemon()
        history += [{"role": "assistant", "content": "Noted."}, second]
        await said(following)

        async def is_learnt() -> bool:
            return len(rows("SELECT m.id FROM turns t JOIN memories m ON m.seq = t.memory_seq WHERE role = 'user'")) > 1

        await until(is_learnt)
        sql = (
            "SELECT m.content FROM turns t JOIN memories m ON m.seq = t.memory_seq WHERE role = 'user' ORDER BY m.place"
        )
        assert rows(sql) == [first["content"], second["content"]]
        assert len(rows("SELECT DISTINCT session FROM turns")) == 1 and not await is_held()
    finally:
        assert following.end() == 0
