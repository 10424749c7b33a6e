"""Work of a command on the open store, where no tool of the server offers it."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .outcome import CommandFailure, ExitCode

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS
    from ...modules.principals.models import Caller

T = TypeVar("T")


def settings_here(home: Path | None) -> "Settings":
    """Return the settings of the home on this machine that a command works on.

    Raises CommandFailure where AGENTOS_URL names a server and the command no home: it would work on another memory.
    """
    from ... import config

    settings = config.of_home(home)
    if home is None and settings.url:
        raise CommandFailure(
            "this command needs a home on this machine, but AGENTOS_URL names a server: unset it or give --home",
            ExitCode.WRONG_USE,
        )
    return settings


@contextmanager
def passing_folder(home: Path | None) -> Iterator[Path]:
    """Yield a private folder in a home, for what is on its way; it goes with all that is in it, also after a kill."""
    from ... import database

    with database.scratch(settings_here(home)) as folder:
        yield folder


def with_store(home: Path | None, work: "Callable[[AgentOS, str], Awaitable[T]]") -> T:
    """Return the result of work on the open store and its default agent. Raises what the work raises."""
    return with_caller(home, lambda agentos, caller: work(agentos, caller.default))


def with_caller(home: Path | None, work: "Callable[[AgentOS, Caller], Awaitable[T]]") -> T:
    """Return the result of work on the open store, for the person at the terminal. Raises what the work raises."""
    import asyncio

    from ... import database
    from ...modules.clock import system_clock

    settings = settings_here(home)

    async def opened(caller: "Caller") -> T:
        async with database.opened(settings, system_clock) as (agentos, _):
            return await work(agentos, caller)

    with at_terminal(settings) as caller:
        return asyncio.run(opened(caller))


@contextmanager
def at_terminal(settings: "Settings") -> "Iterator[Caller]":
    """Yield the caller that the person at the terminal is; the audit log names it for what is done meanwhile."""
    from ...modules import identifiers
    from ...modules.principals.acting import acting
    from ...modules.principals.models import Door, local_owner

    caller = local_owner(settings.agent_id, settings.agents, Door.COMMAND_LINE, identifiers.new_id("req"))
    with acting(caller):
        yield caller
