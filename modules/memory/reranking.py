"""Reranking: a model that reads the query and a text together has a say in the order of the best candidates."""

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import pstdev

from ..errors import described
from ..records import dataclass
from .asked_times import LONGEST_QUESTION
from .models import RankedTurn
from .ports import PairJudge
from .ranking import DECIMALS, Ranked, RankingProfile, are_notes
from .supersession_chance import judges

log = logging.getLogger(__name__)

PART = "reranker"
"""The name of the reranker's part of a score."""


STANDING = ("status", "confidence", "trust")
"""The parts that are shares of a score: what they take of it they take of the judgement too."""
STATED = ("slot", "identifier", "rare")
"""The parts that say that a candidate has the very thing: the scale of the others is that of the judgement."""


@dataclass(frozen=True)
class RerankingSettings:
    """The number of best candidates judged, the weight of the judgement (1: as much as all else), the seconds it gets.

    Nothing is judged in a namespace of more than `memories_max` memories. With `of_answers` its scores are log odds
    that a note answers the query: by another profile than the default one, where most of the best are turns of
    conversations, and of a query of more than LONGEST_QUESTION characters, nothing is judged. With `english_only` it
    reads nothing else: of other languages an embedding model that was made for them knows more.
    """

    depth: int = 20
    weight: float = 1.0
    wait_s: float = 1.0
    memories_max: int | None = None
    of_answers: bool = False
    english_only: bool = False


READ_CHARS = 200
"""The characters of a memory that the bundled model reads, some 50 tokens."""
READ_IN_ALL, FEWEST = 800, 3
"""The most characters that the bundled model reads for one query, in some 10 ms, the query counted with each memory,
and the least number of memories that it reads. Of one-line notes it reads eight at most, of long ones three; with
1,400 the right note was first, and among the first ten, just as often in three sets of notes."""
WORTH_READING = 0.4
"""The share of the best score from which a memory is read: others hardly ever come to be among the first five, and
where an identifier decides there are no others."""
LOG_ODDS_APART = 2.0
"""The least standard deviation of log odds that tells candidates apart as much as any scores do: where none of them
answers the query they differ by little, and that little must not count for much."""
BUNDLED_MEMORIES_MAX = 20_000
"""The most memories of a namespace with which a search has time for the bundled model."""


