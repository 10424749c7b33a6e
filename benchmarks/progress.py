"""Progress messages of commands that take minutes."""

import sys


def say(line: str) -> None:
    """Print a line at once, even if the output goes to a file."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
