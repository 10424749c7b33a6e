"""Which project a memory from before there were projects seems to belong to."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

from ..facts.slots import USER
from ..memory.models import Kind, Memory
from ..records import dataclass
from ..sessions.models import Project

SHORTEST_NAME = 3
READ_CHARS = 20_000
"""The characters of a memory in which paths and names are looked for."""


class Ground(StrEnum):
    """What a proposal rests on, the strongest first: the memory's session, a path in it, a project's name in it."""

    SESSION = "session"
    FILE = "file"
    NAME = "name"


@dataclass(frozen=True)
class Proposal:
    """A project for a memory, and why."""

    memory: Memory
    project: Project
    evidence: Ground


class Assigning:
    """Proposes projects for memories, of the known ones and the sessions in them."""

    def __init__(self, known: Sequence[Project], of_sessions: Mapping[str, str]) -> None:
        self._known = {one.id: one for one in known if one.location}
        self._of_sessions = of_sessions
        self._folders = {folder: one for one in self._known.values() if (folder := folder_of(one)) != "/"}
        named = Counter(one.name.casefold() for one in self._known.values())
        self._named = {
            name: one
            for one in self._known.values()
            if named[name := one.name.casefold()] == 1 and len(name) >= SHORTEST_NAME
        }
        self._names = _whole(self._named, re.IGNORECASE)
        self._paths = _whole(self._folders)

    def __call__(self, memory: Memory) -> Proposal | None:
        """Return the proposal for a memory; None where nothing or several projects are meant, or it is of the user."""
        is_personal = memory.kind is Kind.PREFERENCE or (memory.slot is not None and memory.slot.subject == USER)
        if memory.project or is_personal:
            return None
        text = "\n".join([memory.source, *memory.tags, memory.content])[:READ_CHARS]
        for evidence, found in (
            (Ground.SESSION, self._by_session(memory)),
            (Ground.FILE, {self._folders[each].id for each in self._paths.findall(text)}),
            (Ground.NAME, {self._named[each.casefold()].id for each in self._names.findall(text)}),
        ):
            if found:
                return Proposal(memory, self._known[found.pop()], evidence) if len(found) == 1 else None
        return None

    def _by_session(self, memory: Memory) -> set[str]:
        project = self._of_sessions.get(memory.session or "")
        return {project} & self._known.keys() if project else set()


def folder_of(project: Project) -> str:
    """Return the folder of a project: that of its checkout, where its location is the repository in it."""
    place = PurePosixPath(project.location)
    return str(place.parent if place.name == ".git" else place)


def _whole(texts: Iterable[str], flags: int = 0) -> re.Pattern[str]:
    """Return the pattern of any of these texts as a whole word or path; the longest first."""
    either = "|".join(map(re.escape, sorted(texts, key=len, reverse=True))) or "(?!)"
    return re.compile(rf"(?<![\w.-])(?:{either})(?![\w-])", flags)
