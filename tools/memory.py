"""The memory tools."""

import operator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.facts.models import CONTRADICTS, EVIDENCE_OF
from ..modules.framing import NOTICE, quote
from ..modules.memory.models import Change
from ..modules.memory.service import MemoryChanges
from ..modules.store_request import StoreRequest
from ..modules.suspicion import is_suspicious
from .filters import Tags, Type, filter_of
from .rendering import brief, cut_text, in_session, line, origin, when
from .tool import Tool
from .views import MemoryView, fields_of

Mode = Literal["erase", "forget", "archive"]

EXCERPT_CHARS = 120
"""How much is shown of a memory that a new one may replace."""


@dataclass(frozen=True)
class Replaceable:
    """An older memory, by the beginning of its text and when it happened."""

    id: str
    content: str
    occurred: date
    suspicious: Annotated[bool, Field(exclude_if=operator.not_)]


@dataclass(frozen=True)
class StoredMemory(MemoryView):
    """The memory as it stands; `duplicate` when the same text was there already.

    `made_lasting` when it was a working memory, which would have expired, and is kept for good now. `superseded`,
    `contested` and `confirmed` are the ids of those that it replaced, contradicts or says again; memory_revert undoes
    it.
    """

    duplicate: bool
    made_lasting: bool
    superseded: list[str]
    contested: list[str]
    confirmed: list[str]
    may_replace: Annotated[
        list[Replaceable],
        Field(
            exclude_if=operator.not_,
            description="Older ones that it may replace; if so: memory_feedback(memory_id, supersede, by=its id)",
        ),
    ]


@dataclass(frozen=True)
class MemoryList:
    """One page, newest first; pass `next_cursor` as `cursor` for the next."""

    results: list[MemoryView]
    total: int
    next_cursor: str | None


@dataclass(frozen=True)
class Moment:
    """A memory on a timeline; a long `text` is cut, memory_get has it whole."""

    id: str
    memory_type: str
    occurred_at: datetime
    text: str


@dataclass(frozen=True)
class TimelineView:
    """What came before a memory, the memory, and what came after it, in order; `session` is null outside of one."""

    session: str | None
    results: list[Moment]


@dataclass(frozen=True)
class VersionView:
    """An earlier state of a memory."""

    version: int
    content: str
    memory_type: str
    importance: float
    tags: list[str]
    metadata: dict[str, Any]
    replaced_at: datetime


@dataclass(frozen=True)
class MemoryDetails(MemoryView):
    """A memory whole, with its strength now and its earlier versions, newest first."""

    strength: float
    history: list[VersionView]


@dataclass(frozen=True)
class UpdatedMemory(MemoryView):
    """The memory after the change."""

    updated: bool


@dataclass(frozen=True)
class Deletion:
    """How many memories are gone: erased for good, or archived or forgotten, which memory_revert undoes."""

    deleted: int
    mode: str


async def memory_store(
    agentos: AgentOS,
    namespace: str,
    *,
    content: str,
    memory_type: Type = "semantic",
    importance: Annotated[float, Field(description="0 to 1")] = 0.5,
    tags: Tags = None,
    metadata: dict[str, Any] | None = None,
    source: str | None = None,
    occurred_at: str | None = None,
    session: Annotated[str | None, Field(description="conversation id")] = None,
    subject: Annotated[str | None, Field(description="whose; reuse names")] = None,
    attribute: Annotated[str | None, Field(description="with one value at a time")] = None,
    value: Annotated[str | None, Field(description="alone")] = None,
    confidence: float | None = None,
    supersedes: list[str] | None = None,
) -> StoredMemory:
    """Keep one self-contained fact, event or how-to; working expires after a day."""
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
    )
    stored = await agentos.memory.store(namespace, request, ask=True)
    [fields] = await fields_of(agentos, namespace, [stored.memory])
    return StoredMemory(
        **fields,
        duplicate=stored.duplicate,
        made_lasting=stored.made_lasting,
        superseded=_ended(stored.change, stored.memory.id),
        contested=_related(stored.change, CONTRADICTS),
        confirmed=_related(stored.change, EVIDENCE_OF),
        may_replace=[
            Replaceable(
                one.id, cut_text(one.content, EXCERPT_CHARS), one.occurred_at.date(), is_suspicious(one.content)
            )
            for one in stored.may_replace
        ],
    )


