"""Contested: memories that contradict each other, side by side; one click says which holds."""

import asyncio
from typing import Any

from .....modules.approvals.models import Approval, ApprovalStatus
from .....modules.errors import AgentOSError, Conflict, InvalidInput, NotFound, PermissionDenied
from .. import html
from ..visit import Redirect, Shown, Visit
from .approvals import NO_PERSON
from .approvals import PERSON as DECIDER

ACTION = "resolve_contest"
MOST, MOST_OLD = 20, 5
PERSON = "human"
VERDICTS = ("older", "newer", "both")


async def show(visit: Visit, path: str) -> Shown:
    """Show what waits for a decision: a newer memory beside all that it contradicts."""
    waiting = [one for one in (await visit.agentos.approvals.inbox(visit.namespace)).approvals if one.action == ACTION]
    contests = [await _contest(visit, approval) for approval in waiting[:MOST]]
    shown = [contest for contest in contests if contest is not None]
    return Shown(
        "contested.html", {"contests": shown, "may_decide": visit.login.is_person, "left": len(waiting) - MOST}
    )


async def _contest(visit: Visit, approval: Approval) -> dict[str, Any] | None:
    try:
        new, *old = [await visit.call("memory_get", memory_id=one) for one in _ids(approval)]
    except AgentOSError:
        return None  # one of them is gone: the question about it goes with the next change
    pairs = [
        {"old": one, "pieces": await asyncio.to_thread(html.differing, one["content"], new["content"])} for one in old
    ]
    return {"approval": approval, "new": new, "pairs": pairs, "seen": _seen(approval, [new, *old])}


def _ids(approval: Approval) -> list[str]:
    """Return the ids of the newer memory and of all older ones."""
    old = [str(one) for one in approval.payload.get("old", ())]
    if len(old) > MOST_OLD:
        return []
    return [str(approval.payload.get("new", "")), *old]


def _seen(approval: Approval, memories: list[dict[str, Any]]) -> str:
    """Return what tells this very question with these very texts from any other."""
    return " ".join([f"{approval.id}:{approval.version}", *(f"{one['id']}:{one['version']}" for one in memories)])


async def act(visit: Visit, path: str) -> Redirect:
    """Decide as a person, about what was shown: the newer holds, the older do, or all. Raises AgentOSError."""
    verdict = visit.given("do")
    if visit.decisions is None or not visit.may("owner"):
        raise PermissionDenied(NO_PERSON)
    if verdict not in VERDICTS:
        raise InvalidInput("do", f"must be one of {', '.join(VERDICTS)}")
    approval = await visit.agentos.approvals.get(visit.namespace, visit.given("id"))
    if approval.action != ACTION or approval.status is not ApprovalStatus.PENDING:
        raise NotFound("this is not contested any more")
    contest = await _contest(visit, approval)
    if contest is None or contest["seen"] != visit.given("seen"):
        raise Conflict("it has changed since it was shown: look at it again")
    if verdict == "both":
        await visit.agentos.lifecycle.revert(visit.namespace, contest["new"]["id"], PERSON, keep_both=True)
        return Redirect("/contested", {"done": "kept_both"})
    status = ApprovalStatus.APPROVED if verdict == "newer" else ApprovalStatus.REJECTED
    await visit.decisions.decide(approval, status, DECIDER)
    await visit.agentos.approvals.executor.run_due()
    return Redirect("/contested", {"done": "superseded" if verdict == "newer" else "archived"})
