"""The REST routes of agent-memory for work that was done: the queue of tool runs, sessions, observations."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import Field

from ....modules import inputs
from ....modules.agentos import AgentOS
from ....modules.errors import Conflict, NotFound
from ....modules.identifiers import new_id
from ....modules.memory.models import Memory, MemoryFilter, SearchMode
from ....modules.sessions import tool_calls
from ....modules.sessions.models import EventType, NewEvent, Session
from ....modules.sessions.service import MAX_TEXT_CHARS, TAG
from ....modules.sessions.titles import MAX_TITLE_CHARS
from ....modules.store_request import StoreRequest
from ....modules.views.sessions import narrative_of, observed, project_of, several, title_of
from ..tools.agent_memory import IMPORTANCE, ObservationType, project_tag, titled
from ..views.agent_memory import kind_of
from .reply import CompatReply

CLIENT = "agent-memory"
"""The client of the sessions that come in here."""
MAX_LISTED = 100
MAX_TYPES = 8
UNKNOWN_FOLDER = "unknown"
Status = Literal["active", "completed", "failed"]


async def queue_tool_run(
    agentos: AgentOS,
    namespace: str,
    *,
    session_id: str,
    tool_name: str | None = None,
    tool_input: dict[str, Any] | None = None,
    tool_response_preview: str | None = None,
    cwd: str | None = None,
    last_user_message: str | None = None,
    ingest_id: Annotated[str | None, Field(description="the same id is the same run")] = None,
) -> CompatReply:
    """Record the run of a tool; observations are made of it in the background."""
    if tool_name is not None and tool_calls.is_noisy(inputs.text("tool_name", tool_name, 200)):
        return CompatReply({"status": "skipped"})
    session, _ = await agentos.sessions.open(namespace, CLIENT, session_id, cwd or UNKNOWN_FOLDER)
    events = []
    if last_user_message:
        message = (await agentos.redactor.text(last_user_message))[:MAX_TEXT_CHARS]
        key = sha256(f"{session_id}\x00{message}".encode("utf-8", "replace")).hexdigest()
        events.append(NewEvent(EventType.TURN, key, "user", message))
    if tool_name is not None:
        given = await agentos.redactor.json(inputs.metadata("tool_input", tool_input or {}))
        response = await agentos.redactor.text(tool_response_preview or "")
        call = tool_calls.read(tool_name, given, response, "", session.project.location)
        key = inputs.text("ingest_id", ingest_id, 128) if ingest_id is not None else new_id("evt")
        events.append(NewEvent(EventType.TOOL_CALL, key, structured=tool_calls.as_json(call)))
    await agentos.sessions.record(session, *events)
    return CompatReply({"status": "queued"})


async def create_session(
    agentos: AgentOS,
    namespace: str,
    *,
    session_id: str,
    project: str,
    project_path: str | None = None,
    agent_type: str = "claude-code",
) -> CompatReply:
    """Begin a session on a project. Raises Conflict where there is one of that name."""
    inputs.text("agent_type", agent_type, 100)
    named = await agentos.redactor.text(session_id)
    session, is_new = await agentos.sessions.open(namespace, CLIENT, named, project_path or project)
    if not is_new:
        raise Conflict("session_id: this session already exists; continue it, or change it with PATCH")
    return CompatReply(_session(session))


async def list_sessions(
    agentos: AgentOS, namespace: str, *, project: str | None = None, status: Status | None = None, limit: int = 20
) -> CompatReply:
    """List sessions, the last active first."""
    inputs.count("limit", limit, 1, MAX_LISTED)
    of = None if project is None else await project_tag(agentos, namespace, project)
    found = await agentos.sessions.page(namespace, of, status, limit, CLIENT)
    return CompatReply([_session(one) for one in found])


async def update_session(
    agentos: AgentOS, namespace: str, *, session_id: str, status: Status | None = None, summary: str | None = None
) -> CompatReply:
    """End a session, resume it, or say in a line what it was about."""
    session = await agentos.sessions.named(namespace, CLIENT, session_id)
    title = None if summary is None else (await agentos.redactor.text(summary))[:MAX_TITLE_CHARS]
    await agentos.sessions.update(namespace, session.id, status, title)
    return CompatReply({"status": "updated"})


async def create_observation(
    agentos: AgentOS,
    namespace: str,
    *,
    session_id: str,
    project: str,
    title: str,
    subtitle: str | None = None,
    type: ObservationType = "discovery",
    narrative: str | None = None,
    facts: list[str] | None = None,
    concepts: list[str] | None = None,
    files_read: list[str] | None = None,
    files_modified: list[str] | None = None,
    tool_name: str | None = None,
    prompt_number: int | None = None,
) -> CompatReply:
    """Keep an observation of a session."""
    session, _ = await agentos.sessions.open(namespace, CLIENT, await agentos.redactor.text(session_id), project)
    details: dict[str, Any] = {
        "type": type,
        "title": inputs.text("title", title, 400),
        "subtitle": subtitle,
        "narrative": narrative,
        "facts": facts,
        "concepts": concepts,
        "files_read": files_read,
        "files_modified": files_modified,
        "tool": tool_name,
        "prompt_number": prompt_number,
    }
    metadata = {
        TAG: {name: value for name, value in details.items() if value not in (None, [], "")},
        "project": session.project.id,
        "project_name": session.project.name,
    }
    text = "\n".join(filter(None, [subtitle, narrative, *(f"- {fact}" for fact in facts or ())]))
    request = StoreRequest(
        titled(title, text) if text else title,
        "episodic",
        IMPORTANCE,
        (TAG, type, session.project.id),
        inputs.metadata("facts", metadata),
        CLIENT,
        session=session.id,
        kind="observation",
    )
    return CompatReply(_row((await agentos.memory.store(namespace, request)).memory))


async def list_observations(
    agentos: AgentOS,
    namespace: str,
    *,
    project: str | None = None,
    type: ObservationType | None = None,
    limit: int = 20,
    offset: int = 0,
) -> CompatReply:
    """List observations, the newest first."""
    inputs.count("limit", limit, 1, MAX_LISTED)
    where = MemoryFilter(tags=await _tags(agentos, namespace, project, type))
    return CompatReply([_row(one) for one in (await agentos.memory.page(namespace, where, limit, offset)).memories])


async def get_observation(agentos: AgentOS, namespace: str, *, id: str) -> CompatReply:
    """Read an observation whole. Raises NotFound, also for a memory that is none."""
    memory, _ = await agentos.memory.get(namespace, id)
    if TAG not in memory.tags:
        raise NotFound(f"id: there is no observation {id[:60]!r}")
    return CompatReply(_row(memory))


async def search_observations(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    project: str | None = None,
    cross_project: bool = False,
    type: list[ObservationType] | None = None,
    limit: int = 10,
    mode: Literal["vector", "fts", "hybrid"] = "hybrid",
) -> CompatReply:
    """Find observations by meaning and words, whatever mode is asked for; `mode` tells what answered."""
    inputs.count("limit", limit, 1, MAX_LISTED)
    inputs.count("type", len(type or ()), 0, MAX_TYPES)
    of = None if cross_project else project
    where = MemoryFilter(tags=await _tags(agentos, namespace, of, None))
    kinds: list[tuple[str, ...]] = [(one,) for one in dict.fromkeys(type or ())] or [()]
    found = [
        await agentos.memory.search(namespace, query, replace(where, tags=(*where.tags, *kind)), limit)
        for kind in kinds
    ]
    hits = sorted((hit for one in found for hit in one.hits), key=lambda hit: -hit.score)[:limit]
    rows = [{**_row(hit.memory), "score": round(hit.score, 4)} for hit in hits]
    answered_by = "hybrid" if all(one.mode is SearchMode.HYBRID for one in found) else "fts"
    return CompatReply({"observations": rows, "query": query, "mode": answered_by, "total": len(rows)})


async def _tags(agentos: AgentOS, namespace: str, project: str | None, type: str | None) -> tuple[str, ...]:
    of = [] if project is None else [await project_tag(agentos, namespace, project)]
    return (TAG, *([type] if type else []), *of)


def _row(memory: Memory) -> Mapping[str, Any]:
    details = observed(memory)
    return {
        "id": memory.id,
        "session_id": memory.session,
        "project_id": memory.metadata.get("project"),
        "project_name": project_of(memory),
        "title": title_of(memory),
        "subtitle": details.get("subtitle"),
        "type": kind_of(memory),
        "narrative": narrative_of(memory),
        **{name: several(memory, name) for name in ("facts", "concepts", "files_read", "files_modified")},
        "tool_name": details.get("tool"),
        "prompt_number": details.get("prompt_number"),
        "created_at": memory.occurred_at,
        "score": None,
    }


def _session(session: Session) -> Mapping[str, Any]:
    return {
        "id": session.id,
        "session_id": session.key,
        "project_id": session.project.id,
        "project_name": session.project.name,
        "agent_type": session.client,
        "status": session.state.value,
        "started_at": session.started_at,
        "completed_at": session.ended_at,
        "summary": session.title or None,
    }
