"""Work of a command on the open store, where no tool of the server offers it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS

T = TypeVar("T")


def with_store(home: Path | None, work: "Callable[[AgentOS, str], Awaitable[T]]") -> T:
    """Return the result of work on the open store and its default agent. Raises what the work raises."""
    from ... import config, database
    from ...modules.clock import system_clock

    async def opened(settings: "Settings") -> T:
        async with database.opened(settings, system_clock) as (agentos, _):
            return await work(agentos, settings.agent_id)

    return asyncio.run(opened(config.of_home(home)))
