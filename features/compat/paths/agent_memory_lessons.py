"""The REST routes of agent-memory for lessons: rules that are shown before the tool that they name runs."""

from collections.abc import Mapping
from typing import Any, Literal

from ....modules import inputs
from ....modules.agentos import AgentOS
from ....modules.context import lessons
from ....modules.errors import InvalidInput, NotFound
from ....modules.memory.models import Memory, MemoryFilter, Status
from ....modules.memory.service import MemoryChanges
from ....modules.store_request import StoreRequest
from ..tools.agent_memory import IMPORTANCE, Severity, project_named, titled, trigger_of
from ..views.agent_memory import lesson_hit
from .reply import CompatReply

MAX_LISTED = 100
CANDIDATES = 200
SHOWN = 5


async def create_lesson(
    agentos: AgentOS,
    namespace: str,
    *,
    title: str,
    rule: str,
    severity: Severity = "warning",
    project: str | None = None,
    trigger_tool: str | None = None,
    trigger_pattern: str | None = None,
    source_observation_id: str | None = None,
) -> CompatReply:
    """Keep a lesson, for a project or for all of them."""
    title_text = inputs.text("title", title, 400).strip()
    metadata: dict[str, Any] = {"title": title_text, "severity": severity, "effect": "inform"}
    if trigger := trigger_of(trigger_tool, trigger_pattern):
        metadata["trigger"] = trigger
    tags = [lessons.TAG]
    if project is not None:
        tag, name = await project_named(agentos, namespace, project)
        metadata |= {"project": tag, "project_name": name}
        tags.append(tag)
    if source_observation_id is not None:
        await agentos.memory.get(namespace, source_observation_id)  # Raises NotFound for another's as for none
        metadata["source_observation_id"] = source_observation_id
    request = StoreRequest(titled(title_text, rule), "procedural", IMPORTANCE, tags, metadata, kind="rule")
    return CompatReply(_row((await agentos.memory.store(namespace, request)).memory))


async def list_lessons(
    agentos: AgentOS,
    namespace: str,
    *,
    project: str | None = None,
    severity: Severity | None = None,
    active: bool = True,
    limit: int = 20,
) -> CompatReply:
    """List lessons, the most severe first: those for all projects, and those of one that is named."""
    inputs.count("limit", limit, 1, MAX_LISTED)
    where = MemoryFilter(tags=(lessons.TAG,), statuses=() if active else (Status.ARCHIVED,))
    page = await agentos.memory.page(namespace, where, CANDIDATES)
    found = [
        one
        for one in await _of(agentos, namespace, page.memories, project)
        if severity in (None, lessons.severity_of(one))
    ]
    return CompatReply([_row(one) for one in sorted(found, key=lessons.rank)[:limit]])


async def match_lessons(
    agentos: AgentOS,
    namespace: str,
    *,
    tool_name: str,
    tool_input_preview: str = "",
    project: str | None = None,
) -> CompatReply:
    """Return the lessons for a tool that is about to run, the most severe first; none that looks like an order."""
    inputs.text("tool_name", tool_name, 200)
    page = await agentos.memory.page(namespace, MemoryFilter(tags=(lessons.TAG,)), CANDIDATES)
    concerned = await _of(agentos, namespace, page.memories, project)
    fitting = [one for one in concerned if lessons.applies(one, tool_name, tool_input_preview)]
    ranked = sorted(await agentos.unasked(fitting), key=lessons.rank)[:SHOWN]
    names = ("id", "title", "rule", "severity", "project_name", "trigger_count")
    return CompatReply([{name: _row(one)[name] for name in names} for one in ranked])


async def update_lesson(
    agentos: AgentOS,
    namespace: str,
    *,
    id: str,
    title: str | None = None,
    rule: str | None = None,
    severity: Severity | None = None,
    trigger_tool: str | None = None,
    trigger_pattern: str | None = None,
    active: Literal[True, False] | None = None,
) -> CompatReply:
    """Change a lesson, put it away, or take it up again. Only the given fields change."""
    memory = await _lesson(agentos, namespace, id)
    was = lesson_hit(memory)
    changes = (title, rule, severity, trigger_tool, trigger_pattern)
    if not any(one is not None for one in (*changes, active)):
        raise InvalidInput("title", "nothing to change")
    if any(one is not None for one in changes):
        metadata: dict[str, Any] = {
            **memory.metadata,
            "title": title or was.title,
            "severity": severity or was.severity,
        }
        if (trigger_tool, trigger_pattern) != (None, None):
            metadata["trigger"] = trigger_of(trigger_tool or was.trigger_tool, trigger_pattern or was.trigger_pattern)
        content = titled(metadata["title"], rule or was.rule)
        memory = await agentos.memory.update(namespace, id, MemoryChanges(content, metadata=metadata))
    if active is not None and active == (memory.status is Status.ARCHIVED):
        say = agentos.lifecycle.restore if active else agentos.lifecycle.archive
        memory, _ = await say(namespace, id)
    return CompatReply(_row(memory))


async def note_lesson_shown(agentos: AgentOS, namespace: str, *, id: str) -> CompatReply:
    """Count that a lesson was shown."""
    await _lesson(agentos, namespace, id)
    await agentos.memory.shown(namespace, [id])
    return CompatReply(_row(await _lesson(agentos, namespace, id)))


async def _lesson(agentos: AgentOS, namespace: str, memory_id: str) -> Memory:
    memory, _ = await agentos.memory.get(namespace, memory_id)
    if lessons.TAG not in memory.tags:
        raise NotFound(f"id: there is no lesson {memory_id[:60]!r}; GET /api/lessons lists them")
    return memory


async def _of(agentos: AgentOS, namespace: str, found: tuple[Memory, ...], project: str | None) -> list[Memory]:
    """Return the lessons for all projects, and those of one that is named."""
    own = None if project is None else (await project_named(agentos, namespace, project))[0]
    return [one for one in found if one.metadata.get("project") in (None, own)]


def _row(memory: Memory) -> Mapping[str, Any]:
    lesson = lesson_hit(memory)
    return {
        "id": lesson.id,
        "project_id": memory.metadata.get("project"),
        "project_name": lesson.project,
        "title": lesson.title,
        "rule": lesson.rule,
        "severity": lesson.severity,
        "trigger_tool": lesson.trigger_tool,
        "trigger_pattern": lesson.trigger_pattern,
        "source_observation_id": memory.metadata.get("source_observation_id"),
        "trigger_count": lesson.trigger_count,
        "last_triggered_at": memory.accessed_at if lesson.trigger_count else None,
        "active": memory.status is not Status.ARCHIVED,
        "created_at": memory.created_at,
    }
