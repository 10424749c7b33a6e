"""Home: what agents knew and did in the last seven days, and what wants attention."""

from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta

from ....modules.errors import AgentOSError, InvalidInput
from ....modules.usage.service import RETENTION_DAYS
from ....tools.bound import ECHOES
from .. import charts
from ..visit import Redirect, Shown, Undo, Visit
from . import over_time as over
from .listing import Listing
from .memories import page_of

DAYS = 7
RANGES = (7, 30, 90)
"""The days that the charts can show, besides all."""
CHARTED = 30
ALL, MOST_DAYS = "all", 3_650
FADING = {"min_importance": 0.5, "max_strength": 0.2}
MOST_FOUND = 20
MOST_NEWEST = MOST_GOALS = MOST_FADING = 5
MOST_UNANSWERED = 10
APPROVALS = "approvals"
"""The job that tells agents of what waits for a person: the page says it in figures."""


async def show(visit: Visit, path: str) -> Shown:
    """Show the week, what fades, what waits."""
    agentos, namespaces = visit.agentos, visit.namespaces
    today = visit.today
    begin = today - timedelta(days=DAYS)
    is_all = visit.given("days") == ALL
    asked = int(visit.number("days", CHARTED)) if not is_all else 0
    charted = asked if asked in RANGES else CHARTED
    happened = Counter(await visit.happened(charts.days(today, MOST_DAYS) if is_all else _year_before(today, charted)))
    if is_all:
        charted = max(RANGES[0], (today - min(happened, default=today)).days + 1)
    counted, zone = max(DAYS, min(charted, RETENTION_DAYS)), visit.text.zone
    usage = {key: one for key, one in (await agentos.usage.since(counted, zone)).items() if key.namespace in namespaces}
    spent = await agentos.usage.spending(counted, zone) if visit.caller.namespaces is None else {}
    spent = {key: one for key, one in spent.items() if key.namespace in namespaces}
    shown = charts.spans(today, charted)
    grown = await over.grown(visit, shown)
    if not is_all:
        for (day, _, _), count in grown.items():
            happened[day] += count
    week = [(key.tool, one) for key, one in usage.items() if key.day > begin]
    told = [one for tool, one in week if tool.startswith(over.RECALLS)]
    of_project = Listing({"project": visit.project}, visit.text)
    memories = await (
        page_of(visit, of_project, namespaces)
        if visit.project or visit.is_across
        else visit.call("memory_list", limit=MOST_NEWEST, detail="full")
    )
    goals = [goal for one in namespaces for goal in await agentos.goals.ranked(one, MOST_GOALS)]
    found = [
        (insight, one)
        for one in namespaces
        for insight in (
            *await agentos.insights.insights(one, MOST_FOUND),
            *await agentos.insights.tasks(one, MOST_FOUND),
        )
        if insight.key.job != APPROVALS
    ]
    fading = [
        memory
        for one in namespaces
        for memory in await agentos.memory.fading(one, FADING["min_importance"], FADING["max_strength"], MOST_FADING)
    ]
    unanswered = await agentos.recalls.without_hits(namespaces, MOST_UNANSWERED)
    return Shown(
        "home.html",
        {
            "days": DAYS,
            "charted": ALL if is_all else charted,
            "ranges": (*RANGES, ALL),
            "year": _year(visit, happened, today),
            "total": memories["total"],
            "newest": memories["results"][:MOST_NEWEST],
            "fresh": sum(count for day, count in happened.items() if day > begin),
            "recalls": sum(one.calls - one.failures for one in told),
            "hits": sum(one.hits for one in told),
            "used": sum(one.used for one in told),
            "read": sum(one.tokens for _, one in week),
            "saved": sum(one.tokens.cached for key, one in spent.items() if key.day > begin) if spent else None,
            "growth": await over.growth(visit, shown, grown),
            "recall": await over.recalls(visit, shown, usage),
            "charts": over.tokens(visit, shown, usage, spent),
            "unanswered": [(await ECHOES.text(one.question), one.namespace) for one in unanswered],
            "fading": fading[:MOST_FADING],
            "goals": [one.goal for one in sorted(goals, key=lambda one: -one.score)[:MOST_GOALS]],
            "actions": await _actions(visit, begin),
            "found": sorted(found, key=lambda one: one[0].severity.rank),
            "jobs": await _jobs(visit),
        },
    )


async def _actions(visit: Visit, before: date) -> tuple[int, float | None]:
    """Return how many actions there were after a day, and the share of them that succeeded, if there were any."""
    daily = [
        each
        for one in visit.namespaces
        for each in await visit.agentos.reflection.daily(one, DAYS, visit.text.zone)
        if each.day > before
    ]
    total = sum(one.total for one in daily)
    return total, 1 - sum(one.failures for one in daily) / total if total else None


def _year_before(today: date, charted: int) -> list[date]:
    """Return the days of the last year before those that are charted, which are counted with these."""
    return charts.days(today, charts.YEAR)[:-charted]


def _year(visit: Visit, happened: Mapping[date, int], today: date) -> charts.Heat:
    """Return the days of the last year by how much happened, each with its page."""
    counted, link = charts.counted(visit.text, "memories"), over.day_link(visit)
    return charts.heat(
        visit.text, visit.text("home.year"), counted, happened, today, lambda day: link(charts.DaySpan(day, day))
    )


async def _jobs(visit: Visit) -> list[dict[str, object]] | None:
    """Return the jobs; None for callers who may not know."""
    try:
        found: list[dict[str, object]] = (await visit.call("job_list", limit=50))["results"]
        return found
    except AgentOSError:
        return None


async def act(visit: Visit, path: str) -> Redirect:
    """Set the status of an insight or task. Raises InvalidInput."""
    if visit.given("do") != "insight":
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    await visit.call("insight_update", insight_id=visit.given("id"), status=visit.given("status"))
    fields = {"do": "insight", "id": visit.given("id"), "status": "open", "next": visit.given("next")}
    undo = Undo("/", fields) if visit.given("status") != "open" else None
    return Redirect("/reflection" if visit.given("next") == "/reflection" else "/", {"done": "insight"}, undo)
