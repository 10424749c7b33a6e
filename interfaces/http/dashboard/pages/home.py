"""Home: what agents knew and did in the last seven days, and what wants attention."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, timedelta

from .....modules.errors import AgentOSError, InvalidInput
from .....modules.usage.models import Spending, SpendingKey
from ...rest import state
from .. import charts
from ..visit import Redirect, Shown, Visit

DAYS = 7
CHARTED = 30
FADING = {"min_importance": 0.5, "max_strength": 0.2}
STORES = frozenset({"memory_store", "memory_store_batch", "memory_update"})
RECALLS = frozenset({"memory_search", "memory_search_across", "context_get_snapshot", "context_compile", "memory_get"})
MOST_FOUND = 20


async def show(visit: Visit, path: str) -> Shown:
    """Show the week, what fades, what waits."""
    agentos, namespace = visit.agentos, visit.namespace
    over_time = (await visit.ask(state.usage, days=CHARTED, namespace=namespace)).results
    spent = await agentos.usage.spending(CHARTED) if visit.caller.namespaces is None else {}
    today = visit.now.astimezone(UTC).date()
    begin = today - timedelta(days=DAYS)
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
            "charted": CHARTED,
            "total": memories["total"],
            "newest": memories["results"],
            "stores": sum(row.calls - row.failures for row in usage if row.tool in STORES),
            "recalls": sum(row.calls for row in usage if row.tool in RECALLS),
            "hits": sum(row.hits for row in usage),
            "used": sum(row.used for row in usage),
            "read": sum(-(-row.characters // 4) for row in usage),
            "saved": sum(one.tokens.cached for key, one in spent.items() if key.day > begin) if spent else None,
            "charts": _charts(visit, charts.days(today, CHARTED), over_time, spent),
            "fading": await agentos.memory.fading(namespace, FADING["min_importance"], FADING["max_strength"], 5),
            "goals": goals["results"],
            "summary": await visit.call("reflection_get_summary", days=DAYS),
            "found": sorted(found, key=lambda one: one.severity.rank),
            "waiting": (await agentos.approvals.inbox(namespace)).approvals,
            "jobs": await _jobs(visit),
        },
    )


def _charts(
    visit: Visit,
    shown: Sequence[date],
    usage: Sequence[state.UsageRow],
    spent: Mapping[SpendingKey, Spending],
) -> list[charts.Chart]:
    """Return stores, recalls and tokens by day; tokens saved are those that a provider read from its cache."""
    counted: dict[str, dict[date, float]] = {"stores": {}, "recalls": {}, "read": {}, "saved": {}}
    for row in usage:
        names = [name for name, tools in (("stores", STORES), ("recalls", RECALLS)) if row.tool in tools]
        for name, number in [*((name, row.calls - row.failures) for name in names), ("read", -(-row.characters // 4))]:
            counted[name][row.day] = counted[name].get(row.day, 0) + number
    for key, one in spent.items():
        counted["saved"][key.day] = counted["saved"].get(key.day, 0) + one.tokens.cached
    drawn = [
        charts.columns(
            visit.text, visit.text(f"home.{name}_chart"), charts.counted(visit.text, unit), counted[name], shown
        )
        for name, unit in (("stores", "stores"), ("recalls", "recalls"), ("read", "tokens"), ("saved", "tokens"))
    ]
    return drawn if spent else drawn[:-1]


async def _jobs(visit: Visit) -> list[dict[str, object]] | None:
    """Return the jobs; None for callers who may not know."""
    try:
        found: list[dict[str, object]] = (await visit.call("job_list", limit=50))["results"]
        return found
    except AgentOSError:
        return None


async def act(visit: Visit, path: str) -> Redirect:
    """Say what became of an insight or task. Raises InvalidInput."""
    if visit.given("do") != "insight":
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    await visit.call("insight_update", insight_id=visit.given("id"), status=visit.given("status"))
    return Redirect("/reflection" if visit.given("next") == "/reflection" else "/", {"done": "insight"})
