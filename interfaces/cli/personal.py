"""Does what only a person at a terminal may: deletes rules, and one side of an open contest; confirms."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...modules.errors import PermissionDenied
from ..stdio.front.place import of_environment
from . import person
from .opened import with_store
from .outcome import CommandFailure
from .terminal import one_line, say

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.memory.models import Memory


def forget(memory_id: str, mode: str, home: Path | None, agent: str | None, refused: CommandFailure) -> None:
    """Archive, forget or erase a memory as a person, once they have typed yes. Raises `refused` where nobody can."""
    if refused.code != PermissionDenied.code or not person.is_there():
        raise refused
    person.typed_yes(f"{refused}\nType yes to {mode} it yourself: ")

    from ...modules.memory.lifecycle_service import HUMAN

    async def take_away(agentos: "AgentOS", own: str) -> None:
        namespace = agent or own
        full_id = await agentos.abbreviations.expand(namespace, "memory_id", memory_id)
        if mode == "archive":
            await agentos.lifecycle.archive(namespace, full_id, HUMAN)
        elif mode == "forget":
            await agentos.lifecycle.forget(namespace, full_id, HUMAN)
        else:
            await agentos.memory.delete(namespace, full_id, by=HUMAN)

    with_store(home, take_away)
    say("done")


def decides(home: Path | None) -> bool:
    """Return whether a person is at the terminal, and the store on this machine."""
    return person.is_there() and (home is not None or not of_environment().url)


def confirm(memory_id: str, home: Path | None, agent: str | None) -> None:
    """Confirm a memory as a person, as it reads now, once they have typed yes: capacity then never archives it."""
    from ...modules.memory.lifecycle_service import HUMAN

    async def look(agentos: "AgentOS", own: str) -> "Memory":
        namespace = agent or own
        full_id = await agentos.abbreviations.expand(namespace, "memory_id", memory_id)
        return (await agentos.memory.get(namespace, full_id))[0]

    async def say_so(agentos: "AgentOS", own: str) -> "Memory":
        namespace = agent or own
        if (await agentos.memory.get(namespace, shown.id))[0].content != shown.content:
            raise PermissionDenied(f"{shown.id} has changed since it was shown; review it again")
        return (await agentos.lifecycle.feedback(namespace, shown.id, "confirm", by=HUMAN))[0]

    shown = with_store(home, look)
    say(one_line(shown.content))
    person.typed_yes("Type yes to confirm it yourself: ")
    confirmed = with_store(home, say_so)
    say(f"{confirmed.id} is confirmed by you and is {confirmed.status}")
