"""Reflection: how actions ended over time, what fails again, what was found in it, what lessons are worth."""

from ....modules.errors import InvalidInput
from .. import charts
from ..visit import Redirect, Shown, Undo, Visit

PERIODS = (7, 30, 90)
CHARTED = 90
LESSONS = 100
RETIRE, RESTORE = "retire", "restore"


async def show(visit: Visit, path: str) -> Shown:
    """Show success, patterns and insights."""
    text = visit.text
    today = visit.today
    daily = await visit.agentos.reflection.daily(visit.namespace, CHARTED, visit.text.zone)
    first = min((one.day for one in daily), default=today)
    shown = charts.spans(today, max(30, min(CHARTED, (today - first).days + 1)))
    rates = {charts.DaySpan(one.day, one.day): one.success_rate for one in daily}
    rate = charts.line(text, text("reflection.rate_chart"), rates, shown)
    formatter, totals = charts.counted(text, "actions"), {one.day: float(one.total) for one in daily}
    actions = charts.columns(text, text("reflection.actions_chart"), formatter, totals, shown)
    insights = await visit.agentos.insights.insights(visit.namespace, 50)
    tasks = await visit.agentos.insights.tasks(visit.namespace, 50)
    return Shown(
        "reflection.html",
        {
            "summaries": [await visit.call("reflection_get_summary", days=days) for days in PERIODS],
            "patterns": (await visit.call("reflection_get_patterns"))["patterns"],
            "found": [(one, visit.namespace) for one in sorted([*insights, *tasks], key=lambda one: one.severity.rank)],
            "lessons": (await visit.agentos.lessons.page(visit.namespace))[:LESSONS],
            "charts": (rate, actions),
            "may_write": visit.may_write,
        },
    )


async def act(visit: Visit, path: str) -> Redirect:
    """Look for patterns now; retire a lesson, or bring it back. Raises AgentOSError."""
    chosen = visit.given("do")
    if chosen in (RETIRE, RESTORE):
        lessons, lesson = visit.agentos.lessons, visit.given("id")
        change = lessons.retire if chosen == RETIRE else lessons.restore
        await change(visit.caller.writing(visit.namespace), lesson, visit.by)
        undo = Undo("/reflection", {"do": RESTORE if chosen == RETIRE else RETIRE, "id": lesson})
        return Redirect("/reflection", {"done": "archived" if chosen == RETIRE else "restored"}, undo)
    if visit.given("do") != "analyze":
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    await visit.call("reflection_analyze", lookback_days=30)
    return Redirect("/reflection", {"done": "analyzed"})
