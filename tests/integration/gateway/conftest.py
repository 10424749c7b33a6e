"""A gateway on loopback, before a provider, with the memory of a real store in this process."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from agentos.features.gateway.block_cache import BlockCache
from agentos.features.gateway.door import GatewayHandler
from agentos.features.gateway.modes import Mode
from agentos.features.gateway.proxy import configuration
from agentos.features.gateway.proxy.access import ClientTerms
from agentos.features.gateway.proxy.app import Gateway
from agentos.features.gateway.proxy.budgets import Budgets
from agentos.features.gateway.proxy.configuration import ANTHROPIC, GEMINI, OLLAMA, OPENAI, Configuration
from agentos.features.gateway.proxy.learning import Learning
from agentos.features.gateway.proxy.model_list import ModelList
from agentos.features.gateway.proxy.remembering import Remembering
from agentos.features.gateway.proxy.revocation import Revocation
from agentos.features.gateway.proxy.upstream import Upstream
from agentos.features.gateway.windows import Windows
from agentos.modules.agentos import AgentOS
from tests.provider import Provider, serving

NAMESPACE = "default"
WITHIN_S = 60.0
"""Many times what recalling takes, so that a busy machine changes no test."""


class InProcess:
    """The daemon's side in this process; `state` is `up`, `refused` or `hung`."""

    def __init__(self, agentos: AgentOS) -> None:
        async def opened() -> AgentOS:
            return agentos

        self._handler = GatewayHandler(opened)
        self.state = "up"
        self.problem = ""
        self.asked: list[dict[str, Any]] = []

    async def ask(self, fields: dict[str, Any], within_s: float) -> dict[str, Any] | None:
        self.asked.append(fields)
        if self.state == "hung":
            await asyncio.sleep(min(within_s, 0.05))
        if self.state != "up":
            self.problem = f"it is {self.state}"
            return None
        result = await self._handler.answer(json.loads(json.dumps(fields)))
        if result.delivered is not None:
            await result.delivered()
        answer = result.content
        self.problem = "" if answer["accepted"] else answer["reason"]
        return answer if answer["accepted"] else None


class Running:
    """A gateway that listens, its provider, its memory, and a client of it."""

    def __init__(self, provider: Provider, agentos: AgentOS, home: Path) -> None:
        self.provider = provider
        self.agentos = agentos
        self.home = home
        self.daemon = InProcess(agentos)
        self.learning = Learning(self.daemon, again_after_s=0.01)
        self.seconds = 0.0
        """The time of the blocks that it keeps."""
        self.client: httpx2.AsyncClient
        self.remembering: Remembering
        self.model_list: ModelList

    async def ask(self, *contents: Any, headers: dict[str, str] | None = None, **more: Any) -> httpx2.Response:
        """One chat completion: the last content is what the user says, the ones before alternate."""
        roles = ("user", "assistant")
        messages = [{"role": roles[n % 2], "content": one} for n, one in enumerate(contents)]
        body = {"model": "gpt-4o", "messages": messages, **more}
        return await self.client.post("/proxy/openai/v1/chat/completions", json=body, headers=headers)

    async def learnt(self) -> None:
        """Return once everything that was said is kept."""
        async with asyncio.timeout(WITHIN_S):
            while self.learning.waiting:
                await asyncio.sleep(0.01)

    async def turns(self) -> list[str]:
        """What is kept of conversations, each as its role and text."""
        await self.learnt()
        sessions = {one["session"] for one in self.daemon.asked if one["what"] == "learn"}
        found = [turn for name in sorted(sessions) for turn in await self.agentos.turns.turns(NAMESPACE, name)]
        return [f"{turn.role}: {turn.text}" for turn in found]


Start = Callable[..., Awaitable[Running]]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving(Provider()) as running:
        yield running


@pytest.fixture
async def start(provider: Provider, agentos: AgentOS, home: Path) -> AsyncIterator[Start]:
    """Starts a gateway: `start(toml, mode=…, control=…)`."""
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:

        async def one(toml: str = "", mode: Mode = Mode.FULL, *, control: bool = False, after: str = "") -> Running:
            settings = Configuration()
            if toml:
                (home / configuration.FILE).write_text(toml, encoding="utf-8")
                (home / configuration.FILE).chmod(0o600)
                settings = configuration.read(home)
            running = Running(provider, agentos, home)
            await stack.enter_async_context(_listening(running, settings, ClientTerms(NAMESPACE, mode, control, after)))
            return running

        yield one


@asynccontextmanager
async def _listening(running: Running, configured: Configuration, standing: ClientTerms) -> AsyncIterator[None]:
    root = running.provider.url.removesuffix("/v1")
    urls = {OPENAI: running.provider.url, ANTHROPIC: running.provider.url, GEMINI: root, OLLAMA: root}
    upstream = Upstream(urls, configured)
    cache = BlockCache(clock=lambda: running.seconds)
    windows = Windows(configured.windows)
    running.model_list = ModelList(upstream, windows)
    running.remembering = Remembering(
        running.daemon, windows, WITHIN_S, configured.tokenizers, cache, configured.idle_s
    )
    budgets = Budgets(running.daemon, configured)
    revocation = Revocation(running.home, configured)
    gateway = Gateway(
        running.remembering, running.learning, upstream, configured, standing, budgets=budgets, revocation=revocation
    )
    listener = socket.create_server(("127.0.0.1", 0))
    settings = uvicorn.Config(gateway, lifespan="off", ws="none", log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(settings)
    tasks = [asyncio.create_task(server.serve(sockets=[listener])), asyncio.create_task(running.learning.run())]
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with httpx2.AsyncClient(base_url=url, timeout=WITHIN_S, trust_env=False) as client:
        running.client = client
        try:
            yield
        finally:
            server.should_exit = True
            await tasks[0]
            tasks[1].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await upstream.close()
            listener.close()


@pytest.fixture
async def gateway(start: Start) -> Running:
    return await start()
