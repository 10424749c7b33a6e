"""The memory tools."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.context.tokens import cut, estimate
from ..modules.errors import InvalidInput
from ..modules.framing import NOTICE, quote
from ..modules.memory.models import GateDecision, MemoryFilter, MemoryType, Reading, SearchHit, SearchResult
from ..modules.memory.ranking import DECIMALS
from ..modules.memory.service import MemoryChanges
from .tool import Tool
from .views import MAX_TEXT_CHARS, MemoryView, memory_fields

SUMMARY_TOKENS, SESSION_TOKENS, QUOTES = 40, 36, 2
"""A hit without its body costs a model at most 100 tokens."""

_PLAIN_TAG = re.compile(r"[\w.-]{1,40}")

Type = Literal["episodic", "semantic", "procedural", "working"]
Tags = list[str] | None


@dataclass(frozen=True)
class StoredMemory(MemoryView):
    """The memory as it stands; `duplicate` when the same text was there already and was left as it is.

    `made_lasting` when it was a working memory, which would have expired, and is kept for good now.
    """

    duplicate: bool
    made_lasting: bool


@dataclass(frozen=True)
class FoundMemory(MemoryView):
    """A hit: `score` orders, `similarity` is the cosine (null where only text matched), `strength` decays.

    `passage` is what matched of a long content, null of a short one.
    """

    score: float
    similarity: float | None
    strength: float
    passage: str | None


@dataclass(frozen=True)
class BriefHit:
    """A hit without its body, which memory_get has; `date` is when it happened."""

    id: str
    memory_type: str
    date: date
    session: str | None
    score: float
    summary: str


@dataclass(frozen=True)
class Explanation:
    """What was made of the query, each hit's score as the sum of its `parts`, and of what the `gate` withheld.

    The gate's own parts are the terms of the log-odds of its support.
    """

    reading: Reading
    parts: dict[str, dict[str, float]]
    withheld: dict[str, dict[str, float]]
    gate: GateDecision


@dataclass(frozen=True)
class SearchResults:
    """Hits, best first. `mode` is hybrid, or lexical when no vectors took part (`notes` say why).

    Pass `next_cursor` as `cursor`, with the same query and filters, for those that come after. Without hits `withheld`
    says how many of the nearest memories were kept back, because none is relevant.
    """

    results: list[FoundMemory] | list[BriefHit]
    withheld: int
    mode: str
    notes: list[str]
    explanation: Explanation | None
    next_cursor: str | None


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
    """How many memories are gone for good."""

    deleted: int


async def memory_store(
    agentos: AgentOS,
    namespace: str,
    *,
    content: str,
    memory_type: Type = "episodic",
    importance: Annotated[float, Field(description="0 to 1")] = 0.5,
    tags: Tags = None,
    metadata: dict[str, Any] | None = None,
    source: str | None = None,
    occurred_at: str | None = None,
    session: Annotated[str | None, Field(description="conversation id")] = None,
) -> StoredMemory:
    """Keep one self-contained fact, event or how-to; working expires after a day."""
    stored = await agentos.memory.store(
        namespace, content, memory_type, importance, tags or (), metadata, source or "", occurred_at, session
    )
    return StoredMemory(**memory_fields(stored.memory), duplicate=stored.duplicate, made_lasting=stored.made_lasting)


def _stored_text(result: StoredMemory) -> str:
    if result.made_lasting:
        return f"Known already as {result.id}, a working memory; it is kept for good now ({result.memory_type})."
    if result.duplicate:
        return f"Known already as {result.id}, left unchanged; memory_update changes it."
    return f"Stored {result.id} ({result.memory_type}, importance {result.importance:.2f})."


async def memory_search(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    limit: int = 5,
    memory_type: Type | None = None,
    tags: Tags = None,
    since: str | None = None,
    until: str | None = None,
    min_importance: float = 0.0,
    session: str | None = None,
    detail: Literal["full", "compact"] = "full",
    explain: bool = False,
    cursor: str | None = None,
) -> SearchResults:
    """Find memories; use before answering from the past."""
    where = _filter(memory_type, tags, since, until, min_importance, session)
    found = await agentos.memory.search(namespace, query, where, limit, cursor)
    results = [_brief_hit(hit) for hit in found.hits] if detail == "compact" else [_full_hit(hit) for hit in found.hits]
    explanation = _explanation(found) if explain else None
    return SearchResults(
        results, found.gate.withheld, found.mode.value, list(found.notes), explanation, found.next_cursor
    )


def _explanation(found: SearchResult) -> Explanation:
    parts, misses = ({hit.memory.id: dict(hit.parts) for hit in hits} for hits in (found.hits, found.misses))
    return Explanation(found.reading, parts, misses, found.gate)


def _full_hit(hit: SearchHit) -> FoundMemory:
    return FoundMemory(
        **memory_fields(hit.memory),
        score=hit.score,
        similarity=None if hit.similarity is None else round(hit.similarity, 4),
        strength=round(hit.strength, 4),
        passage=None if hit.passage is None else hit.memory.content[slice(*hit.passage)],
    )


def _brief_hit(hit: SearchHit) -> BriefHit:
    memory = hit.memory
    session = None if memory.session is None else _fitting(memory.session, SESSION_TOKENS)
    summary = _fitting(memory.summary, SUMMARY_TOKENS)
    when = memory.occurred_at.date()
    return BriefHit(memory.id, memory.memory_type.value, when, session, round(hit.score, 4), summary)


def _fitting(text: str, max_tokens: int) -> str:
    """As much of the beginning of a text as costs at most so many tokens once it is quoted."""
    short = cut(text, max_tokens)
    while (cost := estimate(quote(short)) - QUOTES) > max_tokens:
        short = short[: len(short) * max_tokens // cost - 1] + "…"
    return short


def _found_text(result: SearchResults) -> str:
    lines = [NOTICE, *map(_hit_line, result.results)] if result.results else [_nothing(result.withheld)]
    if result.next_cursor and isinstance(result.results[0], BriefHit):  # who reads on asks for brief hits
        lines.append(f"More: cursor={result.next_cursor}")
    lines += [f"Mode {result.mode}: {note}" for note in result.notes]
    if result.explanation is not None:
        reading = dataclasses.asdict(result.explanation.reading)
        lines.append("Read as " + ", ".join(f"{name} {quote(str(value))}" for name, value in reading.items() if value))
        lines += [f"{one}: {_sum(parts)}" for one, parts in result.explanation.parts.items()]
        lines += [f"withheld {one}: {_sum(parts)}" for one, parts in result.explanation.withheld.items()]
        gate = result.explanation.gate
        lines.append(f"Gate: support {gate.support:.3f}, threshold {gate.threshold:g}; log-odds {_sum(gate.parts)}")
    return "\n".join(lines)


def _nothing(withheld: int) -> str:
    if not withheld:
        return "Nothing found."
    misses = "1 nearest miss" if withheld == 1 else f"{withheld} nearest misses"
    return f"Nothing relevant is stored ({misses} withheld; memory_list browses)."


def _sum(parts: Mapping[str, float]) -> str:
    ordered = sorted(parts.items(), key=lambda pair: -abs(pair[1]))
    total = round(sum(parts.values()), DECIMALS)
    return f"{total:.3f} = " + " ".join(f"{part:+.3f} {name}" for name, part in ordered if part)


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
    where = _filter(memory_type, tags, since, until, min_importance, session)
    page = await agentos.memory.page(namespace, where, limit, offset, cursor)
    views = [MemoryView(**memory_fields(memory)) for memory in page.memories]
    return MemoryList(views, page.total, page.next_cursor)


def _listed_text(result: MemoryList) -> str:
    if not result.results:
        return f"No memories here ({result.total} in all)."
    lines = [NOTICE, *map(_line, result.results), f"{len(result.results)} of {result.total}."]
    if result.next_cursor:
        lines[-1] += f" More: cursor={result.next_cursor}"
    return "\n".join(lines)


async def memory_get(agentos: AgentOS, namespace: str, *, memory_id: str) -> MemoryDetails:
    """Read one memory whole, with its history. Does not count as access."""
    memory, history = await agentos.memory.get(namespace, memory_id)
    return MemoryDetails(
        **memory_fields(memory),
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
        f"strength {result.strength:.2f}, happened {result.occurred_at:%Y-%m-%d}{_origin(result)}{_session(result)}",
        quote(result.content),
    ]
    lines += [f"version {v.version}, replaced {v.replaced_at:%Y-%m-%d}: {_brief(v.content)}" for v in result.history]
    return "\n".join(lines)


async def memory_timeline(
    agentos: AgentOS, namespace: str, *, memory_id: str, before: int = 3, after: int = 3
) -> TimelineView:
    """Read what came before and after a memory, in its session or by date."""
    found = await agentos.memory.timeline(namespace, memory_id, before, after)
    moments = [
        Moment(memory.id, memory.memory_type.value, memory.occurred_at, _cut_text(memory.content))
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
    return UpdatedMemory(**memory_fields(memory), updated=True)


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
    return UpdatedMemory(**memory_fields(memory), updated=True)


def _updated_text(result: UpdatedMemory) -> str:
    return f"Updated {result.id} to version {result.version} (importance {result.importance:.2f})."


async def memory_delete(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str | None = None,
    tags: Annotated[Tags, Field(description="delete all that have all of these")] = None,
    before: Annotated[str | None, Field(description="ISO 8601; delete all that happened earlier")] = None,
    memory_type: Type | None = None,
    session: str | None = None,
) -> Deletion:
    """Erase one memory by id, or every memory that the other arguments match. Cannot be undone."""
    if memory_id is None:
        where = _filter(memory_type, tags, None, before, 0.0, session, until_field="before")
        return Deletion(await agentos.memory.delete_where(namespace, where))
    if tags or before or memory_type or session:
        raise InvalidInput("memory_id", "give either memory_id or the other arguments, not both")
    await agentos.memory.delete(namespace, memory_id)
    return Deletion(1)


def _filter(
    memory_type: str | None,
    tags: list[str] | None,
    since: str | None,
    until: str | None,
    min_importance: float,
    session: str | None,
    until_field: str = "until",
) -> MemoryFilter:
    return MemoryFilter(
        memory_type=None if memory_type is None else MemoryType(memory_type),
        tags=inputs.tags("tags", tags or ()),
        since=inputs.moment("since", since),
        until=inputs.moment(until_field, until),
        min_importance=inputs.unit_interval("min_importance", min_importance),
        session=None if session is None else inputs.text("session", session),
    )


def _line(memory: MemoryView) -> str:
    return f"{_heading(memory)}: {_brief(memory.content)}"


def _heading(memory: MemoryView) -> str:
    tags = "".join(f" #{tag if _PLAIN_TAG.fullmatch(tag) else quote(tag)}" for tag in memory.tags)
    when = f"{memory.occurred_at:%Y-%m-%d}{_origin(memory)}"
    return f"- {memory.id} {memory.memory_type}, {when}{tags}"


def _hit_line(hit: FoundMemory | BriefHit) -> str:
    if isinstance(hit, FoundMemory):
        shown = _brief(hit.content) if hit.passage is None else f"{quote(hit.passage)} (memory_get has all of it)"
        return f"{_heading(hit)}: {shown}"
    session = f", session {quote(hit.session)}" if hit.session else ""
    return f"- {hit.id} {hit.memory_type}, {hit.date:%Y-%m-%d}{session}: {quote(hit.summary)}"


def _origin(memory: MemoryView) -> str:
    return f" by {quote(memory.source)}" if memory.source else ""


def _session(memory: MemoryView) -> str:
    return f", session {quote(memory.session)}" if memory.session else ""


def _brief(content: str) -> str:
    whole = len(content) <= MAX_TEXT_CHARS
    return quote(content, MAX_TEXT_CHARS) + ("" if whole else " (cut: memory_get has it whole)")


def _cut_text(content: str) -> str:
    return content if len(content) <= MAX_TEXT_CHARS else content[: MAX_TEXT_CHARS - 1] + "…"


MEMORY_TOOLS = (
    Tool(memory_store, "Store a memory", _stored_text, idempotent=True),
    Tool(memory_search, "Search memories", _found_text, read_only=True, idempotent=True),
    Tool(memory_list, "List memories", _listed_text, read_only=True, idempotent=True),
    Tool(memory_get, "Read a memory", _details_text, read_only=True, idempotent=True),
    Tool(memory_timeline, "Read around a memory", _timeline_text, read_only=True, idempotent=True),
    Tool(memory_update, "Correct a memory", _updated_text),
    Tool(memory_update_importance, "Set a memory's importance", _updated_text, idempotent=True),
    Tool(
        memory_delete,
        "Delete memories",
        lambda result: f"Deleted {result.deleted} memor{'y' if result.deleted == 1 else 'ies'}.",
        destructive=True,
        idempotent=True,
    ),
)
