"""Logged actions and what repeats in them, as results."""

from collections.abc import Iterable, Sequence
from datetime import date

from ..framing import quote
from ..records import dataclass
from ..reflection.models import ActionTally, Analysis, DaysSummary, Pattern
from ..text.counting import counted


@dataclass(frozen=True)
class LoggedAction:
    """The action that was logged."""

    id: str

    def as_text(self) -> str:
        """Return that the action was logged."""
        return f"Logged {self.id}."


@dataclass(frozen=True)
class PatternView:
    """A repeated pattern: how often, when last, and what to do about it."""

    pattern_type: str
    description: str
    suggested_action: str
    frequency: int
    last_seen: date

    def line(self) -> str:
        """Return the pattern as one line."""
        advice = f"{quote(self.description, 300)} → {quote(self.suggested_action, 400)}"
        return f"- {self.pattern_type} ×{self.frequency}, last {self.last_seen}: {advice}"


@dataclass(frozen=True)
class PatternList:
    """Patterns, the last seen first."""

    patterns: tuple[PatternView, ...]

    def as_text(self) -> str:
        """Return the patterns as lines."""
        return "\n".join(one.line() for one in self.patterns) or "No patterns yet."


@dataclass(frozen=True)
class AnalysisView:
    """The patterns of the window. `success_rate` is 0 to 1, absent without actions."""

    total_actions: int
    patterns: tuple[PatternView, ...] = ()
    success_rate: float | None = None

    def as_text(self) -> str:
        """Return how it went, and the patterns."""
        return "\n".join([_went(self.total_actions, self.success_rate), *(one.line() for one in self.patterns)])


@dataclass(frozen=True)
class Failure:
    """An action that failed, how often of how many times, and its last error."""

    action: str
    failures: int
    total: int
    last_failure: str | None = None

    def line(self) -> str:
        """Return the failure as one line."""
        last = f", last: {quote(self.last_failure, 200)}" if self.last_failure else ""
        return f"- failed {self.failures} of {self.total}: {quote(self.action, 200)}{last}"


@dataclass(frozen=True)
class ReflectionsSummaryView:
    """The summary of the last days."""

    days: int
    total_actions: int
    success_rate: float | None = None
    most_common_failures: tuple[Failure, ...] = ()
    most_successful_patterns: tuple[PatternView, ...] = ()
    top_recommendations: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return how the days went, as lines."""
        lines = [f"Last {counted(self.days, 'day')}: {_went(self.total_actions, self.success_rate)}"]
        lines += [one.line() for one in self.most_common_failures]
        lines += [one.line() for one in self.most_successful_patterns]
        return "\n".join([*lines, *(f"→ {quote(advice, 400)}" for advice in self.top_recommendations)])


def patterns(found: Iterable[Pattern]) -> PatternList:
    """Return the view of patterns."""
    return PatternList(_pattern_views(found))


def analysis(found: Analysis) -> AnalysisView:
    """Return the view of what an analysis found."""
    return AnalysisView(found.total_actions, _pattern_views(found.patterns), _rate(found.success_rate))


def summary(found: DaysSummary) -> ReflectionsSummaryView:
    """Return the summary of the last days, without repeating patterns in recommendations."""
    patterns = _pattern_views(found.most_successful_patterns)
    known = {one.suggested_action for one in patterns}
    return ReflectionsSummaryView(
        found.days,
        found.total_actions,
        _rate(found.success_rate),
        _failures(found.most_common_failures),
        patterns,
        tuple(advice for advice in found.top_recommendations if advice not in known),
    )


def _pattern_views(found: Iterable[Pattern]) -> tuple[PatternView, ...]:
    return tuple(
        PatternView(one.pattern_type.value, one.description, one.suggested_action, one.frequency, one.last_seen.date())
        for one in found
    )


def _failures(tallies: Sequence[ActionTally]) -> tuple[Failure, ...]:
    return tuple(Failure(one.action, one.failures, one.total, one.last_failure) for one in tallies)


def _rate(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)


def _went(total: int, rate: float | None) -> str:
    return "No actions logged." if rate is None else f"{counted(total, 'action')}, {rate:.0%} succeeded."
