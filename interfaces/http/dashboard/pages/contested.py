"""Contested: memories that contradict each other, side by side; one click says which holds."""

from typing import Any

from .....modules.approvals.models import ApprovalStatus
from .....modules.errors import AgentOSError, InvalidInput, NotFound, PermissionDenied
from .. import html
from ..visit import Redirect, Shown, Visit
from .approvals import NO_PERSON
from .approvals import PERSON as DECIDER

ACTION = "resolve_contest"
MOST = 50
PERSON = "human"
VERDICTS = ("first", "second", "both")


async def show(visit: Visit, path: str) -> Shown:
    """Show what waits for a decision, and what is probably outdated."""
    pairs = []
    for approval in (await visit.agentos.approvals.inbox(visit.namespace)).approvals[:MOST]:
        if approval.action == ACTION:
            for old in approval.payload.get("old", ()):
                pairs.append(await _pair(visit, str(old), str(approval.payload.get("new", ""))))
    return Shown("contested.html", {"pairs": [pair for pair in pairs if pair], "may_decide": visit.login.is_person})


async def _pair(visit: Visit, old: str, new: str) -> dict[str, Any] | None:
    try:
        one, other = [await visit.call("memory_get", memory_id=memory_id) for memory_id in (old, new)]
    except AgentOSError:
        return None  # one of them is gone: the question about it goes with the next change
    left, right = html.differing(one["content"], other["content"])
    return {"old": one, "new": other, "left": left, "right": right}


async def act(visit: Visit, path: str) -> Redirect:
    """Decide as a person: the newer holds, the older does, or both. Raises AgentOSError."""
    verdict, new = visit.given("do"), visit.given("new")
    if visit.decisions is None or not visit.may("owner"):
        raise PermissionDenied(NO_PERSON)
    if verdict not in VERDICTS:
        raise InvalidInput("do", f"must be one of {', '.join(VERDICTS)}")
    if verdict == "both":
        await visit.agentos.lifecycle.revert(visit.namespace, new, PERSON, keep_both=True)
        return Redirect("/contested", {"done": "kept_both"})
    for approval in (await visit.agentos.approvals.inbox(visit.namespace)).approvals:
        if approval.action == ACTION and approval.payload.get("new") == new:
            status = ApprovalStatus.APPROVED if verdict == "second" else ApprovalStatus.REJECTED
            await visit.decisions.decide(approval, status, DECIDER)
            await visit.agentos.approvals.executor.run_due()
            return Redirect("/contested", {"done": "superseded" if verdict == "second" else "archived"})
    raise NotFound(f"nothing about {new[:60]!r} is contested any more")
