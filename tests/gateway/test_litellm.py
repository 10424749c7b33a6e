"""litellm at a real gateway; LITELLM_PYTHON names a Python that has it."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import openai

from tests.provider import Provider


async def test_litellm_gets_the_facts_in_both_dialects(gateway: Any, provider: Provider, until: Any) -> None:
    fact = [{"role": "user", "content": "Our staging database listens on port 5433."}]
    asked = [{"role": "user", "content": "Which port does our staging database listen on?"}]
    async with openai.AsyncOpenAI(base_url=gateway.openai, api_key="sk-own", max_retries=0) as client:
        await client.chat.completions.create(model="gpt-4o", messages=fact)  # type: ignore[arg-type]

        async def is_injected() -> bool:
            raw = await client.chat.completions.with_raw_response.create(model="gpt-4o", messages=asked)  # type: ignore[arg-type]
            return bool(int(raw.headers["x-memory-injected-count"]))

        await until(is_injected)
    before = len(provider.requests)
    provider.reply = lambda body: "schön, 5433 東京 🎉" if "port 5433" in json.dumps(body) else "nobody told"
    provider.calls = [("look", "{}")]
    process = await asyncio.create_subprocess_exec(
        os.environ["LITELLM_PYTHON"],
        str(Path(__file__).with_name("litellm_client.py")),
        gateway.openai,
        gateway.anthropic,
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    for line in out.decode().splitlines():
        answer = json.loads(line)
        assert answer["texts"] == ["schön, 5433 東京 🎉"] * 4 and answer["calls"] == ["look"]
        assert answer["tokens"] == len("schön, 5433 東京 🎉")
    assert len(provider.requests) - before == 8
