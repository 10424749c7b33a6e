"""The command line: `agentos`."""

import sys

from ...modules.version import OLDEST_PYTHON


def main() -> None:
    """Run the command line."""
    if tuple(sys.version_info) < OLDEST_PYTHON:  # before anything that an older one cannot even read
        sys.exit(f"agentos needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}")
    from .app import app

    app()
