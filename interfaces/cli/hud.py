"""`agentos hud`: how things stand, live in the terminal."""

import signal
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from ... import config
from . import status


def run(home: Path | None, every_s: float) -> int:
    """Show the status anew every so many seconds until Ctrl-C. The exit code: 0; 2 without a terminal or settings."""
    console = Console(highlight=False)
    if not console.is_terminal:
        sys.stderr.write("agentos hud: needs a terminal; agentos status --json is for programs\n")
        return 2
    try:
        settings = config.of_home(home)
    except (config.SettingsError, OSError) as error:
        sys.stderr.write(f"agentos hud: {error}; agentos doctor tells more\n")
        return 2
    # What was started in the background of a script inherits a Ctrl-C that is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with Live(_panel(settings), console=console, screen=True, auto_refresh=False) as live:
            while True:
                time.sleep(every_s)
                live.update(_panel(settings), refresh=True)
    except KeyboardInterrupt:
        return 0


def _panel(settings: config.Settings) -> Panel:
    shown = Text(status.text(status.look(settings)).rstrip())
    return Panel(shown, title="AgentOS", subtitle="Ctrl-C ends", border_style="cyan")
