"""Approvals: what waits for a person, with its risk and its payload as text, and what was decided."""

import hashlib
import json

from .....modules.approvals.models import Approval, ApprovalStatus
from .....modules.errors import Conflict, InvalidInput, PermissionDenied
from ..visit import Redirect, Shown, Visit

RISKY = 0.7
"""From here on a second look is taken, which says what will happen, and the item's key is typed."""
PERSON = "dashboard"
NO_PERSON = "only a session that was opened by `agentos open` at a terminal decides; an agent's key never does"


async def show(visit: Visit, path: str) -> Shown:
    """Show the queue, or one request with its history."""
    approval_id = path.partition("/")[2]
    if approval_id:
        approval = await visit.agentos.approvals.get(visit.namespace, approval_id)
        return Shown(
            "approval.html",
            {
                **_told(visit, approval),
                "description": await visit.agentos.approvals.description(approval),
                "events": await visit.agentos.approvals.events(approval),
                "payload": json.dumps(dict(approval.payload), ensure_ascii=False, indent=2),
            },
        )
    waiting = (await visit.agentos.approvals.inbox(visit.namespace)).approvals
    history = await visit.agentos.approvals.history(visit.namespace, 20)
    return Shown("approvals.html", {"waiting": waiting, "history": history, "risky": RISKY})


def _told(visit: Visit, approval: Approval) -> dict[str, object]:
    return {
        "approval": approval,
        "waits": approval.status is ApprovalStatus.PENDING,
        "may_decide": visit.decisions is not None and visit.may("owner"),
        "risky": approval.risk >= RISKY,
    }


async def act(visit: Visit, path: str) -> Redirect | Shown:
    """Approve or reject a request exactly as it was shown; what is risky after a second look.

    Raises PermissionDenied, Conflict, InvalidInput.
    """
    if visit.decisions is None or not visit.may("owner"):
        raise PermissionDenied(NO_PERSON)
    verdict = visit.given("do")
    if verdict not in ("approve", "reject"):
        raise InvalidInput("do", "must be approve or reject")
    approval = await visit.agentos.approvals.get(visit.namespace, path.partition("/")[2])
    if visit.given("version") != str(approval.version):
        raise Conflict(f"{approval.id} has changed since it was shown: look at it again")
    if verdict == "approve" and approval.risk >= RISKY:
        effect = await visit.agentos.approvals.description(approval)
        seen = hashlib.sha256("\n".join(effect).encode("utf-8", "replace")).hexdigest()
        if not visit.given("seen"):
            note = visit.given("note")
            return Shown("second_look.html", {"approval": approval, "effect": effect, "seen": seen, "note": note})
        if visit.given("seen") != seen:
            raise Conflict(f"what {approval.id} would do has changed since it was shown: look at it again")
        if visit.given("key") != approval.key:
            raise InvalidInput("key", "must be the six letters that stand beside the request")
    status = ApprovalStatus.APPROVED if verdict == "approve" else ApprovalStatus.REJECTED
    await visit.decisions.decide(approval, status, PERSON, visit.given("note"))
    await visit.agentos.approvals.executor.run_due()
    return Redirect(f"/approvals/{approval.id}", {"done": "approved" if verdict == "approve" else "rejected_request"})
