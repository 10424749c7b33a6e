"""The reflection tools."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.framing import quote
from ..modules.reflection.models import ActionTally, Pattern
from .tool import Tool

Days = Annotated[int | None, Field(description="default 7")]


@dataclass(frozen=True)
class LoggedAction:
    """The action as it was logged."""

    id: str
    action: str
    success: bool
    occurred_at: datetime


@dataclass(frozen=True)
class PatternView:
    """Something that repeats."""

    pattern_type: str
    action: str
    description: str
    suggested_action: str
    frequency: int
    last_seen: datetime


@dataclass(frozen=True)
class AnalysisView:
    """What repeats in the window. `success_rate` is 0 to 1, null without actions."""

    patterns: list[PatternView]
    total_actions: int
    success_rate: float | None


@dataclass(frozen=True)
class PatternList:
    """Patterns, the last seen first."""

    patterns: list[PatternView]


@dataclass(frozen=True)
class FailureView:
    """An action that failed, how often, and its last error."""

    action: str
    failures: int
    total: int
    last_failure: str | None


@dataclass(frozen=True)
class SummaryView:
    """How the last days went."""

    days: int
    total_actions: int
    success_rate: float | None
    most_common_failures: list[FailureView]
    most_successful_patterns: list[PatternView]
    top_recommendations: list[str]


async def reflection_log(
    agentos: AgentOS,
    namespace: str,
    *,
    action: Annotated[str, Field(description="short and the same each time, e.g. 'run tests'")],
    outcome: str,
    success: bool,
    context: str | None = None,
    goal_id: str | None = None,
    tags: list[str] | None = None,
) -> LoggedAction:
    """Log what you did and how it ended, so that what repeats is found."""
    entry = await agentos.reflection.log(namespace, action, outcome, success, context, goal_id, tags or ())
    return LoggedAction(entry.id, entry.action, entry.success, entry.occurred_at)


async def reflection_analyze(agentos: AgentOS, namespace: str, *, lookback_days: Days = None) -> AnalysisView:
    """Find repeated failures, what works, and what is inefficient, with a suggested action for each."""
    analysis = await agentos.reflection.analyze(namespace, lookback_days)
    return AnalysisView(
        [_pattern(pattern) for pattern in analysis.patterns], analysis.total_actions, _rate(analysis.success_rate)
    )


async def reflection_get_patterns(
    agentos: AgentOS,
    namespace: str,
    *,
    pattern_type: Literal["repeated_failure", "success_pattern", "inefficiency"] | None = None,
) -> PatternList:
    """The patterns found so far."""
    found = await agentos.reflection.patterns(namespace, pattern_type)
    return PatternList([_pattern(pattern) for pattern in found])


async def reflection_get_summary(agentos: AgentOS, namespace: str, *, days: Days = None) -> SummaryView:
    """How the last days went: success rate, common failures, what works, recommendations."""
    summary = await agentos.reflection.summary(namespace, days)
    return SummaryView(
        summary.days,
        summary.total_actions,
        _rate(summary.success_rate),
        [_failure(tally) for tally in summary.most_common_failures],
        [_pattern(pattern) for pattern in summary.most_successful_patterns],
        list(summary.top_recommendations),
    )


def _pattern(pattern: Pattern) -> PatternView:
    return PatternView(
        pattern.pattern_type.value,
        pattern.action,
        pattern.description,
        pattern.suggested_action,
        pattern.frequency,
        pattern.last_seen,
    )


def _failure(tally: ActionTally) -> FailureView:
    return FailureView(tally.action, tally.failures, tally.total, tally.last_failure)


def _rate(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)


def _pattern_lines(patterns: list[PatternView]) -> list[str]:
    return [
        f"- {p.pattern_type} ×{p.frequency}: {quote(p.description, 300)} → {quote(p.suggested_action, 400)}"
        for p in patterns
    ]


def _rate_text(total: int, rate: float | None) -> str:
    return "No actions logged." if rate is None else f"{total} actions, {rate:.0%} succeeded."


def _analysis_text(result: AnalysisView) -> str:
    return "\n".join([_rate_text(result.total_actions, result.success_rate), *_pattern_lines(result.patterns)])


def _summary_text(result: SummaryView) -> str:
    lines = [f"Last {result.days} days: {_rate_text(result.total_actions, result.success_rate)}"]
    lines += [
        f"- failed {f.failures} of {f.total}: {quote(f.action, 200)}"
        + (f", last: {quote(f.last_failure, 200)}" if f.last_failure else "")
        for f in result.most_common_failures
    ]
    lines += _pattern_lines(result.most_successful_patterns)
    lines += [f"→ {quote(advice, 400)}" for advice in result.top_recommendations]
    return "\n".join(lines)


REFLECTION_TOOLS = (
    Tool(reflection_log, "Log an action", lambda result: f"Logged {result.id}."),
    Tool(reflection_analyze, "Find patterns", _analysis_text, idempotent=True),
    Tool(
        reflection_get_patterns,
        "Patterns found",
        lambda result: "\n".join(_pattern_lines(result.patterns)) or "No patterns yet.",
        read_only=True,
        idempotent=True,
    ),
    Tool(reflection_get_summary, "How the last days went", _summary_text, read_only=True, idempotent=True),
)
