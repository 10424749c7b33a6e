"""Support: the chance that each of the best hits answers the query, so that a right one is not padded with others.

    model = support.bundled()                                    # reads a small file: once, where services are wired
    known = support.features(query, evidence, turns, ranked)     # of each of the best hits
    model.of(known[0])                                           # 0..1, which a ranked one is given
    answers = support.answering(ranked, known, model.least_share, turns)

A logistic model over what a hit has already, a millisecond for twenty of them. There are two: one knows the log odds of
the reranker, which misses what answers obliquely, the other one all but these. Where the reranker has read a hit the
mean of their log odds counts, else those of the second. The weights, and on what they were fitted, are in
support_weights.json, which `python -m training.train_support --write` makes.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import package_files
from ..records import dataclass
from . import gate, ranking, reranking
from .features import Evidence
from .formulas import chance_of, log_odds
from .models import RankedTurn
from .outdated import OLDER
from .query import Query
from .ranking import Ranked
from .words import StemCounts

WEIGHTS = Path(__file__).with_name("support_weights.json")
READ_CHARS = 1_500
LEAST_CHANCE = 1e-9
EVERY_WORD = 0.999
LEAST_ODDS, MOST_ODDS = -10.0, 8.0
"""The bounds to which the reranker's log-odds are clipped."""

RERANKED = ("odds", "share", "cosine", "coverage", "words", "identifier")
FOUND = ("share_before", "cosine", "cosine_gap", "coverage", "words", "identifier")
"""The features of each of the two models; `bias` is one of both."""


@dataclass(frozen=True)
class SupportModel:
    """Weights by feature; a hit is kept if its odds are at least `least_share` of the best one's.

    Where the best one is not sure, more is kept: what answers may be any of them.
    """

    reranked: Mapping[str, float]
    found: Mapping[str, float]
    least_share: float

    def of(self, known: Mapping[str, float]) -> float:
        """Return how likely a hit answers the query, given what `features` returned of it."""
        found = _sum(self.found, known)
        return chance_of((found + _sum(self.reranked, known)) / 2 if "odds" in known else found)


def bundled() -> SupportModel:
    """Load the model that comes with AgentOS."""
    written = json.loads(package_files.text(WEIGHTS))
    return SupportModel(written["reranked"], written["found"], written["kept"])


def judges(profile: ranking.RankingProfile, evidence: Evidence, best: Sequence[RankedTurn]) -> bool:
    """Return whether hits are judged: notes by the default profile, where there are vectors.

    In conversations nearly everything that is near may be wanted; beside a note that answers, talk is judged as well.
    """
    led_by_note = any(turn.session is None for turn in best[:1])
    is_judged = led_by_note or ranking.are_notes(best)
    return profile is ranking.RankingProfile.DEFAULT and evidence.vector is not None and is_judged


def answering(
    ranked: Sequence[Ranked], known: Sequence[Mapping[str, float]], least_share: float, turns: Sequence[RankedTurn]
) -> list[Ranked]:
    """Return those of the ranked whose odds are at least `least_share` times the best odds; `known` are their features.

    Also, whatever their odds: the first one, what has every word of the query or no vector yet, and what may have
    replaced one of all these.
    """
    least = max((_log_odds(one) for one in ranked), default=0.0) + math.log(least_share)
    chosen = [
        one
        for place, (one, of_one) in enumerate(zip(ranked, known, strict=True))
        if place == 0 or _log_odds(one) >= least or of_one["coverage"] >= EVERY_WORD or turns[one.row].vector is None
    ]
    newer = {turns[one.row].outdated_by for one in chosen}
    rows = {one.row for one in chosen}
    return [one for one in ranked if one.row in rows or turns[one.row].id in newer]


def _log_odds(one: Ranked) -> float:
    return log_odds(one.support or 0.0, LEAST_CHANCE)


def features(
    query: Query, evidence: Evidence, turns: Sequence[RankedTurn], ranked: Sequence[Ranked]
) -> list[dict[str, float]]:
    """Return what is known of each of the ranked, which are the best of a search, best first.

    `odds`: the reranker's log odds that it answers, where there are any. `share`: its score as a share of the best one,
    and `share_before` the reranker. `cosine` and `cosine_gap`, to the best of them. `coverage`: the share of the
    query's words that it has, by IDF. `identifier`: exact terms. `words`: the logarithm of how many the query has.
    """
    if not ranked:
        return []
    ids = [turns[one.row].id for one in ranked]
    scores = [one.score - one.parts.get(OLDER, 0.0) for one in ranked]
    before = [score - one.parts.get(reranking.PART, 0.0) for score, one in zip(scores, ranked, strict=True)]
    farthest = min(evidence.cosine.values(), default=0.0)
    cosines = [evidence.cosine.get(one, farthest) for one in ids]
    coverage = _coverage(evidence, [turns[one.row] for one in ranked])
    words = math.log1p(len(evidence.words))
    known = []
    for place, one in enumerate(ranked):
        of_one = {
            "share": _share(scores[place], max(scores)),
            "share_before": _share(before[place], max(before)),
            "cosine": cosines[place],
            "cosine_gap": cosines[place] - max(cosines),
            "coverage": coverage[place],
            "identifier": evidence.identifiers.get(ids[place], 0.0),
            "words": words,
            "bias": 1.0,
        }
        if one.answers is not None:
            of_one["odds"] = max(LEAST_ODDS, min(MOST_ODDS, one.answers))
        known.append(of_one)
    return known


def _coverage(evidence: Evidence, turns: Sequence[RankedTurn]) -> list[float]:
    import numpy as np

    counts = StemCounts(evidence.words)
    weights = np.array([gate.charged_frequency(word, evidence) for word in counts.words], dtype=np.float32)
    ideal = float(weights.sum()) or 1.0
    has = np.minimum(counts.of([turn.text_with_attribute[:READ_CHARS] for turn in turns]), 1.0)
    return [float(value) / ideal for value in has @ weights]


def _share(score: float, best: float) -> float:
    return score / best if best > 0 else 1.0


def _sum(weights: Mapping[str, float], known: Mapping[str, float]) -> float:
    return sum(weight * known[name] for name, weight in weights.items())
