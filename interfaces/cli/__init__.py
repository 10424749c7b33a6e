"""The command line: `agentos`."""

import os
import sys

from ...modules.version import OLDEST_PYTHON, SIGNATURE
from ..output import take_any_text


def main() -> None:
    """Run the command line."""
    if tuple(sys.version_info) < OLDEST_PYTHON:  # before anything that an older one cannot even read
        sys.exit(f"agentos needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}")
    os.umask(0o077)
    if (
        sys.argv[1:2] == ["hook"] and "--help" not in sys.argv
    ):  # an agent waits for it: without the libraries of the other commands
        from ..hooks.program import main as run_hook

        run_hook(sys.argv[2:])
    take_any_text()
    if sys.argv[1:2] in (["status-line"], ["statusline"]) and "--help" not in sys.argv:  # drawn again and again
        from ..hooks.status_line import main as draw

        draw(sys.argv[2:])
        return
    if sys.argv[1:] == ["--version"]:  # asked before each hook of the plugin
        sys.stdout.write(f"{SIGNATURE}\n")
        return
    from ..shutdown import leave
    from .running import run

    leave(run(sys.argv[1:]))