def _ended(change: Change | None, memory_id: str) -> list[str]:
    """Those that hold no more since a memory was stored."""
    if change is None:
        return []
    after, before = change.after, change.before
    return [name for name in after if name != memory_id and after[name].valid_to != before[name].valid_to]


def _related(change: Change | None, relation: str) -> list[str]:
    return [] if change is None else [each.to_id for each in change.relations if each.type == relation]


def _stored_text(result: StoredMemory) -> str:
    if result.made_lasting:
        return f"Known already as {result.id}, a working memory; it is kept for good now ({result.memory_type})."
    if result.duplicate and result.superseded:
        return f"Known already as {result.id}; it supersedes {', '.join(result.superseded)}; memory_revert undoes that."
    if result.duplicate:
        return f"Known already as {result.id}, left unchanged; memory_update changes it."
    told = [f"Stored {result.id} ({result.memory_type}, importance {result.importance:.2f})."]
    if result.superseded:
        told.append(f"It supersedes {', '.join(result.superseded)}; memory_revert undoes that.")
    if result.contested:
        told.append(f"It contradicts {', '.join(result.contested)}: a human decides (agentos approvals).")
    if result.confirmed:
        told.append(f"It confirms {', '.join(result.confirmed)}.")
    if result.valid_to is not None:
        told.append(f"It is kept as history: it held until {result.valid_to:%Y-%m-%d}.")
    if is_suspicious(result.content):
        told.append("It reads like an instruction to an agent: searches label it as suspicious.")
    return "\n".join([" ".join(told), *_asked(result)])


def _asked(result: StoredMemory) -> list[str]:
    """What the memory may replace, and how to say that it does."""
    if not result.may_replace:
        return []
    several = len(result.may_replace) > 1
    older = [
        f"- {f'{one.id}, ' if several else ''}{one.occurred}{', suspicious' if one.suspicious else ''}: "
        f"{quote(one.content)}"
        for one in result.may_replace
    ]
    which = "ID" if several else f'"{result.may_replace[0].id}"'
    when_so = "For each of these that it replaces" if several else "If it replaces this"
    how = f'memory_feedback(memory_id={which}, verdict="supersede", by="{result.id}", agent_id="{result.agent_id}")'
    return [f"{NOTICE} {when_so}: {how}", *older]


async def memory_list(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_type: Type | None = None,
    limit: Annotated[int, Field(description="1 to 200")] = 20,
    offset: int = 0,
    cursor: str | None = None,
    tags: Tags = None,
    since: Annotated[str | None, Field(description="ISO 8601")] = None,
    until: str | None = None,
    min_importance: float = 0.0,
    session: str | None = None,
) -> MemoryList:
    """Browse memories, newest first."""
    where = filter_of(memory_type, tags, since, until, min_importance, session)
    page = await agentos.memory.page(namespace, where, limit, offset, cursor)
    views = [MemoryView(**fields) for fields in await fields_of(agentos, namespace, page.memories)]
    return MemoryList(views, page.total, page.next_cursor)


def _listed_text(result: MemoryList) -> str:
    if not result.results:
        return f"No memories here ({result.total} in all)."
    lines = [NOTICE, *map(line, result.results), f"{len(result.results)} of {result.total}."]
    if result.next_cursor:
        lines[-1] += f" More: cursor={result.next_cursor}"
    return "\n".join(lines)


async def memory_get(agentos: AgentOS, namespace: str, *, memory_id: str) -> MemoryDetails:
    """Read one memory whole, with its history. Does not count as access."""
    memory, history = await agentos.memory.get(namespace, memory_id)
    [fields] = await fields_of(agentos, namespace, [memory])
    return MemoryDetails(
        **fields,
        strength=round(agentos.memory.strength(memory, agentos.clock()), 4),
        history=[
            VersionView(
                version.version,
                version.content,
                version.memory_type.value,
                version.importance,
                list(version.tags),
                version.metadata,
                version.replaced_at,
            )
            for version in history
        ],
    )


