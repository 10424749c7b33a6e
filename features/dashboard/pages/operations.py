"""Operations: whether everything works, jobs, the index, backups, keys, use by agents, latencies, who changed what."""

import asyncio
from typing import Any

from ....interfaces.http.metrics import BUCKETS
from ....interfaces.http.rest import carrying, credentials, state
from ....modules.backup.plan import RestorePlan
from ....modules.connecting import Connected
from ....modules.errors import AgentOSError, InvalidInput, NotFound, PermissionDenied
from ....modules.health.models import Severity
from ....modules.memory.ports import IndexPhase
from ....modules.principals.models import Role
from ....modules.syncing import SyncStatus
from .. import charts
from ..texts import Texts
from ..visit import Redirect, Shown, Undo, Visit
from ..wording import in_browser

DAYS = 30
ENTRIES = 25
ROUTES = 12
ROLES, RIGHTS = ("reader", "writer", "operator", "owner"), ("read", "write", "admin")


async def show(visit: Visit, path: str) -> Shown:
    """Show the state of the server."""
    by_agent: dict[tuple[str, str], list[int]] = {}
    for key, one in (await visit.agentos.usage.since(DAYS, visit.text.zone)).items():
        if visit.caller.right_over(key.namespace) is not None:
            counts = by_agent.setdefault((key.namespace, key.client), [0, 0, 0, 0, 0])
            for place, number in enumerate((one.calls, one.failures, one.hits, one.used, one.tokens)):
                counts[place] += number
    health = await visit.ask(state.health)
    sees_all = visit.caller.namespaces is None
    owner = visit.may("owner")
    return Shown(
        "operations.html",
        {
            "health": health,
            "jobs": (jobs := await _or_none(visit, "job_list", limit=50)),
            "ran": {one.name: one.last_finished_at for one in await visit.agentos.jobs.runs()} if jobs else {},
            "index": await _index(visit) if sees_all else None,
            "backups": (await visit.ask(carrying.list_backups)).results if sees_all else None,
            "sync": await _sync(visit) if sees_all else None,
            "connectors": await _connectors(visit),
            "sees_all": sees_all,
            "may_restore": _may_restore(visit),
            "may_examine": sees_all
            and owner
            and visit.behind.process is not None
            and visit.behind.process.examine is not None,
            "restored": await asyncio.to_thread(RestorePlan(visit.behind.home).last) if sees_all else None,
            "keys": (await visit.ask(credentials.list_keys)).results if owner else None,
            "grants": (await visit.ask(credentials.list_grants)).results if owner else None,
            "roles": ROLES,
            "rights": RIGHTS,
            "usage": sorted(by_agent.items(), key=lambda one: -one[1][0]),
            "days": DAYS,
            "latencies": _latencies(visit) if sees_all else [],
            "audit": await _audit(visit),
        },
    )


def _may_restore(visit: Visit) -> bool:
    return visit.login.is_person and visit.may("owner") and visit.behind.process is not None


async def _sync(visit: Visit) -> SyncStatus | None:
    """Return the devices that keep this memory too; None where there are none."""
    sync = await visit.agentos.sync()
    return None if sync is None else await sync.status()


async def _connectors(visit: Visit) -> list[Connected]:
    """Return the connectors that are on, or have brought something to the namespace that is shown."""
    connections = await visit.agentos.connectors(visit.namespace)
    found = [] if connections is None else await connections.status(visit.namespace)
    return [one for one in found if one.on or one.brought]


async def _index(visit: Visit) -> dict[str, Any]:
    """Return what is known of the indexes: the text index is written with each memory, the vectors follow."""
    status = visit.behind.process.index() if visit.behind.process is not None else None
    namespaces = await visit.agentos.principals.namespaces(visit.caller)
    return {
        "rows": sum(one.memories for one in namespaces),
        "generation": await visit.agentos.embedding.generation(),
        "status": status,
        "lag": max(0, status.newest - status.applied)
        if status is not None and status.state is not IndexPhase.OFF
        else None,
        "progress": visit.agentos.embedding.progress,
    }


