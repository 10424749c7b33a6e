"""The SDKs of Gemini and Ollama, plain and streaming, at a real gateway with a real daemon."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ollama
import pytest
from google import genai

from tests.gateway.conftest import Process
from tests.provider import Provider

PORT, ASKED = "Our staging database listens on port 5433.", "Which port does our staging database listen on?"
ANSWER = "schön, 5433 東京 🎉"


@pytest.fixture
def gateway(provider: Provider, tmp_path: Path) -> Iterator[Process]:
    home, root = tmp_path / "home", provider.url.removesuffix("/v1")
    home.mkdir(mode=0o700)
    (home / "gateway.toml").write_text(f'[gemini]\nurl = "{root}"\n[ollama]\nurl = "{root}"\n')
    os.chmod(home / "gateway.toml", 0o600)
    running = Process(home, provider)
    running.daemon()
    try:
        yield running
    finally:
        assert running.end() == 0


def known(ask: Any, provider: Provider) -> None:
    """Say the fact once, and ask until it is told."""
    ask(PORT)
    for _ in range(600):
        ask(ASKED)
        if "port 5433" in str(provider.body):
            provider.reply = lambda body: ANSWER
            return
    pytest.fail("it is never told")


def test_gemini_gets_and_leaves_memory(gateway: Process, provider: Provider) -> None:
    options = genai.types.HttpOptions(base_url=gateway.openai.replace("/openai/v1", "/gemini"))
    with genai.Client(api_key="g-own", http_options=options) as client:
        converse_with_gemini(client, provider)


def converse_with_gemini(client: genai.Client, provider: Provider) -> None:
    known(lambda text: client.models.generate_content(model="gemini-2", contents=text), provider)
    assert provider.requests[-1][1]["x-goog-api-key"] == "g-own"
    assert client.models.generate_content(model="gemini-2", contents=ASKED).text == ANSWER
    provider.chunk = 3
    pieces = client.models.generate_content_stream(model="gemini-2", contents=ASKED)
    assert "".join(one.text or "" for one in pieces) == ANSWER and "port 5433" in str(provider.body["contents"])
    provider.calls = [("look", '{"at": "ä🎉"}')]
    chat = client.chats.create(model="gemini-2")
    answer = chat.send_message(ASKED)
    assert answer.function_calls and answer.function_calls[0].args == {"at": "ä🎉"}
    provider.failures = [429]
    with pytest.raises(genai.errors.ClientError):
        client.models.generate_content(model="gemini-2", contents=ASKED)


def test_ollama_gets_and_leaves_memory(gateway: Process, provider: Provider) -> None:
    with ollama.Client(host=gateway.openai.replace("/openai/v1", "/ollama")) as client:
        converse_with_ollama(client, provider)


def converse_with_ollama(client: ollama.Client, provider: Provider) -> None:
    def ask(text: str) -> Any:
        return client.chat(model="qwen3", messages=[{"role": "user", "content": text}])

    known(ask, provider)
    assert ask(ASKED).message.content == ANSWER
    provider.chunk = 3
    pieces = client.chat(model="qwen3", messages=[{"role": "user", "content": ASKED}], stream=True)
    assert "".join(one.message.content or "" for one in pieces) == ANSWER and "port 5433" in str(provider.body)
    assert client.generate(model="qwen3", prompt=ASKED).response == ANSWER and "port 5433" in provider.body["prompt"]
    provider.failures = [503]
    with pytest.raises(ollama.ResponseError):
        ask(ASKED)
