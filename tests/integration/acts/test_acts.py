"""Acts on many memories: done in batches, known afterwards, undone as one, and not done twice."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentos.modules.acts import service
from agentos.modules.acts.models import Act, Left, RequestedAct, State, What
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, InvalidInput, NotFound
from agentos.modules.memory.lifecycle_service import AGENT, HUMAN
from agentos.modules.memory.models import Memory, MemoryFilter, Order, Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.acting import acting
from agentos.modules.principals.models import Caller, Door, Right, Role, local_owner
from agentos.modules.queue.models import TaskState
from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "BATCH", 3)


async def stored(agentos: AgentOS, count: int = 8) -> list[Memory]:
    return [
        (await agentos.memory.store(NS, StoreRequest(f"Room {n} is free.", tags=["room"], importance=0.3))).memory
        for n in range(count)
    ]


async def done(agentos: AgentOS, what: str, memories: list[Memory], by: str = HUMAN, **given: Any) -> Act:
    act_id = await agentos.acts.begin(NS, RequestedAct.of(what, **given), memories, by)
    return await agentos.acts.settled(NS, act_id, 30)


async def undone(agentos: AgentOS, act: Act, by: str = HUMAN) -> Act:
    await agentos.acts.undo(NS, act.id, by)
    return await agentos.acts.settled(NS, act.id, 30)


async def now(agentos: AgentOS, memories: list[Memory]) -> list[Memory]:
    return await agentos.browsing.named(NS, [one.id for one in memories])


def of(memory: Memory) -> tuple[Any, ...]:
    return memory.standing, memory.tags, memory.memory_type, memory.importance, memory.content


ACTS: list[tuple[str, dict[str, Any], Callable[[Memory], bool]]] = [
    ("archive", {}, lambda one: one.status is Status.ARCHIVED),
    ("forget", {}, lambda one: one.status is Status.FORGOTTEN),
    ("confirm", {}, lambda one: one.confirmations == 1),
    ("reject", {}, lambda one: one.rejections == 1),
    ("tag", {"tags": ["seen", "room"]}, lambda one: one.tags == ("room", "seen")),
    ("untag", {"tags": ["Room"]}, lambda one: one.tags == ()),
    ("type", {"memory_type": "episodic"}, lambda one: one.memory_type == "episodic"),
    ("importance", {"importance": 0.9}, lambda one: one.importance == 0.9),
]


@every("what, given, holds", ACTS)
async def test_an_act_is_done_once_to_all_and_undone_as_one(
    agentos: AgentOS, what: str, given: dict[str, Any], holds: Callable[[Memory], bool]
) -> None:
    memories = [
        (await agentos.memory.store(NS, StoreRequest(f"{what}: room {n} is free.", tags=["room"]))).memory
        for n in range(7)
    ]
    act = await done(agentos, what, memories, **given)
    assert (act.state, act.done, act.total) == (State.FINISHED, 7, 7)
    assert act.outcome is not None and (act.outcome.changed, dict(act.outcome.left)) == (7, {})
    assert all(map(holds, await now(agentos, memories)))
    for task in await agentos.queue_control.page(NS, list(TaskState), 200):
        if task.key.startswith(act.id):
            await agentos.handlers[task.type](task)  # as after a crash
    assert all(map(holds, await now(agentos, memories)))
    again = await undone(agentos, act)
    assert again.outcome is not None and (again.undoing, again.outcome.undone) == (State.FINISHED, 7)
    assert list(map(of, await now(agentos, memories))) == list(map(of, memories))
    assert not again.can_be_undone


async def test_an_undo_leaves_what_was_decided_since_and_says_so(agentos: AgentOS) -> None:
    memories = await stored(agentos)
    act = await done(agentos, "archive", memories)
    await agentos.lifecycle.restore(NS, memories[0].id, HUMAN)
    weighed = await done(agentos, "importance", memories[1:4], importance=0.9)
    await agentos.memory.update(NS, memories[2].id, MemoryChanges(importance=0.5))
    again = await undone(agentos, act)
    assert again.outcome is not None and (again.outcome.changed, again.outcome.undone) == (8, 7)
    lighter = await undone(agentos, weighed)
    assert lighter.outcome is not None and (lighter.outcome.changed, lighter.outcome.undone) == (3, 2)
    assert [one.importance for one in await now(agentos, memories[1:4])] == [
        memories[1].importance,
        0.5,
        memories[3].importance,
    ]


async def test_what_an_act_leaves_is_counted_by_reason(agentos: AgentOS) -> None:
    memories = await stored(agentos)
    await agentos.lifecycle.archive(NS, memories[0].id, HUMAN)
    await agentos.memory.delete(NS, memories[1].id)
    await agentos.lifecycle.vouch(NS, (await now(agentos, [memories[2]]))[0])
    act = await done(agentos, "archive", memories, AGENT)
    assert act.outcome is not None and act.outcome.changed == 5
    assert act.outcome.left == {Left.SAME: 1, Left.GONE: 1, Left.REFUSED: 1}
    erased = await done(agentos, "erase", memories, AGENT)
    assert erased.outcome is not None and (erased.outcome.changed, erased.can_be_undone) == (7, False)
    assert [one.id for one in await now(agentos, memories)] == [memories[2].id]
    with pytest.raises(Conflict, match="gone for good"):
        await agentos.acts.undo(NS, erased.id, HUMAN)


async def test_an_act_can_be_stopped_and_what_it_did_undone(agentos: AgentOS, monkeypatch: pytest.MonkeyPatch) -> None:
    memories, carry_out = await stored(agentos), agentos.bulk.carry_out
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(*given: Any, **named: Any) -> Any:
        result = await carry_out(*given, **named)
        begun.set()
        await go_on.wait()
        return result

    monkeypatch.setattr(agentos.bulk, "carry_out", slow)
    act_id = await agentos.acts.begin(NS, RequestedAct.of("archive"), memories, HUMAN)
    await begun.wait()
    running = await agentos.acts.look(NS, act_id)
    assert (running.state, running.done, running.outcome) == (State.RUNNING, 0, None)
    with pytest.raises(Conflict, match="stop it first"):
        await agentos.acts.undo(NS, act_id, HUMAN)
    await agentos.acts.stop(NS, act_id)
    go_on.set()
    act = await agentos.acts.settled(NS, act_id, 30)
    assert act.state is State.STOPPED and act.outcome is not None and act.outcome.changed == 3
    again = await undone(agentos, act)
    assert again.outcome is not None and again.outcome.undone == 3
    assert list(map(of, await now(agentos, memories))) == list(map(of, memories))
    assert [one.id for one in await agentos.acts.recent(NS)] == [act_id]


async def test_what_no_act_is_is_refused(agentos: AgentOS) -> None:
    [memory] = await stored(agentos, 1)
    for given in ({"what": "burn"}, {"what": "tag"}, {"what": "importance", "importance": 2}, {"what": "type"}):
        with pytest.raises(InvalidInput):
            RequestedAct.of(**given)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        await agentos.acts.begin(NS, RequestedAct(What.ARCHIVE), [], HUMAN)
    act = await done(agentos, "archive", [memory])
    for namespace, act_id in (("bob", act.id), (NS, "act_1"), (NS, f"{act.id}/0")):
        with pytest.raises(NotFound):
            await agentos.acts.undo(namespace, act_id, HUMAN)


@every("order", list(Order))
async def test_a_walk_gives_each_memory_once_in_order_forwards_and_back(agentos: AgentOS, order: Order) -> None:
    namespace = f"walk-{order}"
    for n in range(7):
        await agentos.memory.store(namespace, StoreRequest(f"Desk {n} is free.", importance=0.1 * (n % 3)))
    pages, place = [], ""
    while True:
        page = await agentos.browsing.page([namespace], MemoryFilter(), order, 3, place)
        pages.append(page)
        if page.after is None:
            break
        place = page.after
    ids = [one.id for page in pages for one in page.memories]
    assert (len(ids), len(set(ids)), pages[0].total) == (7, 7, 7)
    assert [one.id for one in await agentos.browsing.chosen(namespace, MemoryFilter(), order, 99)] == ids
    back = await agentos.browsing.page([namespace], MemoryFilter(), order, 3, pages[2].before or "", backwards=True)
    assert back.memories == pages[1].memories and (back.before, back.after) == (pages[1].before, pages[1].after)
    first = await agentos.browsing.page([namespace], MemoryFilter(), order, 3, back.before or "", backwards=True)
    assert first.memories == pages[0].memories and first.before is None
    for wrong in ("x", "1~2~3~4", "nan", "1e999", "9" * 30):
        with pytest.raises(InvalidInput):
            await agentos.browsing.page([namespace], MemoryFilter(), order, 3, wrong)


async def test_each_act_is_noted_as_of_who_asked_for_it_whoever_works_on_it(agentos: AgentOS) -> None:
    memories = await stored(agentos, 2)
    asked = []
    for name, memory in zip(("ann", "ben"), memories, strict=True):
        with acting(Caller(name, Role.WRITER, {NS: Right.WRITE}, NS, Door.HTTP)):
            asked.append(await agentos.acts.begin(NS, RequestedAct.of("tag", tags=["seen"]), [memory], AGENT))
    for act_id in asked:
        await agentos.acts.settled(NS, act_id, 30)
    shown = await agentos.audit.show(local_owner(NS, None, Door.COMMAND_LINE), NS)
    noted = {one.subject: (one.principal, one.door) for one in shown if one.action == "memory.update"}
    assert noted == {memories[0].id: ("ann", "http"), memories[1].id: ("ben", "http")}
