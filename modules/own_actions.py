"""The actions that AgentOS carries out after approval, by name; all except the webhook may restart after a crash."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from . import inputs
from .acts.models import RequestedAct, What
from .acts.service import Acts
from .approvals.models import Actions, Approval, ApprovedAction
from .approvals.risk import RiskInputs
from .errors import InvalidInput
from .framing import quote
from .goals.service import GoalService
from .jobs.service import JobService
from .memory.bulk import Bulk, Selection
from .memory.lifecycle_service import HUMAN, LifecycleService
from .memory.models import Memory
from .memory.upkeep import ARCHIVE_FADED, MERGE_SIMILAR, Upkeep
from .memory.vouching import AGAIN
from .text.counting import memories_counted

BULK_DELETE, DECAY = "memory.bulk_delete", "memory.decay"
COMPLETE_GOAL, ABANDON_GOAL = "goal.complete", "goal.abandon"
RESOLVE_CONTEST = "resolve_contest"
MAINTENANCE, WEBHOOK = "system.maintenance", "external.webhook"
SHOWN = 10
SHOWN_CHARS = 200
WITHIN_S = 30.0
"""How long an approved act is waited for; what is not over by then goes on."""
Deliver = Callable[[Approval], Awaitable[None]]


def own_actions(
    lifecycle: LifecycleService, upkeep: Upkeep, bulk: Bulk, acts: Acts, goals: GoalService, jobs: JobService
) -> Actions:
    """Return the actions that every process can do."""
    return {
        **_contests(lifecycle),
        **_confirmations(lifecycle),
        **_upkeep(upkeep, acts),
        **_memories(bulk, acts, upkeep),
        **_goals(goals),
        **_jobs(jobs),
    }


def webhook_action(deliver: Deliver) -> ApprovedAction:
    """Return the action that calls the webhook of the settings, at most once: what was sent cannot be taken back."""

    async def run(approval: Approval) -> str:
        await deliver(approval)
        return "the webhook was called"

    async def describe(approval: Approval) -> Sequence[str]:
        return [f"sends one message of type {_message(approval.payload)[0]} to the address of AGENTOS_EVENT_WEBHOOK"]

    return ApprovedAction(run, describe=describe, risk=RiskInputs(0.7, 0.3, 0.6), check=_message)


def _message(payload: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Read what is to be sent: its type and its data. Raises InvalidInput."""
    _only(payload, "type", "data")
    kind, data = _text(payload, "type"), payload.get("data", {})
    if not isinstance(data, Mapping):
        raise InvalidInput("payload", "data must be an object")
    return kind, data


def _contests(lifecycle: LifecycleService) -> Actions:
    async def resolve(approval: Approval) -> str:
        return await lifecycle.resolve_contest(
            approval.namespace, approval.payload, approved=True, approval_id=approval.id
        )

    async def reject(approval: Approval) -> str:
        return await lifecycle.resolve_contest(
            approval.namespace, approval.payload, approved=False, approval_id=approval.id
        )

    async def describe(approval: Approval) -> Sequence[str]:
        return await lifecycle.describe_contest(approval.namespace, approval.payload)

    return {RESOLVE_CONTEST: ApprovedAction(resolve, idempotent=True, on_reject=reject, describe=describe)}


def _confirmations(lifecycle: LifecycleService) -> Actions:
    async def confirm(approval: Approval) -> str:
        memory = await lifecycle.vouch_again(approval.namespace, approval.payload)
        return f"{memory.id} is confirmed as it is now"

    async def describe(approval: Approval) -> Sequence[str]:
        return await lifecycle.describe_rewritten(approval.namespace, approval.payload)

    return {AGAIN: ApprovedAction(confirm, describe=describe)}


def _upkeep(upkeep: Upkeep, acts: Acts) -> Actions:
    async def archive(approval: Approval) -> str:
        return await _carried_out(acts, approval, What.ARCHIVE, await upkeep.faded(approval.namespace))

    async def merge(approval: Approval) -> str:
        steps = await upkeep.consolidation(approval.namespace, similar=True)
        return await _carried_out(acts, approval, What.ARCHIVE, [step.archived for step in steps])

    async def pairs(approval: Approval) -> Sequence[str]:
        steps = await upkeep.consolidation(approval.namespace, similar=True)
        return [
            f"archives {s.archived.id}: {s.archived.content} | keeps {s.retained.id}: {s.retained.content}"
            for s in steps
        ]

    return {
        ARCHIVE_FADED: ApprovedAction(archive, idempotent=True),
        MERGE_SIMILAR: ApprovedAction(merge, idempotent=True, describe=pairs),
    }


def act_of(approval: Approval) -> str:
    """Return the id of the act that an approved act on many memories is: what can be looked at, and undone."""
    return f"act_{approval.id.removeprefix('apr_')}"


