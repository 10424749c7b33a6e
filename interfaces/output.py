"""Standard output and error of every program of ours: no text breaks them, whatever their encoding lacks."""

import sys


def take_any_text() -> None:
    """Let both outputs write what their encoding lacks as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
