"""The numbers of trust, one definition each; pure functions of what was judged.

Reputation and outcome are Beta beliefs with a uniform prior, after Jøsang and Ismail, "The Beta Reputation System"
(Bled 2002). Trust between agents is an exponential moving average with one transitive hop. The four weights are set by
argument and fitted to nothing.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from .models import NOTHING, AgentTrust, Beta, Trust, TrustJudgement

WEIGHTS: Mapping[str, float] = {"recency": 0.22, "source": 0.22, "coherence": 0.18, "outcome": 0.25}
"""Sum to .87, the most that a memory is trusted: being shown is no evidence, so no part counts it."""
HALF_LIFE_HOURS = 168.0
NEUTRAL = 0.5
"""The value where nothing is known."""
LOW = 0.3
"""The trust below which a memory is not shown unasked, if it was judged: whatever its age, an unjudged one is above."""
DEVIATIONS = 1.96
"""Standard deviations on either side of the mean that hold 95 % of a normal distribution."""

SMOOTHING, LEAST, MOST = 0.8, 0.05, 0.98
"""The share of the old value that a moving average keeps, and its bounds."""
DIRECT_SHARE = 0.7
STABLE_FROM = 5


def recency(changed_at: datetime, now: datetime) -> float:
    """Return 1 for what was stored or changed now, halved every week."""
    hours = max(0.0, (now - changed_at).total_seconds() / 3600)
    return float(0.5 ** (hours / HALF_LIFE_HOURS))


def coherence(cosine: float | None) -> float:
    """Return how near a memory is to what else is known, 0..1, by its cosine to their mean; neutral without one."""
    return NEUTRAL if cosine is None else (max(-1.0, min(1.0, cosine)) + 1) / 2


def reputations(judgements: Iterable[TrustJudgement]) -> dict[str, Beta]:
    """Return by principal how what it stored has fared with others; each judge has one word about a memory, the last.

    What nobody else has judged is missing: NOTHING is said of it.
    """
    found: dict[str, Beta] = {}
    for one in _last_words(judgements):
        found[one.author] = _with(found.get(one.author, NOTHING), one)
    return found


def outcome(judgements: Iterable[TrustJudgement]) -> Beta:
    """Return how one memory has fared: by others' words, its author's against it, and whether it was built on, once."""
    counted = (one for one in judgements if one.is_independent or one.observed or not one.is_for or not one.author)
    last = {"observed" if one.observed else one.judge: one for one in counted}
    belief = NOTHING
    for one in last.values():
        belief = _with(belief, one)
    return belief


def _last_words(judgements: Iterable[TrustJudgement]) -> Iterable[TrustJudgement]:
    """Return the last judgement of each judge about each memory of another, in order."""
    last: dict[tuple[str, str], TrustJudgement] = {}
    for one in judgements:
        if one.is_independent:
            last.pop((one.judge, one.memory_id), None)
            last[one.judge, one.memory_id] = one
    return last.values()


def _with(belief: Beta, one: TrustJudgement) -> Beta:
    return Beta(belief.good + one.weight * one.is_for, belief.bad + one.weight * (not one.is_for))


def trust(
    *,
    recency: float,
    reputation: Beta,
    kind_of_source: float,
    coherence: float,
    outcome: Beta,
    stored_by: str = "",
) -> Trust:
    """Return the trust in a memory: the weighted sum of four signals, each 0..1.

    What was written elsewhere is trusted no more than such sources are (`kind_of_source`), whoever stored it. The
    interval is that of a normal distribution with the variance of the two beliefs; the other signals are measured.
    """
    signals = {
        "recency": recency,
        "source": min(reputation.mean, kind_of_source),
        "coherence": coherence,
        "outcome": outcome.mean,
    }
    parts = {name: WEIGHTS[name] * value for name, value in signals.items()}
    score = sum(parts.values())
    variance = WEIGHTS["outcome"] ** 2 * outcome.variance
    if reputation.mean <= kind_of_source:
        variance += WEIGHTS["source"] ** 2 * reputation.variance
    reach = DEVIATIONS * math.sqrt(variance)
    low, high = max(0.0, score - reach), min(1.0, score + reach)
    return Trust(score, low, high, parts, stored_by, reputation.is_known or outcome.is_known)


def earned(reputation: Beta, outcome: Beta) -> float:
    """Return what judgements have added to the trust in a memory, or taken from it: -.235 to .235, 0 without any."""
    return WEIGHTS["source"] * (reputation.mean - NEUTRAL) + WEIGHTS["outcome"] * (outcome.mean - NEUTRAL)


def is_low(trust: Trust) -> bool:
    """Return whether a memory's trust is too low to show it without a query."""
    return trust.is_judged and trust.score < LOW


def moved(value: float, *, good: bool) -> float:
    """Return a moving average after one more experience."""
    return min(MOST, max(LEAST, SMOOTHING * value + (1 - SMOOTHING) * good))


def between(judgements: Sequence[TrustJudgement]) -> list[AgentTrust]:
    """Return the trust of each principal in each other that it has judged, or that one whom it trusts has.

    Each judge has one word about a memory, the last.

    The transitive trust is the greatest product over one principal in between; it weighs .3 beside .7 of one's own
    experience, which is neutral where there is none.
    """
    direct: dict[tuple[str, str], float] = {}
    counts: dict[tuple[str, str], int] = {}
    for one in _last_words(judgements):
        pair = (one.judge, one.author)
        direct[pair] = moved(direct.get(pair, NEUTRAL), good=one.is_for)
        counts[pair] = counts.get(pair, 0) + 1
    over: dict[tuple[str, str], tuple[float, str]] = {}
    by_judge: dict[str, list[tuple[str, float]]] = {}
    for (judge, author), value in direct.items():
        by_judge.setdefault(judge, []).append((author, value))
    for (judge, middle), value in direct.items():
        for author, onwards in by_judge.get(middle, ()):
            if author != judge:
                over[judge, author] = max(over.get((judge, author), (0.0, "")), (value * onwards, middle))
    return [
        _between(pair, direct.get(pair), over.get(pair), counts.get(pair, 0)) for pair in sorted({**direct, **over})
    ]


def _between(
    pair: tuple[str, str], direct: float | None, over: tuple[float, str] | None, judgements: int
) -> AgentTrust:
    own = NEUTRAL if direct is None else direct
    score = own if over is None else DIRECT_SHARE * own + (1 - DIRECT_SHARE) * over[0]
    transitive, through = (None, "") if over is None else over
    return AgentTrust(*pair, score, direct, transitive, through, judgements, judgements >= STABLE_FROM)
