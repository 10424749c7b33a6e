"""Upkeep: capacity, what nobody uses, and what repeats; nothing is lost, and what was undone stays undone."""

from typing import Any

import pytest

from agentos.daemon_pkg.jobs import memory_capacity, near_duplicates
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.facts.models import RELATES_TO, SAME_AS, Relation
from agentos.modules.memory.models import Memory, Status
from agentos.modules.memory.service import MemoryChanges, StoreRequest
from agentos.modules.sessions.models import ANSWERED

NS = "ada"


async def stored(agentos: AgentOS, text: str, importance: float = 0.5, **more: Any) -> Memory:
    return (await agentos.memory.store(NS, StoreRequest(text, importance=importance, **more))).memory


async def status(agentos: AgentOS, memory: Memory) -> Status:
    return (await agentos.memory.get(NS, memory.id))[0].status


async def test_beyond_its_capacity_a_namespace_loses_the_weakest_to_the_archive(
    wire: Any, store: Any, clock: Any
) -> None:
    agentos: AgentOS = wire(store, memories_per_namespace=3)
    first, weak, also_weak, strong = [
        await stored(agentos, text, importance)
        for text, importance in (("old", 0.5), ("weak", 0.1), ("as weak", 0.1), ("strong", 0.9))
    ]
    await agentos.turns.add(NS, "talk", "user", "a turn", answer="another")
    await memory_capacity.make_room(agentos, NS)
    assert await status(agentos, weak) is Status.ARCHIVED, "of two that are as weak the older one"
    assert {await status(agentos, one) for one in (first, also_weak, strong)} == {Status.ACTIVE}
    [insight] = await agentos.insights.insights(NS, 10)
    assert "1 of the weakest" in insight.text
    await agentos.lifecycle.revert(NS, weak.id)
    await memory_capacity.make_room(agentos, NS)
    assert await status(agentos, weak) is Status.ACTIVE and await status(agentos, also_weak) is Status.ARCHIVED
    assert await wire(store).upkeep.make_room(NS) == 0, "without a capacity there is room"


async def test_what_sessions_were_shown_in_vain_goes_stale_sooner(agentos: AgentOS, clock: Any) -> None:
    drawn_on = await stored(agentos, "the staging cluster is called heron", 0.2)
    in_vain = await stored(agentos, "the canteen has soup on Mondays", 0.2)
    clock.advance(days=31)
    for number in range(3):
        session, _ = await agentos.sessions.open(NS, "claude-code", f"s{number}", "/w/app")
        await agentos.sessions.note_shown(session, [drawn_on.id, in_vain.id])
        clock.advance(minutes=1)
        used = await agentos.upkeep.used(NS, [drawn_on.id, in_vain.id], "I deployed it to heron, the staging cluster.")
        assert used == [drawn_on.id]
        await agentos.memory.shown(NS, used)
        assert await agentos.upkeep.age(NS) == 0
        await agentos.sessions.note_shown(session, [ANSWERED])
    assert await agentos.upkeep.age(NS) == 1
    assert await status(agentos, in_vain) is Status.STALE and await status(agentos, drawn_on) is Status.ACTIVE
    assert await agentos.upkeep.used(NS, [in_vain.id], "On Mondays the canteen has soup.") == [in_vain.id]
    assert await status(agentos, in_vain) is Status.ACTIVE, "an answer draws on it"
    await agentos.lifecycle.revert(NS, in_vain.id)
    clock.advance(days=200)
    await agentos.upkeep.age(NS)
    assert await status(agentos, in_vain) is Status.ARCHIVED


async def test_the_job_archives_what_repeats_and_not_what_was_brought_back(agentos: AgentOS, clock: Any) -> None:
    older = await stored(agentos, "the team  meets on Mondays")
    clock.advance(minutes=5)
    newer = await stored(agentos, "the team meets on Mondays")
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    for expected in (Status.ARCHIVED, Status.ACTIVE):
        await near_duplicates.merge_near_duplicates(agentos, NS)
        assert await status(agentos, newer) is expected and await status(agentos, older) is Status.ACTIVE
        if expected is Status.ARCHIVED:
            await agentos.lifecycle.revert(NS, newer.id)


