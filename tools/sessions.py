"""The session tools: three steps from titles to everything, so that only what is wanted costs tokens."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.context.tokens import cut
from ..modules.errors import InvalidInput, NotFound
from ..modules.framing import NOTICE, quote
from ..modules.memory.models import Memory, MemoryFilter
from ..modules.sessions.models import Event, EventType, Project, Session
from ..modules.sessions.service import TAG
from ..modules.sessions.tool_calls import from_json
from .tool import Tool

TOOLSET = "sessions"
TITLE_TOKENS = 40
PROJECT_TOKENS = 12
MAX_IDS = 20
MAX_SESSIONS = 10
MAX_EVENTS = 50
EVENT_CHARS = 200

ObservationKind = Literal["bugfix", "feature", "refactor", "change", "discovery", "decision"]


@dataclass(frozen=True)
class ObservationHit:
    """An observation by its title; session_get has the rest."""

    id: str
    type: str
    date: date
    project: str
    title: str


@dataclass(frozen=True)
class ObservationHits:
    """Observations, best first; `notes` say what is degraded."""

    results: list[ObservationHit]
    notes: list[str]


@dataclass(frozen=True)
class Entry:
    """A session or an observation on a timeline; `type` is `session`, or the observation's."""

    id: str
    type: str
    at: datetime
    title: str


@dataclass(frozen=True)
class SessionTimeline:
    """What happened, in order; sessions come the last active first. `session` is what the observations belong to."""

    session: str | None
    results: list[Entry]


@dataclass(frozen=True)
class EventView:
    """Something that happened, cut."""

    type: str
    text: str


@dataclass(frozen=True)
class ObservationView:
    """An observation whole."""

    id: str
    session: str | None
    project: str
    type: str
    occurred_at: datetime
    title: str
    narrative: str
    facts: list[str]
    concepts: list[str]
    files_read: list[str]
    files_modified: list[str]
    events: list[EventView]


@dataclass(frozen=True)
class Observations:
    """Observations whole, in the order of the ids; `missing` are ids of none."""

    results: list[ObservationView]
    missing: list[str]


async def session_search(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    type: ObservationKind | None = None,
    project: Annotated[str | None, Field(description="name or id")] = None,
    since: str | None = None,
    until: str | None = None,
    limit: int = 10,
) -> ObservationHits:
    """Find earlier work by topic or file: ids and titles. Then session_timeline, session_get."""
    tags = [TAG, *([type] if type else []), *([await _project_id(agentos, namespace, project)] if project else [])]
    where = MemoryFilter(tags=tuple(tags), since=inputs.moment("since", since), until=inputs.moment("until", until))
    found = await agentos.memory.search(namespace, query, where, limit)
    return ObservationHits([_hit(hit.memory) for hit in found.hits], list(found.notes))


async def session_timeline(
    agentos: AgentOS,
    namespace: str,
    *,
    id: Annotated[str | None, Field(description="observation or session; none: last sessions")] = None,
    before: int = 5,
    after: int = 5,
) -> SessionTimeline:
    """Titles around an observation, of a session, or of the last sessions."""
    if id is None:
        sessions = await agentos.sessions.page(namespace, limit=MAX_SESSIONS)
        return SessionTimeline(None, [_session_entry(session) for session in sessions])
    if id.startswith("ses_"):
        session = await agentos.sessions.get(namespace, id)
        ids = await agentos.sessions.observed_memories(session.id)
        observed = [await _observed(agentos, namespace, memory_id) for memory_id in ids]
        return SessionTimeline(session.id, [_session_entry(session), *map(_entry, filter(None, observed))])
    around = await agentos.memory.timeline(namespace, id, before, after)
    moments = (*around.before, around.memory, *around.after)
    return SessionTimeline(around.memory.session, list(map(_entry, moments)))


async def session_get(
    agentos: AgentOS,
    namespace: str,
    *,
    ids: list[str],
    events: Annotated[bool, Field(description="also every tool call")] = False,
) -> Observations:
    """Read observations whole: narrative, facts, files."""
    inputs.count("ids", len(ids), 1, MAX_IDS)
    found: list[ObservationView] = []
    missing: list[str] = []
    for memory_id in ids:
        memory = await _observed(agentos, namespace, memory_id)
        if memory is None:
            missing.append(memory_id)
            continue
        stretch = await agentos.sessions.stretch_of(namespace, memory_id) if events else None
        happened = [] if stretch is None else (await agentos.sessions.calls_of(stretch))[:MAX_EVENTS]
        found.append(_view(memory, happened))
    return Observations(found, missing)


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


