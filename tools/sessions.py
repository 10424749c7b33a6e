"""The session tools: three steps from titles to full observations, so that only what is wanted costs tokens."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput, NotFound
from ..modules.memory.models import Memory, MemoryFilter
from ..modules.sessions.models import Event, Project
from ..modules.sessions.service import TAG
from ..modules.views import sessions as views
from .filters import Moment
from .tool import Tool

TOOLSET = "sessions"
MAX_IDS = 20
MAX_SESSIONS = 10
MAX_EVENTS = 50

ObservationKind = Literal["bugfix", "feature", "refactor", "change", "discovery", "decision", "pattern", "gotcha"]


async def session_search(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    type: ObservationKind | None = None,
    project: Annotated[str | None, Field(description="name or id")] = None,
    since: Moment = None,
    until: str | None = None,
    limit: int = 10,
) -> views.ObservationHits:
    """Find earlier work by topic or file: ids and titles. Then session_timeline, session_get."""
    tags = [TAG, *([type] if type else []), *([await _project_id(agentos, namespace, project)] if project else [])]
    begin, end = inputs.span("since", since, "until", until)
    where = MemoryFilter(tags=tuple(tags), since=begin, until=end)
    return views.hits(await agentos.memory.search(namespace, query, where, limit))


async def session_timeline(
    agentos: AgentOS,
    namespace: str,
    *,
    id: Annotated[str | None, Field(description="observation or session; none: last sessions")] = None,
    before: int = 5,
    after: int = 5,
) -> views.SessionTimeline:
    """Titles around an observation, of a session, or of the last sessions."""
    if id is None:
        sessions = await agentos.sessions.page(namespace, limit=MAX_SESSIONS)
        return views.timeline(None, [views.session_entry(session) for session in sessions])
    if id.startswith("ses_"):
        session = await agentos.sessions.get(namespace, id)
        ids = await agentos.sessions.observed_memories(session)
        observed = [await _observed(agentos, namespace, memory_id) for memory_id in ids]
        return views.timeline(session.id, [views.session_entry(session), *map(views.entry, filter(None, observed))])
    try:
        around = await agentos.memory.timeline(namespace, id, before, after)
    except NotFound:
        if id.startswith("mem_"):
            raise
        raise NotFound(f"id: there is no session or memory {id[:60]!r}; session_timeline gives valid ids") from None
    moments = (*around.before, around.memory, *around.after)
    return views.timeline(around.memory.session, list(map(views.entry, moments)))


async def session_get(
    agentos: AgentOS,
    namespace: str,
    *,
    ids: list[str],
    events: Annotated[bool, Field(description="also every tool call")] = False,
) -> views.Observations:
    """Read observations whole: narrative, facts, files."""
    inputs.count("ids", len(ids), 1, MAX_IDS)
    found: list[tuple[Memory, Sequence[Event]]] = []
    missing: list[str] = []
    for memory_id in ids:
        memory = await _observed(agentos, namespace, memory_id)
        if memory is None:
            missing.append(memory_id)
            continue
        stretch = await agentos.sessions.stretch_of(namespace, memory_id) if events else None
        happened = [] if stretch is None else (await agentos.sessions.calls_of(stretch))[:MAX_EVENTS]
        found.append((memory, happened))
    return views.observations(found, missing)


async def _project_id(agentos: AgentOS, namespace: str, named: str) -> str:
    known = await agentos.sessions.projects(namespace)
    found = [project for project in known if named in (project.id, project.name)]
    if len(found) == 1:
        return found[0].id
    names = ", ".join(dict.fromkeys(_told(project, several=bool(found)) for project in found or known))
    raise InvalidInput("project", f"names {len(found)} projects; there are: {names[:400] or 'none yet'}")


def _told(project: Project, *, several: bool) -> str:
    return f"{project.id} ({project.location})" if several else project.name


async def _observed(agentos: AgentOS, namespace: str, memory_id: str) -> Memory | None:
    try:
        memory, _ = await agentos.memory.get(namespace, memory_id)
    except NotFound:
        return None
    return memory


SESSION_TOOLS = (
    Tool(session_search, "Find earlier work", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_timeline, "What happened when", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_get, "Read observations", read_only=True, idempotent=True, toolset=TOOLSET),
)
