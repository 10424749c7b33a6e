"""Work of a command on the open store, where no tool of the server does it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .calls import REFUSED, ended

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS

T = TypeVar("T")


def with_store(home: Path | None, work: "Callable[[AgentOS, str], Awaitable[T]]") -> T:
    """The result of work over the open store and its default agent; a failure is told, and ends the command."""
    from ... import config, database
    from ...modules.clock import system_clock
    from ...modules.errors import AgentOSError

    async def opened(settings: config.Settings) -> T:
        async with database.opened(settings, system_clock) as (agentos, _):
            return await work(agentos, settings.agent_id)

    try:
        return asyncio.run(opened(config.of_home(home)))
    except (AgentOSError, config.SettingsError) as error:
        raise ended(str(error), REFUSED) from error
