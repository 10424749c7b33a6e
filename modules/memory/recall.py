"""Recall: from a query to the memories that answer it best.

Channels name candidates, each candidate is read with what stands around it, features say what is known of it, and a
profile of `ranking` makes that one score. Data flows one way: query → candidates → evidence → features → order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from .. import offload
from ..clock import Clock
from ..text.scripts import is_foreign, same_form
from ..tracing import span
from . import formulas, gate, outdated, ranking, support
from .by_importance import more_important_first
from .by_trust import more_trusted_first
from .decomposition import ORDINARY_CHARACTERS, fused, sub_queries
from .embedding import MemoryEmbedding, QueryVector
from .excerpts import best_excerpt, excerpt
from .features import Evidence
from .gate import GateSettings
from .models import (
    Candidate,
    Consistency,
    GateDecision,
    Memory,
    MemoryFilter,
    Reading,
    SearchHit,
    SearchMode,
    SearchResult,
    Status,
    Turn,
    Vector,
)
from .ports import EarnedTrust, MemorySurroundings, PairJudge, Searching
from .query import LONGEST_QUESTION, Query, read_without_dates
from .ranking import Profile, Ranked, ScoringSettings
from .reranking import Reranking, RerankingSettings
from .slot_channel import SlotChannel, StatedSlot, name_of
from .support import SupportModel
from .word_channel import KnownWords, WordChannel
from .words import first_name, token

CANDIDATES_A_CHANNEL = 100
OF_A_SLOT = 20
SLOTS_LATE = "what is stated of whom you ask was not compared by meaning: its names are being embedded"
BY_MEANING = 0.85
"""The score of what states a slot that is surely asked for: as much as of one that a query names."""
READ_AT_ONCE = 300
"""The longest query, in characters, that is read within a millisecond."""
COMPARED_BY_TOKENS = 384
"""The most passages whose single tokens are compared: about 3 ms for notes, 10 ms for long turns."""
COMPARED = 3
"""How many times `limit` candidates are compared with those above them, to find repetitions."""
SPEAKERS_SHOWN = 8
SUB_QUERIES_S = 5.0
"""The time that sub-queries of a long query may take; those that have found something by then are the answer."""
SIDE_BY_SIDE = 3
"""Sub-queries at once: the model takes one after another, and none may wait for it longer than a query may."""
SUB_QUERY_HITS = 20
"""The least number of hits of each sub-query, so that the fusion has something to fuse."""
REACH = 2
"""The distance, in places of its session, up to which a candidate's neighbours are read."""


