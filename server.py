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
from typing import TYPE_CHECKING

from .interfaces.output import take_any_text
from .interfaces.shutdown import leave_at_once_on_signals
from .modules.version import SIGNATURE, VERSION

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator
    from pathlib import Path
    from typing import Any

    from mcp.server import Server

    from .config import Settings, SettingsError
    from .modules.agentos import AgentOS
    from .modules.principals.models import Caller

HELP = f"""agentos-server {VERSION}: AgentOS over MCP, on standard input and output.

An MCP client starts it; there is nothing to type. `agentos setup` registers it in the clients on this machine; by hand,
for example in Claude Code:
    claude mcp add -s user agentos -- {{command}}

Settings are environment variables AGENTOS_* or lines in <home>/.env; see .env.example.
Options: --help, --version, --handshake (what the front answers by itself, as JSON)
"""


def main() -> None:
    """Run the server."""
    os.umask(0o077)
    if len(sys.argv) > 1:
        take_any_text()
        sys.exit(_answer(sys.argv[1:]))
    leave_at_once_on_signals()
    from .interfaces.stdio.front import place, relay

    here = place.of_environment()
    if sys.stdin is not None and sys.stdin.isatty():
        _introduce(here.home)
    relay.run(here, _serve_in_process)


def _answer(arguments: list[str]) -> int:
    if arguments[0] in ("-h", "--help"):
        sys.stdout.write(HELP.format(command=_command()))
    elif arguments[0] == "--version":
        sys.stdout.write(f"{SIGNATURE}\n")
    elif arguments[0] == "--handshake":
        sys.stdout.write(_handshake())
    else:
        sys.stderr.write(f"agentos-server: unknown option {arguments[0]!r}; try --help\n")
        return 2
    return 0


def _introduce(home: Path) -> None:
    """Tell a person who runs the server by hand what it is."""
    sys.stderr.write(
        f"agentos-server {VERSION} speaks MCP on standard input and output; an MCP client should start it.\n"
        f"Data: {home}\n"
        f"Register: agentos setup, or: claude mcp add -s user agentos -- {_command()}\n"
        "          docs/clients.md has other clients. Ctrl-D ends it.\n"
    )


def _command() -> str:
    # Hosts have a minimal PATH: the absolute path of the command that belongs to this interpreter.
    installed = os.path.join(os.path.dirname(sys.executable), "agentos-server")
    return installed if os.path.exists(installed) else f"{sys.executable} {os.path.abspath(__file__)}"


def _handshake() -> str:
    """Return the recording that the front answers from, as lines of JSON.

    Recorded with `agentos-server --handshake > interfaces/stdio/front/handshake.jsonl`.
    """
    import asyncio

    from .interfaces.stdio.recording import record, written
    from .modules.principals.models import Door, local_owner
    from .tools import mcp
    from .tools.bound import bind
    from .tools.catalog import all_tools
    from .tools.resources import handlers
    from .tools.serving import apps_of

    async def no_store() -> AgentOS:
        raise AssertionError("a handshake opens no store")

    tools = all_tools(None)
    bound = bind(tools)
    caller = local_owner("default", None, Door.STDIO)

    def build(*, resources: bool = False) -> Server[Any]:
        offered = handlers if resources else None
        return mcp.build(bound, no_store, caller, None, VERSION, offered, apps_of(("apps",), views=True, forms=True))

    return written(asyncio.run(record(build, [(tool.toolset, tool.feature) for tool in tools])))


def _serve_in_process(connection: socket.socket) -> None:
    """Serve one session without a daemon, in a thread of this process. Ends the process when it cannot."""
    import gc

    gc.disable()  # while modules are loaded nothing becomes garbage

    import asyncio
    import logging

    from . import config
    from .daemon_pkg.logs import set_level
    from .interfaces import telemetry
    from .modules import log_lines

    settings: Settings | config.SettingsError
    try:
        settings = config.load()
    except config.SettingsError as error:
        sys.stderr.write(f"agentos-server: {error}\n")
        settings = error  # told to whoever calls a tool: a client shows its user nothing of a server that ends
    log_lines.to_stderr("text" if isinstance(settings, config.SettingsError) else settings.log_format)
    set_level("WARNING" if isinstance(settings, config.SettingsError) else settings.log_level)
    try:
        with telemetry.exported(config.traces_endpoint(), "agentos-server", VERSION):
            asyncio.run(_session(connection, settings))
    except Exception:
        logging.exception("the session failed")
        os._exit(1)


async def _session(connection: socket.socket, settings: Settings | SettingsError) -> None:
    """Serve one session, or with settings that cannot be taken, say so at each call."""
    import asyncio
    import gc
    from contextlib import asynccontextmanager

    from . import config
    from .interfaces.stdio.opening import LazyAgentOS
    from .interfaces.stdio.session import serve_session
    from .tools.plugged import bind_all
    from .tools.serving import apps_of, session_of

    @asynccontextmanager
    async def opened() -> AsyncIterator[AgentOS]:
        from . import database
        from .modules.clock import system_clock
        from .modules.errors import WrongSettings

        if isinstance(settings, config.SettingsError):
            named = "\n".join(str(settings).splitlines()[:2])
            raise WrongSettings(f"{named}\nFix it and start the server again; agentos doctor has details.")
        async with database.opened(settings, system_clock) as (agentos, _):
            yield agentos

    agentos = LazyAgentOS(opened)
    reader, writer = await asyncio.open_connection(sock=connection)
    try:
        caller, toolsets = _caller(settings)
        resources, traced = getattr(settings, "http_resources", False), bool(config.traces_endpoint())
        views, forms = getattr(settings, "views", False), getattr(settings, "forms", False)
        apps = apps_of(getattr(settings, "features", ()), views=views, forms=forms)
        bound = bind_all(getattr(settings, "features", None)).all_tools
        build, calls = session_of(bound, agentos.get, caller, toolsets, resources=resources, traced=traced, apps=apps)
        gc.freeze()  # what is loaded now stays: exempt it from garbage collection
        gc.enable()
        await serve_session(build, calls, reader, writer)
    finally:
        await agentos.close()
        writer.close()  # now everything durable is closed: the front ends the process


def _caller(settings: Settings | SettingsError) -> tuple[Caller, frozenset[str]]:
    """Return who calls, and their toolsets; with settings that cannot be taken, no call of theirs reaches a store."""
    from . import config
    from .interfaces.stdio.front import place
    from .modules.principals.models import Door, local_owner

    if isinstance(settings, config.SettingsError):
        return local_owner("default", None, Door.STDIO), place.of_environment().toolsets
    folder = place.of_environment().settings["AGENTOS_FOLDER"]
    return local_owner(settings.agent_id, settings.agents, Door.STDIO, folder=folder), frozenset(settings.toolsets)


if __name__ == "__main__":
    main()