async def _carried_out(acts: Acts, approval: Approval, what: What, memories: Sequence[Memory]) -> str:
    """Do to memories what was approved, and return what came of it; what is not over soon goes on."""
    if not memories:
        return f"{what}: {memories_counted(0)}"
    act_id = await acts.begin(approval.namespace, RequestedAct(what), memories, HUMAN, act_of(approval))
    outcome = (await acts.settled(approval.namespace, act_id, WITHIN_S)).outcome
    if outcome is None:
        return f"{what}: {memories_counted(len(memories))}, under way as {act_id}"
    left = f"; {sum(outcome.left.values())} were left" if outcome.left else ""
    return f"{what}: {memories_counted(outcome.changed)}{left}"


def _memories(bulk: Bulk, acts: Acts, upkeep: Upkeep) -> Actions:
    async def delete(approval: Approval) -> str:
        selection = Selection.of(approval.payload)
        found = await bulk.selected(approval.namespace, selection)
        seen = approval.decided_at  # what came to the selection after a person looked at it stays
        memories = [memory for memory in found if seen is None or memory.updated_at <= seen]
        return await _carried_out(acts, approval, What(selection.mode), memories)

    async def deleted(approval: Approval) -> Sequence[str]:
        selection = Selection.of(approval.payload)
        memories = await bulk.selected(approval.namespace, selection)
        shown = [f"{memory.id}: {quote(memory.content, SHOWN_CHARS)}" for memory in memories[:SHOWN]]
        more = [f"and {len(memories) - SHOWN} more"] if len(memories) > SHOWN else []
        back = "cannot be undone" if selection.mode == "erase" else "can be undone"
        return [f"{selection.mode}: {memories_counted(len(memories))}; it {back}", *shown, *more]

    async def decay(approval: Approval) -> str:
        return f"{memories_counted(await upkeep.age(approval.namespace))} marked stale or archived"

    async def decayed(approval: Approval) -> Sequence[str]:
        return ["marks long unused memories stale and archives stale ones; each can be restored from its page"]

    return {
        BULK_DELETE: ApprovedAction(
            delete, idempotent=True, describe=deleted, risk=RiskInputs(0.9, 0.1, 0.8), check=Selection.of
        ),
        DECAY: ApprovedAction(decay, idempotent=True, describe=decayed, risk=RiskInputs(0.3, 0.9, 0.1), check=_only),
    }


def _goals(goals: GoalService) -> Actions:
    def check(payload: Mapping[str, Any]) -> str:
        _only(payload, "goal_id")
        return _text(payload, "goal_id")

    def closing(status: str, risk: RiskInputs) -> ApprovedAction:
        async def run(approval: Approval) -> str:
            goal = await goals.get(approval.namespace, check(approval.payload))
            if goal.status.value == status:
                return f"{goal.id} is already {status}"
            return f"{goal.id} is {(await goals.update_status(approval.namespace, goal.id, status)).status.value}"

        async def describe(approval: Approval) -> Sequence[str]:
            goal = await goals.get(approval.namespace, check(approval.payload))
            return [f"moves 1 goal from {goal.status.value} to {status}: {quote(goal.title, SHOWN_CHARS)}"]

        return ApprovedAction(run, idempotent=True, describe=describe, risk=risk, check=check)

    return {
        COMPLETE_GOAL: closing("completed", RiskInputs(0.4, 0.8, 0.1)),
        ABANDON_GOAL: closing("abandoned", RiskInputs(0.6, 0.4, 0.3)),
    }


def _jobs(jobs: JobService) -> Actions:
    def check(payload: Mapping[str, Any]) -> str:
        _only(payload, "job")
        return _text(payload, "job")

    async def run(approval: Approval) -> str:
        return f"{(await jobs.run_soon(check(approval.payload))).name} is due: the daemon runs it within a minute"

    async def describe(approval: Approval) -> Sequence[str]:
        return [f"makes the daemon run the job {check(approval.payload)} now, once, for every namespace"]

    return {
        MAINTENANCE: ApprovedAction(
            run, idempotent=True, describe=describe, risk=RiskInputs(0.3, 0.7, 0.1), check=check
        )
    }


def _only(payload: Mapping[str, Any], *fields: str) -> None:
    """Raise InvalidInput for a field that is not known."""
    if unknown := set(payload) - set(fields):
        raise InvalidInput("payload", f"has unknown fields: {', '.join(sorted(unknown))[:100]}")


def _text(payload: Mapping[str, Any], field: str) -> str:
    """Return a field that is a short text. Raises InvalidInput."""
    value = payload.get(field)
    if not isinstance(value, str):
        raise InvalidInput("payload", f"{field} is required, a text")
    return inputs.text(f"payload: {field}", value, 200)