@dataclass(frozen=True)
class RecallSettings:
    """Settings of recall: how many seconds it waits for vectors and for which, how it scores, reranks and gates.

    By the model of `support` it leaves out what hardly answers; None: it does not.
    """

    embedding_wait_s: float = 1.5
    profile: Profile = Profile.DEFAULT
    scoring: ScoringSettings = field(default_factory=ScoringSettings)
    consistency: Consistency = Consistency.STRONG
    reranking: RerankingSettings = field(default_factory=RerankingSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    support: SupportModel | None = None


@dataclass(frozen=True)
class _Found:
    """The candidates that the channels named, best first in each."""

    text: Sequence[Candidate]
    meaning: Sequence[Candidate]
    identifiers: Sequence[Candidate]
    slots: Sequence[Candidate]

    @property
    def ids(self) -> list[str]:
        """Every candidate once."""
        channels = (self.text, self.meaning, self.identifiers, self.slots)
        return list(dict.fromkeys(candidate.id for channel in channels for candidate in channel))

    @property
    def likely(self) -> list[str]:
        """Every candidate once, in the order of its best rank in a channel."""
        ranks: dict[str, int] = {}
        for channel in (self.slots, self.identifiers, self.text, self.meaning):
            for rank, candidate in enumerate(channel):
                ranks[candidate.id] = min(rank, ranks.get(candidate.id, rank))
        return sorted(ranks, key=lambda memory_id: ranks[memory_id])


@dataclass(frozen=True)
class _Spelt:
    """A query read without a model: what is known of its words, and what these found."""

    query: Query
    speakers: Sequence[str]
    known: KnownWords
    found: _Found
    slots: Sequence[StatedSlot]


@dataclass(frozen=True)
class Gathered:
    """A query and its candidates with all that is known of them, before anything is scored.

    `turns` are the candidates and their neighbours; with `answers` only these ids may be results. What holds `at`
    that time is asked for; with `as_of_now` that is now, and nothing but what holds. Of `unread` ids the model does
    not know the script.
    """

    query: Query
    evidence: Evidence
    turns: Sequence[Turn]
    answers: frozenset[str] | None
    embedded: QueryVector
    nearest: Sequence[Candidate]
    at: datetime
    as_of_now: bool = True
    unread: frozenset[str] = frozenset()

    def is_unread(self, one: Ranked) -> bool:
        """Return whether the model does not know a candidate's script."""
        return self.turns[one.row].id in self.unread

    def reading(self, profile: Profile) -> Reading:
        """Return what was made of the query, in words."""
        query = self.query
        return Reading(
            profile=profile.value,
            words=tuple(self.evidence.words),
            speakers=tuple(self.evidence.speakers[:SPEAKERS_SHOWN]),
            identifiers=tuple(term.text for term in query.identifiers),
            identifier_first=query.identifier_first,
            dates=tuple(f"{dates.begin:%Y-%m-%d}/{dates.end:%Y-%m-%d}" for dates in query.dates),
            asks_when=query.asks_when,
            asks_latest=query.asks_latest,
            candidates=len(self.turns),
        )


class Recall:
    """Finds and orders memories; changes nothing."""

    def __init__(
        self,
        repository: Searching,
        surroundings: MemorySurroundings,
        embedding: MemoryEmbedding,
        settings: RecallSettings,
        clock: Clock,
        reranker: PairJudge | None = None,
        slots: SlotChannel | None = None,
        trust: EarnedTrust | None = None,
    ) -> None:
        self._slots = slots
        self._trust = trust
        self._repository = repository
        self._surroundings = surroundings
        self._words = WordChannel(repository, settings.scoring.without)
        self._embedding = embedding
        self._settings = settings
        self._clock = clock
        self._reranking = None if reranker is None else Reranking(reranker, settings.reranking)

    def close(self) -> None:
        """Stop what is done in the background. Does not block."""
        if self._slots is not None:
            self._slots.close()

    async def __call__(
        self,
        namespace: str,
        text: str,
        where: MemoryFilter,
        limit: int,
        profile: Profile | None = None,
        consistency: Consistency | None = None,
    ) -> SearchResult:
        """Return the memories that fit a query best, best first; no hits where the gate is closed.

        Filters hold before ranking. A query of many parts is searched by parts, each in the same namespace and with the
        same filters; a note says so.
        """
        parts: Sequence[str] = (text,)
        if len(text) > ORDINARY_CHARACTERS:
            parts = await asyncio.to_thread(sub_queries, text)
        if len(parts) == 1:
            return gate.passed(await self._answer(namespace, parts[0], where, limit, profile, consistency))
        depth = max(limit, SUB_QUERY_HITS)

        async def answer(part: str) -> SearchResult:
            return await self._answer(namespace, part, where, depth, profile, consistency)

        results = await _in_time(answer, parts, SUB_QUERIES_S)
        found = gate.passed(fused(results, limit))
        return replace(found, notes=(_decomposed(text, parts, len(results)), *found.notes))

    async def _answer(
        self,
        namespace: str,
        text: str,
        where: MemoryFilter,
        limit: int,
        profile: Profile | None,
        consistency: Consistency | None,
    ) -> SearchResult:
        now = self._clock()
        chosen = profile or self._settings.profile
        with span("search.gather") as gathering:
            gathered = await self.gather(namespace, text, where, limit, now, consistency)
            gathering.note({"agentos.candidates": len(gathered.turns)})
        ranked, decision, problems = await self.order(gathered, limit, now, chosen)
        notes = (*gathered.embedded.notes, *problems)
        earned = await self._earned(namespace, gathered, ranked, limit)
        best, kept = await asyncio.to_thread(self._chosen, gathered, ranked, limit, chosen, earned)
        with span("search.read"):
            hits = await self._hits(namespace, gathered, best, now)
        misses = tuple(hit for hit in hits if hit.memory.id not in kept) if decision.answered else ()
        hits = tuple(hit for hit in hits if hit not in misses)
        mode = SearchMode.LEXICAL if gathered.embedded.vector is None else SearchMode.HYBRID
        return SearchResult(hits, mode, notes, gathered.reading(chosen), gate=decision, misses=misses)

    async def order(
        self, gathered: Gathered, limit: int, now: datetime, profile: Profile
    ) -> tuple[list[Ranked], GateDecision, tuple[str, ...]]:
        """Return the candidates, best first, the gate's decision, and what went wrong.

        There are more than are wanted, to choose from; what is newer does not go first yet.
        """
        with span("search.rank"):
            ranked, decision = await asyncio.to_thread(self._ranked, gathered, limit, now, profile)
        reranking, text = self._reranking, gathered.query.text
        if reranking is None:
            return ranked, decision, ()
        best = [gathered.turns[one.row] for one in ranked[: reranking.depth]]
        if not reranking.judges(text, profile, gathered.evidence.memories, best):
            return ranked, decision, ()
        text_of = partial(_judged_text, gathered, reranking.reads_chars)
        with span("search.rerank"):
            ranked, problems = await reranking(text, ranked, text_of, gathered.is_unread)
        answers = [one.answers for one in ranked if one.answers is not None]
        if any(map(gathered.is_unread, ranked[: reranking.depth])):
            answers = []  # one that was not read may be the answer
        return ranked, gate.with_relevance(decision, gathered.query, answers), problems

    async def gather(
        self,
        namespace: str,
        text: str,
        where: MemoryFilter,
        limit: int,
        now: datetime,
        consistency: Consistency | None = None,
    ) -> Gathered:
        """Gather all that ranking needs to know about a query and its candidates."""
        without = self._settings.scoring.without
        # Summaries and facts must not take the places of what they were made of: they are found where asked for.
        where = replace(
            where,
            without_aside=not (where.kinds or where.source is not None or Status.CANDIDATE in where.statuses),
        )
        depth = max(CANDIDATES_A_CHANNEL, limit)
        waits = consistency or self._settings.consistency
        # The model works on the text as it is, while the words are read and looked for.
        (embedded, by_meaning), spelt = await asyncio.gather(
            self._by_meaning(namespace, text, where, now, depth, waits),
            self._by_words(namespace, text, where, now, depth),
        )
        query, known, found = spelt.query, spelt.known, replace(spelt.found, meaning=by_meaning)
        vector = embedded.vector
        if vector is not None and spelt.slots:
            stating = await self._of_slots(namespace, spelt.slots, vector, where, now)
            if stating is None:
                embedded = replace(embedded, notes=(*embedded.notes, SLOTS_LATE))
            found = replace(found, slots=_surest(stating or ()))
        turns, signs = await self._looked_at(namespace, found, now, embedded)
        turns, unread = await self._without_unread(turns, embedded, found)
        evidence = Evidence(
            words=known.words,
            speakers=spelt.speakers,
            frequencies=known.frequencies,
            text=_scores(found.text),
            cosine=_scores([near for near in found.meaning if near.id not in unread]),
            identifiers=_scores(found.identifiers),
            slots=_scores(found.slots),
            vector=None if vector is None or "vectors" in without else vector.data,
            tokens=embedded.tokens,
            token_words=[token(word) for word in embedded.words],
            signs={memory_id: bits for memory_id, bits in signs.items() if memory_id not in unread},
            absent=known.absent,
            memories=known.memories,
        )
        # A neighbour need not pass the filter: it lends its words, and is an answer only where nothing restricts.
        answers = None if where.is_empty else frozenset(found.ids)
        as_of_now = outdated.applies(where, query)
        return Gathered(query, evidence, turns, answers, embedded, found.meaning, where.as_of or now, as_of_now, unread)

    async def _by_words(self, namespace: str, text: str, where: MemoryFilter, now: datetime, depth: int) -> _Spelt:
        """Read the query, and look up its words, names and times."""
        without = self._settings.scoring.without
        query = await _understood(text)
        speakers, words = _who_and_what(query, await self._surroundings.speakers(namespace))
        identifiers = () if "identifiers" in without else query.identifiers
        with span("search.words"):
            by_text, exact, slots = await asyncio.gather(
                self._words(namespace, text, words, where, now, depth),
                self._repository.identifier_candidates(namespace, identifiers, where, now, depth),
                self._stated_of(namespace, text),
            )
        found = _Found(by_text.candidates, (), exact, ())
        return _Spelt(replace(query, dates=by_text.dates), speakers, by_text.known, found, slots)

    async def _looked_at(
        self, namespace: str, found: _Found, now: datetime, embedded: QueryVector
    ) -> tuple[Sequence[Turn], Mapping[str, Sequence[bytes]]]:
        """Return the candidates with their neighbours, and the token signs of the likely ones."""
        generation = None if embedded.vector is None else embedded.vector.generation
        looking = self._surroundings.turns(namespace, found.ids, now, generation, REACH)
        if generation is None or not embedded.tokens or "late_interaction" in self._settings.scoring.without:
            return await looking, {}
        signs_of = self._repository.token_signs
        turns, signs = await asyncio.gather(looking, signs_of(namespace, found.likely, generation, COMPARED_BY_TOKENS))
        named, left = frozenset(found.ids), COMPARED_BY_TOKENS - sum(map(len, signs.values()))
        beside = [turn.id for turn in turns if turn.id not in named][: max(0, left)]
        if beside:
            signs = {**signs, **await signs_of(namespace, beside, generation, left)}
        return turns, signs

    async def _without_unread(
        self, turns: Sequence[Turn], embedded: QueryVector, found: _Found
    ) -> tuple[Sequence[Turn], frozenset[str]]:
        """Return the turns, without the vectors of those whose script the model does not know, and the ids of these.

        Those of them that nothing but their vector has named are left out.
        """
        foreign = [] if embedded.vector is None else [turn for turn in turns if is_foreign(turn.content)]
        if not foreign:
            return turns, frozenset()
        known = await self._embedding.knows([turn.content for turn in foreign])
        unread = frozenset(turn.id for turn, knows in zip(foreign, known, strict=True) if not knows)
        by_vector = unread.intersection(near.id for near in found.meaning).difference(replace(found, meaning=()).ids)
        kept = (turn for turn in turns if turn.id not in by_vector)
        return [turn._replace(vector=None) if turn.id in unread else turn for turn in kept], unread

    async def _stated_of(self, namespace: str, text: str) -> Sequence[StatedSlot]:
        """Return the slots that a query may ask for, to be compared with it once it has its vector."""
        is_long = len(text) > LONGEST_QUESTION
        if self._slots is None or is_long or {"slots", "vectors"} & self._settings.scoring.without:
            return ()
        return await self._slots.candidates(namespace, text)

    async def _of_slots(
        self, namespace: str, slots: Sequence[StatedSlot], query: Vector, where: MemoryFilter, now: datetime
    ) -> list[Candidate] | None:
        """Return what states the slots that a query asks for by its meaning, scored by how likely it asks for them.

        None where that is not known in time.
        """
        assert self._slots is not None
        likely = await self._slots.likely(slots, query)
        if likely is None:
            return None
        stating = await asyncio.gather(
            *(self._repository.stating(namespace, *slot, where, now, OF_A_SLOT) for slot, _ in likely)
        )
        return [
            Candidate(memory_id, BY_MEANING * chance)
            for (_, chance), ids in zip(likely, stating, strict=True)
            for memory_id in ids
        ]

    async def _by_meaning(
        self, namespace: str, text: str, where: MemoryFilter, now: datetime, depth: int, consistency: Consistency
    ) -> tuple[QueryVector, list[Candidate]]:
        with span("search.embed"):
            embedded = await self._embedding.query_vector(text, self._settings.embedding_wait_s, consistency)
        if embedded.vector is None or "vectors" in self._settings.scoring.without:
            return embedded, []
        with span("search.vectors"):
            return embedded, await self._repository.vector_candidates(namespace, embedded.vector, where, now, depth)

    def _ranked(
        self, gathered: Gathered, limit: int, now: datetime, profile: Profile
    ) -> tuple[list[Ranked], GateDecision]:
        """Rank the turns, best first (more than are wanted, to choose from), and decide whether they support an answer.

        Arithmetic alone, for a thread.
        """
        ranked = self._scored(gathered, limit, now, profile) if gathered.turns else []
        best = [gathered.turns[one.row] for one in ranked[: gate.READ]]
        return ranked, gate.decide(gathered.query, gathered.evidence, best, gathered.turns, self._settings.gate)

    def _scored(self, gathered: Gathered, limit: int, now: datetime, profile: Profile) -> list[Ranked]:
        query, evidence, turns, answers = gathered.query, gathered.evidence, gathered.turns, gathered.answers
        scoring = self._settings.scoring
        depth = max(gate.READ, 0 if self._reranking is None else self._reranking.depth)
        if profile is not Profile.DEFAULT:
            scored = ranking.by_formula(profile, query, evidence, turns, scoring, now)
            scored = ranking.by_standing(scored, turns, gathered.at)
            named = frozenset([*evidence.text, *evidence.cosine, *evidence.identifiers])
            return ranking.ordered(scored, turns, named, max(limit, depth))
        scored = ranking.by_model(query, evidence, turns, scoring, now)
        scored = ranking.by_standing(scored, turns, gathered.at)
        return ranking.ordered(scored, turns, answers, max(COMPARED * limit, depth))

    async def _earned(
        self, namespace: str, gathered: Gathered, ranked: Sequence[Ranked], limit: int
    ) -> Mapping[str, float]:
        """Return what judgements have added to the trust in the best, or taken from it."""
        if self._trust is None or not ranked:
            return {}
        return await self._trust.earned(namespace, [gathered.turns[one.row].id for one in ranked[: COMPARED * limit]])

    def _chosen(
        self,
        gathered: Gathered,
        ranked: list[Ranked],
        limit: int,
        profile: Profile,
        earned: Mapping[str, float],
    ) -> tuple[list[Ranked], frozenset[str]]:
        """Return the best with their support, and the ids of those that answer: all of them where that is not judged.

        Under the default profile what is newer goes first, and what repeats a better one gives way.
        """
        turns, model = gathered.turns, self._settings.support
        best = ranked[:limit]
        if profile is Profile.DEFAULT:
            weighed = list(more_trusted_first(turns, more_important_first(turns, ranked), earned))
            found = _newer_first(gathered, weighed, limit)
            if gathered.query.asks_for_several:
                found = ranking.spread(found, turns, len(found))
            best = ranking.without_repetition(found, turns, limit)
        told = [turns[one.row] for one in best]
        if model is None or not support.judges(profile, gathered.evidence, told):
            return best, frozenset(turn.id for turn in told)
        known = support.features(gathered.query, gathered.evidence, turns, best)
        best = [replace(one, support=model.of(of_one)) for one, of_one in zip(best, known, strict=True)]
        return best, frozenset(turns[one.row].id for one in support.answering(best, known, model.kept, turns))

    async def _hits(
        self, namespace: str, gathered: Gathered, ranked: Sequence[Ranked], now: datetime
    ) -> tuple[SearchHit, ...]:
        ids = [gathered.turns[one.row].id for one in ranked]
        memories = {memory.id: memory for memory in await self._repository.fetch(namespace, ids)}
        chars = offload.length(memory.content for memory in memories.values())
        return await offload.read(chars, self._shown, gathered, ranked, memories, now)

    def _shown(
        self, gathered: Gathered, ranked: Sequence[Ranked], memories: Mapping[str, Memory], now: datetime
    ) -> tuple[SearchHit, ...]:
        nearest = {candidate.id: candidate for candidate in gathered.nearest}
        hits = []
        for one in ranked:
            memory = memories.get(gathered.turns[one.row].id)
            if memory is None:  # erased meanwhile
                continue
            alive = formulas.strength(self._settings.scoring.decay_rate, memory.importance, memory.accessed_at, now)
            near = nearest.get(memory.id)
            passage = excerpt(memory.content, gathered.evidence.words, None if near is None else near.passage)
            cosine = None if near is None else near.score
            if not gathered.as_of_now:  # a label about now says nothing of what held then
                memory = replace(memory, may_be_outdated_by=None)
            hits.append(SearchHit(memory, one.score, alive, cosine, one.parts, passage, one.support))
        return tuple(hits)


def _newer_first(gathered: Gathered, ranked: list[Ranked], limit: int) -> list[Ranked]:
    """Put what is newer before what it may have replaced, and what holds before what will, where now is asked for."""
    if not gathered.as_of_now:
        return ranked
    newer = outdated.newer_first(gathered.query, gathered.evidence, gathered.turns, ranked, limit)
    return outdated.holding_first(gathered.turns, newer, limit, gathered.at)


def _judged_text(gathered: Gathered, reads_chars: int | None, one: Ranked) -> str:
    """Return what a reranker reads of a candidate: all of it, or the stretch of a long content that would be shown.

    At most `reads_chars` of it, if that is given; before it the name of the slot that it was given.
    """
    turn, words = gathered.turns[one.row], gathered.evidence.words
    passage = next((near.passage for near in gathered.nearest if near.id == turn.id), None)
    shown = excerpt(turn.content, words, passage) or (0, len(turn.content))
    if reads_chars is not None and shown[1] - shown[0] > reads_chars:
        shown = best_excerpt(turn.content, words, shown, reads_chars)
    text = same_form(turn.content[slice(*shown)])
    if turn.slot_given and turn.subject is not None and turn.attribute is not None:
        return f"{name_of((turn.subject, turn.attribute))}: {text}"
    return text


async def _in_time(
    answer: Callable[[str], Awaitable[SearchResult]], parts: Sequence[str], wait_s: float
) -> list[SearchResult]:
    """Return the answers that are there after `wait_s` seconds, in the order of the parts; at least one."""
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def in_turn(part: str) -> SearchResult:
        async with turns:
            return await answer(part)

    tasks = [asyncio.create_task(in_turn(part)) for part in parts]
    try:
        done, _ = await asyncio.wait(tasks, timeout=wait_s)
        if not done:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return [task.result() for task in tasks if task in done]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _decomposed(text: str, parts: Sequence[str], answered: int) -> str:
    """Return the note about a query that was searched by parts."""
    share = sum(map(len, parts)) / len(text)
    which = f"{len(parts)} sub-queries" if share > 0.9 else f"the {len(parts)} most telling of its parts"
    late = "" if answered == len(parts) else f", of which {answered} were answered within {SUB_QUERIES_S:g} s"
    return f"the query is long: it was searched as {which}{late}"


async def _understood(text: str) -> Query:
    """Read a query but for its dates; in a thread where it is long."""
    at_once = len(text) <= READ_AT_ONCE
    return read_without_dates(text) if at_once else await asyncio.to_thread(read_without_dates, text)


def _who_and_what(query: Query, speakers: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the speakers that a query names by their first name, and its words without those names.

    A name is in every turn of its person: as a word it says nothing, as the speaker it says much.
    """
    first: dict[str, list[str]] = {}
    for speaker in speakers:
        first.setdefault(first_name(speaker), []).append(speaker)
    named = [speaker for word in query.words for speaker in first.get(word, ())]
    words = [word for word in query.words if word not in first]
    return named, words or list(query.words)


def _surest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return every candidate once, with the highest score that it was named with, the highest first."""
    best: dict[str, Candidate] = {}
    for each in sorted(candidates, key=lambda one: -one.score):
        best.setdefault(each.id, each)
    return list(best.values())


def _scores(candidates: Sequence[Candidate]) -> dict[str, float]:
    return {candidate.id: candidate.score for candidate in candidates}
