"""Operations: whether everything works, jobs, the index, backups, keys, use by agents, latencies, who changed what."""

import asyncio
from typing import Any

from .....modules.backup.plan import RestorePlan
from .....modules.errors import AgentOSError, InvalidInput, NotFound, PermissionDenied
from .....modules.principals.models import Role
from ...metrics import BUCKETS
from ...rest import carrying, credentials, state
from .. import charts
from ..visit import Redirect, Shown, Visit

DAYS = 30
ENTRIES = 50
ROUTES = 12
ROLES, RIGHTS = ("reader", "writer", "operator", "owner"), ("read", "write", "admin")
NO_PERSON = "only a session that was opened by `agentos open` at a terminal restores; a key never does"


async def show(visit: Visit, path: str) -> Shown:
    """Show the state of the server."""
    usage = (await visit.ask(state.usage, days=DAYS)).results
    by_agent: dict[tuple[str, str], list[int]] = {}
    for row in usage:
        counts = by_agent.setdefault((row.namespace, row.client), [0, 0, 0, 0, 0])
        for place, number in enumerate((row.calls, row.failures, row.hits, row.used, -(-row.characters // 4))):
            counts[place] += number
    health = await visit.ask(state.health)
    whole = visit.caller.namespaces is None
    owner = visit.may("owner")
    return Shown(
        "operations.html",
        {
            "health": health,
            "jobs": await _or_none(visit, "job_list", limit=50),
            "index": await _index(visit) if whole else None,
            "backups": (await visit.ask(carrying.list_backups)).results if whole else None,
            "may_restore": _may_restore(visit),
            "restored": await asyncio.to_thread(RestorePlan(visit.behind.home).last) if whole else None,
            "keys": (await visit.ask(credentials.list_keys)).results if owner else None,
            "grants": (await visit.ask(credentials.list_grants)).results if owner else None,
            "roles": ROLES,
            "rights": RIGHTS,
            "usage": sorted(by_agent.items(), key=lambda one: -one[1][0]),
            "days": DAYS,
            "latencies": _latencies(visit) if whole else [],
            "audit": await _audit(visit),
        },
    )


def _may_restore(visit: Visit) -> bool:
    return visit.login.is_person and visit.may("owner") and visit.behind.process is not None


async def _index(visit: Visit) -> dict[str, Any]:
    """Return what is known of the indexes: the text index is written with each memory, the vectors follow."""
    status = visit.behind.process.index() if visit.behind.process is not None else None
    namespaces = await visit.agentos.principals.namespaces(visit.caller)
    return {
        "rows": sum(one.memories for one in namespaces),
        "generation": await visit.agentos.embedding.generation(),
        "status": status,
        "lag": max(0, status.newest - status.applied) if status is not None else None,
        "progress": visit.agentos.embedding.progress,
    }


def _latencies(visit: Visit) -> list[dict[str, Any]]:
    return [
        {
            "route": f"{one.method} {one.route}",
            "count": one.count,
            "mean": charts.duration(round(one.seconds / one.count, 4)),
            "half": _within(one.within(0.5)),
            "most": _within(one.within(0.95)),
            "chart": charts.histogram(f"{one.method} {one.route}", "answers", one.counts, BUCKETS),
        }
        for one in visit.latencies()[:ROUTES]
        if one.count
    ]


def _within(seconds: float | None) -> str:
    return f"> {charts.duration(BUCKETS[-1])}" if seconds is None else f"≤ {charts.duration(seconds)}"


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


async def act(visit: Visit, path: str) -> Redirect | Shown:
    """Run or cancel a job, make or bring back a backup, make, renew or revoke a key. Raises AgentOSError."""
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
    if what == "restore":
        return await _restore(visit)
    if what in ("create", "rotate", "revoke"):
        return await _key(visit, what)
    raise InvalidInput("do", "is not known here")


async def _key(visit: Visit, what: str) -> Redirect | Shown:
    """Make, renew or revoke a key; a secret is in this one answer and nowhere else."""
    visit.caller.requires(Role.OWNER)
    if what == "revoke":
        await visit.ask(credentials.revoke_key, prefix=visit.given("id"))
        return Redirect("/operations", {"done": "key_revoked"})
    if what == "rotate":
        made = await visit.ask(credentials.rotate_key, prefix=visit.given("id"), overlap_hours=24.0)
        return Shown("secret.html", {"key": made, "replaces": visit.given("id")})
    role, right = visit.given("role"), visit.given("right")
    if role not in ROLES or right not in RIGHTS:
        raise InvalidInput("role", f"must be one of {', '.join(ROLES)}, and the right one of {', '.join(RIGHTS)}")
    places = visit.given("namespaces").replace(",", " ").split()
    if not places:
        raise InvalidInput("namespaces", "name one at least")
    made = await visit.ask(
        credentials.create_key,
        name=visit.given("name"),
        role=role,
        namespaces=dict.fromkeys(places, right),
        expires_at=visit.given("expires") or None,
    )
    return Shown("secret.html", {"key": made, "replaces": ""})


async def _restore(visit: Visit) -> Shown:
    """Ask twice, then plan the restore and let the process begin again, which carries it out."""
    process = visit.behind.process
    if not _may_restore(visit) or process is None:
        raise PermissionDenied(NO_PERSON)
    backup = next(
        (one for one in (await visit.ask(carrying.list_backups)).results if one.name == visit.given("id")), None
    )
    if backup is None or backup.problem is not None:
        raise NotFound(f"there is no backup {visit.given('id')[:100]!r} that can be restored")
    if not visit.given("sure"):
        stands = sum(one.memories for one in await visit.agentos.principals.namespaces(visit.caller))
        return Shown("restore.html", {"backup": backup, "memories": stands})
    if visit.given("name") != backup.name:
        raise InvalidInput("name", "must be the name of the backup, exactly: nothing was changed")
    plan = RestorePlan(visit.behind.home)
    await asyncio.to_thread(plan.ask, backup.name, f"human:{visit.caller.principal}", visit.now)
    process.begin_again()
    return Shown("restoring.html", {"backup": backup})
