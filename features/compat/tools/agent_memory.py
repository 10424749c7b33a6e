"""The tools of agent-memory by their names, arguments and results, over the same services: toolset `agent-memory`."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from ....modules import inputs
from ....modules.agentos import AgentOS
from ....modules.context import lessons
from ....modules.errors import InvalidInput, NotFound
from ....modules.memory.models import Memory, MemoryFilter
from ....modules.redactor import part_of
from ....modules.sessions.service import TAG
from ....modules.store_request import StoreRequest
from ....modules.views.labels import labels_of, labels_with_newer
from ....modules.views.sessions import title_of
from ....tools.filters import Moment
from ....tools.tool import Tool
from ..views import agent_memory as views

TOOLSET = "agent-memory"
MAX_FOUND = 50
MAX_AROUND = 20
MAX_IDS = 20
LOOKED_AT = 50
"""The number of a memory's neighbours that are searched for observations."""
TITLE_CHARS = 90
IMPORTANCE = 0.5
MANUAL = "manual"
GUIDE = (
    "Three steps, so that only what is wanted costs tokens: search gives ids and titles; timeline gives the titles "
    "around one of them; get_observations reads the few ids that matter whole. Never read everything at once."
)
ObservationType = Literal["decision", "bugfix", "feature", "refactor", "discovery", "change", "pattern", "gotcha"]
Severity = Literal["critical", "warning", "info"]
_EXPRESSION = re.compile(r"[\\^$*+?()\[\]{}]|\.\*")


async def memory_search_guide(agentos: AgentOS, namespace: str) -> views.Guide:
    """Explain how to search memory in three steps."""
    return views.Guide(GUIDE)


async def search(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    project: str | None = None,
    type: ObservationType | None = None,
    limit: int = 20,
    dateStart: Moment = None,
    dateEnd: str | None = None,
) -> views.SearchHits:
    """Find observations: ids and titles. Then timeline, get_observations."""
    inputs.count("limit", limit, 1, MAX_FOUND)
    tags = [TAG, *([type] if type else []), *([await project_tag(agentos, namespace, project)] if project else [])]
    since, until = inputs.span("dateStart", dateStart, "dateEnd", dateEnd)
    where = MemoryFilter(tags=tuple(tags), since=since, until=until)
    result = await agentos.memory.search(namespace, query, where, limit)
    memories = [hit.memory for hit in result.hits]
    return views.hits(result, await labels_of(agentos.lifecycle, namespace, memories))


async def timeline(
    agentos: AgentOS,
    namespace: str,
    *,
    anchor: Annotated[str | None, Field(description="id of an observation")] = None,
    query: str | None = None,
    depth_before: int = 3,
    depth_after: int = 3,
    project: str | None = None,
) -> views.Moments:
    """List titles around an observation, or around the best one for a query."""
    inputs.count("depth_before", depth_before, 0, MAX_AROUND)
    inputs.count("depth_after", depth_after, 0, MAX_AROUND)
    of_project = await project_tag(agentos, namespace, project) if project else None
    if (anchor is None) == (query is None):
        raise InvalidInput("anchor", "is missing, or given with query: give one of the two")
    if anchor is None:
        tags = (TAG, *([of_project] if of_project else []))
        best = await agentos.memory.search(namespace, query or "", MemoryFilter(tags=tags), 1)
        if not best.hits:
            return views.Moments(())
        anchor = best.hits[0].memory.id
    around = await agentos.memory.timeline(namespace, anchor, LOOKED_AT, LOOKED_AT)

    def chosen(memories: Sequence[Memory]) -> list[Memory]:
        return [m for m in memories if TAG in m.tags and (of_project is None or of_project in m.tags)]

    before = chosen(around.before)[-depth_before:] if depth_before else []
    after = chosen(around.after)[:depth_after]
    labels = await labels_with_newer(agentos.lifecycle, namespace, [*before, around.memory, *after])
    return views.moments(before, around.memory, after, labels)


async def get_observations(agentos: AgentOS, namespace: str, *, ids: list[str]) -> views.ObservationRows:
    """Read observations in full."""
    inputs.count("ids", len(ids), 1, MAX_IDS)
    found: list[Memory] = []
    for memory_id in ids:
        try:
            memory, _ = await agentos.memory.get(namespace, memory_id)
        except NotFound:
            continue
        found.append(memory)
    return views.rows(found, await labels_with_newer(agentos.lifecycle, namespace, found))


