"""What AgentOS does once it was approved: each action in a real store, once, whenever a process ends in between."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.executor import LEASE
from agentos.modules.approvals.models import Approval, ApprovalStatus
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.errors import InvalidInput
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.own_actions import WEBHOOK, webhook_action
from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"
CLAIMED = RiskInputs(0, 1, 0)


class Killed(BaseException):
    """The process ends here: nothing of ours catches it."""


Propose = Callable[..., Awaitable[Approval]]


@pytest.fixture
def approved(agentos: AgentOS, store: OpenedStore, clock: Any) -> Propose:
    """Proposes an action as an agent does, and approves it as a human."""

    async def propose(action: str, payload: Mapping[str, Any]) -> Approval:
        asked = await agentos.approvals.propose(NS, "s", action, payload, CLAIMED, "why", f"agent:{NS}")
        assert asked.status == "pending", "whatever it claims, a human is asked"
        return await Decisions(store.work.approvals, clock).decide(asked, ApprovalStatus.APPROVED, "ada")

    return propose


async def stored(agentos: AgentOS, count: int, importance: float = 0.1, **fields: Any) -> list[str]:
    return [
        (
            await agentos.memory.store(
                NS, StoreRequest(content=f"The parcel {number} left.", importance=importance, **fields)
            )
        ).memory.id
        for number in range(count)
    ]


async def ran(agentos: AgentOS) -> tuple[str, str]:
    [done] = await agentos.approvals.executor.run_due()
    return done.status.value, str(done.result)


@every("mode", ["archive", "forget", "erase"])
async def test_named_memories_are_deleted_once_approved(agentos: AgentOS, approved: Propose, mode: str) -> None:
    ids = await stored(agentos, 3)
    asked = await approved("memory.bulk_delete", {"mode": mode, "memory_ids": [*ids[:2], "mem_gone"]})
    lines = await agentos.approvals.description(asked)
    assert lines[0].startswith(f"{mode}: 2 memories") and ("cannot" in lines[0]) is (mode == "erase")
    assert await ran(agentos) == ("done", f"{mode}: 2 memories")
    assert [one.id for one in (await agentos.memory.page(NS)).memories] == ids[2:]


async def test_what_nobody_used_is_deleted_but_for_how_tos(agentos: AgentOS, approved: Propose, clock: Any) -> None:
    await stored(agentos, 2)
    remaining = await stored(agentos, 1, 0.9, session="s") + await stored(
        agentos, 1, 0.1, memory_type="procedural", session="t"
    )
    clock.advance(days=31)
    await approved("memory.bulk_delete", {"below_importance": 0.3, "unused_days": 30})
    assert await ran(agentos) == ("done", "archive: 2 memories")
    assert {one.id for one in (await agentos.memory.page(NS)).memories} == set(remaining)


async def test_what_came_after_the_decision_stays(agentos: AgentOS, approved: Propose, clock: Any) -> None:
    await stored(agentos, 2)
    spared = (await agentos.memory.store(NS, StoreRequest(content="Another parcel.", importance=0.9))).memory.id
    clock.advance(days=31)
    await approved("memory.bulk_delete", {"below_importance": 0.3, "unused_days": 30})
    clock.advance(minutes=1)
    await agentos.memory.update(NS, spared, MemoryChanges(importance=0.1))
    assert await ran(agentos) == ("done", "archive: 2 memories")
    assert [one.id for one in (await agentos.memory.page(NS)).memories] == [spared]


async def test_decay_goals_and_maintenance_run_once_approved(agentos: AgentOS, approved: Propose, clock: Any) -> None:
    await stored(agentos, 2)
    clock.advance(days=91)
    await approved("memory.decay", {})
    assert (await ran(agentos))[1].startswith("2 memories marked stale")
    for action, status in (("goal.complete", "completed"), ("goal.abandon", "abandoned")):
        goal = await agentos.goals.add(NS, action, "d")
        await approved(action, {"goal_id": goal.id})
        assert await ran(agentos) == ("done", f"{goal.id} is {status}")
    await agentos.jobs.register("usage", LEASE, at_first_start=False)
    await approved("system.maintenance", {"job": "usage"})
    assert (await ran(agentos))[0] == "done"
    assert [run.next_due_at for run in await agentos.jobs.runs()] == [clock()]
    await approved("system.maintenance", {"job": "no_such_job"})
    assert (await ran(agentos))[0] == "failed"


@every(
    ("action", "payload"),
    [
        ("rm", {}),
        ("archive_faded", {}),
        (WEBHOOK, {"type": "x"}),
        ("memory.bulk_delete", {"mode": "shred"}),
        ("memory.bulk_delete", {"memory_ids": []}),
        ("memory.bulk_delete", {"memory_ids": ["m"], "unused_days": 3}),
        ("memory.bulk_delete", {"memory_ids": [1]}),
        ("memory.bulk_delete", {"unused_days": 0}),
        ("memory.bulk_delete", {"below_importance": True}),
        ("memory.decay", {"rate": 0.05}),
        ("goal.abandon", {}),
        ("goal.abandon", {"goal_id": 7}),
        ("system.maintenance", {"job": ""}),
    ],
)
async def test_a_payload_that_cannot_be_done_is_refused(agentos: AgentOS, action: str, payload: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await agentos.approvals.propose(NS, "s", action, payload, CLAIMED, "why", f"agent:{NS}")
    assert (await agentos.approvals.inbox(NS)).approvals == []


async def test_the_risk_is_never_less_than_the_actions_own(agentos: AgentOS) -> None:
    ids = await stored(agentos, 1)
    payload = {"memory_ids": ids}
    asked = await agentos.approvals.propose(NS, "s", "memory.bulk_delete", payload, CLAIMED, "why", f"agent:{NS}")
    assert asked.risk >= 0.7


@every("moment", ["before", "between", "after"])
async def test_a_bulk_act_that_is_killed_is_done_once(
    agentos: AgentOS, store: OpenedStore, approved: Propose, clock: Any, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    ids = await stored(agentos, 4)
    await approved("memory.bulk_delete", {"memory_ids": ids})
    say_all = agentos.lifecycle.say_all

    async def killed(namespace: str, memory_ids: Any, *rest: Any) -> Any:
        if moment != "before":
            await say_all(namespace, memory_ids[: 2 if moment == "between" else None], *rest)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(agentos.lifecycle, "say_all", killed)
        with pytest.raises(Killed):
            await agentos.approvals.executor.run_due()
    assert await agentos.approvals.executor.run_due() == [], "its lease still runs"
    clock.advance(seconds=LEASE.total_seconds())
    status, _ = await ran(agentos)
    assert status == "done"
    assert (await agentos.memory.page(NS)).total == 0
    assert [len(await agentos.lifecycle.changes(NS, one)) for one in ids] == [1, 1, 1, 1], "each was archived once"
    assert await agentos.approvals.executor.run_due() == []


@every(
    ("action", "service", "method"),
    [
        ("memory.decay", "upkeep", "age"),
        ("goal.complete", "goals", "update_status"),
        ("goal.abandon", "goals", "update_status"),
        ("system.maintenance", "jobs", "run_soon"),
    ],
)
async def test_what_is_killed_before_it_is_noted_is_begun_again_and_changes_nothing_more(
    agentos: AgentOS,
    approved: Propose,
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    service: str,
    method: str,
) -> None:
    [idle] = await stored(agentos, 1)
    goal = await agentos.goals.add(NS, "Ship it", "d")
    await agentos.jobs.register("usage", LEASE, at_first_start=False)
    clock.advance(days=91)
    payload = {"goal": {"goal_id": goal.id}, "system": {"job": "usage"}, "memory": {}}[action.partition(".")[0]]
    await approved(action, payload)
    does = getattr(getattr(agentos, service), method)

    async def killed(*given: Any, **named: Any) -> None:
        await does(*given, **named)
        raise Killed

    async def state() -> Any:
        memory, _ = await agentos.memory.get(NS, idle)
        return memory.status, await agentos.lifecycle.changes(NS, idle), (await agentos.goals.get(NS, goal.id)).status

    with monkeypatch.context() as patch:
        patch.setattr(getattr(agentos, service), method, killed)
        with pytest.raises(Killed):
            await agentos.approvals.executor.run_due()
    done = await state()
    clock.advance(seconds=LEASE.total_seconds())
    assert (await ran(agentos))[0] == "done"
    assert await state() == done
    assert await agentos.approvals.executor.run_due() == []


async def test_a_webhook_is_called_at_most_once_whenever_the_process_is_killed(
    agentos: AgentOS, approved: Propose, clock: Any
) -> None:
    called: list[str] = []

    async def deliver(approval: Approval) -> None:
        called.append(approval.payload["type"])
        if approval.payload["type"] == "fatal":
            raise Killed

    agentos.approvals.offer(WEBHOOK, webhook_action(deliver))
    await approved(WEBHOOK, {"type": "release", "data": {"version": 3}})
    assert await ran(agentos) == ("done", "the webhook was called")
    await approved(WEBHOOK, {"type": "fatal"})
    with pytest.raises(Killed):
        await agentos.approvals.executor.run_due()
    clock.advance(seconds=LEASE.total_seconds())
    status, result = await ran(agentos)
    assert (status, called) == ("failed", ["release", "fatal"]) and "may have run" in result
