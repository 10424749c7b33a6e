"""Reflection: how actions ended over time, what fails again and again, and what was found in it."""

from datetime import UTC

from .....modules.errors import InvalidInput
from .. import charts
from ..visit import Redirect, Shown, Visit

PERIODS = (7, 30, 90)
CHARTED = 90


async def show(visit: Visit, path: str) -> Shown:
    """Show success, patterns and insights."""
    today = visit.now.astimezone(UTC).date()
    daily = await visit.agentos.reflection.daily(visit.namespace, CHARTED)
    shown = charts.days(today, CHARTED)
    rate = charts.line("Share of actions that went well", {one.day: one.success_rate for one in daily}, shown)
    actions = charts.columns("Actions", "actions", {one.day: one.total for one in daily}, shown)
    summaries = [await visit.call("reflection_get_summary", days=days) for days in PERIODS]
    patterns = (await visit.call("reflection_get_patterns"))["patterns"]
    insights = await visit.agentos.insights.insights(visit.namespace, 50)
    tasks = await visit.agentos.insights.tasks(visit.namespace, 50)
    found = sorted([*insights, *tasks], key=lambda one: one.severity.rank)
    return Shown(
        "reflection.html", {"summaries": summaries, "patterns": patterns, "found": found, "charts": (rate, actions)}
    )


async def act(visit: Visit, path: str) -> Redirect:
    """Look for patterns now. Raises AgentOSError."""
    if visit.given("do") != "analyze":
        raise InvalidInput("do", "is not known here")
    await visit.call("reflection_analyze", lookback_days=30)
    return Redirect("/reflection", {"done": "analyzed"})
