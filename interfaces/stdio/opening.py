"""The store, opened at the first call and tried again after a failure: the server itself always starts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from ...modules.agentos import AgentOS


class Closable(Protocol):
    """What is closed after the services."""

    async def close(self) -> None: ...


Open = Callable[[], Awaitable[tuple[AgentOS, Closable]]]


class LazyAgentOS:
    """Opens the services once, when they are first asked for, and begins to load the model then."""

    def __init__(self, open_now: Open) -> None:
        self._open_now = open_now
        self._opening = asyncio.Lock()
        self._opened: tuple[AgentOS, Closable] | None = None

    async def get(self) -> AgentOS:
        """The services. Raises AgentOSError each time the store cannot be opened, until it can."""
        async with self._opening:
            if self._opened is None:
                self._opened = await self._open_now()
                await self._opened[0].embedding.warm_up()
                self._opened[0].embedding.embed_later()
        return self._opened[0]

    async def close(self) -> None:
        """Close what was opened."""
        if self._opened is not None:
            agentos, store = self._opened
            await agentos.close()
            await store.close()
