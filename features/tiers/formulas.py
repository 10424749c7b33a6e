"""The formulas of tiers, one definition each; pure functions of stored values and a clock."""

import math
from datetime import datetime

from .models import HOT, Placement, Segment, Tier, TierSettings

HOURS_OF_RECENCY = 24.0
PROCEDURAL_KINDS = ("procedure", "rule")


def recency(last_visit_at: datetime, now: datetime) -> float:
    """Return exp(−hours since the last visit / 24). A clock that went back counts as no time passed."""
    hours = max(0.0, (now - last_visit_at).total_seconds() / 3600)
    return math.exp(-hours / HOURS_OF_RECENCY)


def heat(segment: Segment, now: datetime) -> float:
    """Return how much a segment is used: visits + interactions + recency."""
    return segment.visits + segment.interactions + recency(segment.last_visit_at, now)


def is_hot(segment: Segment, now: datetime) -> bool:
    """Return whether a segment is due for promotion."""
    return heat(segment, now) >= HOT


def tiers_of(kind: str, memory_type: str, placement: Placement | None, settings: TierSettings) -> tuple[Tier, ...]:
    """Return the tiers that a memory is in, the nearest first; `placement` is None for any memory but a turn.

    The working window is the head of short-term memory: a turn may be in both. A turn of an evicted segment is in none;
    a search still finds it.
    """
    if placement is None:
        if memory_type == "working":
            return (Tier.WORKING,)
        is_procedural = kind in PROCEDURAL_KINDS or memory_type == "procedural"
        return (Tier.PROCEDURAL,) if is_procedural else (Tier.LONG,)
    found = [Tier.WORKING] if placement.is_open and placement.turns_after < settings.working_turns else []
    if placement.pages_after < settings.short_term_pages:
        found.append(Tier.SHORT)
    elif not placement.is_evicted:
        found.append(Tier.MID)
    return tuple(found)


def tier_of(kind: str, memory_type: str, placement: Placement | None, settings: TierSettings) -> Tier | None:
    """Return the nearest tier that a memory is in; None for a turn of an evicted segment."""
    return next(iter(tiers_of(kind, memory_type, placement, settings)), None)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard index of two sets (shared share of their union); 0 if both are empty."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0
