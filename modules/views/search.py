"""Search results as views: lean hits, brief ones without their bodies, or whole records with their scores."""

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from datetime import date

from ..context.tokens import cut, estimate
from ..framing import NOTICE, quote
from ..memory.excerpts import marked
from ..memory.models import GateDecision, Reading, SearchHit, SearchResult
from ..memory.outdated import alone
from ..memory.ranking import DECIMALS
from ..records import dataclass
from ..trust.models import Trust
from .labels import NEWER, OUTDATED, Labels
from .memories import MemoryResult, Record, memory_result, record_fields
from .texts import CUT, Excerpted

SUMMARY_TOKENS, SESSION_TOKENS, QUOTES = 34, 28, 2
"""Tokens of a brief hit's summary and session, and of their quotes: such a hit costs a model at most 100 tokens."""
SUMMARY_LEAST, SESSION_LEAST = 8, 12
"""The least tokens of summary and session, which are left beside the longest label."""

SETTLE = 'If one is outdated: memory_feedback(memory_id, "supersede", by=the one to see); "confirm" if both hold.'
"""The hint that tells an agent how to settle what an answer only marks."""
NOTHING = "Nothing relevant is stored; memory_list browses."
DOUBTED = "Nothing clearly answers; `nearest` may have nothing to do with it."


@dataclass(frozen=True)
class BriefHit:
    """A hit without its body, which memory_get has; `date` is when it happened, `label` what to know of it."""

    id: str
    summary: str
    date: date
    session: str | None = None
    label: str = ""

    def line(self) -> str:
        """Return the hit as one line."""
        label = f", {self.label}" if self.label else ""
        session = f", session {quote(self.session)}" if self.session else ""
        return f"- {self.id} {self.date}{label}{session}: {quote(self.summary)}"


@dataclass(frozen=True, kw_only=True)
class FullHit(Record):
    """A hit whole: `score` orders, `similarity` is the cosine (none where only text matched), `strength` decays.

    `passage` is what matched of a long content. `maybe_outdated_by` is another hit that has probably replaced it.
    `support` is how likely it answers, where that was judged.
    """

    score: float
    strength: float
    similarity: float | None = None
    passage: str | None = None
    maybe_outdated_by: str | None = None
    support: float | None = None


Hits = tuple[MemoryResult, ...] | tuple[BriefHit, ...] | tuple[FullHit, ...]


