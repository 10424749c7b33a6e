"""`agentos open`: the dashboard in a browser, signed in by a link that works once."""

import asyncio
import os
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from ..stdio.front import hello
from ..stdio.front.place import socket_path
from .approvals import is_at_terminal
from .opened import settings_here
from .outcome import Failure, Outcome
from .terminal import say

if TYPE_CHECKING:
    from ...config import Settings

START_WITHIN_S = 30.0
LOOK_EVERY_S = 0.1
LEAVE_WITHIN_S = 5.0


def run(home: Path | None, *, browser: bool) -> None:
    """Print the link, and open it. Raises Failure where nothing serves and nothing can be started."""
    from ... import database
    from ...modules.clock import system_clock

    settings = settings_here(home)
    url = _served(settings) or _started(settings)
    is_person = is_at_terminal()
    link = asyncio.run(database.login_links(settings, system_clock).make(is_person=is_person))
    address = f"{url}{settings.http_base_path}/dashboard/enter#{link}"
    say(address)
    if not is_person:
        say("without a terminal this link opens a session that decides no approvals", err=True)
    if browser and not webbrowser.open(address):
        say("no browser could be opened: open the link, within five minutes", err=True)


def _served(settings: "Settings") -> str | None:
    """Return the address at which the home's daemon serves HTTP; None where none does."""
    state = hello.ask_status(socket_path(settings.home))
    url = state.get("http") if state else None
    return url if isinstance(url, str) else None


def _started(settings: "Settings") -> str:
    """Start a daemon with HTTP in the background; one that sessions use makes no way for it. Raises Failure."""
    from ... import config

    path = socket_path(settings.home)
    hello.ask_to_leave(path, LEAVE_WITHIN_S)
    if hello.ask_status(path) is not None:
        raise Failure(
            "a daemon without HTTP serves this home: set AGENTOS_HTTP=127.0.0.1:8420 and start it again, or close the "
            "agents' sessions and try again",
            Outcome.REFUSED,
        )
    environment = {**config.environment_of(settings), "AGENTOS_HTTP": settings.http or config.HTTP_ADDRESS}
    command = [sys.executable, "-P", "-m", "agentos.daemon"]
    daemon = subprocess.Popen(
        command,
        env=environment,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
    )
    give_up = time.monotonic() + START_WITHIN_S
    while time.monotonic() < give_up and daemon.poll() is None:
        if url := _served(settings):
            return url
        time.sleep(LOOK_EVERY_S)
    raise Failure(f"the server did not start; its log is {settings.home / 'daemon.log'}", Outcome.REFUSED)