class Reranking:
    """Asks the reranker; where it is late, missing or fails, the order stays as it was, and a note says so."""

    def __init__(self, reranker: PairJudge, settings: RerankingSettings) -> None:
        self._reranker = reranker
        self._settings = settings

    @property
    def reads_chars(self) -> int | None:
        """The most characters of a text that it reads, None where that is not known."""
        return READ_CHARS if self._settings.of_answers else None

    @property
    def depth(self) -> int:
        """The number of candidates that it wants to see."""
        return self._settings.depth

    def judges(self, query: str, profile: RankingProfile, memories: int, best: Sequence[RankedTurn]) -> bool:
        """Return whether a search by this profile, in a namespace of so many memories, with these best, is reranked.

        Where none of them has a vector the weights that `of_answers` stands on may still be on their way.
        """
        most = self._settings.memories_max
        if most is not None and memories > most:
            return False
        has_vectors = any(turn.vector is not None for turn in best)
        fits = len(query) <= LONGEST_QUESTION and are_notes(best) and has_vectors
        return not self._settings.of_answers or (profile is RankingProfile.DEFAULT and fits and self.reads(query))

    def reads(self, text: str) -> bool:
        """Return whether the language of a text, by its beginning, is one that the model is to judge."""
        return not self._settings.english_only or judges(text[:READ_CHARS])

    async def __call__(
        self,
        query: str,
        ranked: Sequence[Ranked],
        text_of: Callable[[Ranked], str],
        is_unread: Callable[[Ranked], bool] = lambda one: False,
    ) -> tuple[list[Ranked], tuple[str, ...]]:
        """Return the candidates, given best first, in their new order, and what went wrong; `text_of` may take long.

        What the bundled model cannot read stays before those that it was before.
        """
        looked_at = self._worth_reading(ranked[: self.depth])
        unread = [one for one in looked_at if self._settings.of_answers and is_unread(one)]
        best = [one for one in looked_at if one not in unread]
        if len(best) < (1 if self._settings.of_answers else 2):  # a single one has no order, but may not answer
            return list(ranked), ()
        texts = await asyncio.to_thread(lambda: [text_of(one) for one in best])
        if self._settings.of_answers:
            texts = _readable(query, texts)
        best = best[: len(texts)]
        try:
            scores = await self._scores(query, texts)
        except _NoJudgement as problem:
            return list(ranked), (f"not reranked: {problem}",)
        if self._settings.of_answers:
            best = [replace(one, answers=score) for one, score in zip(best, scores, strict=True)]
        least = LOG_ODDS_APART if self._settings.of_answers else 0.0
        lifted = judged(best, scores, self._settings.weight, least)
        rows = {one.row for one in (*lifted, *unread)}
        rest = [one for one in ranked if one.row not in rows]
        return sorted([*lifted, *_lifted_unread(ranked, lifted, unread), *rest], key=lambda one: -one.score), ()

    def _worth_reading(self, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
        """Return the candidates, given best first, that a judgement can bring to the top; FEWEST at least."""
        if not self._settings.of_answers or not ranked:
            return ranked
        close = sum(one.score >= WORTH_READING * ranked[0].score for one in ranked)
        return ranked[: max(FEWEST, close)]

    async def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        wait_s, is_loaded = self._settings.wait_s, False
        try:
            async with asyncio.timeout(wait_s):
                is_loaded = await self._reranker.ready(wait_s)
                if not is_loaded:
                    raise _NoJudgement(self._reranker.problem or "the reranker is still loading")
                scores = await self._reranker.scores(query, texts)
        except TimeoutError:
            late = f"the reranker did not answer within {wait_s:g} s" if is_loaded else "the reranker is still loading"
            raise _NoJudgement(late) from None
        except _NoJudgement:
            raise
        except Exception as error:  # whatever a model raises, the search has its answer without it
            log.warning("the reranker failed: %s", error, exc_info=True)
            raise _NoJudgement(f"the reranker failed: {described(error)}") from error
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise _NoJudgement(f"the reranker gave no usable scores for {len(texts)} texts")
        return scores


def _lifted_unread(ranked: Sequence[Ranked], lifted: Sequence[Ranked], unread: Sequence[Ranked]) -> list[Ranked]:
    """Return what was not read, lifted as far as any that was behind it."""
    place = {one.row: place for place, one in enumerate(ranked)}

    def highest_behind(one: Ranked) -> float:
        return max((other.parts.get(PART, 0.0) for other in lifted if place[other.row] > place[one.row]), default=0.0)

    return [replace(one, parts={**one.parts, PART: highest_behind(one)}) for one in unread]


def _readable(query: str, texts: Sequence[str]) -> list[str]:
    """Return the first of the texts, as many as can be read for one query."""
    together = accumulate(len(query) + len(text) for text in texts)
    return list(texts[: max(FEWEST, sum(chars <= READ_IN_ALL for chars in together))])


class _NoJudgement(Exception):
    """The reranker has nothing to say; the message tells why."""


def judged(ranked: Sequence[Ranked], scores: Sequence[float], weight: float, least: float = 0.0) -> list[Ranked]:
    """Add the reranker's part to each candidate; return them best first, of equals the one that was before.

    The part is the score in standard deviations above the lowest, on the scale of what the candidates have without
    STATED: with a weight of 1 it tells them apart as much as all other parts together do, under any profile; less
    where the scores' deviation is less than `least`. It is never negative, so that a candidate that was judged stays
    before those that were not. Where a candidate's standing takes a share of its score, it takes the same of this part.
    """
    deviation = pstdev(scores)
    if not deviation:
        return list(ranked)
    spread = pstdev([one.score - sum(one.parts.get(part, 0.0) for part in STATED) for one in ranked]) or 1.0
    lowest, unit = min(scores), weight * spread / max(deviation, least)
    lifted = [
        replace(one, parts={**one.parts, PART: round(unit * (score - lowest) * _standing(one), DECIMALS)})
        for one, score in zip(ranked, scores, strict=True)
    ]
    return sorted(lifted, key=lambda one: -one.score)


def _standing(one: Ranked) -> float:
    """Return what its status, confidence and trust leave of a candidate's score: 1 where they take nothing."""
    share = sum(one.parts.get(part, 0.0) for part in STANDING)
    plain = abs(one.score - share)
    return max(0.0, 1 + share / plain) if plain else 1.0
