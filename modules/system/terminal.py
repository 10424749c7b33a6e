"""The terminal of standard input."""

import contextlib
import sys


def forget_input() -> None:
    """Drop what was typed before now."""
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
        return
    import termios

    with contextlib.suppress(OSError, termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def name() -> str:
    """Return the terminal's name; a general one where it has none, as one from outside of a container."""
    if sys.platform == "win32":
        return "terminal"
    import os

    try:
        return os.ttyname(sys.stdin.fileno())
    except OSError:
        return "terminal"