def _told_of(memory: Memory) -> dict[str, Any]:
    told = memory.metadata.get(TAG)
    return told if isinstance(told, dict) else {}


def _type(memory: Memory) -> str:
    return str(_told_of(memory).get("type", memory.memory_type))


def _title(memory: Memory) -> str:
    return cut(str(_told_of(memory).get("title", memory.summary)), TITLE_TOKENS)


def _project(memory: Memory) -> str:
    return cut(str(memory.metadata.get("project_name", "")), PROJECT_TOKENS)


def _hit(memory: Memory) -> ObservationHit:
    return ObservationHit(memory.id, _type(memory), memory.occurred_at.date(), _project(memory), _title(memory))


def _entry(memory: Memory) -> Entry:
    return Entry(memory.id, _type(memory), memory.occurred_at, _title(memory))


def _session_entry(session: Session) -> Entry:
    title = f"{session.project.name}: {session.title or 'nothing said yet'}"
    return Entry(session.id, "session", session.last_at, cut(title, TITLE_TOKENS))


def _view(memory: Memory, happened: list[Event]) -> ObservationView:
    told = _told_of(memory)

    def several(name: str) -> list[str]:
        return [str(value) for value in told.get(name, ())]

    return ObservationView(
        id=memory.id,
        session=memory.session,
        project=_project(memory),
        type=_type(memory),
        occurred_at=memory.occurred_at,
        title=str(told.get("title", memory.summary)),
        narrative=str(told.get("narrative", memory.content)),
        facts=several("facts"),
        concepts=several("concepts"),
        files_read=several("files_read"),
        files_modified=several("files_modified"),
        events=[EventView(event.type.value, _told_briefly(event)) for event in happened],
    )


def _told_briefly(event: Event) -> str:
    if event.type is not EventType.TOOL_CALL:
        return f"{event.role}: {event.text}"[:EVENT_CHARS] if event.role else event.text
    call = from_json(event.structured)
    what = call.command or ", ".join((*call.files_modified, *call.files_read)) or call.subject
    ended = "" if call.success else f" failed: {call.error}"
    return f"{call.tool} {what}{ended}"[:EVENT_CHARS]


def _hits_text(result: ObservationHits) -> str:
    lines = [
        f"- {hit.id} {hit.type}, {hit.date:%Y-%m-%d}, {quote(hit.project)}: {quote(hit.title)}"
        for hit in result.results
    ]
    found = [NOTICE, *lines] if lines else ["Nothing found."]
    return "\n".join([*found, *(f"Note: {note}" for note in result.notes)])


def _timeline_text(result: SessionTimeline) -> str:
    lines = [f"- {e.id} {e.type}, {e.at:%Y-%m-%d %H:%M}: {quote(e.title)}" for e in result.results]
    return "\n".join([NOTICE, *lines]) if lines else "Nothing happened yet."


def _observations_text(result: Observations) -> str:
    lines = [NOTICE] if result.results else []
    for one in result.results:
        where = f"{quote(one.project)}, session {one.session}" if one.session else quote(one.project)
        lines.append(f"- {one.id} {one.type}, {one.occurred_at:%Y-%m-%d %H:%M}, {where}: {quote(one.title)}")
        lines.append(f"  {quote(one.narrative)}")
        lines += [f"  fact: {quote(fact)}" for fact in one.facts]
        for name, values in (("changed", one.files_modified), ("read", one.files_read), ("about", one.concepts)):
            lines += [f"  {name}: {', '.join(map(quote, values))}"] if values else []
        lines += [f"  {event.type}: {quote(event.text)}" for event in one.events]
    lines += [f"No observation {quote(one)}." for one in result.missing]
    return "\n".join(lines)


SESSION_TOOLS = (
    Tool(session_search, "Find earlier work", _hits_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_timeline, "What happened when", _timeline_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_get, "Read observations", _observations_text, read_only=True, idempotent=True, toolset=TOOLSET),
)
