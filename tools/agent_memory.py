"""The tools of agent-memory by their names, arguments and results, over the same services: toolset `agent-memory`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.context import lessons
from ..modules.errors import InvalidInput, NotFound
from ..modules.framing import NOTICE, quote
from ..modules.memory.models import Memory, MemoryFilter
from ..modules.redactor import part_of
from ..modules.sessions.service import TAG
from .tool import Tool

TOOLSET = "agent-memory"
MAX_FOUND = 50
MAX_AROUND = 20
MAX_IDS = 20
LOOKED_AT = 50
"""So many neighbours of a memory are looked at for observations among them."""
TITLE_CHARS = 90
IMPORTANCE = 0.5
MANUAL = "manual"
MENTION = "When you use any of this, say that it comes from memory."
GUIDE = (
    "Three steps, so that only what is wanted costs tokens: search gives ids and titles; timeline gives the titles "
    "around one of them; get_observations reads the few ids that matter whole. Never read everything at once."
)
ObservationType = Literal["decision", "bugfix", "feature", "refactor", "discovery", "change", "pattern", "gotcha"]
Severity = Literal["critical", "warning", "info"]
_EXPRESSION = re.compile(r"[\\^$*+?()\[\]{}]|\.\*")


@dataclass(frozen=True)
class Guide:
    """How to search."""

    guide: str


@dataclass(frozen=True)
class SearchHit:
    """An observation by its title."""

    id: str
    title: str
    type: str
    project: str
    created_at: datetime
    score: float


@dataclass(frozen=True)
class SearchHits:
    """Observations, best first; `notes` say what is degraded."""

    results: list[SearchHit]
    notes: list[str]


@dataclass(frozen=True)
class Moment:
    """An observation on a timeline."""

    id: str
    title: str
    type: str
    position: Literal["before", "anchor", "after"]
    created_at: datetime


@dataclass(frozen=True)
class Moments:
    """Observations in order of time."""

    results: list[Moment]


@dataclass(frozen=True)
class Observation:
    """An observation whole."""

    id: str
    title: str
    subtitle: str
    type: str
    narrative: str
    facts: list[str]
    concepts: list[str]
    files_read: list[str]
    files_modified: list[str]
    project: str
    tool_name: str
    created_at: datetime


@dataclass(frozen=True)
class ObservationRows:
    """Observations whole, in the order of the ids; ids of none are left out."""

    results: list[Observation]


@dataclass(frozen=True)
class Saved:
    """That a text was saved."""

    saved: bool
    id: str
    title: str


@dataclass(frozen=True)
class LessonCreated:
    """That a lesson was saved."""

    saved: bool
    id: str
    title: str
    severity: str
    project: str | None


@dataclass(frozen=True)
class LessonHit:
    """A lesson; `trigger_count` is how often it was shown."""

    id: str
    title: str
    rule: str
    severity: str
    project: str | None
    trigger_tool: str | None
    trigger_pattern: str | None
    trigger_count: int
    score: float


@dataclass(frozen=True)
class LessonHits:
    """Lessons, best first."""

    results: list[LessonHit]
    notes: list[str]


async def memory_search_guide(agentos: AgentOS, namespace: str) -> Guide:
    """How to search memory in three steps."""
    return Guide(GUIDE)


async def search(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    project: str | None = None,
    type: ObservationType | None = None,
    limit: int = 20,
    dateStart: str | None = None,
    dateEnd: str | None = None,
) -> SearchHits:
    """Find observations: ids and titles. Then timeline, get_observations."""
    inputs.count("limit", limit, 1, MAX_FOUND)
    tags = [TAG, *([type] if type else []), *([await _project(agentos, namespace, project)] if project else [])]
    until = inputs.end_of_day_if_date_only("dateEnd", dateEnd)
    where = MemoryFilter(tags=tuple(tags), since=inputs.moment("dateStart", dateStart), until=until)
    found = await agentos.memory.search(namespace, query, where, limit)
    hits = [
        SearchHit(
            hit.memory.id,
            _title(hit.memory),
            _type(hit.memory),
            _project_of(hit.memory),
            hit.memory.occurred_at,
            round(hit.score, 4),
        )
        for hit in found.hits
    ]
    return SearchHits(hits, list(found.notes))


async def timeline(
    agentos: AgentOS,
    namespace: str,
    *,
    anchor: Annotated[str | None, Field(description="id of an observation")] = None,
    query: str | None = None,
    depth_before: int = 3,
    depth_after: int = 3,
    project: str | None = None,
) -> Moments:
    """Titles around an observation, or around the best one for a query."""
    inputs.count("depth_before", depth_before, 0, MAX_AROUND)
    inputs.count("depth_after", depth_after, 0, MAX_AROUND)
    of_project = await _project(agentos, namespace, project) if project else None
    if (anchor is None) == (query is None):
        raise InvalidInput("anchor", "or query: give one of the two")
    if anchor is None:
        tags = (TAG, *([of_project] if of_project else []))
        best = await agentos.memory.search(namespace, query or "", MemoryFilter(tags=tags), 1)
        if not best.hits:
            return Moments([])
        anchor = best.hits[0].memory.id
    around = await agentos.memory.timeline(namespace, anchor, LOOKED_AT, LOOKED_AT)

    def chosen(memories: Sequence[Memory]) -> list[Memory]:
        return [m for m in memories if TAG in m.tags and (of_project is None or of_project in m.tags)]

    before = chosen(around.before)[-depth_before:] if depth_before else []
    after = chosen(around.after)[:depth_after]
    return Moments(
        [_moment(memory, "before") for memory in before]
        + [_moment(around.memory, "anchor")]
        + [_moment(memory, "after") for memory in after]
    )


async def get_observations(agentos: AgentOS, namespace: str, *, ids: list[str]) -> ObservationRows:
    """Read observations whole."""
    inputs.count("ids", len(ids), 1, MAX_IDS)
    rows = []
    for memory_id in ids:
        try:
            memory, _ = await agentos.memory.get(namespace, memory_id)
        except NotFound:
            continue
        rows.append(_row(memory))
    return ObservationRows(rows)


async def save_memory(
    agentos: AgentOS, namespace: str, *, text: str, title: str | None = None, project: str = MANUAL
) -> Saved:
    """Save a text as an observation."""
    text = await agentos.redactor.text(text)  # before it is cut: half a secret is not recognised
    told = inputs.text("title", title).strip() if title is not None else part_of(text, _line(text))
    project_tag, name = await _named(agentos, namespace, project)
    metadata: dict[str, Any] = {
        TAG: {"type": "discovery", "title": told, "narrative": part_of(text, text[:8_000])},
        "project_name": name,
    }
    if project_tag != name:  # one that there is: only its sessions are told of it
        metadata["project"] = project_tag
    stored = await agentos.memory.store(
        namespace, text, "semantic", IMPORTANCE, [TAG, "discovery", project_tag], metadata, kind="observation"
    )
    return Saved(True, stored.memory.id, _title(stored.memory))


async def create_lesson(
    agentos: AgentOS,
    namespace: str,
    *,
    rule: str,
    title: str | None = None,
    severity: Severity = "warning",
    project: Annotated[str | None, Field(description="none: for all")] = None,
    trigger_tool: Annotated[str | None, Field(description="tools, as Bash|Edit")] = None,
    trigger_pattern: Annotated[str | None, Field(description="texts, as git push|rm -rf")] = None,
) -> LessonCreated:
    """Save a rule that is shown before the tool that it names runs."""
    rule = await agentos.redactor.text(rule)  # before it is cut: half a secret is not recognised
    told = inputs.text("title", title).strip() if title is not None else part_of(rule, _line(rule))
    metadata: dict[str, Any] = {"title": told, "severity": severity, "effect": "inform"}
    trigger = _trigger(trigger_tool, trigger_pattern)
    if trigger:
        metadata["trigger"] = trigger
    tag, name = (None, None) if project is None else await _named(agentos, namespace, project)
    if tag is not None:
        metadata |= {"project": tag, "project_name": name}
    tags = [lessons.TAG, *([tag] if tag else [])]
    stored = await agentos.memory.store(namespace, rule, "procedural", IMPORTANCE, tags, metadata, kind="rule")
    return LessonCreated(True, stored.memory.id, told, severity, name)


async def search_lessons(
    agentos: AgentOS, namespace: str, *, query: str, project: str | None = None, limit: int = 10
) -> LessonHits:
    """Find lessons."""
    inputs.count("limit", limit, 1, MAX_FOUND)
    tags = (lessons.TAG, *([await _project(agentos, namespace, project)] if project else []))
    found = await agentos.memory.search(namespace, query, MemoryFilter(tags=tags), limit)
    return LessonHits([_lesson(hit.memory, hit.score) for hit in found.hits], list(found.notes))


async def _project(agentos: AgentOS, namespace: str, named: str) -> str:
    return (await _named(agentos, namespace, named))[0]


async def _named(agentos: AgentOS, namespace: str, named: str) -> tuple[str, str]:
    """The tag of a project and its name; one that is not known has its name for a tag. Raises InvalidInput."""
    inputs.text("project", named, 200)
    known = [one for one in await agentos.sessions.projects(namespace) if named in (one.id, one.name)]
    if len(known) > 1:
        raise InvalidInput("project", f"names {len(known)} projects; give an id: {', '.join(one.id for one in known)}")
    return (known[0].id, known[0].name) if known else (named.strip(), named.strip())


def _trigger(tool: str | None, pattern: str | None) -> dict[str, Any]:
    if tool is None and pattern is None:
        return {}
    trigger: dict[str, Any] = {"tool": ["*"] if tool is None else _alternatives("trigger_tool", tool)}
    if pattern is not None:
        if _EXPRESSION.search(pattern):
            raise InvalidInput(
                "trigger_pattern", "is looked for as it is written: give texts, with | between them, no expression"
            )
        trigger["contains"] = _alternatives("trigger_pattern", pattern)
    return trigger


def _alternatives(field: str, value: str) -> list[str]:
    found = [part.strip() for part in inputs.text(field, value).split("|") if part.strip()]
    if not found:
        raise InvalidInput(field, "names nothing")
    return found


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


def _observed(memory: Memory) -> dict[str, Any]:
    told = memory.metadata.get(TAG)
    return told if isinstance(told, dict) else {}


def _title(memory: Memory) -> str:
    return str(_observed(memory).get("title", memory.summary))


def _type(memory: Memory) -> str:
    return str(_observed(memory).get("type", memory.kind.value))


def _project_of(memory: Memory) -> str:
    return str(memory.metadata.get("project_name", ""))


def _moment(memory: Memory, position: Literal["before", "anchor", "after"]) -> Moment:
    return Moment(memory.id, _title(memory), _type(memory), position, memory.occurred_at)


def _row(memory: Memory) -> Observation:
    told = _observed(memory)

    def several(name: str) -> list[str]:
        return [str(value) for value in told.get(name, ())]

    return Observation(
        id=memory.id,
        title=_title(memory),
        subtitle="",
        type=_type(memory),
        narrative=str(told.get("narrative", memory.content)),
        facts=several("facts"),
        concepts=several("concepts"),
        files_read=several("files_read"),
        files_modified=several("files_modified"),
        project=_project_of(memory),
        tool_name="",
        created_at=memory.occurred_at,
    )


def _lesson(memory: Memory, score: float) -> LessonHit:
    told = lessons.trigger_of(memory)
    return LessonHit(
        memory.id,
        str(memory.metadata.get("title", memory.summary)),
        memory.content,
        lessons.severity_of(memory),
        memory.metadata.get("project_name"),
        _joined(told.get("tool")),
        _joined(told.get("contains")),
        memory.access_count,
        round(score, 4),
    )


def _joined(value: object) -> str | None:
    if value is None:
        return None
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


def _hits_text(result: SearchHits) -> str:
    lines = [
        f"- {hit.id} {hit.type}, {hit.created_at:%Y-%m-%d}, {quote(hit.project)}: {quote(hit.title)}"
        for hit in result.results
    ]
    found = [NOTICE, *lines, MENTION] if lines else ["Nothing found."]
    return "\n".join([*found, *(f"Note: {note}" for note in result.notes)])


def _moments_text(result: Moments) -> str:
    lines = [f"- {m.position} {m.id} {m.type}, {m.created_at:%Y-%m-%d %H:%M}: {quote(m.title)}" for m in result.results]
    return "\n".join([NOTICE, *lines]) if lines else "Nothing found."


def _rows_text(result: ObservationRows) -> str:
    lines = []
    for row in result.results:
        lines.append(f"- {row.id} {row.type}, {row.created_at:%Y-%m-%d}, {quote(row.project)}: {quote(row.title)}")
        lines.append(f"  {quote(row.narrative)}")
        lines += [f"  fact: {quote(fact)}" for fact in row.facts]
        for name, values in (("changed", row.files_modified), ("read", row.files_read), ("about", row.concepts)):
            lines += [f"  {name}: {', '.join(map(quote, values))}"] if values else []
    return "\n".join([NOTICE, *lines, MENTION]) if lines else "There are no such observations."


def _lessons_text(result: LessonHits) -> str:
    lines = [f"- {hit.id} [{hit.severity}] {quote(hit.rule, 500)}" for hit in result.results]
    found = [NOTICE, *lines] if lines else ["Nothing found."]
    return "\n".join([*found, *(f"Note: {note}" for note in result.notes)])


AGENT_MEMORY_TOOLS = (
    Tool(
        memory_search_guide,
        "How to search",
        lambda result: result.guide,
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
    ),
    Tool(search, "Find observations", _hits_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(timeline, "Around an observation", _moments_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(get_observations, "Read observations", _rows_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(save_memory, "Save a text", lambda result: f"Saved {result.id}.", idempotent=True, toolset=TOOLSET),
    Tool(create_lesson, "Save a lesson", lambda result: f"Saved {result.id}.", idempotent=True, toolset=TOOLSET),
    Tool(search_lessons, "Find lessons", _lessons_text, read_only=True, idempotent=True, toolset=TOOLSET),
)
