"""One line about the memory for an agent's status bar. Standard library only, and fast: bars are drawn often."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..stdio.front import hello, place

WAIT_S = 0.3
MAX_CHARS = 60
"""How much of the line is seen, its colour not counted."""
GREEN, YELLOW, RED = "\x1b[32m●\x1b[0m", "\x1b[33m●\x1b[0m", "\x1b[31m●\x1b[0m"


_COLOUR = re.compile("\x1b\\[[0-9;]{0,8}m")


def main(words: Sequence[str]) -> None:
    """Print the line for `--home DIR`, or for the home of the environment; whatever goes wrong, a line is printed."""
    home = words[1] if len(words) > 1 and words[0] == "--home" else None
    try:
        shown = status_line(None if home is None else Path(home))
    except Exception as error:  # noqa: BLE001 - a status bar has no place for it; `agentos doctor` has
        shown = f"{YELLOW} agentos: {type(error).__name__}, see agentos doctor"
    try:
        sys.stdout.write(f"{shown}\n")
        sys.stdout.flush()
    except OSError:
        os._exit(0)  # nobody looks any more


def status_line(home: Path | None = None) -> str:
    """Return the line: green if a daemon serves this home, red if none runs, yellow if it is late or has no model."""
    here = place.of_environment({} if home is None else {"AGENTOS_HOME": os.path.abspath(os.path.expanduser(home))})
    began = time.monotonic()
    status = hello.ask_status(here.socket, WAIT_S)
    return bounded(line(status, late=time.monotonic() - began >= WAIT_S))


def bounded(shown: str) -> str:
    """Return a line cut to MAX_CHARS, the colour at its beginning not counted."""
    colour = len(shown) - len(_COLOUR.sub("", shown))
    return shown if len(shown) <= colour + MAX_CHARS else shown[: colour + MAX_CHARS - 1] + "…"


def line(status: Mapping[str, Any] | None, *, late: bool) -> str:
    """Return the line for a daemon's status; None if it gave none, `late` if that took the whole wait."""
    if status is None:
        return f"{YELLOW} agentos does not answer" if late else f"{RED} agentos is not running"
    model = status["model"]["state"]
    sessions = f"{status['sessions']} session{'' if status['sessions'] == 1 else 's'}"
    if model == "none":
        return f"{YELLOW} agentos · {sessions} · no model: searches by words"
    return f"{GREEN} agentos · {sessions}"
