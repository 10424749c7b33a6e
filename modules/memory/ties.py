"""The order of hits that answer nearly alike: the more important first, then those that have proved right.

Neither outweighs a better answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from .models import RankedTurn
from .ranking import DECIMALS, Ranked

IMPORTANCE, TRUST = "importance", "earned_trust"
"""The parts of a score by which a hit is lifted to one that it passes: a more important one, and a more trusted one."""
LEAST = 0.2
"""The difference in importance that counts: by less, importance differs by length and type alone."""
IMPORTANCE_RANGE, TRUST_RANGE = 0.16, 0.1
"""The shares of a better hit's score that may be made up for, per unit of importance and of earned trust: 4.7 % at the
very most by trust."""
MOST_PASSED = 6
"""The most hits that one passes: so that the first hits are the same however many are asked for."""
NEAR_ODDS = 1.0
"""The most log odds of answering, as the reranker judges, by which the other hit may be the better answer."""


def more_important_first(turns: Sequence[RankedTurn], ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return the hits, given best first; each passes those directly before it that it nearly equals and outweighs."""

    def share(one: Ranked, better: Ranked) -> float:
        more = turns[one.row].importance - turns[better.row].importance
        return IMPORTANCE_RANGE * more if more >= LEAST else 0.0

    return _passing(ranked, share, IMPORTANCE)


def more_trusted_first(
    turns: Sequence[RankedTurn], ranked: Sequence[Ranked], earned: Mapping[str, float]
) -> Sequence[Ranked]:
    """Return the hits, given best first, by what judgements have added to each or taken from it; as given without."""
    if not any(earned.values()):
        return ranked

    def share(one: Ranked, better: Ranked) -> float:
        return TRUST_RANGE * (earned.get(turns[one.row].id, 0.0) - earned.get(turns[better.row].id, 0.0))

    return _passing(ranked, share, TRUST)


def _passing(ranked: Sequence[Ranked], share: Callable[[Ranked, Ranked], float], part: str) -> list[Ranked]:
    """Return the hits, of which each passes those directly before it that it nearly equals; `part` says by how much.

    `share` is the share of the other's score that a hit may make up for: none where it is 0 or less.
    """
    order: list[Ranked] = []
    for one in ranked:
        place, first = len(order), max(0, len(order) - MOST_PASSED)
        while place > first and _outweighs(one, order[place - 1], share(one, order[place - 1])):
            place -= 1
        if place < len(order):
            gap = round(order[place].score - one.score, DECIMALS)
            one = replace(one, parts={**one.parts, part: one.parts.get(part, 0.0) + gap})
        order.insert(place, one)
    return order


def _outweighs(one: Ranked, better: Ranked, share: float) -> bool:
    if share <= 0 or better.score - one.score > share * abs(better.score):
        return False
    return one.answers is None or better.answers is None or better.answers - one.answers <= NEAR_ODDS
