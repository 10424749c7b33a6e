"""One line about the memory for an agent's status bar. Standard library only, and fast: bars are drawn often."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..stdio.front import hello, place

WAIT_S = 0.3
GREEN, YELLOW, RED = "\x1b[32m●\x1b[0m", "\x1b[33m●\x1b[0m", "\x1b[31m●\x1b[0m"


def status_line(home: Path | None = None) -> str:
    """Return the line: green if a daemon serves this home, red if none runs, yellow if it is late or has no model."""
    here = place.of_environment({} if home is None else {"AGENTOS_HOME": os.path.abspath(os.path.expanduser(home))})
    began = time.monotonic()
    status = hello.ask_status(here.socket, WAIT_S)
    return line(status, late=time.monotonic() - began >= WAIT_S)


def line(status: Mapping[str, Any] | None, *, late: bool) -> str:
    """Return the line for a daemon's status; None if it gave none, `late` if that took the whole wait."""
    if status is None:
        return f"{YELLOW} agentos gives no answer" if late else f"{RED} agentos is not running"
    model = status["model"]["state"]
    sessions = f"{status['sessions']} session{'' if status['sessions'] == 1 else 's'}"
    if model == "none":
        return f"{YELLOW} agentos · {sessions} · no model: searches by words"
    return f"{GREEN} agentos · {sessions}"
