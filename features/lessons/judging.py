"""What the runs say of a lesson: rates with intervals, and the verdict. Pure.

A rate has its Wilson interval (Wilson 1927). The difference of two rates, or of one and a part of the other, has the
interval that Zou and Donner (2008) build of theirs, which is Newcombe's (1998, method 10) for a plain difference. They
are of 95 %, for harm of 99 %. Runs at the same place in a session are compared: the first one, or a later one.
"""

import math
from collections.abc import Mapping
from enum import StrEnum

from ...modules.proving import Rate
from ...modules.records import dataclass

Z = 1.959964
"""The quantile of the normal distribution for 95 %."""
Z_OF_HARM = 2.575829
"""That for 99 %: harm is looked for again and again, in all failures, also those that no lesson is about."""
LEAST = 10
"""The runs, each of another session, that are needed on either side: below, an interval of a rate spans half of all
that is possible, so that neither a halved rate nor the same one can be told."""
FEW = 5
"""The failures that are needed to speak against a lesson: told ones for harm, else ones without it. A rate of fewer has
too short an interval, and one failure by chance would do."""
EVERY = 10
"""After how many more told runs it is looked at again: a look at each run would find an extreme by chance alone."""
WORTH = 0.5
"""The share of the failures before that is left when a lesson is worth its telling: it at least halves them."""


class Verdict(StrEnum):
    """What the evidence says at one look."""

    UNKNOWN = "unknown"
    HELPS = "helps"
    USELESS = "useless"
    HARMS = "harms"


@dataclass(frozen=True)
class Tally:
    """Runs at one place in their sessions: all of them, how many failed, and in the lesson's own way.

    `others` failed in another way than the one that the lesson says, if it says one: whether they would have failed in
    its way too is not known.
    """

    runs: int = 0
    failed: int = 0
    others: int = 0


Side = Mapping[str, Tally]
"""Tallies by their place."""


@dataclass(frozen=True)
class _Measured:
    share: float
    low: float
    high: float


def rate(failed: int, runs: int, z: float = Z) -> Rate:
    """Return a share with its Wilson interval; of no runs anything is possible."""
    if not runs:
        return Rate(0, 0, None, 0.0, 1.0)
    share, square = failed / runs, z * z
    middle = (share + square / (2 * runs)) / (1 + square / runs)
    half = z / (1 + square / runs) * math.sqrt(share * (1 - share) / runs + square / (4 * runs * runs))
    return Rate(runs, failed, share, max(0.0, middle - half), min(1.0, middle + half))


def repeats(side: Side) -> Rate:
    """Return how often it failed in the lesson's way, of the runs of which that is known."""
    return rate(sum(one.failed for one in side.values()), sum(_known(one) for one in side.values()))


def witnesses(untold: Side, told: Side) -> int:
    """Return how many told runs, failed in whatever way, can be compared with others; 0 where either are too few."""
    return _compared(_whole(untold), _whole(told))


def _compared(untold: Side, told: Side) -> int:
    places = _comparable(untold, told)
    enough = sum(_known(untold[place]) for place in places) >= LEAST
    runs = sum(_known(told[place]) for place in places)
    return runs if enough and runs >= LEAST else 0


def verdict(untold: Side, told: Side) -> Verdict:
    """Return what the runs say: it harms where more runs fail once it is told, in whatever way; it helps where fewer
    fail in its own way; it is useless where the failures are not even halved."""
    before, after = _whole(untold), _whole(told)
    is_seen = _failures(before, after)[1] >= FEW
    if is_seen and witnesses(untold, told) and _contrast(before, after, 1.0, Z_OF_HARM)[0] > 0:
        return Verdict.HARMS
    if not _compared(untold, told):
        return Verdict.UNKNOWN
    if _contrast(untold, told, 1.0)[1] < 0:
        return Verdict.HELPS
    is_useless = _failures(untold, told)[0] >= FEW and _contrast(untold, told, WORTH)[0] > 0
    return Verdict.USELESS if is_useless else Verdict.UNKNOWN


def _failures(untold: Side, told: Side) -> tuple[int, int]:
    """Return how many runs failed on each side, where they are compared."""
    places = _comparable(untold, told)
    return sum(untold[place].failed for place in places), sum(told[place].failed for place in places)


def _contrast(untold: Side, told: Side, part: float, z: float = Z) -> tuple[float, float]:
    """Return the interval of the told rate minus a part of the untold one, at the places of the told runs."""
    places = _comparable(untold, told)
    total = sum(_known(told[place]) for place in places)
    after = rate(sum(told[place].failed for place in places), total, z)
    before = _weighed({place: _known(told[place]) / total for place in places}, untold, z)
    share = after.share or 0.0
    middle = share - part * before.share
    below = math.hypot(share - after.low, part * (before.high - before.share))
    above = math.hypot(after.high - share, part * (before.share - before.low))
    return middle - below, middle + above


def _weighed(weights: Mapping[str, float], side: Side, z: float) -> _Measured:
    rates = {place: rate(side[place].failed, _known(side[place]), z) for place in weights}
    share = sum(weight * (rates[place].share or 0.0) for place, weight in weights.items())
    below = math.hypot(*(w * ((rates[place].share or 0.0) - rates[place].low) for place, w in weights.items()))
    above = math.hypot(*(w * (rates[place].high - (rates[place].share or 0.0)) for place, w in weights.items()))
    return _Measured(share, share - below, share + above)


def _comparable(untold: Side, told: Side) -> list[str]:
    return [place for place in told if _known(told[place]) and _known(untold.get(place, Tally()))]


def _known(one: Tally) -> int:
    return one.runs - one.others


def _whole(side: Side) -> Side:
    return {place: Tally(one.runs, one.failed + one.others) for place, one in side.items()}
