"""The order of hits that answer as good as alike: those that have proved right first. It never beats evidence."""

from collections.abc import Mapping, Sequence

from .by_importance import passing
from .models import Turn
from .ranking import Ranked

PART = "earned_trust"
"""The part of a score by which a hit that is trusted more is lifted to one that it passes."""
RANGE = 0.1
"""The share of a better hit's score that may be made up for, per unit of earned trust: 4.7 % at the very most."""


def more_trusted_first(
    turns: Sequence[Turn], ranked: Sequence[Ranked], earned: Mapping[str, float]
) -> Sequence[Ranked]:
    """Return the hits, given best first, by what judgements have added to each or taken from it; as given without."""
    if not any(earned.values()):
        return ranked

    def share(one: Ranked, better: Ranked) -> float:
        return RANGE * (earned.get(turns[one.row].id, 0.0) - earned.get(turns[better.row].id, 0.0))

    return passing(ranked, share, PART)
