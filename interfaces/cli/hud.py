"""`agentos hud`: the status, live in the terminal."""

import signal
import time
from pathlib import Path

from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from ... import config
from . import status
from .opened import settings_here
from .outcome import CommandFailure, ExitCode
from .terminal import clean, console


def run(home: Path | None, every_s: float) -> None:
    """Show the status again every `every_s` seconds until Ctrl-C. Raises CommandFailure without a terminal."""
    screen = console()
    if not screen.is_terminal:
        raise CommandFailure("hud needs a terminal; agentos status --json is for programs", ExitCode.WRONG_USE)
    settings = settings_here(home)
    # A process that a script started in the background inherits an ignored SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Live(_panel(settings), console=screen, screen=True, auto_refresh=False) as live:
            while True:
                time.sleep(every_s)
                live.update(_panel(settings), refresh=True)
    except KeyboardInterrupt:
        return


def _panel(settings: config.Settings) -> Panel:
    shown = Text(clean(status.text(status.look(settings)).rstrip()))
    return Panel(shown, title="AgentOS", subtitle="Ctrl-C ends", border_style="cyan")
