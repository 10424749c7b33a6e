"""The domain types of reflection."""

from datetime import date, datetime
from enum import StrEnum

from ..records import dataclass

WENT_WELL = "ok"
"""The outcome of an observed success of which nothing more is known."""


class PatternType(StrEnum):
    """The type of a pattern: failing, succeeding, or being tried more often than it works."""

    REPEATED_FAILURE = "repeated_failure"
    SUCCESS_PATTERN = "success_pattern"
    INEFFICIENCY = "inefficiency"


@dataclass(frozen=True)
class Reflection:
    """One action of an agent, and its outcome. Never changes: the log is append-only."""

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
    """Counts of an action's runs and failures in a window, with its last failure.

    `failing` counts the failures since its last success, `recovered` the successes since its last failure; `cure` is
    the outcome of the first of these.
    """

    action: str
    total: int
    failures: int
    last_at: datetime
    last_failure: str | None
    failing: int = 0
    recovered: int = 0
    cure: str | None = None

    @property
    def successes(self) -> int:
        return self.total - self.failures

    @property
    def remedy(self) -> str:
        """What the cure says of itself; "" where that is only that it went well."""
        return "" if self.cure is None or self.cure == WENT_WELL else self.cure


@dataclass(frozen=True)
class DayTally:
    """Counts of the actions of a day, in the zone that was asked for, and of those that failed."""

    day: date
    total: int
    failures: int

    @property
    def success_rate(self) -> float:
        """The share of the actions that went well."""
        return (self.total - self.failures) / self.total


@dataclass(frozen=True)
class Pattern:
    """A repeating outcome. Identity is (namespace, type, action): no counts or dates in it."""

    pattern_type: PatternType
    action: str
    description: str
    suggested_action: str
    frequency: int
    last_seen: datetime


@dataclass(frozen=True)
class Analysis:
    """The result of an analysis of a window: the patterns, and how actions went. The rate is 0..1 or None."""

    patterns: tuple[Pattern, ...]
    total_actions: int
    success_rate: float | None


@dataclass(frozen=True)
class DaysSummary:
    """A summary of the last days."""

    days: int
    total_actions: int
    success_rate: float | None
    most_common_failures: tuple[ActionTally, ...]
    most_successful_patterns: tuple[Pattern, ...]
    top_recommendations: tuple[str, ...]
