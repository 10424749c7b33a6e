"""The memory tools."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.memory.service import MemoryChanges
from ..modules.memory.vouching import AGAIN
from ..modules.principals.acting import asker
from ..modules.sessions.models import Project
from ..modules.store_request import StoreRequest
from ..modules.views import memories as views
from ..modules.views import stored as stored_views
from ..modules.views.labels import labels_of, labels_with_newer
from .filters import Tags, Type, filter_of
from .tool import Tool

MAX_DECISIONS = 5
PLACE = ("project", "project_name")
"""The fields of metadata that say where a memory belongs."""

Mode = Literal["erase", "forget", "archive"]
Version = Annotated[int | None, Field(description="refuse if no longer this")]


async def memory_store(
    agentos: AgentOS,
    namespace: str,
    here: Project | None = None,
    *,
    content: str,
    memory_type: Type = "semantic",
    importance: float | None = None,
    tags: Annotated[Tags, Field(description="rule: before metadata.trigger.tool")] = None,
    metadata: dict[str, Any] | None = None,
    source: str | None = None,
    occurred_at: str | None = None,
    session: str | None = None,
    subject: Annotated[str | None, Field(description="whose; reuse names")] = None,
    attribute: Annotated[str | None, Field(description="single-valued")] = None,
    value: str | None = None,
    confidence: float | None = None,
    supersedes: list[str] | None = None,
    project: Annotated[str | None, Field(description="or everywhere")] = None,
    valid_until: str | None = None,
) -> stored_views.StoredMemory:
    """Store one self-contained fact, event or how-to."""
    request = StoreRequest(
        content,
        memory_type,
        importance,
        tags or (),
        metadata,
        source or "",
        occurred_at,
        session,
        subject,
        attribute,
        value,
        confidence,
        supersedes or (),
        valid_until=valid_until,
    )
    request = await placed(agentos, namespace, request, project, here)
    stored = await agentos.memory.store(namespace, request, ask=True, asker=(namespace, *asker()))
    labels = await labels_of(agentos.lifecycle, namespace, [stored.memory, *stored.may_replace])
    everywhere = request.place is not None and not stored.duplicate and "project" not in stored.memory.metadata
    return stored_views.stored(stored, labels, everywhere=everywhere)


async def placed(
    agentos: AgentOS, namespace: str, request: StoreRequest, project: str | None, here: Project | None
) -> StoreRequest:
    """Return a request for the project that is named, in its metadata too, else for the one `here`."""
    metadata = None if request.metadata is None else await agentos.sessions.resolved(namespace, request.metadata)
    own = await agentos.sessions.belonging(namespace, project, here)
    if project is not None:
        metadata = {name: value for name, value in (metadata or {}).items() if name not in PLACE}
        return replace(request, metadata=metadata | ({} if own is None else own.fields))
    is_left_open = own is not None and "project" not in (request.metadata or {})
    return replace(request, metadata=metadata, place=own.fields if own is not None and is_left_open else None)


async def memory_list(
    agentos: AgentOS,
    namespace: str,
    here: Project | None = None,
    *,
    memory_type: Type | None = None,
    limit: int = 20,
    offset: int = 0,
    cursor: str | None = None,
    tags: Tags = None,
    since: Annotated[str | None, Field(description="ISO date")] = None,
    until: str | None = None,
    min_importance: float = 0.0,
    session: str | None = None,
    project: str | None = None,
    detail: Literal["lean", "full"] = "lean",
) -> views.MemoryList:
    """List memories, newest first."""
    reach = await agentos.projects.reach(namespace, project, here)
    where = filter_of(memory_type, tags, since, until, min_importance, session, reach=reach)
    page = await agentos.memory.page(namespace, where, limit, offset, cursor)
    labels = await labels_with_newer(agentos.lifecycle, namespace, page.memories)
    elsewhere = await agentos.projects.beside(namespace, where)
    return views.listed(page, labels, full=detail == "full", elsewhere=elsewhere)


async def memory_get(agentos: AgentOS, namespace: str, *, memory_id: str) -> views.Details:
    """Read one memory in full, with its history. Does not count as access."""
    memory, history = await agentos.memory.get(namespace, memory_id)
    strength = agentos.memory.strength(memory, agentos.clock())
    relations = await agentos.memory.lineage(memory)
    changes = (await agentos.lifecycle.changes(namespace, memory_id))[:MAX_DECISIONS]
    labels = await labels_with_newer(agentos.lifecycle, namespace, [memory])
    trust = (await agentos.trust.of([memory]))[memory.id]
    return views.details(memory, history, strength, labels, relations, changes, trust)


async def memory_timeline(
    agentos: AgentOS, namespace: str, *, memory_id: str, before: int = 3, after: int = 3
) -> views.TimelineView:
    """Read what came before and after a memory, in its session or by date."""
    found = await agentos.memory.timeline(namespace, memory_id, before, after)
    return views.timeline(
        found,
        await labels_with_newer(agentos.lifecycle, namespace, (*found.before, found.memory, *found.after)),
    )


async def memory_update(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str,
    content: str | None = None,
    memory_type: Type | None = None,
    importance: Annotated[float | None, Field(description="0 to 1")] = None,
    tags: Tags = None,
    metadata: dict[str, Any] | None = None,
    version: Version = None,
) -> views.Changed:
    """Correct a memory; the old state stays in its history. Only the given fields change."""
    kept = None if metadata is None else await agentos.sessions.resolved(namespace, metadata)
    if kept is not None and "project" not in (metadata or {}):  # it stays in its project unless that is said
        before, _ = await agentos.memory.get(namespace, memory_id)
        kept = {name: before.metadata[name] for name in PLACE if name in before.metadata} | kept
    changes = MemoryChanges(content, memory_type, importance, tags, kept)
    memory = await agentos.memory.update(namespace, memory_id, changes, version)
    return views.changed(memory, is_unvouched=await agentos.approvals.asks_about(namespace, AGAIN, memory.id))


async def memory_update_importance(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str,
    importance: Annotated[float, Field(description="0 to 1")],
) -> views.Changed:
    """Set how important a memory is."""
    return views.changed(await agentos.memory.update(namespace, memory_id, MemoryChanges(importance=importance)))


async def memory_delete(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str | None = None,
    tags: Annotated[Tags, Field(description="all of these")] = None,
    before: Annotated[str | None, Field(description="all earlier (UTC)")] = None,
    memory_type: Type | None = None,
    session: str | None = None,
    mode: Mode = "erase",
) -> views.Deletion:
    """Erase one memory, or all that match, for good; archive or forget hides one."""
    if tags is not None and not tags:
        raise InvalidInput("tags", "is empty; give it or leave it out")
    if mode != "erase" and memory_id is None:
        raise InvalidInput("memory_id", f"is required to {mode}; the other arguments work only with erase")
    if memory_id is None:
        where = filter_of(memory_type, tags, None, None, 0.0, session, before=before)
        return views.Deletion(await agentos.memory.delete_where(namespace, where), mode)
    if (tags, before, memory_type, session) != (None, None, None, None):
        raise InvalidInput("memory_id", "give either memory_id or the other arguments, not both")
    return await memory_delete_one(agentos, namespace, memory_id=memory_id, mode=mode)


async def memory_delete_one(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str,
    mode: Mode = "erase",
    version: Version = None,
) -> views.Deletion:
    """Erase a memory for good; archive or forget hides it."""
    if mode == "archive":
        await agentos.lifecycle.archive(namespace, memory_id, version=version)
    elif mode == "forget":
        await agentos.lifecycle.forget(namespace, memory_id, version=version)
    else:
        await agentos.memory.delete(namespace, memory_id, version=version)
    return views.Deletion(1, mode)


MEMORY_TOOLS = (
    Tool(memory_store, "Store a memory", idempotent=True, stores=True, is_placed=True),
    Tool(memory_list, "List memories", read_only=True, idempotent=True, is_placed=True, may_lag=True),
    Tool(memory_get, "Read a memory", read_only=True, idempotent=True),
    Tool(memory_timeline, "Read around a memory", read_only=True, idempotent=True, toolset="sessions"),
    Tool(memory_update, "Correct a memory", edits=True),
    Tool(memory_update_importance, "Set a memory's importance", idempotent=True),
    Tool(memory_delete, "Delete memories", destructive=True, idempotent=True),
)
DELETE_ONE = Tool(memory_delete_one, "Delete a memory", destructive=True, idempotent=True, part_of="memory_delete")
"""What programs use, which have read a version: the list of tools, which models read, is shorter without it."""