def _latencies(visit: Visit) -> list[dict[str, Any]]:
    text = visit.text
    formatter = charts.counted(text, "answers")
    return [
        {
            "route": f"{one.method} {one.route}",
            "count": one.count,
            "mean": text.duration(round(one.seconds / one.count, 4)),
            "half": _within(text, one.within(0.5)),
            "most": _within(text, one.within(0.95)),
            "chart": charts.histogram(text, f"{one.method} {one.route}", formatter, one.counts, BUCKETS),
        }
        for one in visit.latencies()[:ROUTES]
        if one.count
    ]


def _within(text: Texts, seconds: float | None) -> str:
    return f"> {text.duration(BUCKETS[-1])}" if seconds is None else f"≤ {text.duration(seconds)}"


async def _or_none(visit: Visit, tool: str, **arguments: object) -> list[dict[str, object]] | None:
    try:
        found: list[dict[str, object]] = (await visit.call(tool, **arguments))["results"]
        return found
    except PermissionDenied:
        return None


async def _audit(visit: Visit) -> dict[str, Any] | None:
    """Return the newest entries that match the filter, and the address of older ones; None for who may not know."""
    where, record = visit.given("where"), visit.given("record")
    before = int(visit.number("before", 0)) or None
    try:
        found = await visit.agentos.audit.show(visit.caller, where or None, record or None, before, ENTRIES + 1)
    except AgentOSError as error:
        return {
            "where": where,
            "record": record,
            "entries": (),
            "older": "",
            "problem": in_browser(str(error), visit.text),
        }
    shown = found[:ENTRIES]
    more = len(found) > ENTRIES
    older = visit.url("/operations", where=where, record=record, before=shown[-1].number) if more else ""
    return {"where": where, "record": record, "entries": shown, "older": older, "problem": ""}


async def act(visit: Visit, path: str) -> Redirect | Shown:
    """Run or cancel a job, examine the store, make or bring back a backup, make or end keys and grants.

    Or erase what a connector has brought.

    Raises AgentOSError.
    """
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
    if what == "examine":
        return await _examined(visit)
    if what == "disconnect":
        return await _disconnect(visit)
    if what in ("grant", "withdraw"):
        return await _grant(visit, what)
    if what in ("create", "rotate", "revoke"):
        return await _key(visit, what)
    raise InvalidInput("do", visit.text("errors.unknown_action"))


async def _key(visit: Visit, what: str) -> Redirect | Shown:
    """Make, renew or revoke a key; a secret is in this one answer and nowhere else."""
    visit.caller.requires(Role.OWNER)
    if what == "revoke":
        await visit.ask(credentials.revoke_key, prefix=visit.given("id"))
        return Redirect("/operations", {"done": "key_revoked"})
    if what == "rotate":
        made = await visit.ask(credentials.rotate_key, prefix=visit.given("id"), overlap_hours=24.0)
        return Shown("secret.html", {"key": made, "replaces": visit.given("id")}, done="key_rotated")
    role, right = visit.given("role"), visit.given("right")
    if role not in ROLES or right not in RIGHTS:
        raise InvalidInput("role", visit.text("errors.one_of", names=", ".join((*ROLES, *RIGHTS))))
    places = visit.given("namespaces").replace(",", " ").split()
    if not places:
        raise InvalidInput("namespaces", visit.text("errors.namespaces"))
    made = await visit.ask(
        credentials.create_key,
        name=visit.given("name"),
        role=role,
        namespaces=dict.fromkeys(places, right),
        expires_at=visit.end_of_day("expires") or None,
    )
    undo = Undo("/operations", {"do": "revoke", "id": made.prefix})
    return Shown("secret.html", {"key": made, "replaces": ""}, done="key_made", undo=undo)