def _details_text(result: MemoryDetails) -> str:
    lines = [
        NOTICE,
        f"{result.id} {result.memory_type}, version {result.version}, importance {result.importance:.2f}, "
        f"strength {result.strength:.2f}, happened {when(result)}{origin(result)}{in_session(result)}",
        quote(result.content),
    ]
    lines += [f"version {v.version}, replaced {v.replaced_at:%Y-%m-%d}: {brief(v.content)}" for v in result.history]
    return "\n".join(lines)


async def memory_timeline(
    agentos: AgentOS, namespace: str, *, memory_id: str, before: int = 3, after: int = 3
) -> TimelineView:
    """Read what came before and after a memory, in its session or by date."""
    found = await agentos.memory.timeline(namespace, memory_id, before, after)
    moments = [
        Moment(memory.id, memory.memory_type.value, memory.occurred_at, cut_text(memory.content))
        for memory in (*found.before, found.memory, *found.after)
    ]
    return TimelineView(found.memory.session, moments)


def _timeline_text(result: TimelineView) -> str:
    lines = [f"- {m.id} {m.memory_type}, {m.occurred_at:%Y-%m-%d %H:%M}: {quote(m.text)}" for m in result.results]
    return "\n".join([NOTICE, *([f"Session {quote(result.session)}:"] if result.session else []), *lines])


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
    version: Annotated[int | None, Field(description="refuse if no longer this")] = None,
) -> UpdatedMemory:
    """Correct a memory; the old state stays in its history. Only the given fields change."""
    changes = MemoryChanges(content, memory_type, importance, tags, metadata)
    memory = await agentos.memory.update(namespace, memory_id, changes, version)
    [fields] = await fields_of(agentos, namespace, [memory])
    return UpdatedMemory(**fields, updated=True)


async def memory_update_importance(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str,
    importance: Annotated[float, Field(description="0 to 1")],
) -> UpdatedMemory:
    """Set how much a memory is worth keeping."""
    changes = MemoryChanges(importance=importance)
    memory = await agentos.memory.update(namespace, memory_id, changes)
    [fields] = await fields_of(agentos, namespace, [memory])
    return UpdatedMemory(**fields, updated=True)


def _updated_text(result: UpdatedMemory) -> str:
    return f"Updated {result.id} to version {result.version} (importance {result.importance:.2f})."


async def memory_delete(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str | None = None,
    tags: Annotated[Tags, Field(description="all that have all of these")] = None,
    before: Annotated[str | None, Field(description="all that happened earlier")] = None,
    memory_type: Type | None = None,
    session: str | None = None,
    mode: Mode = "erase",
) -> Deletion:
    """Erase one memory, or all that the other arguments match, for good; archive or forget hides one."""
    if mode != "erase" and memory_id is None:
        raise InvalidInput("memory_id", f"is required to {mode}; only erase takes the other arguments")
    if memory_id is None:
        where = filter_of(memory_type, tags, None, before, 0.0, session, until_field="before")
        return Deletion(await agentos.memory.delete_where(namespace, where), mode)
    if tags or before or memory_type or session:
        raise InvalidInput("memory_id", "give either memory_id or the other arguments, not both")
    if mode == "archive":
        await agentos.judgements.archive(namespace, memory_id)
    elif mode == "forget":
        await agentos.judgements.forget(namespace, memory_id)
    else:
        await agentos.memory.delete(namespace, memory_id)
    return Deletion(1, mode)


def _deleted_text(result: Deletion) -> str:
    what = f"{result.deleted} memor{'y' if result.deleted == 1 else 'ies'}"
    return f"Deleted {what}." if result.mode == "erase" else f"Hidden: {what} ({result.mode}); memory_revert undoes it."


MEMORY_TOOLS = (
    Tool(memory_store, "Store a memory", _stored_text, idempotent=True),
    Tool(memory_list, "List memories", _listed_text, read_only=True, idempotent=True),
    Tool(memory_get, "Read a memory", _details_text, read_only=True, idempotent=True),
    Tool(memory_timeline, "Read around a memory", _timeline_text, read_only=True, idempotent=True, toolset="sessions"),
    Tool(memory_update, "Correct a memory", _updated_text),
    Tool(memory_update_importance, "Set a memory's importance", _updated_text, idempotent=True),
    Tool(
        memory_delete,
        "Delete memories",
        _deleted_text,
        destructive=True,
        idempotent=True,
    ),
)