@pytest.mark.parametrize(
    ("one", "other", "more"),
    [
        ("Grandma takes 5 mg in the evening", "Grandma takes .5 mg in the evening", {}),
        ("Rosa pays the rent by card", "Rosa paid the rent by card", {}),
        ("The harbour  closes at six", "The harbour closes at six", {"tags": ("port",)}),
    ],
)
async def test_the_job_leaves_both_where_anything_differs(
    agentos: AgentOS, clock: Any, one: str, other: str, more: dict[str, Any]
) -> None:
    older = await stored(agentos, one)
    clock.advance(minutes=5)
    newer = await stored(agentos, other, **more)
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    await near_duplicates.merge_near_duplicates(agentos, NS)
    assert {await status(agentos, one) for one in (older, newer)} == {Status.ACTIVE}


async def test_what_says_about_the_same_is_merged_when_a_human_says_so(
    agentos: AgentOS, store: Any, clock: Any
) -> None:
    texts = (
        "The nightly backup of the ledger runs at two in the morning",
        "Backup of the ledger: it runs nightly, at two in the morning, and takes ten minutes",
        "The nightly backup of the wallet runs at two in the morning",
    )
    short, long, other = [await stored(agentos, text) for text in texts]
    links = [Relation(one.id, short.id, RELATES_TO, 0.95, "similar") for one in (long, other)]
    await store.memory.lifecycle.relate(NS, links, clock())
    planned = await agentos.upkeep.consolidation(NS, similar=True)
    assert [(step.archived.id, step.retained.id) for step in planned] == [(short.id, long.id)]
    for _ in range(2):
        await near_duplicates.merge_near_duplicates(agentos, NS)
    [asked] = (await agentos.approvals.inbox(NS)).approvals
    assert asked.action == "merge_similar" and await status(agentos, short) is Status.ACTIVE
    description = " ".join(await agentos.approvals.description(asked))
    assert all(text in description for text in texts[:2])
    await Decisions(store.work.approvals, clock).decide(asked, ApprovalStatus.APPROVED, "human:ann")
    await agentos.approvals.executor.run_due()
    assert await status(agentos, short) is Status.ARCHIVED and await status(agentos, other) is Status.ACTIVE
    await agentos.lifecycle.revert(NS, short.id, by="human")
    await near_duplicates.merge_near_duplicates(agentos, NS)
    assert await status(agentos, short) is Status.ACTIVE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port of the ledger is 5433", "The port of the ledger is 5432"),
        ("Ada likes green tea in the morning", "Bob likes green tea in the morning"),
        ("We do not deploy the ledger on Fridays", "We deploy the ledger on Fridays"),
        ("The nightly job takes an hour", "The nightly job copies every ledger to Oslo"),
    ],
)
async def test_what_says_something_else_is_not_merged(
    agentos: AgentOS, store: Any, clock: Any, one: str, other: str
) -> None:
    older, newer = await stored(agentos, one), await stored(agentos, other)
    await store.memory.lifecycle.relate(NS, [Relation(newer.id, older.id, RELATES_TO, 0.97, "similar")], clock())
    assert await agentos.upkeep.consolidation(NS, similar=True) == []


async def test_an_event_of_another_day_is_not_merged_though_it_is_told_alike(
    agentos: AgentOS, store: Any, clock: Any
) -> None:
    told = {"2026-03-02": "The kiln failed at night", "2026-03-09": "the kiln failed at night."}
    older, newer = [await stored(agentos, text, memory_type="episodic", occurred_at=day) for day, text in told.items()]
    await store.memory.lifecycle.relate(NS, [Relation(newer.id, older.id, SAME_AS, 0.99, "same meaning")], clock())
    assert await agentos.upkeep.consolidation(NS, reworded=True) == []


async def test_what_was_compared_is_not_linked_once_a_memory_has_another_text(
    agentos: AgentOS, store: Any, clock: Any
) -> None:
    older, newer = await stored(agentos, "The kiln is fired at six"), await stored(agentos, "At six the kiln is fired")
    compared = {each.id: each.content for each in (older, newer)}
    await agentos.memory.update(NS, older.id, MemoryChanges(content="The kiln is fired at noon"))
    link = Relation(newer.id, older.id, SAME_AS, 0.97, "same meaning")
    await store.memory.lifecycle.relate(NS, [link], clock(), compared)
    assert await store.memory.surroundings.related(NS, [older.id], (SAME_AS,), 9) == []
    await store.memory.lifecycle.relate(NS, [link], clock(), compared | {older.id: "The kiln is fired at noon"})
    assert len(await store.memory.surroundings.related(NS, [older.id], (SAME_AS,), 9)) == 1