async def _disconnect(visit: Visit) -> Redirect | Shown:
    """Erase all that a connector has brought to a namespace, once that was asked. Raises AgentOSError."""
    namespace = visit.caller.writing(visit.namespace)
    one = next((each for each in await _connectors(visit) if each.name == visit.given("id")), None)
    connections = await visit.agentos.connectors(namespace)
    if one is None or connections is None:
        raise NotFound(visit.text("errors.no_connector", name=repr(visit.given("id")[:100])))
    if not visit.given("sure"):
        return Shown("disconnect.html", {"connector": one})
    await connections.remove(namespace, one.name, visit.by)
    return Redirect("/operations", {"done": "disconnected"})


async def _grant(visit: Visit, what: str) -> Redirect:
    """Give a principal a right over a namespace, or take it away. Raises AgentOSError."""
    visit.caller.requires(Role.OWNER)
    of = {
        "namespace": visit.given("namespace"),
        "principal": visit.given("principal"),
        "tag": visit.given("tag") or None,
    }
    if what == "withdraw":
        found = (await visit.ask(credentials.list_grants)).results
        grant = next((one for one in found if (one.namespace, one.principal, one.tag) == tuple(of.values())), None)
        await visit.ask(credentials.remove_grant, **of)
        return Redirect("/operations", {"done": "withdrawn"}, None if grant is None else _again(grant))
    right = visit.given("right")
    if right not in RIGHTS:
        raise InvalidInput("right", visit.text("errors.one_of", names=", ".join(RIGHTS)))
    await visit.ask(credentials.create_grant, **of, right=right, expires_at=visit.end_of_day("expires") or None)
    undo = {"do": "withdraw", **{name: value or "" for name, value in of.items()}}
    return Redirect("/operations", {"done": "granted"}, Undo("/operations", undo))


def _again(grant: Any) -> Undo:
    """Return the form that gives back a grant."""
    names = ("namespace", "principal", "tag", "right")
    fields = {name: str(getattr(grant, name) or "") for name in names}
    ends = grant.expires_at.isoformat() if grant.expires_at else ""
    return Undo("/operations", {"do": "grant", **fields, "expires": ends})


async def _examined(visit: Visit) -> Shown:
    """Show what the doctor finds in the store. Raises PermissionDenied."""
    visit.caller.requires(Role.OWNER)
    process = visit.behind.process
    if process is None or process.examine is None or visit.caller.namespaces is not None:
        raise PermissionDenied(visit.text("errors.no_examiner"))
    async with visit.examining:  # one at a time
        report = await asyncio.to_thread(process.examine)
    worst_first = sorted(report.results, key=lambda one: -list(Severity).index(one.severity))
    counts = [(str(severity), report.count(severity)) for severity in reversed(Severity) if report.count(severity)]
    return Shown("examined.html", {"results": worst_first, "counts": counts})


async def _restore(visit: Visit) -> Shown:
    """Ask twice, then plan the restore and let the process begin again, which carries it out."""
    process = visit.behind.process
    if not _may_restore(visit) or process is None:
        raise PermissionDenied(visit.text("errors.no_restorer"))
    backup = next(
        (one for one in (await visit.ask(carrying.list_backups)).results if one.name == visit.given("id")), None
    )
    if backup is None or backup.problem is not None:
        raise NotFound(visit.text("errors.no_backup", name=repr(visit.given("id")[:100])))
    if not visit.given("sure"):
        stands = sum(one.memories for one in await visit.agentos.principals.namespaces(visit.caller))
        return Shown("restore.html", {"backup": backup, "memories": stands})
    if visit.given("name") != backup.name:
        raise InvalidInput("name", visit.text("errors.backup_name"))
    plan = RestorePlan(visit.behind.home)
    await asyncio.to_thread(plan.ask, backup.name, f"human:{visit.caller.principal}", visit.now)
    process.begin_again()
    return Shown("restoring.html", {"backup": backup})
