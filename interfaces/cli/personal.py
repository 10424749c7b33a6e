"""Deletes what only a person at a terminal may: rules, and one side of an open contest."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...modules.errors import PermissionDenied
from .approvals import is_at_terminal
from .opened import with_store
from .outcome import Failure, Outcome
from .terminal import say

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS


def forget(memory_id: str, mode: str, home: Path | None, agent: str | None, refused: Failure) -> None:
    """Archive, forget or erase a memory as a person, once they have typed yes. Raises `refused` where nobody can."""
    if refused.code != PermissionDenied.code or not is_at_terminal():
        raise refused
    typed_yes(f"{refused}\nType yes to {mode} it yourself: ")

    from ...modules.memory.lifecycle_service import HUMAN

    async def take_away(agentos: "AgentOS", own: str) -> None:
        namespace = agent or own
        whole = await agentos.abbreviations.whole(namespace, "memory_id", memory_id)
        if mode == "archive":
            await agentos.lifecycle.archive(namespace, whole, HUMAN)
        elif mode == "forget":
            await agentos.lifecycle.forget(namespace, whole, HUMAN)
        else:
            await agentos.memory.delete(namespace, whole, by=HUMAN)

    with_store(home, take_away)
    say("done")


def typed_yes(question: str) -> None:
    """Wait for a yes, typed after the question. Raises Failure for anything else."""
    with suppress(ImportError, OSError):
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    say(question, end="")
    if sys.stdin.readline().strip().lower() != "yes":
        raise Failure("nothing was changed", Outcome.REFUSED)
