"""What a search of a project reaches, and what lies elsewhere."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..clock import Clock
from ..framing import quote
from ..memory.models import MemoryFilter
from ..sessions.models import Project
from ..sessions.service import EVERYWHERE, SessionService, no_project
from .ports import ProjectRepository

ALL = "*"
"""What stands for every project, where one can be named."""
SHOWN_ELSEWHERE = 3
_PLAIN = re.compile(r"[\w.-]{1,40}")


class Reach(NamedTuple):
    """The projects that a search is of: only `projects`, or what belongs to the one `working_in` or to none.

    With neither, all. Both are names and ids, as a filter of memories takes them.
    """

    projects: tuple[str, ...] = ()
    working_in: tuple[str, ...] = ()


class ProjectService:
    """The projects of memories, by id or name."""

    def __init__(self, sessions: SessionService, repository: ProjectRepository, clock: Clock) -> None:
        self._sessions = sessions
        self._repository = repository
        self._clock = clock

    async def reach(self, namespace: str, named: str | None, here: Project | None, also: Sequence[str] = ()) -> Reach:
        """Return what a search by somebody who works in a project reaches, if any is `named` that one alone.

        A name that only memories have, of the namespace or of those searched `also`, is one too. Raises InvalidInput
        for a name that is unknown, or that several projects have.
        """
        if named == ALL or (named is None and here is None):
            return Reach()
        known = await self._sessions.projects(namespace)
        if named is None:
            return Reach(working_in=_names(here, known) if here else ())
        if named.casefold() == EVERYWHERE:
            return Reach(("",))
        found = await self._sessions.fitting(namespace, named, here)
        if found is not None:
            return Reach(_names(found, known))
        stored = [name for each in (namespace, *also) for name in await self._repository.named(each)]
        meant = [name for name in stored if name.casefold() == named.casefold()]
        if not meant:
            raise no_project(named, [*(one.name for one in known), *stored])
        return Reach(tuple(meant))

    async def beside(self, namespace: str, where: MemoryFilter) -> str:
        """Return the line that says how many memories of other projects a filter leaves out."""
        if not where.working_in:
            return ""
        return await self.elsewhere(namespace, await self._repository.elsewhere(namespace, where, self._clock()))

    async def elsewhere(self, namespace: str, counts: Mapping[str, int]) -> str:
        """Return the line that says how many memories lie in other projects; "" where none do."""
        if not counts:
            return ""
        known = {one.id: one for one in await self._sessions.projects(namespace)}
        ordered = sorted(counts, key=lambda project: -counts[project])
        shown = [_shown(project, known) for project in ordered[:SHOWN_ELSEWHERE]]
        more = ", …" if len(ordered) > SHOWN_ELSEWHERE else ""
        named = f"project{'s' if len(ordered) > 1 else ''} {', '.join(shown)}{more}"
        return f"{sum(counts.values())} more in {named}: project='{ALL}'"


def _names(project: Project, known: Sequence[Project]) -> tuple[str, ...]:
    """Return what memories of a project may call it: its id, and its name where no other has that."""
    is_alone = all(one.id == project.id or one.name != project.name for one in known)
    return project.names if is_alone else (project.id,)


def _shown(name: str, known: Mapping[str, Project]) -> str:
    project = known.get(name)
    if project is None:
        return name if _PLAIN.fullmatch(name) else quote(name)
    namesakes = [one for one in known.values() if one.name == project.name]
    shown = project.name if _PLAIN.fullmatch(project.name) else quote(project.name)
    return shown if len(namesakes) == 1 else f"{shown} ({project.id})"