@dataclass(frozen=True)
class Explanation:
    """The reading of the query, and each score as the sum of its `parts`, also of hits that were `withheld`.

    `support` is how likely each answers, where that was judged; the gate's own parts are the terms of the log-odds of
    its support. `trust` is how far each hit is trusted.
    """

    reading: Reading
    parts: dict[str, dict[str, float]]
    withheld: dict[str, dict[str, float]]
    gate: GateDecision
    support: dict[str, float] = field(default_factory=dict)
    trust: dict[str, float] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Return the explanation as lines."""
        reading = dataclasses.asdict(self.reading)
        lines = ["Read as " + ", ".join(f"{name} {quote(str(value))}" for name, value in reading.items() if value)]
        lines += [f"{one}: {_sum(parts)}{self._likely(one)}" for one, parts in self.parts.items()]
        lines += [f"withheld {one}: {_sum(parts)}{self._likely(one)}" for one, parts in self.withheld.items()]
        gate = self.gate
        return [*lines, f"Gate: support {gate.support:.3f}, threshold {gate.threshold:g}; log-odds {_sum(gate.parts)}"]

    def _likely(self, memory_id: str) -> str:
        likely = f"; answers {self.support[memory_id]:.3f}" if memory_id in self.support else ""
        return likely + (f"; trust {self.trust[memory_id]:.2f}" if memory_id in self.trust else "")


@dataclass(frozen=True)
class SearchResults:
    """Hits, best first. `mode` is lexical when no vectors took part (`notes` say why), else hybrid.

    Pass `next_cursor` as `cursor`, with the same query and filters, for those that come after. Without hits `withheld`
    says how many of the nearest memories were kept back, because none is relevant; where that is in doubt the first of
    them is in `nearest`, in brief: it is no answer. `elsewhere` says what would be found in other projects.
    """

    results: Hits
    withheld: int
    notes: tuple[str, ...]
    notice: str = ""
    hints: tuple[str, ...] = ()
    mode: str = "hybrid"
    explanation: Explanation | None = None
    next_cursor: str | None = None
    nearest: tuple[BriefHit, ...] = ()
    elsewhere: str = ""

    def as_text(self) -> str:
        """Return the hits as lines."""
        lines = [self.notice] if self.notice else []
        lines += [hit.line() for hit in self.results]
        lines += self.hints if self.results or self.withheld else ("Nothing found.",)
        lines += [hit.line() for hit in self.nearest]
        lines += [f"Mode {self.mode}: {note}" for note in self.notes]
        lines += [] if self.explanation is None else self.explanation.lines()
        lines += [f"More: cursor={self.next_cursor}"] if self.next_cursor else []
        lines += [self.elsewhere] if self.elsewhere else []
        return "\n".join(lines)


def found(
    result: SearchResult, labels: Labels, detail: str, *, explain: bool, trusts: Mapping[str, Trust] | None = None
) -> SearchResults:
    """Return the view of what a search found, `lean`, `compact` or `full`; `explain` shows the `trusts` too."""
    result = dataclasses.replace(result, hits=tuple(alone(result.hits)))
    hits, nearest = _shown(result, labels, detail), tuple(_brief(hit, labels) for hit in result.doubted)
    nothing = (DOUBTED if nearest else NOTHING,) * bool(result.gate.withheld)
    return SearchResults(
        hits,
        result.gate.withheld,
        tuple(result.notes),
        NOTICE if hits or nearest else "",
        _hints(hits) if hits else nothing,
        result.mode.value,
        _explanation(result, trusts or {}) if explain else None,
        result.next_cursor,
        nearest,
    )


def _shown(result: SearchResult, labels: Labels, detail: str) -> Hits:
    if detail == "compact":
        return tuple(_brief(hit, labels) for hit in result.hits)
    if detail == "full":
        return tuple(_full(hit, labels) for hit in result.hits)
    return tuple(_lean(hit, labels) for hit in result.hits)


def _hints(hits: Hits) -> tuple[str, ...]:
    hints = [SETTLE] if any(OUTDATED in hit.label or NEWER in hit.label for hit in hits) else []
    return tuple([*hints, CUT] if any(isinstance(hit, MemoryResult) and hit.is_cut for hit in hits) else hints)


def _lean(hit: SearchHit, labels: Labels) -> MemoryResult:
    return dataclasses.replace(memory_result(hit.memory, labels, _passage(hit)), label=labels.of_hit(hit))


def _brief(hit: SearchHit, labels: Labels) -> BriefHit:
    memory = hit.memory
    label = labels.in_brief(hit)
    taken = estimate(label)
    session = None if memory.session is None else _fitting(memory.session, max(SESSION_LEAST, SESSION_TOKENS - taken))
    summary = _fitting(memory.summary, max(SUMMARY_LEAST, SUMMARY_TOKENS - taken))
    return BriefHit(memory.id, summary, memory.occurred_at.date(), session, label)


def _full(hit: SearchHit, labels: Labels) -> FullHit:
    return FullHit(
        **{**record_fields(hit.memory, labels), "label": labels.of_hit(hit)},
        score=hit.score,
        strength=round(hit.strength, 4),
        similarity=None if hit.similarity is None else round(hit.similarity, 4),
        passage=None if hit.passage is None else hit.memory.content[slice(*hit.passage)],
        maybe_outdated_by=hit.memory.outdated_by,
        support=_support(hit),
    )


def _passage(hit: SearchHit) -> str | None:
    """Return what matched of a long memory, marked where it goes on; None where all of it is shown."""
    if hit.stretch is None:
        return None if hit.passage is None else marked(hit.memory.content, *hit.passage)
    content = hit.memory.content
    return Excerpted(marked(content, *(hit.passage or (0, len(content)))), marked(content, *hit.stretch))


def _fitting(text: str, max_tokens: int) -> str:
    """Return as much of the beginning of a text as costs at most `max_tokens` once it is quoted."""
    short = cut(text, max_tokens)
    while (cost := estimate(quote(short)) - QUOTES) > max_tokens and len(short) > 1:
        short = short[: len(short) * max_tokens // cost - 1] + "…"
    return short


def _explanation(result: SearchResult, trusts: Mapping[str, Trust]) -> Explanation:
    parts, misses = ({hit.memory.id: dict(hit.parts) for hit in hits} for hits in (result.hits, result.misses))
    likely = {hit.memory.id: likely for hit in (*result.hits, *result.misses) if (likely := _support(hit)) is not None}
    trust = {name: round(one.score, 4) for name, one in trusts.items()}
    return Explanation(result.reading, parts, misses, result.gate, likely, trust)


def _support(hit: SearchHit) -> float | None:
    return None if hit.support is None else round(hit.support, 4)


def _sum(parts: Mapping[str, float]) -> str:
    ordered = sorted(parts.items(), key=lambda pair: -abs(pair[1]))
    total = round(sum(parts.values()), DECIMALS)
    return f"{total:.3f} = " + " ".join(f"{part:+.3f} {name}" for name, part in ordered if part)
