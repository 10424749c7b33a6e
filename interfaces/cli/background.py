"""`agentos start | stop | restart`: the daemon in the background, until it is stopped."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...modules.system import processes
from ..stdio.front import hello
from ..stdio.front.place import socket_path
from .opened import settings_here
from .options import AsJson, Home, told_as
from .outcome import CommandFailure, ExitCode
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...config import Settings

START_WITHIN_S = 30.0
STOP_WITHIN_S = 10.0
LOOK_EVERY_S = 0.1
LEAVE_WITHIN_S = 5.0
LAST_WORDS_BYTES = 8_192
"""Of what a daemon that did not start has said, so many bytes are read."""

Listen = Annotated[
    str | None,
    typer.Option("--listen", metavar="HOST:PORT", help="Serve HTTP too, at this address."),
]


def start(listen: Listen = None, home: Home = None, as_json: AsJson = False) -> None:
    """Start the daemon in the background, until agentos stop. It runs jobs and, with an address, serves HTTP."""
    settings = settings_here(home)
    state = state_of(settings)
    if state is None or state.get("started_by") != "hand" or (listen and not state.get("http")):
        can_serve(settings, listen or settings.http)
        state = started(settings, listen or settings.http)
    _tell(state, as_json=as_json)


def stop(home: Home = None, as_json: AsJson = False) -> None:
    """Stop the daemon; agents' open sessions start a new one. Exit code 1: none is running."""
    settings = settings_here(home)
    stopped = ended(settings)
    if as_json:
        say_json({"stopped": stopped})
    else:
        say("stopped" if stopped else "no daemon runs")
    if not stopped:
        raise typer.Exit(ExitCode.NOT_FOUND)


def restart(listen: Listen = None, home: Home = None, as_json: AsJson = False) -> None:
    """Restart the daemon, or start it, with HTTP at the same address as before."""
    settings = settings_here(home)
    state = state_of(settings)
    address = listen or settings.http or _address(state)
    can_serve(settings, address)
    ended(settings)
    _tell(started(settings, address), as_json=as_json)


def state_of(settings: "Settings") -> dict[str, Any] | None:
    """Return what the home's daemon says of itself; None where none runs."""
    return hello.ask_status(socket_path(settings.home))


def can_serve(settings: "Settings", http: str) -> None:
    """Look, before a daemon is ended for it, whether one can serve HTTP at an address; "" for none.

    Raises OSError where another program listens there, SettingsError, Failure.
    """
    from ... import config
    from ..http.sockets import bound

    if not http:
        return
    with told_as("--listen", "AGENTOS_HTTP"):
        host, port = config.load(home=settings.home, http=http).http_address
    if str(port) != _address(state_of(settings)).rpartition(":")[2]:
        bound(host, port).close()


def started(settings: "Settings", http: str) -> dict[str, Any]:
    """Start a daemon in the background, and return its state; one that sessions use makes no way for it.

    Raises CommandFailure.
    """
    from ... import config

    path = socket_path(settings.home)
    hello.ask_to_leave(path, LEAVE_WITHIN_S)
    if hello.ask_status(path) is not None:
        again = f"agentos restart --listen {http}" if http else "agentos restart"
        raise CommandFailure(f"a daemon in use is serving this home: {again} restarts it", ExitCode.REFUSED)
    environment = {**config.environment_of(settings), **({"AGENTOS_HTTP": http} if http else {})}
    with tempfile.TemporaryFile() as stderr:
        daemon = subprocess.Popen(
            [sys.executable, "-P", "-m", "agentos.daemon"],
            env=environment,
            **processes.apart(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            cwd=os.path.abspath(os.sep),
        )
        give_up = time.monotonic() + START_WITHIN_S
        while time.monotonic() < give_up and daemon.poll() is None:
            state = hello.ask_status(path)
            if state is not None and (state.get("http") or not http):
                return state
            time.sleep(LOOK_EVERY_S)
        stderr.seek(0)
        last = stderr.read(LAST_WORDS_BYTES).decode(errors="replace").strip().rpartition("\n")[2]
    raise CommandFailure(f"the daemon did not start: {last or 'agentos doctor says why'}", ExitCode.REFUSED)


def ended(settings: "Settings") -> bool:
    """End the home's daemon as a service manager does; return whether one ran. Raises CommandFailure where it stays."""
    state = state_of(settings)
    if state is None:
        return False
    pid = int(state["pid"])
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return True
    give_up = time.monotonic() + STOP_WITHIN_S
    while (now := state_of(settings)) is not None and int(now["pid"]) == pid:
        if time.monotonic() > give_up:
            raise CommandFailure(f"the daemon, process {pid}, does not end; kill -9 {pid} ends it", ExitCode.REFUSED)
        time.sleep(LOOK_EVERY_S)
    return True


def _address(state: dict[str, Any] | None) -> str:
    """Return where a daemon serves HTTP, as a setting says it; "" where it does not."""
    url = str((state or {}).get("http") or "")
    return url.partition("://")[2]


def _tell(state: dict[str, Any], *, as_json: bool) -> None:
    facts = {"pid": state["pid"], "http": state.get("http")}
    if as_json:
        say_json(facts)
    else:
        say(f"running, process {facts['pid']}" + (f", HTTP at {facts['http']}" if facts["http"] else ""))
