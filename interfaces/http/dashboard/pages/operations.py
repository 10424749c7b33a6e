"""Operations: whether everything works, background jobs, backups, keys, use by agents, and who changed what."""

from .....modules.errors import AgentOSError, InvalidInput, PermissionDenied
from ...rest import carrying, credentials, state
from ..visit import Redirect, Shown, Visit

DAYS = 30
ENTRIES = 50


async def show(visit: Visit, path: str) -> Shown:
    """Show the state of the server."""
    usage = (await visit.ask(state.usage, days=DAYS)).results
    by_agent: dict[tuple[str, str], list[int]] = {}
    for row in usage:
        counts = by_agent.setdefault((row.namespace, row.client), [0, 0, 0, 0])
        for place, number in enumerate((row.calls, row.failures, row.hits, row.used)):
            counts[place] += number
    health = await visit.ask(state.health)
    return Shown(
        "operations.html",
        {
            "health": health,
            "jobs": await _or_none(visit, "job_list", limit=50),
            "backups": (await visit.ask(carrying.list_backups)).results,
            "keys": (await visit.ask(credentials.list_keys)).results if visit.may("owner") else None,
            "grants": (await visit.ask(credentials.list_grants)).results if visit.may("owner") else None,
            "usage": sorted(by_agent.items(), key=lambda one: -one[1][0]),
            "days": DAYS,
            "audit": await _audit(visit),
        },
    )


async def _or_none(visit: Visit, tool: str, **arguments: object) -> list[dict[str, object]] | None:
    try:
        found: list[dict[str, object]] = (await visit.call(tool, **arguments))["results"]
        return found
    except PermissionDenied:
        return None


async def _audit(visit: Visit) -> object:
    try:
        return await visit.agentos.audit.show(visit.caller, None, None, None, ENTRIES)
    except AgentOSError:
        return None


async def act(visit: Visit, path: str) -> Redirect:
    """Run or cancel a job, make a backup, revoke a key. Raises AgentOSError."""
    what = visit.given("do")
    if what == "run":
        await visit.call("job_run", id=visit.given("id"))
        return Redirect("/operations", {"done": "job_run"})
    if what == "cancel":
        await visit.call("job_cancel", id=visit.given("id"))
        return Redirect("/operations", {"done": "job_cancelled"})
    if what == "backup":
        await visit.ask(carrying.make_backup)
        return Redirect("/operations", {"done": "backup"})
    if what == "revoke":
        await visit.ask(credentials.revoke_key, prefix=visit.given("id"))
        return Redirect("/operations", {"done": "key_revoked"})
    raise InvalidInput("do", "is not known here")
