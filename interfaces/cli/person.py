"""Tells whether a person is at the terminal: the one guard of all that grants authority, or that a person decides.

There is no option, variable, pipe or tool for it; docs/approvals.md says what that protects against, and what not.
"""

import sys

from ...modules.system import terminal, users
from .outcome import CommandFailure, ExitCode
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
    """Return who is at the terminal, as user and terminal. Raises CommandFailure (REFUSED) where nobody is."""
    if not is_there():
        raise CommandFailure(REFUSAL, ExitCode.REFUSED)
    return f"{users.name()} at {terminal.name()}"


def typed(question: str) -> str:
    """Return what is typed after a question, in small letters: what was typed before it does not count."""
    terminal.forget_input()
    say(question, end="")
    return sys.stdin.readline().strip().lower()


def typed_yes(question: str) -> None:
    """Wait for a yes, typed after the question. Raises CommandFailure for anything else."""
    if typed(question) != "yes":
        raise CommandFailure("nothing was changed", ExitCode.REFUSED)
