"""The gateway as a process, with a daemon of its own, before a provider on loopback."""

import asyncio
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path
from tests.provider import Provider, serving

DEADLINE_S = 60.0

_HAS_SDKS = importlib.util.find_spec("anthropic") and importlib.util.find_spec("openai")
_HAS_SCHEMAS = importlib.util.find_spec("compose_spec") and importlib.util.find_spec("kubernetes_validate")
_HAS_OTHERS = importlib.util.find_spec("google") and importlib.util.find_spec("ollama")
_HAS_OTHERS = _HAS_OTHERS and importlib.util.find_spec("google.genai")
collect_ignore = [
    *([] if _HAS_SDKS else ["test_clients.py", "test_other_clients.py", "test_restarts.py", "test_costs.py"]),
    *([] if _HAS_SCHEMAS else ["test_manifests.py"]),
    *([] if _HAS_OTHERS else ["test_google_and_ollama.py"]),
    *([] if _HAS_SDKS and "LITELLM_PYTHON" in os.environ else ["test_litellm.py"]),
]
"""What needs the extra `gateway` is not collected without it, nor what needs litellm where nobody names one."""


class Process:
    """`agentos gateway` and the daemon of its home."""

    def __init__(self, home: Path, provider: Provider, **settings: str) -> None:
        self.home = home
        own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
        urls = {"AGENTOS_GATEWAY_OPENAI_URL": provider.url, "AGENTOS_GATEWAY_ANTHROPIC_URL": provider.url}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "agentos.interfaces.cli", "gateway", "--port", "0"],
            env={**own, **urls, "AGENTOS_HOME": str(home), "HF_HUB_OFFLINE": "1", **settings},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.openai, self.anthropic = (self.process.stderr.readline().strip().partition("=")[2] for _ in range(2))

    def daemon(self) -> int:
        """The pid of the daemon, once there is one."""
        give_up_at = time.monotonic() + DEADLINE_S
        while (status := hello.ask_status(socket_path(self.home))) is None or status["model"]["state"] == "loading":
            assert time.monotonic() < give_up_at
            time.sleep(0.05)
        return int(status["pid"])

    def kill_daemon(self) -> None:
        os.kill(self.daemon(), signal.SIGKILL)

    def end(self) -> int:
        """End it as a service manager does; its exit code."""
        self.process.terminate()
        _, rest = self.process.communicate(timeout=DEADLINE_S)
        sys.stderr.write(rest)
        return self.process.returncode


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving(Provider()) as running:
        yield running


@pytest.fixture
def gateway(provider: Provider, tmp_path: Path) -> Iterator[Process]:
    running = Process(tmp_path / "home", provider)
    running.daemon()
    try:
        yield running
    finally:
        assert running.end() == 0


@pytest.fixture
async def until() -> AsyncIterator[Any]:
    """Polls an awaitable until it is true."""

    async def poll(true: Any) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not await true():
                await asyncio.sleep(0.05)

    yield poll
