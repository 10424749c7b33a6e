"""What a search of a project reaches, and what becomes of memories when projects are named anew, merged or found."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import inputs
from ..clock import Clock
from ..errors import InvalidInput
from ..framing import named
from ..memory.models import MemoryFilter
from ..memory.service import MemoryService
from ..principals.models import Caller
from ..sessions.models import Project
from ..sessions.service import ALL, EVERYWHERE, SessionService, no_project
from .assigning import Assigning, Proposal

if TYPE_CHECKING:
    from ...storage.repositories.projects import ProjectsRepository

SHOWN_ELSEWHERE = 3
MAX_NAME_CHARS = 100


class Reach(NamedTuple):
    """The projects that a search is of: only `projects`, or what belongs to the one `working_in` or to none.

    With neither, all. Both are names and ids, as a filter of memories takes them.
    """

    projects: tuple[str, ...] = ()
    working_in: tuple[str, ...] = ()


class ProjectService:
    """The projects of memories, by id or name."""

    def __init__(
        self, sessions: SessionService, memory: MemoryService, repository: "ProjectsRepository", clock: Clock
    ) -> None:
        self._sessions = sessions
        self._memory = memory
        self._repository = repository
        self._clock = clock

    async def of_caller(self, namespace: str, caller: Caller, *, register: bool) -> Project | None:
        """Return the project that a caller works in: as they say, else by their folder; None where it is none.

        Raises InvalidInput for one that their own namespace does not know.
        """
        if not caller.project:
            return await self._sessions.here(namespace, caller.folder, register=register)
        if caller.project == ALL or caller.project.casefold() == EVERYWHERE:
            return None
        if namespace == caller.default:
            return await self._sessions.named_project(namespace, caller.project)
        return await self._sessions.fitting(namespace, caller.project)

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

    async def proposals(self, namespace: str) -> list[Proposal]:
        """Return the projects that memories without one seem to belong to; the newest memory first."""
        known = await self._sessions.projects(namespace)
        propose = Assigning(known, await self._repository.of_sessions(namespace))
        found = []
        async for memory in self._memory.walk(namespace, MemoryFilter(projects=("",))):
            if (proposal := propose(memory)) is not None:
                found.append(proposal)
        return found

    async def assign(self, namespace: str, proposals: Sequence[Proposal]) -> int:
        """Give memories to the projects that are proposed; return how many changed."""
        projects = {one.memory.id: one.project for one in proposals}
        return await self._repository.assign(namespace, projects, self._clock())

    async def rename(self, namespace: str, named: str, name: str) -> Project:
        """Give a project another name, which it keeps wherever it moves. Raises InvalidInput."""
        inputs.text("name", name, MAX_NAME_CHARS)
        if name != name.strip() or not name.isprintable() or name.casefold() in (ALL, EVERYWHERE):
            raise InvalidInput("name", "must be printable, without spaces at the ends, and not everywhere or *")
        project = await self._sessions.named_project(namespace, named)
        known = await self._sessions.projects(namespace)
        if any(one.id != project.id and one.name.casefold() == name.casefold() for one in known):
            raise InvalidInput("name", f"another project is called {name[:60]!r}; agentos projects merge joins two")
        renamed = await self._sessions.renamed(project, name)
        await self._repository.rewrite(namespace, _names(project, known), renamed, self._clock())
        return renamed

    async def merge(self, namespace: str, named: str, into: str) -> tuple[Project, int]:
        """Give all that belongs to one project to another; return that and how many memories changed.

        Raises InvalidInput.
        """
        known = await self._sessions.projects(namespace)
        old, other = [await self._sessions.named_project(namespace, each) for each in (named, into)]
        if old.id == other.id:
            raise InvalidInput("into", f"is the same project, {other.name} ({other.id})")
        now = self._clock()
        changed = await self._repository.rewrite(namespace, _names(old, known), other, now)
        await self._repository.merge(namespace, old.id, other, now)
        return other, changed

    async def elsewhere(self, namespace: str, counts: Mapping[str, int]) -> str:
        """Return the line that says how many memories lie in other projects; "" where none do."""
        if not counts:
            return ""
        known = {one.id: one for one in await self._sessions.projects(namespace)}
        ordered = sorted(counts, key=lambda project: -counts[project])
        shown = [_shown(project, known) for project in ordered[:SHOWN_ELSEWHERE]]
        more = ", …" if len(ordered) > SHOWN_ELSEWHERE else ""
        where = f"project{'s' if len(ordered) > 1 else ''} {', '.join(shown)}{more}"
        return f"{sum(counts.values())} more in {where}: project='{ALL}'"


def _names(project: Project, known: Sequence[Project]) -> tuple[str, ...]:
    """Return what memories of a project may call it: its id, and its name where no other has that."""
    is_alone = all(one.id == project.id or one.name != project.name for one in known)
    return project.names if is_alone else (project.id,)


def _shown(name: str, known: Mapping[str, Project]) -> str:
    project = known.get(name)
    if project is None:
        return named(name)
    namesakes = [one for one in known.values() if one.name == project.name]
    shown = named(project.name)
    return shown if len(namesakes) == 1 else f"{shown} ({project.id})"
