"""What a command that takes minutes says while it runs."""

import sys


def say(line: str) -> None:
    """Print a line at once, also where the output goes to a file."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
