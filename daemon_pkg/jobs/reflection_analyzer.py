"""Every 30 minutes: finds patterns in what agents did, and suggests what to do about them."""

from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.insights.models import InsightSeverity
from ...modules.insights.triggers import FAILING_TODAY, MIN_FAILURES, action_subject
from ...modules.reflection.models import Pattern, PatternType
from ..writer import InsightWriter, RuleFinding
from .job import Job

SUCCESSES_SHOWN = 2
RULES = ("low_success_rate", "repeated_failure", "success_pattern")
"""The rules whose findings are closed where they hold no longer; the first one is only that: it finds nothing."""


async def analyze_reflections(agentos: AgentOS, namespace: str) -> None:
    """Update the patterns of a namespace and write insights about them."""
    analysis = await agentos.reflection.analyze(namespace)
    findings: list[RuleFinding] = []
    findings += [_failure(p) for p in analysis.patterns if p.pattern_type is PatternType.REPEATED_FAILURE]
    working = [p for p in analysis.patterns if p.pattern_type is PatternType.SUCCESS_PATTERN]
    working.sort(key=lambda pattern: (-pattern.frequency, pattern.action))
    findings += [_success(pattern) for pattern in working[:SUCCESSES_SHOWN]]
    await InsightWriter(JOB.name, agentos.insights).write(namespace, RULES, findings)
    await _close_yesterdays_failures(agentos, namespace)


async def _close_yesterdays_failures(agentos: AgentOS, namespace: str) -> None:
    """Close the insights about actions that failed repeatedly, but not within the last day.

    The triggers write them at once, after two failures in a row within a day; a day later, or once the action works
    again, they are out of date.
    """
    today = await agentos.reflection.tallies(namespace, timedelta(days=1))
    failing = [action_subject(tally.action) for tally in today if tally.failing >= MIN_FAILURES]
    await agentos.insights.resolve_others(namespace, FAILING_TODAY.job, FAILING_TODAY.rule, failing)


def _failure(pattern: Pattern) -> RuleFinding:
    return RuleFinding(
        "repeated_failure",
        action_subject(pattern.action),
        InsightSeverity.WARNING,
        f"{pattern.description} {pattern.frequency} failures in the window.",
        pattern.suggested_action,
        0.7,
    )


def _success(pattern: Pattern) -> RuleFinding:
    return RuleFinding(
        "success_pattern",
        action_subject(pattern.action),
        InsightSeverity.INFO,
        f"{pattern.description} {pattern.frequency} successes in the window.",
    )


JOB = Job("reflection_analyzer", timedelta(minutes=30), "finds patterns in agents' actions", analyze_reflections)
