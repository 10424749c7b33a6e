"""The domain types of reflection."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PatternType(StrEnum):
    """What repeats: failing, succeeding, or being tried more often than it works."""

    REPEATED_FAILURE = "repeated_failure"
    SUCCESS_PATTERN = "success_pattern"
    INEFFICIENCY = "inefficiency"


@dataclass(frozen=True)
class Reflection:
    """One action that an agent took, and how it ended. The past never changes: append-only."""

    id: str
    namespace: str
    action: str
    outcome: str
    success: bool
    context: str
    goal_id: str | None
    tags: tuple[str, ...]
    occurred_at: datetime


@dataclass(frozen=True)
class ActionTally:
    """How often an action was taken and how often it failed, with its last outcomes in that window."""

    action: str
    total: int
    failures: int
    last_at: datetime
    last_failure: str | None

    @property
    def successes(self) -> int:
        return self.total - self.failures


@dataclass(frozen=True)
class Pattern:
    """Something that repeats. Identity is (namespace, type, action): no counts or dates in it."""

    pattern_type: PatternType
    action: str
    description: str
    suggested_action: str
    frequency: int
    last_seen: datetime


@dataclass(frozen=True)
class Analysis:
    """What an analysis found over a window: the patterns, and how actions went. Rates are 0..1 or None."""

    patterns: tuple[Pattern, ...]
    total_actions: int
    success_rate: float | None


@dataclass(frozen=True)
class Summary:
    """How the last days went."""

    days: int
    total_actions: int
    success_rate: float | None
    most_common_failures: tuple[ActionTally, ...]
    most_successful_patterns: tuple[Pattern, ...]
    top_recommendations: tuple[str, ...]
