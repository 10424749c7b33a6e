"""The session tools: sessions as objects, and three steps from titles to full observations, to save tokens."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Literal

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput, NotFound
from ..modules.memory.models import Memory, MemoryFilter
from ..modules.sessions.models import Event, SessionState
from ..modules.sessions.service import TAG
from ..modules.views import sessions as views
from .filters import Moment
from .tool import Tool

TOOLSET = "sessions"
MAX_IDS = 20
MAX_SESSIONS = 10
MAX_EVENTS = 50
CLIENT = "mcp"
"""The client of sessions that agents open by themselves."""

ObservationKind = Literal["decision", "bugfix", "feature", "refactor", "discovery", "change", "pattern", "gotcha"]
"""In the order of agent-memory's: Python takes two such types for one, whichever it saw first."""
State = Literal["active", "completed", "failed"]


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
    """Find earlier work by topic or file: ids and titles. Then read a few in full."""
    tags = [TAG, *([type] if type else []), *([await _project_id(agentos, namespace, project)] if project else [])]
    begin, end = inputs.span("since", since, "until", until)
    where = MemoryFilter(tags=tuple(tags), since=begin, until=end)
    return views.hits(await agentos.memory.search(namespace, query, where, limit))


async def session_timeline(
    agentos: AgentOS,
    namespace: str,
    *,
    id: Annotated[str | None, Field(description="observation or session; none: last sessions")] = None,
    project: Annotated[str | None, Field(description="without id: its last sessions")] = None,
    before: int = 5,
    after: int = 5,
) -> views.SessionTimeline:
    """List titles around an observation, in a session, or in the last sessions."""
    if id is None:
        of = None if project is None else await _project_id(agentos, namespace, project)
        sessions = await agentos.sessions.page(namespace, of, limit=MAX_SESSIONS)
        return views.timeline(None, [views.session_entry(session) for session in sessions])
    if id.startswith("ses_"):
        session = await agentos.sessions.get(namespace, id)
        ids = await agentos.sessions.observed_memories(session)
        observed = [await _observed(agentos, namespace, memory_id) for memory_id in ids]
        asked = await agentos.sessions.prompts(session)
        moments = [*map(views.prompt_entry, asked), *map(views.entry, filter(None, observed))]
        in_order = sorted(moments, key=lambda moment: moment.at)
        return views.timeline(session.id, [views.session_entry(session), *in_order])
    try:
        around = await agentos.memory.timeline(namespace, id, before, after)
    except NotFound:
        if id.startswith("mem_"):
            raise
        raise NotFound(f"id: there is no session or memory {id[:60]!r}; session_list gives valid ids") from None
    memories = (*around.before, around.memory, *around.after)
    return views.timeline(around.memory.session, list(map(views.entry, memories)))


async def session_get(
    agentos: AgentOS,
    namespace: str,
    *,
    ids: list[str],
    events: Annotated[bool, Field(description="also every tool call")] = False,
) -> views.Observations:
    """Read observations in full: narrative, facts, files."""
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


async def session_list(
    agentos: AgentOS,
    namespace: str,
    *,
    project: Annotated[str | None, Field(description="name or id")] = None,
    state: State | None = None,
    limit: Annotated[int, Field(description="1 to 200")] = 20,
) -> views.Sessions:
    """List sessions with their state, most recently active first."""
    of = None if project is None else await _project_id(agentos, namespace, project)
    return views.sessions(await agentos.sessions.page(namespace, of, state, limit))


async def session_open(
    agentos: AgentOS,
    namespace: str,
    *,
    name: Annotated[str, Field(description="your name for it; an existing one is resumed")],
    folder: Annotated[str, Field(description="absolute path of the project")],
    title: str | None = None,
) -> views.SessionView:
    """Create a session on a project, or resume the one with that name."""
    if not PurePath(folder).is_absolute():
        raise InvalidInput("folder", "is not an absolute path; give the full path of the project's folder")
    session, is_new = await agentos.sessions.open(namespace, CLIENT, await agentos.redactor.text(name), folder)
    if not is_new or title is not None:
        session = await agentos.sessions.update(namespace, session.id, SessionState.ACTIVE, title)
    return views.session(session)


async def session_update(
    agentos: AgentOS,
    namespace: str,
    *,
    id: str,
    state: Annotated[State | None, Field(description="active resumes it, others end it")] = None,
    title: str | None = None,
) -> views.SessionView:
    """Resume, end or rename a session."""
    return views.session(await agentos.sessions.update(namespace, id, state, title))


async def _project_id(agentos: AgentOS, namespace: str, named: str) -> str:
    return (await agentos.sessions.named_project(namespace, named)).id


async def _observed(agentos: AgentOS, namespace: str, memory_id: str) -> Memory | None:
    try:
        memory, _ = await agentos.memory.get(namespace, memory_id)
    except NotFound:
        return None
    return memory


SESSION_TOOLS = (
    Tool(session_search, "Find earlier work", read_only=True, idempotent=True, toolset=TOOLSET, may_lag=True),
    Tool(session_timeline, "Timeline of work", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_get, "Read observations", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_list, "List sessions", read_only=True, idempotent=True, toolset=TOOLSET, may_lag=True),
    Tool(session_open, "Open a session", idempotent=True, toolset=TOOLSET),
    Tool(session_update, "Resume, end or rename a session", idempotent=True, toolset=TOOLSET),
)
