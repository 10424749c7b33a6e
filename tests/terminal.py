"""A terminal with a person at it: for commands of another process, and for those that a test runs in its own."""

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from agentos.interfaces.cli import person

DEADLINE_S = 90.0
QUESTION = re.compile(rb"Type \S+ to [^\n]+: $")


def at_terminal(
    command: Sequence[str], environment: Mapping[str, str], answer: str = "", early: str = "", cwd: Path | None = None
) -> tuple[int, str]:
    """The exit code of a command, and what it showed at a terminal; the answer is typed once it is asked for.

    `early` is typed before there is a question.
    """
    terminal, wire = pty.openpty()
    process = subprocess.Popen(command, stdin=wire, stdout=wire, stderr=wire, env=environment, cwd=cwd)
    os.close(wire)
    os.write(terminal, early.encode())
    shown = attended(terminal, answer)
    return process.wait(DEADLINE_S), shown


def attended(terminal: int, answer: str) -> str:
    """All that is shown at a terminal until its other end is closed, where somebody answers a question."""
    shown, give_up = b"", time.monotonic() + DEADLINE_S
    while time.monotonic() < give_up:
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                chunk = os.read(terminal, 4096)
            except OSError:  # Linux's way to say that the other end is closed
                break
            if not chunk:
                break
            shown += chunk
            if answer and QUESTION.search(shown):
                os.write(terminal, answer.encode() + b"\n")
                answer = ""
    os.close(terminal)
    return shown.decode()


def sit_down(patch: pytest.MonkeyPatch) -> None:
    """Have a person at the terminal who says yes to whatever a command in this process asks."""
    patch.setattr(person, "required", lambda: "ada at tty1")
    patch.setattr(person, "typed_yes", lambda question: None)
