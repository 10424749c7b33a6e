"""The services, opened at the first call and retried after a failure: the server itself always starts."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from ...modules.agentos import AgentOS


class LazyAgentOS:
    """Opens the services once, when they are first asked for, and begins to load the model then."""

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[AgentOS]]) -> None:
        self._opened = opened
        self._opening = asyncio.Lock()
        self._closing = AsyncExitStack()
        self._agentos: AgentOS | None = None

    @property
    def opened(self) -> AgentOS | None:
        """The services if they are open."""
        return self._agentos

    async def get(self) -> AgentOS:
        """Return the services. Raises AgentOSError each time the store cannot be opened, until it can."""
        async with self._opening:
            if self._agentos is None:
                self._agentos = await self._closing.enter_async_context(self._opened())
                await self._agentos.embedding.warm_up()
                self._agentos.embedding.embed_later()
        return self._agentos

    async def close(self) -> None:
        """Close the services if they were opened."""
        await self._closing.aclose()
