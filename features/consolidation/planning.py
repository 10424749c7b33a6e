"""Planning of consolidations: which turns are candidates, how they are grouped, and the drafts of their summaries."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...modules import identifiers
from ...modules.language.ports import LanguageError, LanguageModel, LanguageUnavailable
from ...modules.memory.text_vectors import TextVectors
from ...modules.records import dataclass
from ...modules.vectors import Familiar, mean
from . import clustering, extracting, rewriting
from .exchanges import exchanges
from .extracting import CountTokens, SourceSentence
from .models import Plan, SessionTurns, SummaryDraft, SummaryLevel, SummaryMethod, SummarySource

LEAST_TURNS = 4
LEAST_SALIENT = 0.30
UNKNOWN_SALIENCE = 0.5
EPISODE_TOKENS = 2_000
"""Tokens above which a topic is split into several episodes, in order."""
NO_GAIN = 0.8
"""Share of the sources' tokens above which a summary is not worth keeping."""
CANDIDATES_MAX = 3_000


@dataclass(frozen=True)
class Scope:
    """The scope of a consolidation: all but the last `keep` turns, or only the `least_salient` of these.

    With `patient`, an outage of the language model is raised; else rules write what it cannot.
    """

    keep: int
    least_salient: bool = False
    patient: bool = False


@dataclass(frozen=True)
class Loose:
    """Summaries that no summary of the level above covers."""

    episodes: Sequence[SummarySource] = ()
    patterns: Sequence[SummarySource] = ()


class Planner:
    """Drafts summaries; stores nothing. The same turns give the same plan, except for a language model's text."""

    def __init__(self, encoder: TextVectors, tokens: CountTokens, model: LanguageModel | None) -> None:
        self._encoder = encoder
        self._tokens = tokens
        self._model = model

    async def plan(self, state: SessionTurns, loose: Loose, scope: Scope) -> Plan:
        """Plan the consolidation of a session, and of the levels above.

        Raises LanguageUnavailable if `scope` is patient.
        """
        pool, without_vector = candidates(state, scope)
        plan = Plan(state.session, (), len(pool), without_vector=without_vector, session_before=state.tokens)
        if len(state.places) < LEAST_TURNS:
            return _nothing(plan, f"the session has {len(state.places)} turns; consolidation needs {LEAST_TURNS}")
        groups = await self._groups(pool)
        known = [mean(each.vectors) for each in state.episodes if each.vectors]
        drafted = await self._drafts(SummaryLevel.EPISODE, groups, state.session, scope)
        episodes, repeated = await self._fresh(drafted.drafts, known)
        above = await self._above(episodes, loose, scope)
        plan = replace(
            plan,
            drafts=(*(draft for draft, _ in episodes), *above.drafts),
            left_alone=drafted.without_gain,
            repeated=repeated,
            notes=tuple(dict.fromkeys((*drafted.notes, *above.notes))),
        )
        saved = plan.tokens_before - plan.tokens_after
        plan = replace(plan, session_after=plan.session_before - saved)
        if plan.drafts:
            return plan
        return _nothing(plan, _why_nothing(plan))

    async def _groups(self, pool: Sequence[SummarySource]) -> list[list[SummarySource]]:
        """Group the candidates by topic, each with its answer; a long topic gives several groups."""
        told = exchanges(pool)
        vectors = await self._encoded([" ".join(map(extracting.spoken_text, exchange)) for exchange in told])
        topics = await asyncio.to_thread(clustering.topics, vectors)
        return [part for topic in topics for part in _episodes([told[place] for place in topic])]

    async def _drafts(
        self, level: SummaryLevel, groups: Sequence[Sequence[SummarySource]], session: str | None, scope: Scope
    ) -> "_Drafted":
        """Draft a summary for each group that one makes shorter."""
        split = [await asyncio.to_thread(extracting.split, group) for group in groups]
        vectors = iter(await self._encoded([sentence.text for sentences in split for sentence in sentences]))
        drafts: list[SummaryDraft] = []
        notes: list[str] = []
        without_gain = 0
        for group, sentences in zip(groups, split, strict=True):
            own = [next(vectors) for _ in sentences]
            before = sum(source.tokens for source in group)
            if not sentences:
                without_gain += len(group)
                continue
            text, method, note = await self._written(group, sentences, own, before, scope)
            notes += [note] if note else []
            tokens = self._tokens(text)
            if tokens > NO_GAIN * before:
                without_gain += len(group)
                continue
            drafts.append(
                SummaryDraft(
                    identifiers.new_id("mem"),
                    level,
                    method,
                    text,
                    tokens,
                    before,
                    tuple(group),
                    session,
                    max(source.occurred_at for source in group),
                )
            )
        return _Drafted(drafts, notes, without_gain)

    async def _written(
        self,
        group: Sequence[SummarySource],
        sentences: Sequence[SourceSentence],
        vectors: Sequence[bytes],
        before: int,
        scope: Scope,
    ) -> tuple[str, SummaryMethod, str | None]:
        """Return the text, the method, and a note on what is degraded (None: nothing)."""
        limit = extracting.target(before)
        note = None
        if self._model is not None:
            try:
                return await rewriting.rewrite(self._model, group, self._tokens, limit), SummaryMethod.LLM, None
            except LanguageUnavailable as error:
                if scope.patient:
                    raise
                note = f"degraded, summaries by rules: {error}"
            except LanguageError as error:
                note = f"degraded, a summary by rules: {error}"
        text = await asyncio.to_thread(extracting.compose, group, sentences, vectors, self._tokens, limit)
        if self._tokens(text) > NO_GAIN * before:
            limit = extracting.target(before, extracting.LEAST_SHARE)
            text = await asyncio.to_thread(extracting.compose, group, sentences, vectors, self._tokens, limit)
        return text, SummaryMethod.RULES, note

    async def _fresh(
        self, drafts: Sequence[SummaryDraft], known: Sequence[bytes]
    ) -> tuple[list[tuple[SummaryDraft, bytes]], int]:
        """Return the drafts that say something new, with their vectors, and the number of the others."""
        vectors = await self._encoded([draft.text for draft in drafts])
        fresh: list[tuple[SummaryDraft, bytes]] = []
        seen = list(known)
        for draft, vector in zip(drafts, vectors, strict=True):
            familiar = await self._encoder.familiar(draft.text)
            if not await asyncio.to_thread(clustering.repeats, vector, seen, familiar):
                fresh.append((draft, vector))
                seen.append(vector)
        return fresh, len(drafts) - len(fresh)

    async def _above(self, episodes: Sequence[tuple[SummaryDraft, bytes]], loose: Loose, scope: Scope) -> "_Drafted":
        """Draft patterns of episodes that resemble each other, and principles of such patterns."""
        drafts: list[SummaryDraft] = []
        notes: list[str] = []
        below = episodes
        for level, old in ((SummaryLevel.PATTERN, loose.episodes), (SummaryLevel.PRINCIPLE, loose.patterns)):
            sources = [*old, *(_as_source(draft, vector) for draft, vector in below)]
            familiar = await self._encoder.familiar(sources[0].text if sources else "")
            groups = [
                group
                for group in await asyncio.to_thread(_resembling, sources, familiar)
                if len({source.origin for source in group}) > 1
            ]
            drafted = await self._drafts(level, groups, None, scope)
            drafts += drafted.drafts
            notes += drafted.notes
            vectors = await self._encoded([draft.text for draft in drafted.drafts])
            below = list(zip(drafted.drafts, vectors, strict=True))
        return _Drafted(drafts, notes, 0)

    async def _encoded(self, texts: Sequence[str]) -> list[bytes]:
        return await self._encoder.vectors(texts) if texts else []


