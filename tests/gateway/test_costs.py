"""What calls cost, as `agentos usage --cost` tells it: by key and day, with the user's prices and what clients send."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openai

from tests.gateway.conftest import Process
from tests.provider import Provider

FILE = """
[[keys]]
name = "aider"
key = "a-proxy-key-number-one"
openai_key = "sk-first"

[[keys]]
name = "notes"
key = "a-proxy-key-number-two"
openai_key = "sk-second"

[costs]
currency = "EUR"

[prices."gpt-4o"]
input = 2.5
cached = 1.25
output = 10
"""
TOPICS = ("database", "queue", "mail server", "cache", "gateway", "search index", "archive", "monitor")


def usage(home: Path, *options: str) -> dict[str, Any]:
    """What the command tells."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    done = subprocess.run(
        [sys.executable, "-m", "agentos.interfaces.cli", "usage", "--cost", "--json", *options],
        env={**own, "AGENTOS_HOME": str(home), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


async def test_costs_are_the_usage_of_every_call_by_key_and_day_and_what_memory_adds_stands_beside_what_clients_send(
    provider: Provider, tmp_path: Path, until: Any
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "gateway.toml").write_text(FILE)
    (home / "gateway.toml").chmod(0o600)
    gateway = Process(home, provider)
    try:
        gateway.daemon()
        clients = [
            openai.AsyncOpenAI(base_url=gateway.openai, api_key=key, max_retries=0)
            for key in ("a-proxy-key-number-one", "a-proxy-key-number-two")
        ]
        provider.reply = lambda body: "I have noted that, with all that you say of it. " * 12
        for number, topic in enumerate(TOPICS):
            say: list[Any] = [{"role": "user", "content": f"Our staging {topic} listens on port {5400 + number}."}]
            await clients[0].chat.completions.create(model="gpt-4o", messages=say)
        ask: list[Any] = [{"role": "user", "content": "Which port does our staging database listen on?"}]

        async def is_injected() -> bool:
            raw = await clients[0].chat.completions.with_raw_response.create(model="gpt-4o", messages=ask)
            return raw.headers["x-memory-injected-count"] != "0"

        await until(is_injected)
        answer = await clients[1].chat.completions.create(model="mistral", messages=ask)
        assert answer.usage is not None
    finally:
        assert gateway.end() == 0
    for client in clients:
        await client.close()
    report = usage(home, "--by", "client,day")
    today = datetime.now(UTC).date().isoformat()
    aider, notes = report["rows"]
    assert [(one["client"], one["day"]) for one in (aider, notes)] == [("aider", today), ("notes", today)]
    calls = sum(path.endswith("/chat/completions") for path, _, _ in provider.requests) - 1
    assert (aider["calls"], notes["calls"]) == (calls, 1) and not aider["estimated_calls"]
    sent, cached = (sum(one[n] for one in provider.cached[:-1]) for n in (0, 1))
    assert (aider["cached"], aider["uncached"]) == (cached, sent - cached)
    cost = ((sent - cached) * 2.5 + cached * 1.25 + aider["output"] * 10) / 1e6
    assert abs(aider["cost"] - cost) < 1e-5 and notes["cost"] is None and report["unpriced_calls"] == 1
    assert 0 < report["told"] < report["replay"] and report["currency"] == "EUR"
    assert {row["model"] for row in usage(home)["rows"]} == {"gpt-4o", "mistral"}


async def test_costs_are_written_within_seconds_and_outlive_processes_that_are_killed(
    provider: Provider, tmp_path: Path, until: Any
) -> None:
    home = tmp_path / "home"
    gateway = Process(home, provider)
    daemon = gateway.daemon()
    async with openai.AsyncOpenAI(base_url=gateway.openai, api_key="sk-own", max_retries=0) as client:
        for number in range(3):
            said: list[Any] = [{"role": "user", "content": f"Hello {number}"}]
            await client.chat.completions.create(model="gpt-4o", messages=said)

    async def is_written() -> bool:
        return bool([row for row in usage(home)["rows"] if row["calls"] == 3])

    await until(is_written)
    for process in (daemon, gateway.process.pid):
        os.kill(process, signal.SIGKILL)
    gateway.process.communicate()
    assert [row["calls"] for row in usage(home)["rows"]] == [3]
