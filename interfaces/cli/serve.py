"""`agentos serve`: the daemon in the foreground, with its HTTP server on."""

import os
import sys
from pathlib import Path
from typing import NoReturn

from ... import config
from ..stdio.front import hello
from ..stdio.front.place import socket_path
from .background import can_serve

LEAVE_WITHIN_S = 5.0


def run(home: Path | None, listen: str | None) -> NoReturn:
    """Become the daemon of a home; one that a session has started, and that nobody needs now, makes way.

    Raises SettingsError; Failure, OSError where it could not serve, and then the other goes on.
    """
    settings = config.of_home(home)
    address = listen or settings.http or config.HTTP_ADDRESS
    can_serve(settings, address)
    hello.ask_to_leave(socket_path(settings.home), LEAVE_WITHIN_S)
    environment = {**config.environment_of(settings), "AGENTOS_HTTP": address}
    os.execve(sys.executable, [sys.executable, "-P", "-m", "agentos.daemon"], environment)
