"""Clients of others at a real gateway, where they are named: SDKs in JavaScript (GATEWAY_JAVASCRIPT), Aider (AIDER)."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.provider import Provider

PORT, ASKED = "Our staging database listens on port 5433.", "Which port does our staging database listen on?"
ANSWER = "schön, 5433 東京 🎉"
JAVASCRIPT, AIDER = os.environ.get("GATEWAY_JAVASCRIPT", ""), os.environ.get("AIDER", "")


@pytest.fixture
async def told(gateway: Any, provider: Provider, until: Any) -> Any:
    """Polls until the gateway tells something to a question."""
    async with openai.AsyncOpenAI(base_url=gateway.openai, api_key="sk-own", max_retries=0) as client:

        async def ask(question: str) -> None:
            said: list[Any] = [{"role": "user", "content": question}]
            await client.chat.completions.create(model="gpt-4o", messages=said)

        async def is_told(question: str, answer: str) -> None:
            async def does() -> bool:
                await ask(question)
                return answer in str(provider.body)

            await until(does)

        await ask(PORT)
        await is_told(ASKED, "port 5433")
        provider.reply = lambda body: ANSWER if "port 5433" in json.dumps(body) else "nobody told"
        yield is_told


async def output(*command: str, **environment: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **environment}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    return out.decode()


@pytest.mark.skipif(not JAVASCRIPT, reason="GATEWAY_JAVASCRIPT names no folder of packages")
async def test_the_sdks_in_javascript_get_and_leave_memory(gateway: Any, told: Any) -> None:
    script = str(Path(__file__).with_name("javascript_clients.mjs"))
    answered = [
        json.loads(one)
        for one in (await output("node", script, JAVASCRIPT, gateway.openai, gateway.anthropic)).splitlines()
    ]
    assert [one["client"] for one in answered] == ["openai-js", "anthropic-js", "vercel"]
    for one in answered:
        assert {*one["texts"]} == {ANSWER}, one
        await told(f"Who services the {one['client']} pump?", f"Noor of {one['client']}")


@pytest.mark.skipif(not AIDER, reason="AIDER names no program")
async def test_aider_gets_and_leaves_memory(gateway: Any, provider: Provider, told: Any, tmp_path: Path) -> None:
    (tmp_path / "pump.py").write_text("def start():\n    return 1\n")
    options = ["--no-git", "--yes-always", "--no-check-update", "--no-show-model-warnings", "--analytics-disable"]
    options += ["--input-history-file", str(tmp_path / "input"), "--chat-history-file", str(tmp_path / "chat")]
    options += ["--model", "openai/gpt-4o", "--openai-api-base", gateway.openai, "--openai-api-key", "sk-own"]
    outside = {"HOME": str(tmp_path), "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_COLOR": "1", "TERM": "dumb"}
    before = len(provider.requests)
    for said in ("The aider pump is serviced by Noor of aider.", ASKED):
        text = await output(AIDER, *options, "--message", said, str(tmp_path / "pump.py"), **outside)
    assert "5433" in text and "nobody told" not in text.rpartition(ASKED)[2]
    sent = [json.loads(body) for _, _, body in provider.requests[before:] if body]
    assert any(one["messages"][-1]["role"] == "system" or len(one["messages"]) > 3 for one in sent), "it adds its own"
    await told("Who services the aider pump?", "Noor of aider")
