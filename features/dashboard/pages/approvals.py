"""Approvals: what waits for a person, with its risk and payload, unconfirmed memories, and what was decided."""

import hashlib
import json
from contextlib import suppress

from ....modules.acts.models import Act
from ....modules.approvals.models import Approval, ApprovalStatus
from ....modules.errors import AgentOSError, Conflict, InvalidInput, NotFound, PermissionDenied
from ....modules.goals.models import Goal
from ....modules.memory.models import MemoryFilter, Status
from ....modules.memory.upkeep import ARCHIVE_FADED, MERGE_SIMILAR
from ....modules.own_actions import ABANDON_GOAL, BULK_DELETE, COMPLETE_GOAL, act_of
from ....modules.records import dataclass
from .. import html
from ..visit import Redirect, Shown, Undo, Visit
from .goals import as_before
from .listing import Listing

RISKY = 0.7
"""From here on a second look is taken, which says what will happen, and the item's key is typed."""
PERSON = "dashboard"
VERDICTS = ("approve", "reject")
CONTEST = "resolve_contest"
ON_MANY = (BULK_DELETE, ARCHIVE_FADED, MERGE_SIMILAR)
MOST_CANDIDATES, MOST_CONTESTS, MOST_DECIDED = 20, 10, 20
UNSURE = MemoryFilter(statuses=(Status.CANDIDATE,))


@dataclass(frozen=True)
class Waiting:
    """How many things wait for a person: requests, contested memories, and memories that nobody has confirmed."""

    requests: int = 0
    contests: int = 0
    candidates: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.requests + self.contests + self.candidates


def may_decide(visit: Visit) -> bool:
    """Return whether the visitor is a person who may decide requests."""
    return visit.decisions is not None and visit.may("owner")


async def waiting(visit: Visit) -> Waiting:
    """Count what the page lists for the visitor to decide. Raises AgentOSError."""
    asked = contests = candidates = 0
    for one in visit.namespaces:
        if may_decide(visit):
            asked += await visit.agentos.approvals.waiting(one)
            contests += await visit.agentos.approvals.waiting(one, CONTEST)
        if visit.may_write_in(one):
            candidates += await visit.agentos.browsing.count(one, UNSURE)
    return Waiting(asked - contests, contests, candidates)


async def show(visit: Visit, path: str) -> Shown:
    """Show the queue, or one request with its history."""
    approval_id = path.partition("/")[2]
    if approval_id:
        approval = await visit.agentos.approvals.get(visit.namespace, approval_id)
        return Shown(
            "approval.html",
            {
                **_values(visit, approval),
                "title": await title_of(visit, approval),
                "description": await visit.agentos.approvals.description(approval),
                "act": await _act(visit, approval),
                "listing": Listing.of(visit),
                "events": await visit.agentos.approvals.events(approval),
                "has_payload": bool(approval.payload),
                "payload": json.dumps(dict(approval.payload), ensure_ascii=False, indent=2),
            },
        )
    approvals, namespaces = visit.agentos.approvals, visit.namespaces
    pending = [each for one in namespaces for each in (await approvals.inbox(one)).approvals]
    contests = [one for one in pending if one.action == CONTEST]
    candidates = await visit.agentos.browsing.page(namespaces, UNSURE, limit=MOST_CANDIDATES)
    history = [each for one in namespaces for each in await approvals.history(one, MOST_DECIDED)]
    history = sorted(history, key=lambda one: one.updated_at, reverse=True)[:MOST_DECIDED]
    return Shown(
        "approvals.html",
        {
            "waiting": sorted((one for one in pending if one.action != CONTEST), key=lambda one: -one.risk),
            "contests": [(await _contested(visit, one), one.namespace) for one in contests[:MOST_CONTESTS]],
            "more_contests": len(contests) - MOST_CONTESTS,
            "candidates": candidates.memories,
            "more_candidates": candidates.total - len(candidates.memories),
            "history": [(one, await title_of(visit, one)) for one in history],
            "risky": RISKY,
            "may_decide": may_decide(visit),
        },
    )


async def _act(visit: Visit, approval: Approval) -> Act | None:
    """Return the act on many memories that was approved, which can be undone; None where there is none."""
    if approval.action not in ON_MANY:
        return None
    try:
        return await visit.agentos.acts.look(visit.namespace, act_of(approval))
    except NotFound:
        return None


