"""Tells whether a person is at the terminal: the one guard of all that grants authority, or that a person decides.

There is no option, variable, pipe or tool for it; docs/approvals.md says what that protects against, and what not.
"""

import os
import sys
from contextlib import suppress

from .outcome import Failure, Outcome
from .terminal import say

REFUSAL = (
    "nothing was changed: only a person at a terminal can do this (standard input and output must be a terminal); "
    "no option, variable or tool replaces it"
)


def is_there() -> bool:
    """Return whether standard input and output are a terminal."""
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):  # closed, or none
        return False


def required() -> str:
    """Return who is at the terminal, as user and terminal. Raises Failure (REFUSED) where nobody is."""
    if not is_there():
        raise Failure(REFUSAL, Outcome.REFUSED)
    return f"{_user()} at {_terminal()}"


def typed(question: str) -> str:
    """Return what is typed after a question, in small letters: what was typed before it does not count."""
    with suppress(ImportError, OSError):
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    say(question, end="")
    return sys.stdin.readline().strip().lower()


def typed_yes(question: str) -> None:
    """Wait for a yes, typed after the question. Raises Failure for anything else."""
    if typed(question) != "yes":
        raise Failure("nothing was changed", Outcome.REFUSED)


def _terminal() -> str:
    try:
        return os.ttyname(sys.stdin.fileno())
    except (AttributeError, OSError):  # no Unix; or a terminal from outside of this container, which has no name here
        return "terminal"


def _user() -> str:
    """Return the name of this process's user, from the system: the environment can claim anything."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return "somebody"
