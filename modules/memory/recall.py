"""Recall: from a query to the memories that answer it best.

`gathering` finds candidates and what is known of them, features say it in numbers, and a profile of `ranking` makes
that one score. Data flows one way: query → candidates → evidence → features → order → hits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import offload
from ..clock import Clock
from ..facts.models import SAME_AS
from ..records import dataclass
from ..text.scripts import same_form
from ..tracing import span
from . import formulas, gate, near_misses, outdated, ranking, standing, support
from .asked_times import LONGEST_QUESTION, times_asked_alone
from .asking import statements_first
from .decomposition import ORDINARY_CHARACTERS, asked, fused, sub_queries, told
from .embedding import MemoryEmbedding
from .excerpts import best_excerpt, excerpt, stretch
from .gate import GateSettings
from .gathering import Gathered, Gathering, Sought
from .groups import joined
from .models import (
    Consistency,
    GateDecision,
    Memory,
    MemoryFilter,
    Occasion,
    SearchHit,
    SearchMode,
    SearchResult,
)
from .near_misses import NearMissModel
from .once import told_once
from .ports import EarnedTrust, PairJudge
from .ranking import Ranked, RankingProfile, ScoringSettings
from .reranking import Reranking, RerankingSettings
from .slot_channel import SlotChannel, name_of
from .support import SupportModel
from .ties import more_important_first, more_trusted_first

if TYPE_CHECKING:
    from ...storage.repositories.memories import MemoriesRepository
    from ...storage.repositories.surroundings import SurroundingsRepository

COMPARED = 3
"""How many times `limit` candidates are compared with those above them, to find repetitions."""
MOST_LINKS = 1_000
"""The most links between memories that tell the same which are followed from the best."""
SUB_QUERIES_S = 5.0
"""The time that sub-queries of a long query may take; those that have found something by then are the answer."""
TOLD_S = 2.0
"""The seconds for which the sentences of a message are judged: whoever prompts waits for that."""
SIDE_BY_SIDE = 3
"""Sub-queries at once: the model takes one after another, and none may wait for it longer than a query may."""
OWN_ENOUGH = 3
"""How many times `limit` candidates of the project that is worked in are enough, where others have taken places."""
BY_CHANCE = 0.3
"""The most doubt that the best of several sentences may leave, which grows with the square of their number."""
SUB_QUERY_HITS = 20
"""The least number of hits of each sub-query, so that the fusion has something to fuse."""


@dataclass(frozen=True)
class RecallSettings:
    """Settings of recall: how many seconds it waits for vectors and for which, how it scores, reranks and gates.

    By the model of `support` it leaves out what hardly answers; by that of `near_misses` it withholds what only shares
    the topic of a question; None: it does not.
    """

    embedding_wait_s: float = 1.5
    profile: RankingProfile = RankingProfile.DEFAULT
    scoring: ScoringSettings = field(default_factory=ScoringSettings)
    consistency: Consistency = Consistency.STRONG
    reranking: RerankingSettings = field(default_factory=RerankingSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    support: SupportModel | None = None
    near_misses: NearMissModel | None = None


class Recall:
    """Finds and orders memories; changes nothing."""

    def __init__(
        self,
        repository: MemoriesRepository[Any],
        surroundings: SurroundingsRepository,
        embedding: MemoryEmbedding,
        settings: RecallSettings,
        clock: Clock,
        reranker: PairJudge | None = None,
        slots: SlotChannel | None = None,
        trust: EarnedTrust | None = None,
    ) -> None:
        wait_s, without = settings.embedding_wait_s, settings.scoring.without
        self._gathering = Gathering(repository, surroundings, embedding, wait_s, without, slots)
        self._surroundings = surroundings
        self._trust = trust
        self._repository = repository
        self._settings = settings
        self._clock = clock
        self._reranking = None if reranker is None else Reranking(reranker, settings.reranking)

    def close(self) -> None:
        """Stop what is done in the background. Does not block."""
        self._gathering.close()

    async def gather(self, namespace: str, text: str, limit: int) -> Gathered:
        """Gather all that ranking needs to know about a query and its candidates."""
        settings = self._settings
        sought = Sought(namespace, text, MemoryFilter(), limit, settings.profile, settings.consistency)
        return await self._gathering(sought, self._clock())

    async def __call__(
        self,
        namespace: str,
        text: str,
        where: MemoryFilter,
        limit: int,
        profile: RankingProfile | None = None,
        consistency: Consistency | None = None,
    ) -> SearchResult:
        """Return the memories that fit a query best, best first; no hits where the gate is closed.

        Filters hold before ranking. Whether anything answers a message that mostly tells is a matter of what it asks;
        what it tells has a say in the order. A query of many parts is searched by parts, each in the same namespace and
        with the same filters; a note says so.
        """
        settings = self._settings
        sought = Sought(namespace, text, where, limit, profile or settings.profile, consistency or settings.consistency)

        async def answer(part: str) -> SearchResult:
            return await self._answer(replace(sought, text=part, limit=max(limit, SUB_QUERY_HITS)))

        question = asked(text)
        if question is not None:
            return gate.passed(await _within_a_message(answer, question, text, limit))
        sentences = told(text)
        if sentences:
            return gate.passed(await _of_the_best(answer, sentences, text, limit))
        parts: Sequence[str] = (text,)
        if len(text) > ORDINARY_CHARACTERS:
            parts = await asyncio.to_thread(sub_queries, text)
        if len(parts) == 1:
            return gate.passed(await self._answer(replace(sought, text=parts[0])))
        results = await _in_time(answer, parts, SUB_QUERIES_S)
        found = gate.passed(fused(results, limit))
        return replace(found, notes=(_decomposed(text, parts, len(results)), *found.notes))

    async def _answer(self, sought: Sought) -> SearchResult:
        """Return the answer to one query; one that says nothing but a time is answered by what is of that time."""
        now = self._clock()
        then = await _of_its_time(sought.text, sought.where, now)
        if then is not None:
            found = await self._found(replace(sought, where=then), now)
            if found.hits:
                return found
        return await self._found(sought, now)

    async def _found(self, sought: Sought, now: datetime) -> SearchResult:
        namespace, limit, chosen = sought.namespace, sought.limit, sought.profile
        with span("search.gather") as gathering:
            gathered, others = await self._gathered(sought, now)
            gathering.note({"agentos.candidates": len(gathered.turns)})
        first, decision = await self._first(gathered, limit, now, chosen)
        # Side by side: the reranker computes in threads of its own, and lets nobody else into the best.
        (ranked, decision, problems), earned, same = await asyncio.gather(
            self._reranked(gathered, first, decision, chosen),
            self._earned(namespace, gathered, first, limit),
            self._same(namespace, gathered, first, limit),
        )
        notes = (*gathered.embedded.notes, *problems)
        best, answering_ids = await asyncio.to_thread(self._chosen, gathered, ranked, limit, chosen, earned, same)
        if chosen is RankingProfile.DEFAULT:
            best = await asyncio.to_thread(statements_first, best, gathered.turns, gathered.query)
            if gathered.query.asks_order:
                best = ranking.in_time_order(best, gathered.turns)
        with span("search.read"):
            hits = await self._hits(namespace, gathered, best, now)
        misses = tuple(hit for hit in hits if hit.memory.id not in answering_ids) if decision.answered else ()
        hits = tuple(hit for hit in hits if hit not in misses)
        mode = SearchMode.LEXICAL if gathered.embedded.vector is None else SearchMode.HYBRID
        scores = [hit.score for hit in hits] if decision.answered else []
        elsewhere = await self._elsewhere(others, scores, limit, now, chosen)
        return SearchResult(
            hits, mode, notes, gathered.reading(chosen), gate=decision, misses=misses, elsewhere=elsewhere
        )

    async def _gathered(self, sought: Sought, now: datetime) -> tuple[Gathered, Gathered | None]:
        """Return the candidates, and those of other projects apart where one is worked in.

        They are gathered together, at the cost of one search; where others take most places, once more without them.
        """
        project = sought.where.working_in
        if not project:
            return await self._gathering(sought, now), None
        both = await self._gathering(replace(sought, where=replace(sought.where, working_in=())), now)
        own, others = both.parted(project)
        if both.is_cut and others.turns and len(own.turns) < OWN_ENOUGH * sought.limit:
            own, _ = (await self._gathering(sought, now)).parted(project)
        return own, others

    async def _elsewhere(
        self, others: Gathered | None, scores: Sequence[float], limit: int, now: datetime, profile: RankingProfile
    ) -> Mapping[str, str]:
        """Return what would be among the best `limit`, beside hits with these scores, if others were searched too."""
        if others is None or not others.turns:
            return {}
        ranked, decision = await self._first(others, limit, now, profile)
        if not decision.answered:
            return {}
        best, answering = await asyncio.to_thread(self._chosen, others, ranked, limit, profile, {}, {})
        answers = (one for one in best if others.turns[one.row].id in answering and not one.parts.get(standing.KEPT))
        better = sorted(answers, key=lambda one: -one.score)
        there = [one for at, one in enumerate(better) if at + sum(score > one.score for score in scores) < limit]
        return {others.turns[one.row].id: others.turns[one.row].project for one in there}

    async def order(
        self, gathered: Gathered, limit: int, now: datetime, profile: RankingProfile
    ) -> tuple[list[Ranked], GateDecision, tuple[str, ...]]:
        """Return the candidates, best first, the gate's decision, and what went wrong.

        There are more than are wanted, to choose from; what is newer does not go first yet.
        """
        ranked, decision = await self._first(gathered, limit, now, profile)
        return await self._reranked(gathered, ranked, decision, profile)

    async def _first(
        self, gathered: Gathered, limit: int, now: datetime, profile: RankingProfile
    ) -> tuple[list[Ranked], GateDecision]:
        with span("search.rank"):
            return await asyncio.to_thread(self._ranked, gathered, limit, now, profile)

    async def _reranked(
        self, gathered: Gathered, ranked: list[Ranked], decision: GateDecision, profile: RankingProfile
    ) -> tuple[list[Ranked], GateDecision, tuple[str, ...]]:
        reranking, text = self._reranking, gathered.query.text
        if reranking is None:
            return ranked, decision, ()
        best = [gathered.turns[one.row] for one in ranked[: reranking.depth]]
        if not reranking.judges(text, profile, gathered.evidence.memories, best):
            return ranked, decision, ()
        text_of = partial(_judged_text, gathered, reranking.reads_chars)

        def unread_rows() -> set[int]:
            seen = ranked[: reranking.depth]
            return {o.row for o in seen if gathered.is_unread(o) or not reranking.reads(gathered.turns[o.row].content)}

        unread = await asyncio.to_thread(unread_rows)

        def is_unread(one: Ranked) -> bool:
            return one.row in unread

        with span("search.rerank"):
            ranked, problems = await reranking(text, ranked, text_of, is_unread)
        answers = [one.answers for one in ranked if one.answers is not None]
        if any(map(is_unread, ranked[: reranking.depth])):
            answers = []  # one that was not read may be the answer
        decision = gate.with_relevance(decision, gathered.query, answers)
        return ranked, await asyncio.to_thread(self._but_near_misses, gathered, ranked, decision), problems

    def _but_near_misses(self, gathered: Gathered, ranked: Sequence[Ranked], decision: GateDecision) -> GateDecision:
        model, best = self._settings.near_misses, ranked[: near_misses.READ]
        if model is None or not decision.answered or any(map(gathered.is_unread, best)):
            return decision
        known = near_misses.features(gathered.query, gathered.evidence, gathered.turns, best)
        return decision if known is None or model.of(known) >= model.least else gate.with_near_miss(decision)

    def _ranked(
        self, gathered: Gathered, limit: int, now: datetime, profile: RankingProfile
    ) -> tuple[list[Ranked], GateDecision]:
        """Rank the turns, best first (more than are wanted, to choose from), and decide whether they support an answer.

        Arithmetic alone, for a thread.
        """
        ranked = self._scored(gathered, limit, now, profile) if gathered.turns else []
        best = [gathered.turns[one.row] for one in ranked[: gate.READ]]
        # Whoever bounds the time has said what is wanted: no vague query closes the gate.
        settings = replace(self._settings.gate, threshold=0.0) if gathered.in_time and best else self._settings.gate
        return ranked, gate.decide(gathered.query, gathered.evidence, best, gathered.turns, settings)

    def _scored(self, gathered: Gathered, limit: int, now: datetime, profile: RankingProfile) -> list[Ranked]:
        query, evidence, turns, answers = gathered.query, gathered.evidence, gathered.turns, gathered.answers
        scoring = self._settings.scoring
        depth = max(gate.READ, 0 if self._reranking is None else self._reranking.depth)
        if profile is not RankingProfile.DEFAULT:
            scored = ranking.by_formula(profile, query, evidence, turns, scoring, now)
            scored = ranking.by_standing(scored, turns, gathered.at)
            named = frozenset([*evidence.text, *evidence.cosine, *evidence.identifiers])
            return ranking.ordered(scored, turns, named, max(limit, depth))
        scored = ranking.by_model(query, evidence, turns, scoring, now)
        scored = ranking.by_standing(scored, turns, gathered.at)
        copies = len(turns) - len({(turn.speaker, turn.content) for turn in turns})
        return ranking.ordered(scored, turns, answers, max(COMPARED * limit, depth) + copies)

    async def _earned(
        self, namespace: str, gathered: Gathered, ranked: Sequence[Ranked], limit: int
    ) -> Mapping[str, float]:
        """Return what judgements have added to the trust in the best, or taken from it."""
        if self._trust is None or not ranked:
            return {}
        count = max(COMPARED * limit, 0 if self._reranking is None else self._reranking.depth)
        return await self._trust.earned(namespace, [gathered.turns[one.row].id for one in ranked[:count]])

    async def _same(
        self, namespace: str, gathered: Gathered, ranked: Sequence[Ranked], limit: int
    ) -> Mapping[str, str]:
        """Return for each of the best that tells the same as another memory what stands for their group."""
        best = [gathered.turns[one.row] for one in ranked[: COMPARED * limit]]
        notes = [turn.id for turn in best if turn.session is None]
        if len(notes) < 2:
            return {}
        return joined(await self._surroundings.related(namespace, notes, (SAME_AS,), MOST_LINKS), notes)

    def _chosen(
        self,
        gathered: Gathered,
        ranked: list[Ranked],
        limit: int,
        profile: RankingProfile,
        earned: Mapping[str, float],
        same: Mapping[str, str],
    ) -> tuple[list[Ranked], frozenset[str]]:
        """Return the best with their support, and the ids of those that answer: all of them where that is not judged.

        Under the default profile what is newer goes first, and what repeats a better one gives way.
        """
        turns, model, scale = (
            gathered.turns,
            self._settings.support,
            gathered.embedded.calibration.told(gathered.query.text),
        )
        instruction = None
        if profile is not RankingProfile.DEFAULT:
            best = told_once(ranked, turns, same, scale)[:limit]
        else:
            weighed = list(more_trusted_first(turns, more_important_first(turns, ranked), earned))
            found = _newer_first(gathered, weighed, limit)
            if gathered.query.asks_for_several:
                found = ranking.spread(found, turns, len(found))
            once = told_once(found, turns, same, scale)
            best = ranking.without_repetition(once, turns, limit)
            evidence = gathered.evidence
            if not gathered.query.asks_order:
                instruction = standing.nearest(turns, gathered.answers, evidence.vector, evidence.scale, gathered.at)
            best, instruction = standing.with_place(best, once, instruction, limit)
        best_turns = [turns[one.row] for one in best]
        if model is None or not support.judges(profile, gathered.evidence, best_turns):
            return best, frozenset(turn.id for turn in best_turns)
        known = support.features(gathered.query, gathered.evidence, turns, best)
        best = [replace(one, support=model.of(of_one)) for one, of_one in zip(best, known, strict=True)]
        answering = {one.row for one in support.answering(best, known, model.least_share, turns)}
        return best, frozenset(turns[one.row].id for one in best if one.row in answering or one.row == instruction)

    async def _hits(
        self, namespace: str, gathered: Gathered, ranked: Sequence[Ranked], now: datetime
    ) -> tuple[SearchHit, ...]:
        ids = [gathered.turns[one.row].id for one in ranked]
        memories = {memory.id: memory for memory in await self._repository.fetch(namespace, ids)}
        if gathered.of_now:
            fetch = partial(self._repository.fetch, namespace)
            memories = await outdated.with_newer(fetch, memories.values())
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
            words = gathered.evidence.words
            passage = excerpt(memory.content, words, None if near is None else near.passage)
            shown = stretch(memory.content, words, passage)
            cosine = None if near is None else near.score
            also = tuple(Occasion(turn.id, turn.occurred_at) for turn in (gathered.turns[row] for row in one.also))
            if not gathered.of_now:  # a label about now says nothing of what held then
                memory = replace(memory, may_be_outdated_by=None)
            newer = outdated.told_with(memory, memories, now)
            hits.append(
                SearchHit(memory, one.score, alive, cosine, one.parts, passage, one.support, shown, also, newer)
            )
        return tuple(hits)


async def _within_a_message(
    answer: Callable[[str], Awaitable[SearchResult]], question: str, message: str, limit: int
) -> SearchResult:
    """Return what answers the question within a message, together with what the whole message finds."""
    found = await answer(question)
    if not found.gate.answered:
        return replace(found, hits=found.hits[:limit])
    return replace(fused([found, await answer(message)], limit), gate=found.gate)


async def _of_the_best(
    answer: Callable[[str], Awaitable[SearchResult]], sentences: Sequence[str], message: str, limit: int
) -> SearchResult:
    """Return what answers the best supported sentence, together with what the whole message finds.

    The length of a message is no support: each sentence is judged as if it stood alone, and the more strictly the more
    there are, since one of many resembles something by chance.
    """
    found = await _in_time(answer, sentences, TOLD_S)
    best = max(found, key=lambda one: (one.gate.answered, one.gate.support))
    by_chance = (1 - best.gate.support) * len(found) ** 2
    if not best.gate.answered or by_chance > BY_CHANCE:
        judged = replace(best.gate, answered=best.gate.threshold == 0)
        return replace(best, hits=best.hits[:limit], gate=judged)
    return replace(fused([best, await answer(message)], limit), gate=best.gate)


async def _of_its_time(text: str, where: MemoryFilter, now: datetime) -> MemoryFilter | None:
    """Return the filter of the one time that a query asks for and says nothing else of; None for any other query."""
    if where.as_of is not None or len(text) > LONGEST_QUESTION:
        return None
    dates = await asyncio.to_thread(times_asked_alone, text, now)
    if len(dates) != 1:
        return None
    begin = max(filter(None, (where.since, dates[0].begin)))
    end = min(filter(None, (where.until, dates[0].end)))
    return replace(where, since=begin, until=end) if begin < end else None


def _newer_first(gathered: Gathered, ranked: list[Ranked], limit: int) -> list[Ranked]:
    """Put what is newer before what it may have replaced, and what holds before what will, where now is asked for."""
    if not gathered.holding_first:
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
    which = f"{len(parts)} sub-queries" if share > 0.9 else f"its {len(parts)} most informative parts"
    late = "" if answered == len(parts) else f", of which {answered} were answered within {SUB_QUERIES_S:g} s"
    return f"the query is long: it was searched as {which}{late}"
