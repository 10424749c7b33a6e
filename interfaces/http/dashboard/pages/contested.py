"""Contested and stale: what contradicts another memory, may be outdated, or was not used for long, side by side."""

import asyncio
from collections.abc import Sequence
from typing import Any

from .....modules.approvals.models import Approval, ApprovalStatus
from .....modules.errors import AgentOSError, Conflict, InvalidInput, NotFound, PermissionDenied
from .....modules.facts.models import MAY_SUPERSEDE
from .....modules.memory.models import MemoryFilter, Status
from .. import html
from ..visit import Redirect, Shown, Visit
from .approvals import PERSON as DECIDER

ACTION = "resolve_contest"
MOST, MOST_OLD = 20, 5
MOST_STALE = 5
"""The stale memories that are shown; a search is made for each."""
MOST_OUTDATED, MOST_READ = 10, 50
"""The memories that may be outdated that are shown, and those that are read to find them: the newest."""
PERSON = "human"
VERDICTS = ("older", "newer", "both")


async def show(visit: Visit, path: str) -> Shown:
    """Show what waits for a decision: a newer memory beside all that it contradicts, a stale one beside its nearest."""
    waiting = [one for one in (await visit.agentos.approvals.inbox(visit.namespace)).approvals if one.action == ACTION]
    contests = [await _contest(visit, approval) for approval in waiting[:MOST]]
    stale = await visit.agentos.memory.page(visit.namespace, MemoryFilter(statuses=(Status.STALE,)), MOST_STALE)
    return Shown(
        "contested.html",
        {
            "contests": [contest for contest in contests if contest is not None],
            "may_decide": visit.login.is_person,
            "left": len(waiting) - MOST,
            "outdated": await _outdated(visit),
            "stale": [await _beside(visit, memory.id) for memory in stale.memories],
            "more_stale": stale.total - len(stale.memories),
            "may_write": visit.may("writer"),
        },
    )


async def _outdated(visit: Visit) -> list[dict[str, Any]]:
    """Return memories that a newer one may have replaced, each beside it, those last noticed first."""
    links = await visit.agentos.lifecycle.links(visit.namespace, MAY_SUPERSEDE)
    found: list[dict[str, Any]] = []
    for memory_id in list(dict.fromkeys(link.to_id for link in reversed(links)))[:MOST_READ]:
        newer_id = (await visit.agentos.memory.get(visit.namespace, memory_id))[0].outdated_by
        if newer_id is None:  # somebody said that both hold
            continue
        memory, other = [await visit.call("memory_get", memory_id=one) for one in (memory_id, newer_id)]
        found.append({"memory": memory, "other": other, "pieces": await _pieces(memory, other)})
        if len(found) == MOST_OUTDATED:
            break
    return found


async def _beside(visit: Visit, memory_id: str) -> dict[str, Any]:
    """Return a stale memory and the current one that is nearest to it, with the words that differ."""
    memory = await visit.call("memory_get", memory_id=memory_id)
    found = await visit.call("memory_search", query=memory["content"][:400], limit=4, detail="full")
    other = next((one for one in found["results"] if one["id"] != memory_id and one["status"] != Status.STALE), None)
    pieces = ((False, memory["content"]),), ()
    return {"memory": memory, "other": other, "pieces": await _pieces(memory, other) if other is not None else pieces}


async def _pieces(one: dict[str, Any], other: dict[str, Any]) -> tuple[html.Pieces, html.Pieces]:
    return await asyncio.to_thread(html.differing, one["content"], other["content"])


async def _contest(visit: Visit, approval: Approval) -> dict[str, Any] | None:
    try:
        new, *old = [await visit.call("memory_get", memory_id=one) for one in _ids(approval)]
    except AgentOSError:
        return None  # one of them is gone: the question about it goes with the next change
    pairs = [{"old": one, "pieces": await _pieces(one, new)} for one in old]
    return {"approval": approval, "new": new, "pairs": pairs, "seen": _seen(approval, [new, *old])}


def _ids(approval: Approval) -> list[str]:
    """Return the ids of the newer memory and of all older ones."""
    old = [str(one) for one in approval.payload.get("old", ())]
    if len(old) > MOST_OLD:
        return []
    return [str(approval.payload.get("new", "")), *old]


def _seen(approval: Approval, memories: Sequence[dict[str, Any]]) -> str:
    """Return what tells this very question with these very texts from any other."""
    return " ".join([f"{approval.id}:{approval.version}", *(f"{one['id']}:{one['version']}" for one in memories)])


async def act(visit: Visit, path: str) -> Redirect:
    """Decide as a person, about what was shown: newer, older or all hold; or judge one that is outdated or stale.

    Raises AgentOSError.
    """
    verdict = visit.given("do")
    if verdict in ("confirm", "supersede", "archive"):
        return await _judge(visit, verdict, visit.given("id"))
    if visit.decisions is None or not visit.may("owner"):
        raise PermissionDenied(visit.text("errors.no_decider"))
    if verdict not in VERDICTS:
        raise InvalidInput("do", visit.text("errors.one_of", names=", ".join(VERDICTS)))
    approval = await visit.agentos.approvals.get(visit.namespace, visit.given("id"))
    if approval.action != ACTION or approval.status is not ApprovalStatus.PENDING:
        raise NotFound(visit.text("errors.not_contested"))
    contest = await _contest(visit, approval)
    if contest is None or contest["seen"] != visit.given("seen"):
        raise Conflict(visit.text("errors.contest_changed"))
    if verdict == "both":
        await visit.agentos.lifecycle.revert(visit.namespace, contest["new"]["id"], PERSON, keep_both=True)
        return Redirect("/contested", {"done": "kept_both"})
    status = ApprovalStatus.APPROVED if verdict == "newer" else ApprovalStatus.REJECTED
    await visit.decisions.decide(approval, status, DECIDER)
    await visit.agentos.approvals.executor.run_due()
    return Redirect("/contested", {"done": "superseded" if verdict == "newer" else "archived"})


async def _judge(visit: Visit, verdict: str, memory_id: str) -> Redirect:
    """Say what becomes of a memory that is stale or may be outdated. Raises AgentOSError."""
    if verdict == "archive":
        await visit.call("memory_delete", memory_id=memory_id, mode="archive")
        return Redirect("/contested", {"done": "archived", "undo": memory_id})
    by = visit.given("by") if verdict == "supersede" else None
    await visit.call("memory_feedback", memory_id=memory_id, verdict=verdict, by=by)
    done = "superseded" if by else "confirmed"
    return Redirect("/contested", {"done": done, "undo": memory_id})