async def title_of(visit: Visit, approval: Approval) -> str:
    """Return what a request asks for and of what, as people know it."""
    of = await _contested(visit, approval) if approval.action == CONTEST else approval.subject
    return f"{visit.text.named(approval.action)}: {of}"


async def _contested(visit: Visit, approval: Approval) -> str:
    """Return the text of the memory that a contest is about; of one that is gone, what the request says."""
    try:
        memory, _ = await visit.agentos.memory.get(approval.namespace, str(approval.payload.get("new", "")))
    except AgentOSError:
        return approval.reason
    return html.shorten(memory.content, 200)


def _values(visit: Visit, approval: Approval) -> dict[str, object]:
    return {
        "approval": approval,
        "is_waiting": approval.status is ApprovalStatus.PENDING,
        "may_decide": may_decide(visit),
        "risky": approval.risk >= RISKY,
    }


async def act(visit: Visit, path: str) -> Redirect | Shown:
    """Approve or reject a request exactly as it was shown; what is risky after a second look. Or judge a candidate.

    Raises PermissionDenied, Conflict, InvalidInput.
    """
    if visit.given("do") in ("confirm", "refuse"):
        return await _judge(visit, visit.given("id"), visit.given("do"))
    if visit.decisions is None or not may_decide(visit):
        raise PermissionDenied(visit.text("errors.no_decider"))
    verdict = visit.given("do")
    if verdict not in VERDICTS:
        raise InvalidInput("do", visit.text("errors.one_of", names=", ".join(VERDICTS)))
    approval = await visit.agentos.approvals.get(visit.namespace, path.partition("/")[2])
    if visit.given("version") != str(approval.version):
        raise Conflict(visit.text("errors.changed", id=approval.id))
    if verdict == "approve" and approval.risk >= RISKY:
        effect = await visit.agentos.approvals.description(approval)
        seen = hashlib.sha256("\n".join(effect).encode("utf-8", "replace")).hexdigest()
        if not visit.given("seen"):
            note = visit.given("note")
            return Shown("second_look.html", {"approval": approval, "effect": effect, "seen": seen, "note": note})
        if visit.given("seen") != seen:
            raise Conflict(visit.text("errors.effect_changed", id=approval.id))
        if visit.given("key") != approval.key:
            raise InvalidInput("key", visit.text("errors.approval_key"))
    goal = await _goal_of(visit, approval)
    status = ApprovalStatus.APPROVED if verdict == "approve" else ApprovalStatus.REJECTED
    await visit.decisions.decide(approval, status, PERSON, visit.given("note"))
    await visit.agentos.approvals.executor.run_due()
    done = "approved" if verdict == "approve" else "rejected_request"
    return Redirect(f"/approvals/{approval.id}", {"done": done}, await _undo(visit, approval, verdict, goal))


async def _goal_of(visit: Visit, approval: Approval) -> Goal | None:
    """Return the goal that an approval would complete or abandon; None for any other approval."""
    if approval.action not in (COMPLETE_GOAL, ABANDON_GOAL):
        return None
    with suppress(AgentOSError):  # it is gone: what is decided says so
        return await visit.agentos.goals.get(visit.namespace, str(approval.payload.get("goal_id", "")))
    return None


async def _undo(visit: Visit, approval: Approval, verdict: str, goal: Goal | None) -> Undo | None:
    """Return what takes back the effect of a decision; None where it has none, or none that can be taken back.

    `goal` is what the approval concerns, as it was before.
    """
    act = await _act(visit, approval)
    if act is not None:
        return Undo(f"/acts/{act.id}", {"do": "undo", "from": "acts"}) if act.can_be_undone else None
    if approval.action == CONTEST:
        return await visit.undo_of(str(approval.payload.get("new", "")))
    return None if goal is None or verdict != "approve" else await as_before(visit, goal)


async def _judge(visit: Visit, memory_id: str, verdict: str) -> Redirect:
    """Confirm or reject a memory that nobody has confirmed. Raises AgentOSError."""
    confirmed = verdict == "confirm"
    if confirmed:
        await visit.call("memory_feedback", memory_id=memory_id, verdict="confirm")
    else:
        await visit.agentos.lifecycle.feedback(visit.caller.writing(visit.namespace), memory_id, "reject", by=visit.by)
    return Redirect("/approvals", {"done": "confirmed" if confirmed else "rejected"}, await visit.undo_of(memory_id))
