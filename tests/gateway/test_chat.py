"""`agentos chat`: two processes, one memory."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.provider import Provider


def chat(home: Path, provider: Provider, *lines: str, session: str = "chat") -> tuple[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    model = {"AGENTOS_LLM_PROVIDER": "openai", "AGENTOS_LLM_URL": provider.url, "AGENTOS_LLM_MODEL": "m"}
    done = subprocess.run(
        [sys.executable, "-m", "agentos.interfaces.cli", "chat", "--session", session],
        input="".join(f"{line}\n" for line in lines),
        env={**own, **model, "AGENTOS_HOME": str(home), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_a_conversation_goes_on_in_the_next_process_and_others_know_of_it(provider: Provider, tmp_path: Path) -> None:
    provider.reply = lambda body: "[]" if "list of facts" in str(body) else "I will."
    chat(tmp_path / "home", provider, "Our staging database listens on port 5433.")
    asked: list[str] = []

    def reply(body: Any) -> str:
        asked.append(json.dumps(body))
        return "It listens on 5433." if "5433" in asked[-1] else "I do not know."

    provider.reply = reply
    stdout, _ = chat(tmp_path / "home", provider, "Which port does our staging database listen on?")
    assert "It listens on 5433." in stdout
    [question] = [one for one in asked if "You are an assistant" in one]
    data, question_text = question.rsplit("[end of data", 1)
    assert "listens on port 5433" in data and "Which port does" in question_text, "the user is no data"
    stdout, stderr = chat(
        tmp_path / "home",
        provider,
        *("Which port does our staging database listen on?", "/why", "/forget mem_nonsense", "/nonsense", "/quit", "x"),
        session="another",
    )
    assert "It listens on 5433." in stdout and "<memory_context>" in stdout and "used in the answer: mem_" in stdout
    assert "recalled" in stderr and "mem_nonsense" in stderr
    memory = stdout.split("used in the answer: ")[1].split()[0]
    stdout, _ = chat(tmp_path / "home", provider, f"/forget {memory}", session="third")
    assert f"forgotten: {memory}" in stdout


def test_without_a_model_it_says_what_to_set(tmp_path: Path) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    done = subprocess.run(
        [sys.executable, "-m", "agentos.interfaces.cli", "chat"],
        input="",
        env={**own, "AGENTOS_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 4 and "AGENTOS_LLM_PROVIDER" in done.stderr
