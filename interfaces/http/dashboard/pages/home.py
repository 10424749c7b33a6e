"""Home: what agents knew and did in the last seven days, and what wants attention."""

from .....modules.errors import AgentOSError, InvalidInput, PermissionDenied
from ...rest import state
from ..visit import Redirect, Shown, Visit

DAYS = 7
FADING = {"min_importance": 0.5, "max_strength": 0.2}
STORES = frozenset({"memory_store", "memory_store_batch", "memory_update"})
RECALLS = frozenset({"memory_search", "memory_search_across", "context_get_snapshot", "context_compile", "memory_get"})


async def show(visit: Visit, path: str) -> Shown:
    """Show the week, what fades, what waits."""
    agentos, namespace = visit.agentos, visit.namespace
    usage = (await visit.ask(state.usage, days=DAYS, namespace=namespace)).results
    spent = await agentos.usage.spending(DAYS) if visit.caller.namespaces is None else {}
    memories = await visit.call("memory_list", limit=5, detail="full")
    goals = await visit.call("goal_get_active", limit=5)
    summary = await visit.call("reflection_get_summary", days=DAYS)
    insights = await agentos.insights.insights(namespace, 20)
    tasks = await agentos.insights.tasks(namespace, 10)
    waiting = (await agentos.approvals.inbox(namespace)).approvals
    return Shown(
        "home.html",
        {
            "days": DAYS,
            "total": memories["total"],
            "newest": memories["results"],
            "stores": sum(row.calls - row.failures for row in usage if row.tool in STORES),
            "recalls": sum(row.calls for row in usage if row.tool in RECALLS),
            "hits": sum(row.hits for row in usage),
            "used": sum(row.used for row in usage),
            "read": sum(-(-row.characters // 4) for row in usage),
            "spent": sum(one.tokens.uncached + one.tokens.cached for one in spent.values()) if spent else None,
            "fading": await agentos.memory.fading(namespace, FADING["min_importance"], FADING["max_strength"], 5),
            "goals": goals["results"],
            "summary": summary,
            "insights": sorted(insights, key=lambda one: one.severity.rank),
            "tasks": tasks,
            "waiting": waiting,
            "jobs": await _jobs(visit),
        },
    )


async def _jobs(visit: Visit) -> list[dict[str, object]] | None:
    """Return the jobs that failed; None for callers who may not know."""
    try:
        return [one for one in (await visit.call("job_list", limit=50))["results"] if one["state"] == "failed"]
    except (PermissionDenied, AgentOSError):
        return None


async def act(visit: Visit, path: str) -> Redirect:
    """Say what became of an insight or task. Raises InvalidInput."""
    if visit.given("do") != "insight":
        raise InvalidInput("do", "is not known here")
    await visit.call("insight_update", insight_id=visit.given("id"), status=visit.given("status"))
    return Redirect(visit.given("next"), {"done": "insight"})