@dataclass(frozen=True)
class _Drafted:
    drafts: Sequence[SummaryDraft]
    notes: Sequence[str]
    without_gain: int


def candidates(state: SessionTurns, scope: Scope) -> tuple[list[SummarySource], int]:
    """Return the turns that a consolidation looks at, in order, and how many have no vector yet.

    Turns of the working window are left out. If only the least salient are wanted, so are the others and turns whose
    summary was undone.
    """
    begins = sorted(state.places)[-scope.keep] if 0 < scope.keep <= len(state.places) else math.inf
    if scope.keep >= len(state.places) and scope.keep > 0:
        return [], 0
    pool = [source for source in state.uncovered if source.place < begins]
    if scope.least_salient:
        pool = _least_salient([source for source in pool if not source.refused])
    ready = [source for source in pool if source.vectors]
    return ready[:CANDIDATES_MAX], len(pool) - len(ready)


def _least_salient(pool: Sequence[SummarySource]) -> list[SummarySource]:
    """Return the exchanges of the least salient share, in order of place; of equal ones the older."""
    room = math.ceil(LEAST_SALIENT * len(pool))
    taken: list[SummarySource] = []
    for exchange in sorted(exchanges(pool), key=lambda one: (_salience(one), one[0].place)):
        if len(taken) + len(exchange) <= room:
            taken += exchange
    return sorted(taken, key=lambda one: one.place)


def _salience(exchange: Sequence[SummarySource]) -> float:
    return sum(UNKNOWN_SALIENCE if one.salience is None else one.salience for one in exchange) / len(exchange)


def _episodes(topic: Sequence[tuple[SummarySource, ...]]) -> Iterator[list[SummarySource]]:
    """Split a topic's exchanges into about equal parts of at most EPISODE_TOKENS, each of several if there are."""
    tokens = sum(source.tokens for exchange in topic for source in exchange)
    parts = min(math.ceil(tokens / EPISODE_TOKENS), max(1, len(topic) // 2))
    for number in range(parts):
        part = topic[number * len(topic) // parts : (number + 1) * len(topic) // parts]
        yield [source for exchange in part for source in exchange]


def _resembling(sources: Sequence[SummarySource], familiar: Familiar) -> list[list[SummarySource]]:
    embedded = [source for source in sources if source.vectors]
    groups = clustering.dense([mean(source.vectors) for source in embedded], familiar)
    return [[embedded[place] for place in group] for group in groups]


def _as_source(draft: SummaryDraft, vector: bytes) -> SummarySource:
    """Return a draft as a source of the level above; all of one plan have one origin."""
    return SummarySource(draft.id, 1, 0, "", draft.text, draft.tokens, None, draft.occurred_at, (vector,), "")


def _nothing(plan: Plan, reason: str) -> Plan:
    return replace(plan, reason=reason, session_after=plan.session_before)


def _why_nothing(plan: Plan) -> str:
    if plan.without_vector:
        return f"{plan.without_vector} turns have no vector yet; try again in a moment"
    if not plan.candidates:
        return "there are no unconsolidated turns older than the working window"
    return "the remaining turns would not get shorter"
