"""The stdio MCP server: `agentos-server`, or `python server.py` from a checkout."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not __package__:  # `python server.py`: this folder is the package
    import pathlib
    import runpy
    import types

    sys.modules["agentos"] = types.ModuleType("agentos")
    sys.modules["agentos"].__path__ = [str(pathlib.Path(__file__).resolve().parent)]
    runpy.run_module("agentos.server", run_name="__main__")
    sys.exit()

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from .interfaces.leaving import leave_at_once_on_signals
from .modules.version import VERSION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .config import Settings
    from .modules.agentos import AgentOS

HELP = f"""agentos-server {VERSION}: AgentOS over MCP, on standard input and output.

An MCP client starts it; there is nothing to type. Register it, for example in Claude Code:
    claude mcp add -s user agentos -- {{command}}

Settings are environment variables AGENTOS_* or lines in <home>/.env; see .env.example.
Options: --help, --version
"""


def main() -> None:
    """Run the server."""
    if len(sys.argv) > 1:
        sys.exit(_answer(sys.argv[1:]))
    leave_at_once_on_signals()
    sys.exit(_run())


def _answer(arguments: list[str]) -> int:
    if arguments[0] in ("-h", "--help"):
        sys.stdout.write(HELP.format(command=_command()))
        return 0
    if arguments[0] == "--version":
        sys.stdout.write(f"agentos-server {VERSION}\n")
        return 0
    sys.stderr.write(f"agentos-server: unknown option {arguments[0]!r}; try --help\n")
    return 2


def _introduce(settings: Settings) -> None:
    """Tell a person who runs it by hand what this is."""
    sys.stderr.write(
        f"agentos-server {VERSION} speaks MCP on standard input and output; an MCP client should start it.\n"
        f"Data: {settings.home} (agent {settings.agent_id!r})\n"
        f"Register: claude mcp add -s user agentos -- {_command()}\n"
        "          see the README for other clients. Ctrl-D ends it.\n"
    )


def _command() -> str:
    # Hosts have a minimal PATH: the absolute path of the command that belongs to this interpreter.
    installed = os.path.join(os.path.dirname(sys.executable), "agentos-server")
    return installed if os.path.exists(installed) else f"{sys.executable} {os.path.abspath(__file__)}"


def _run() -> int:
    import asyncio
    import logging

    from . import config

    try:
        settings = config.load()
    except config.SettingsError as error:
        sys.stderr.write(f"agentos-server: {error}\n")
        return 2
    if sys.stdin is not None and sys.stdin.isatty():
        _introduce(settings)
    logging.basicConfig(
        stream=sys.stderr, level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    asyncio.run(_serve(settings))
    logging.shutdown()
    sys.stderr.flush()
    # Everything durable is closed: skip the slow teardown, and a model that is still loading in its thread.
    os._exit(0)


async def _serve(settings: Settings) -> None:
    from .interfaces.stdio.opening import LazyAgentOS
    from .interfaces.stdio.serving import serve
    from .tools import mcp
    from .tools.catalog import TOOLS

    @asynccontextmanager
    async def opened() -> AsyncIterator[AgentOS]:
        from . import database
        from .modules.clock import system_clock

        async with database.opened(settings, system_clock) as (agentos, _):
            yield agentos

    agentos = LazyAgentOS(opened)
    caller = mcp.Caller(settings.agent_id, settings.agents)
    await serve(mcp.build(TOOLS, agentos.get, caller, VERSION), agentos.close)


if __name__ == "__main__":
    main()
