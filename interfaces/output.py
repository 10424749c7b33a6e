"""Standard output and error of every AgentOS program: no text breaks them, whatever the encoding."""

import sys


def take_any_text() -> None:
    """Let both outputs write what their encoding lacks as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
