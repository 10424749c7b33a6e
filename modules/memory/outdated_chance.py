"""How likely the newer one of two hits that compete outdates the older one.

Over what rules read in both a logistic model says so (`outdated_weights.json`, which
`python -m benchmarks.lifecycle.train_outdated --write` makes). Where there is a second opinion another one decides,
over that opinion, what the first one says, how near the two are, and, where they were reranked, how well each answers
the question (`with_opinion_weights.json`, `with_relevance_weights.json`: `train_with_opinion`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from . import logistic
from .second_opinion import log_odds

SURELY = 0.8
"""How likely what names no slot must outdate one that was given: whoever gives slots tells changes by them."""
AGREED = 0.7
"""How likely it is, without an opinion, where both speak of one attribute of one subject by their gist."""
DENIED = 0.2
"""What an opinion finds less likely is not marked, however near two are."""
SUREST = 0.99
"""An opinion counts as no surer than that, either way."""
LEAST = 1e-3
"""The same of what rules say."""
NEAR = ("cosine", "older_share", "older_rank", "newer_rank")
MARGINS = ("older_margin", "newer_margin")
"""What of FEATURES of `hit_pairs` counts besides an opinion."""
MOST = 0.2
"""A margin counts as no greater than that, either way: among a few memories any two stand out."""
WITH_OPINION = ("opinion", "near_opinion", "rules", "same_words", *NEAR, *MARGINS)
"""What counts where there is an opinion: its log odds, the same times the cosine, the log odds of what rules read (0
where they could not), whether the newer one has all words of the older one, NEAR and MARGINS."""

BOTH_ANSWER = "both_answer"
"""What counts besides where both were reranked: how likely either answers the question, multiplied."""


@dataclass(frozen=True)
class Pair:
    """Two of the best hits that may compete, by their places, and what is known of them.

    `near` is how near they are, `answers` the log odds that either answers the question, None where they were not
    reranked; `read` what rules read in both, None where they could not. They are `supported` where each has its share
    of the best hit's score: without an opinion rules are trusted on such alone. The older one's slot was `given` where
    the newer one states none: then it takes more to mark it.
    """

    older: int
    newer: int
    near: Mapping[str, float]
    read: Mapping[str, float] | None = None
    supported: bool = True
    given: bool = False
    same_words: bool = False
    by_gist: bool = False
    answers: tuple[float, float] | None = None
    opinion: float | None = None

    @property
    def chance(self) -> float:
        """How likely the newer one outdates the older one, from 0 to 1; 0 where nothing tells."""
        if self.opinion is not None and self.opinion < DENIED:
            return 0.0
        if self.opinion is not None:
            return self._with_opinion.probability(self.known(self.opinion))
        if self.read is None or not self.supported:
            return 0.0
        return max(by_rules().probability(self.read), AGREED if self.by_gist else 0.0)

    @property
    def at_best(self) -> float:
        """How likely the surest opinion would make it."""
        return self._with_opinion.probability(self.known(SUREST))

    @property
    def is_conceivable(self) -> bool:
        """Whether an opinion could make it likely enough."""
        return self.at_best >= self._least(self._with_opinion)

    @property
    def is_likely(self) -> bool:
        """Whether it is likely enough to mark the older one."""
        return self.chance >= self._least(by_rules() if self.opinion is None else self._with_opinion)

    def known(self, opinion: float) -> dict[str, float]:
        """WITH_OPINION of the pair, and BOTH_ANSWER where it was reranked."""
        sure = log_odds(opinion, 1 - SUREST)
        rules = 0.0 if self.read is None else log_odds(by_rules().probability(self.read), LEAST)
        own = sure, sure * self.near["cosine"], rules, float(self.same_words)
        near = (self.near[name] for name in NEAR)
        margins = (min(max(self.near[name], -MOST), MOST) for name in MARGINS)
        found = dict(zip(WITH_OPINION, (*own, *near, *margins), strict=True))
        if self.answers is not None:
            older, newer = map(logistic.chance_of, self.answers)
            found[BOTH_ANSWER] = older * newer
        return found

    @property
    def _with_opinion(self) -> logistic.Model:
        return with_opinion() if self.answers is None else with_relevance()

    def _least(self, model: logistic.Model) -> float:
        return SURELY if self.given else model.threshold


@cache
def by_rules() -> logistic.Model:
    """The model of what rules have read, as it was trained."""
    return logistic.read("outdated_weights.json")


@cache
def with_opinion() -> logistic.Model:
    """The model with the second opinion, as it was trained."""
    return logistic.read("with_opinion_weights.json")


@cache
def with_relevance() -> logistic.Model:
    """The model with the second opinion of hits that were reranked, as it was trained."""
    return logistic.read("with_relevance_weights.json")
