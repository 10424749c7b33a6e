"""The numbers of memory, one definition each; pure functions of stored values and a clock."""

import math
from datetime import datetime

from .models import MemoryType

KEYWORDS = ("important", "never forget", "always", "critical", "essential", "crucial", "must remember", "key")

_TYPE_WEIGHT = {
    MemoryType.PROCEDURAL: 0.9,
    MemoryType.SEMANTIC: 0.7,
    MemoryType.EPISODIC: 0.5,
    MemoryType.WORKING: 0.5,
}
_SECONDS_A_DAY = 86_400.0


def clamp01(value: float) -> float:
    """Return `value` clamped to 0..1."""
    return min(1.0, max(0.0, value))


def importance(content: str, memory_type: MemoryType) -> float:
    """Return how much a memory is worth keeping, 0..1, for one that nobody rated; computed when it is stored.

    clamp01(.25 + .2·min(length/500, 1) + .2·type + min(.05·keywords, .2)), where `keywords` counts
    the entries of KEYWORDS that occur in the text, each once.
    """
    lowered = content.lower()
    hits = sum(keyword in lowered for keyword in KEYWORDS)
    return clamp01(0.25 + 0.2 * min(len(content) / 500, 1.0) + 0.2 * _TYPE_WEIGHT[memory_type] + min(0.05 * hits, 0.2))


def strength(decay_rate: float, importance: float, accessed_at: datetime, now: datetime) -> float:
    """Return how alive a memory is, 0..1: max(0, 1 − rate·(1 − importance)·days since last access).

    `decay_rate` is per day. A clock that has gone back counts as no time passed.
    """
    days = max(0.0, (now - accessed_at).total_seconds() / _SECONDS_A_DAY)
    return max(0.0, 1.0 - decay_rate * (1.0 - importance) * days)


def log_odds(chance: float, least: float = 1e-4) -> float:
    """Return the log-odds of a chance, which is first clipped to `least`..1 - `least`."""
    bounded = min(max(chance, least), 1 - least)
    return math.log(bounded / (1 - bounded))


def chance_of(odds: float) -> float:
    """Return the chance, from 0 to 1, that has these log-odds."""
    return 1 / (1 + math.exp(-odds))
