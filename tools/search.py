"""The search tool."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from ..modules import offload
from ..modules.agentos import AgentOS
from ..modules.context.tokens import cut, estimate
from ..modules.framing import NOTICE, quote
from ..modules.memory.models import GateDecision, Reading, SearchHit, SearchResult
from ..modules.memory.ranking import DECIMALS
from ..modules.suspicion import is_suspicious
from .filters import Tags, Type, filter_of
from .rendering import brief, heading
from .tool import Tool
from .views import MemoryView, fields_of, label

SUMMARY_TOKENS, SESSION_TOKENS, QUOTES = 38, 34, 2
"""A hit without its body costs a model at most 100 tokens."""
SUMMARY_LEAST, SESSION_LEAST = 8, 12
"""What is left of both beside the longest label."""

OLDER = "older, see "
SETTLE = 'If an older one is outdated: memory_feedback(memory_id, "supersede", by=the one to see).'
"""How an agent settles what an answer only marks."""


@dataclass(frozen=True)
class FoundMemory(MemoryView):
    """A hit: `score` orders, `similarity` is the cosine (null where only text matched), `strength` decays.

    `passage` is what matched of a long content, null of a short one. A `suspicious` one looks like an instruction.
    `maybe_outdated_by` is another hit that has probably replaced it, which goes before it.
    """

    score: float
    similarity: float | None
    strength: float
    passage: str | None
    suspicious: bool
    maybe_outdated_by: str | None


@dataclass(frozen=True)
class BriefHit:
    """A hit without its body, which memory_get has; `date` is when it happened.

    `label` says what is to be known of one that is not simply active: contested, superseded by another, suspicious,
    true only from a later day on, older than another one that has probably replaced it, ….
    """

    id: str
    memory_type: str
    date: date
    session: str | None
    score: float
    summary: str
    age: str
    label: str | None


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
    as_of: Annotated[str | None, Field(description="what held then; default now or later")] = None,
    include_superseded: bool = False,
    detail: Literal["full", "compact"] = "full",
    explain: bool = False,
    cursor: str | None = None,
) -> SearchResults:
    """Find memories; use before answering from the past."""
    where = filter_of(
        memory_type,
        tags,
        since,
        until,
        min_importance,
        session,
        as_of=as_of,
        include_superseded=include_superseded,
    )
    found = await agentos.memory.search(namespace, query, where, limit, cursor)
    fields = await fields_of(agentos, namespace, [hit.memory for hit in found.hits])
    shown = _brief_hit if detail == "compact" else _full_hit
    chars = offload.length(hit.memory.content for hit in found.hits)
    results: Any = await offload.read(
        chars, lambda: [shown(hit, known) for hit, known in zip(found.hits, fields, strict=True)]
    )
    explanation = _explanation(found) if explain else None
    return SearchResults(
        results, found.gate.withheld, found.mode.value, list(found.notes), explanation, found.next_cursor
    )


def _explanation(found: SearchResult) -> Explanation:
    parts, misses = ({hit.memory.id: dict(hit.parts) for hit in hits} for hits in (found.hits, found.misses))
    return Explanation(found.reading, parts, misses, found.gate)


def _full_hit(hit: SearchHit, fields: dict[str, Any]) -> FoundMemory:
    return FoundMemory(
        **fields,
        score=hit.score,
        similarity=None if hit.similarity is None else round(hit.similarity, 4),
        strength=round(hit.strength, 4),
        passage=None if hit.passage is None else hit.memory.content[slice(*hit.passage)],
        suspicious=is_suspicious(hit.memory.content),
        maybe_outdated_by=hit.outdated_by,
    )


def _brief_hit(hit: SearchHit, fields: dict[str, Any]) -> BriefHit:
    memory = hit.memory
    known = ", ".join(filter(None, (label(MemoryView(**fields)), _older(hit.outdated_by)))) or None
    taken = estimate(known) if known else 0
    session = None if memory.session is None else _fitting(memory.session, max(SESSION_LEAST, SESSION_TOKENS - taken))
    summary = _fitting(memory.summary, max(SUMMARY_LEAST, SUMMARY_TOKENS - taken))
    when = memory.occurred_at.date()
    return BriefHit(
        memory.id, memory.memory_type.value, when, session, round(hit.score, 4), summary, fields["age"], known
    )


def _older(by: str | None) -> str:
    """What is said of a hit that another one has probably replaced."""
    return "" if by is None else f"{OLDER}{by}"


def _fitting(text: str, max_tokens: int) -> str:
    """As much of the beginning of a text as costs at most so many tokens once it is quoted."""
    short = cut(text, max_tokens)
    while (cost := estimate(quote(short)) - QUOTES) > max_tokens and len(short) > 1:
        short = short[: len(short) * max_tokens // cost - 1] + "…"
    return short


def _found_text(result: SearchResults) -> str:
    lines = [NOTICE, *map(_hit_line, result.results)] if result.results else [_nothing(result.withheld)]
    if result.next_cursor and isinstance(result.results[0], BriefHit):  # who reads on asks for brief hits
        lines.append(f"More: cursor={result.next_cursor}")
    if any(_is_marked(hit) for hit in result.results):
        lines.append(SETTLE)
    lines += [f"Mode {result.mode}: {note}" for note in result.notes]
    if result.explanation is not None:
        reading = dataclasses.asdict(result.explanation.reading)
        lines.append("Read as " + ", ".join(f"{name} {quote(str(value))}" for name, value in reading.items() if value))
        lines += [f"{one}: {_sum(parts)}" for one, parts in result.explanation.parts.items()]
        lines += [f"withheld {one}: {_sum(parts)}" for one, parts in result.explanation.withheld.items()]
        gate = result.explanation.gate
        lines.append(f"Gate: support {gate.support:.3f}, threshold {gate.threshold:g}; log-odds {_sum(gate.parts)}")
    return "\n".join(lines)


def _is_marked(hit: FoundMemory | BriefHit) -> bool:
    """Whether it says of a hit that another one has probably replaced it."""
    return bool(hit.maybe_outdated_by) if isinstance(hit, FoundMemory) else OLDER in (hit.label or "")


def _nothing(withheld: int) -> str:
    if not withheld:
        return "Nothing found."
    misses = "1 nearest miss" if withheld == 1 else f"{withheld} nearest misses"
    return f"Nothing relevant is stored ({misses} withheld; memory_list browses)."


def _sum(parts: Mapping[str, float]) -> str:
    ordered = sorted(parts.items(), key=lambda pair: -abs(pair[1]))
    total = round(sum(parts.values()), DECIMALS)
    return f"{total:.3f} = " + " ".join(f"{part:+.3f} {name}" for name, part in ordered if part)


def _hit_line(hit: FoundMemory | BriefHit) -> str:
    if isinstance(hit, FoundMemory):
        shown = brief(hit.content) if hit.passage is None else f"{quote(hit.passage)} (memory_get has all of it)"
        older = f" ({_older(hit.maybe_outdated_by)})" if hit.maybe_outdated_by else ""
        return f"{heading(hit)}{older}: {shown}"
    session = f", session {quote(hit.session)}" if hit.session else ""
    known = f", {hit.label}" if hit.label else ""
    return f"- {hit.id} {hit.memory_type}, {hit.date:%Y-%m-%d} ({hit.age}){known}{session}: {quote(hit.summary)}"


SEARCH_TOOLS = (Tool(memory_search, "Search memories", _found_text, read_only=True, idempotent=True),)