async def save_memory(
    agentos: AgentOS, namespace: str, *, text: str, title: str | None = None, project: str = MANUAL
) -> views.SavedText:
    """Save a text as an observation."""
    text = await agentos.redactor.text(text)  # before it is cut: half a secret is not recognised
    title_text = inputs.text("title", title).strip() if title is not None else part_of(text, line_of(text))
    own_tag, name = await project_named(agentos, namespace, project)
    metadata: dict[str, Any] = {
        TAG: {"type": "discovery", "title": title_text, "narrative": part_of(text, text[:8_000])},
        "project_name": name,
    }
    if own_tag != name:  # one that there is: only its sessions are told of it
        metadata["project"] = own_tag
    stored = await agentos.memory.store(
        namespace,
        StoreRequest(
            titled(title and title_text, text),
            importance=IMPORTANCE,
            tags=[TAG, "discovery", own_tag],
            metadata=metadata,
            kind="observation",
        ),
    )
    return views.SavedText(True, stored.memory.id, title_of(stored.memory))


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
) -> views.LessonCreated:
    """Save a rule that is shown before the tool it names runs."""
    rule = await agentos.redactor.text(rule)  # before it is cut: half a secret is not recognised
    title_text = inputs.text("title", title).strip() if title is not None else part_of(rule, line_of(rule))
    metadata: dict[str, Any] = {"title": title_text, "severity": severity, "effect": "inform"}
    trigger = trigger_of(trigger_tool, trigger_pattern)
    if trigger:
        metadata["trigger"] = trigger
    tag, name = (None, None) if project is None else await project_named(agentos, namespace, project)
    if tag is not None:
        metadata |= {"project": tag, "project_name": name}
    tags = [lessons.TAG, *([tag] if tag else [])]
    request = StoreRequest(titled(title and title_text, rule), "procedural", IMPORTANCE, tags, metadata, kind="rule")
    stored = await agentos.memory.store(namespace, request)
    return views.LessonCreated(True, stored.memory.id, title_text, severity, name)


async def search_lessons(
    agentos: AgentOS, namespace: str, *, query: str, project: str | None = None, limit: int = 10
) -> views.LessonHits:
    """Find lessons."""
    inputs.count("limit", limit, 1, MAX_FOUND)
    tags = (lessons.TAG, *([await project_tag(agentos, namespace, project)] if project else []))
    found = await agentos.memory.search(namespace, query, MemoryFilter(tags=tags), limit, is_use=False)
    return views.lesson_hits(found)


def titled(title: str | None, text: str) -> str:
    """A text under its title, so that searches find it by either."""
    return f"{title}\n{text}" if title and title not in text else text


async def project_tag(agentos: AgentOS, namespace: str, named: str) -> str:
    """Return the tag of a project. Raises InvalidInput."""
    return (await project_named(agentos, namespace, named))[0]


async def project_named(agentos: AgentOS, namespace: str, named: str) -> tuple[str, str]:
    """Return the tag and the name of a project; an unknown one's name is its tag. Raises InvalidInput."""
    inputs.text("project", named, 200)
    known = [one for one in await agentos.sessions.projects(namespace) if named in (one.id, one.name)]
    if len(known) > 1:
        raise InvalidInput("project", f"names {len(known)} projects; give an id: {', '.join(one.id for one in known)}")
    return (known[0].id, known[0].name) if known else (named.strip(), named.strip())


def trigger_of(tool: str | None, pattern: str | None) -> dict[str, Any]:
    """Return when a lesson is shown, as its metadata keep it; empty for at no tool. Raises InvalidInput."""
    if tool is None and pattern is None:
        return {}
    trigger: dict[str, Any] = {"tool": ["*"] if tool is None else _alternatives("trigger_tool", tool)}
    if pattern is not None:
        if _EXPRESSION.search(pattern):
            raise InvalidInput(
                "trigger_pattern", "is matched literally: give plain texts separated by |, not a regular expression"
            )
        trigger["contains"] = _alternatives("trigger_pattern", pattern)
    return trigger


def _alternatives(field: str, value: str) -> list[str]:
    found = [part.strip() for part in inputs.text(field, value).split("|") if part.strip()]
    if not found:
        raise InvalidInput(field, "names nothing")
    return found


def line_of(text: str) -> str:
    """Return the beginning of a text, as a title of one line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


AGENT_MEMORY_TOOLS = (
    Tool(memory_search_guide, "Search guide", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(search, "Find observations", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(timeline, "Timeline", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(get_observations, "Read observations", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(save_memory, "Save a text", idempotent=True, toolset=TOOLSET),
    Tool(create_lesson, "Save a lesson", idempotent=True, toolset=TOOLSET),
    Tool(search_lessons, "Find lessons", read_only=True, idempotent=True, toolset=TOOLSET),
)
