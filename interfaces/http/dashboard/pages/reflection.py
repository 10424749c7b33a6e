"""Reflection: how actions ended over time, what fails again and again, and what was found in it."""

from .....modules.errors import InvalidInput
from ..visit import Redirect, Shown, Visit

PERIODS = (7, 30, 90)


async def show(visit: Visit, path: str) -> Shown:
    """Show success, patterns and insights."""
    summaries = [await visit.call("reflection_get_summary", days=days) for days in PERIODS]
    patterns = (await visit.call("reflection_get_patterns"))["patterns"]
    insights = await visit.agentos.insights.insights(visit.namespace, 50)
    tasks = await visit.agentos.insights.tasks(visit.namespace, 50)
    found = sorted([*insights, *tasks], key=lambda one: one.severity.rank)
    return Shown("reflection.html", {"summaries": summaries, "patterns": patterns, "found": found})


async def act(visit: Visit, path: str) -> Redirect:
    """Look for patterns now. Raises AgentOSError."""
    if visit.given("do") != "analyze":
        raise InvalidInput("do", "is not known here")
    await visit.call("reflection_analyze", lookback_days=30)
    return Redirect("/reflection", {"done": "analyzed"})
