"""Work of a command on the open store, where no tool of the server offers it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS
    from ...modules.principals.models import Caller

T = TypeVar("T")


def with_store(home: Path | None, work: "Callable[[AgentOS, str], Awaitable[T]]") -> T:
    """Return the result of work on the open store and its default agent. Raises what the work raises."""
    return with_caller(home, lambda agentos, caller: work(agentos, caller.default))


def with_caller(home: Path | None, work: "Callable[[AgentOS, Caller], Awaitable[T]]") -> T:
    """Return the result of work on the open store, for the person at the terminal. Raises what the work raises."""
    from ... import config, database
    from ...modules import identifiers
    from ...modules.clock import system_clock
    from ...modules.principals.acting import acting
    from ...modules.principals.models import Door, local_owner

    async def opened(settings: "Settings") -> T:
        caller = local_owner(settings.agent_id, settings.agents, Door.COMMAND_LINE, identifiers.new_id("req"))
        with acting(caller):
            async with database.opened(settings, system_clock) as (agentos, _):
                return await work(agentos, caller)

    return asyncio.run(opened(config.of_home(home)))
