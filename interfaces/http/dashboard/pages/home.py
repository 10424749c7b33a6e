"""Home: what agents knew and did in the last seven days, and what wants attention."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from .....modules.errors import AgentOSError, InvalidInput
from .....modules.usage.models import Spending, SpendingKey
from .....tools.bound import ECHOES
from ...rest import state
from .. import charts
from ..visit import Redirect, Shown, Undo, Visit

DAYS = 7
RANGES = (7, 30, 90, 365)
"""The days that the charts can show."""
CHARTED = 30
FADING = {"min_importance": 0.5, "max_strength": 0.2}
RECALLS = ("memory_search", "memory_search_across", "context_get_snapshot", "context_compile", "gateway", "hook ")
"""How the names of what tells agents of memories begin."""
MOST_FOUND = 20
MOST_UNANSWERED = 10
APPROVALS = "approvals"
"""The job that tells agents of what waits for a person: the page says it in figures."""


async def show(visit: Visit, path: str) -> Shown:
    """Show the week, what fades, what waits."""
    agentos, namespace = visit.agentos, visit.namespace
    charted = int(visit.number("days", CHARTED))
    charted = charted if charted in RANGES else CHARTED
    over_time = (await visit.ask(state.usage, days=max(DAYS, charted), namespace=namespace)).results
    spent = await agentos.usage.spending(max(DAYS, charted)) if visit.caller.namespaces is None else {}
    spent = {key: one for key, one in spent.items() if key.namespace == namespace}
    today = visit.today
    begin = today - timedelta(days=DAYS)
    shown = charts.days(today, charted)
    happened = await visit.happened(charts.days(today, charts.YEAR))
    usage = [row for row in over_time if row.day > begin]
    memories = await visit.call("memory_list", limit=5, detail="full")
    goals = await visit.call("goal_get_active", limit=5)
    found = [
        *await agentos.insights.insights(namespace, MOST_FOUND),
        *await agentos.insights.tasks(namespace, MOST_FOUND),
    ]
    return Shown(
        "home.html",
        {
            "days": DAYS,
            "charted": charted,
            "ranges": RANGES,
            "year": _year(visit, happened, today),
            "total": memories["total"],
            "newest": memories["results"],
            "fresh": sum(count for day, count in happened.items() if day > begin),
            "recalls": sum(row.calls - row.failures for row in usage if row.tool.startswith(RECALLS)),
            "hits": sum(row.hits for row in usage if row.tool.startswith(RECALLS)),
            "used": sum(row.used for row in usage if row.tool.startswith(RECALLS)),
            "read": sum(-(-row.characters // 4) for row in usage),
            "saved": sum(one.tokens.cached for key, one in spent.items() if key.day > begin) if spent else None,
            "charts": _charts(visit, shown, happened, over_time, spent),
            "unanswered": [
                await ECHOES.text(one.query) for one in agentos.recalls.without_hits(namespace)[:MOST_UNANSWERED]
            ],
            "fading": await agentos.memory.fading(namespace, FADING["min_importance"], FADING["max_strength"], 5),
            "goals": goals["results"],
            "summary": await visit.call("reflection_get_summary", days=DAYS),
            "found": sorted((one for one in found if one.key.job != APPROVALS), key=lambda one: one.severity.rank),
            "waiting": (await agentos.approvals.inbox(namespace)).approvals,
            "jobs": await _jobs(visit),
        },
    )


def _day(visit: Visit) -> charts.DayLink:
    return lambda day: visit.url("/timeline", day=day, until=day)


def _year(visit: Visit, happened: Mapping[date, int], today: date) -> charts.Heat:
    """Return the days of the last year by how much happened, each with its page."""
    counted = charts.counted(visit.text, "memories")
    return charts.heat(visit.text, visit.text("home.year"), counted, happened, today, _day(visit))


def _charts(
    visit: Visit,
    shown: Sequence[date],
    happened: Mapping[date, int],
    usage: Sequence[state.UsageRow],
    spent: Mapping[SpendingKey, Spending],
) -> list[charts.Chart]:
    """Return memories, recalls and tokens by day; tokens saved are those that a provider read from its cache."""
    counted: dict[str, dict[date, float]] = {"memories": {**happened}, "recalls": {}, "read": {}, "saved": {}}
    for row in usage:
        recalls = row.calls - row.failures if row.tool.startswith(RECALLS) else 0
        for name, number in (("recalls", recalls), ("read", -(-row.characters // 4))):
            counted[name][row.day] = counted[name].get(row.day, 0) + number
    for key, one in spent.items():
        counted["saved"][key.day] = counted["saved"].get(key.day, 0) + one.tokens.cached
    drawn = [
        charts.columns(
            visit.text,
            visit.text(f"home.{name}_chart"),
            charts.counted(visit.text, unit),
            counted[name],
            shown,
            _day(visit),
        )
        for name, unit in (("memories", "memories"), ("recalls", "recalls"), ("read", "tokens"), ("saved", "tokens"))
    ]
    shares = {day: used / hits for day, (used, hits) in _hits(usage).items() if hits}
    used = charts.line(visit.text, visit.text("home.used_chart"), shares, shown)
    return [*(drawn if spent else drawn[:-1]), used]


def _hits(usage: Sequence[state.UsageRow]) -> Mapping[date, tuple[int, int]]:
    """Return by day how many memories recalls gave to agents, and how many of these were used: the latter first."""
    found: dict[date, tuple[int, int]] = {}
    for row in usage:
        if row.tool.startswith(RECALLS):
            used, hits = found.get(row.day, (0, 0))
            found[row.day] = (used + row.used, hits + row.hits)
    return found


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
