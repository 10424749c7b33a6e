"""Reranking: a model that reads the query and a text together has a say in the order of the best candidates."""

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import pstdev

from .ports import PairJudge
from .ranking import DECIMALS, Ranked

log = logging.getLogger(__name__)

PART = "reranker"
"""What its share of a score is called."""


@dataclass(frozen=True)
class RerankingSettings:
    """How many of the best are judged, what the judgement counts beside all else (1: as much), the seconds it gets."""

    depth: int = 20
    weight: float = 1.0
    wait_s: float = 1.0


class Reranking:
    """Asks the reranker; where it is late, missing or fails, the order stays as it was, and a note says so."""

    def __init__(self, reranker: PairJudge, settings: RerankingSettings) -> None:
        self._reranker = reranker
        self._settings = settings

    @property
    def depth(self) -> int:
        """How many candidates it wants to see."""
        return self._settings.depth

    async def __call__(
        self, query: str, ranked: Sequence[Ranked], text_of: Callable[[Ranked], str]
    ) -> tuple[list[Ranked], tuple[str, ...]]:
        """The candidates, best first as before, in their new order, and what went wrong; `text_of` may take long."""
        best, rest = ranked[: self.depth], ranked[self.depth :]
        if len(best) < 2:
            return list(ranked), ()
        texts = await asyncio.to_thread(lambda: [text_of(one) for one in best])
        try:
            scores = await self._scores(query, texts)
        except _NoJudgement as problem:
            return list(ranked), (f"not reranked: {problem}",)
        return [*judged(best, scores, self._settings.weight), *rest], ()

    async def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        wait_s, is_loaded = self._settings.wait_s, False
        try:
            async with asyncio.timeout(wait_s):
                is_loaded = await self._reranker.ready(wait_s)
                if not is_loaded:
                    raise _NoJudgement(self._reranker.problem or "the reranker is still loading")
                scores = await self._reranker.scores(query, texts)
        except TimeoutError:
            late = f"the reranker gave no answer in {wait_s:g} s" if is_loaded else "the reranker is still loading"
            raise _NoJudgement(late) from None
        except _NoJudgement:
            raise
        except Exception as error:  # whatever a model makes of a text, the search has its answer without it
            log.warning("the reranker failed: %s", error, exc_info=True)
            raise _NoJudgement(f"the reranker failed: {type(error).__name__}: {error}") from error
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise _NoJudgement(f"the reranker gave no usable scores for {len(texts)} texts")
        return scores


class _NoJudgement(Exception):
    """The reranker has nothing to say; the message tells why."""


def judged(ranked: Sequence[Ranked], scores: Sequence[float], weight: float) -> list[Ranked]:
    """Candidates with the reranker's part added, best first; of equals the one that was before.

    The part is the score in standard deviations above the lowest, on the scale of what the candidates have: with a
    weight of 1 it tells them apart as much as all other parts together do, under any profile. It is never negative,
    so that who was judged stays before those who were not.
    """
    deviation = pstdev(scores)
    if not deviation:
        return list(ranked)
    spread = pstdev([one.score for one in ranked]) or 1.0
    lowest, unit = min(scores), weight * spread / deviation
    lifted = [
        replace(one, parts={**one.parts, PART: round(unit * (score - lowest), DECIMALS)})
        for one, score in zip(ranked, scores, strict=True)
    ]
    return sorted(lifted, key=lambda one: -one.score)
