"""Facts that supersede, contradict and are undone, in a real store."""

import asyncio
import itertools
import random
import sqlite3
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, InvalidInput, NotFound, PermissionDenied
from agentos.modules.memory.lifecycle import TRANSITIONS, Verdict
from agentos.modules.memory.models import Memory, MemoryFilter, Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest

NS = "ada"
JUDGED = ("status", "confidence", "valid_from", "valid_to", "confirmations", "rejections")


async def employer(agentos: AgentOS, company: str, **more: Any) -> Any:
    return await agentos.memory.store(
        NS,
        StoreRequest(
            f"{company} is where Dana earns her money", subject="Dana", attribute="employer", value=company, **more
        ),
    )


def row(at_hand: Path, memory_id: str) -> dict[str, Any]:
    with at_hand() as connection:
        connection.row_factory = sqlite3.Row
        return dict(connection.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone())


def count(at_hand: Path, table: str) -> int:
    with at_hand() as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


async def ids(agentos: AgentOS, query: str, **where: Any) -> list[str]:
    found = await agentos.memory.search(NS, query, MemoryFilter(**where))
    return [hit.memory.id for hit in found.hits]


async def test_a_newer_fact_supersedes_the_older_one(agentos: AgentOS, clock: Any) -> None:
    old = (await employer(agentos, "Acme")).memory
    was_true_on = clock()
    clock.advance(days=10)
    stored = await employer(agentos, "Globex")
    assert stored.change.action == "supersede" and set(stored.change.after) == {old.id, stored.memory.id}
    assert await ids(agentos, "where does Dana earn money") == [stored.memory.id]
    assert await ids(agentos, "where does Dana earn money", as_of=was_true_on) == [old.id]
    assert set(await ids(agentos, "where does Dana earn money", include_superseded=True)) == {old.id, stored.memory.id}
    current, _ = await agentos.memory.get(NS, old.id)
    assert (current.content, current.status, current.valid_to) == (
        old.content,
        Status.ACTIVE,
        stored.memory.occurred_at,
    )
    assert await agentos.lifecycle.successors(NS, [current]) == {old.id: stored.memory.id}


async def test_undoing_restores_the_old_row_byte_for_byte(
    agentos: AgentOS, clock: Any, home: Path, at_hand: Any
) -> None:
    old = (await employer(agentos, "Acme")).memory
    before = row(at_hand, old.id)
    clock.advance(days=10)
    new = (await employer(agentos, "Globex")).memory
    assert row(at_hand, old.id) != before
    change, standing = await agentos.lifecycle.revert(NS, new.id)
    assert row(at_hand, old.id) == before
    assert count(at_hand, "relations") == 0
    assert {memory.id: memory.status for memory in standing} == {old.id: Status.ACTIVE, new.id: Status.ARCHIVED}
    assert await ids(agentos, "where does Dana earn money") == [old.id]
    assert change.action == "revert"
    for subject, message in ((new.id, "left to undo"), ("mem_gone", "no memory 'mem_gone'"), ("chg_gone", "no change")):
        with pytest.raises(NotFound, match=message):
            await agentos.lifecycle.revert(NS, subject)


async def test_undoing_can_keep_both(agentos: AgentOS, clock: Any, home: Path, at_hand: Any) -> None:
    old = (await employer(agentos, "Acme")).memory
    clock.advance(days=1)
    new = (await employer(agentos, "Globex")).memory
    clock.advance(days=1)
    await agentos.lifecycle.revert(NS, old.id, keep_both=True)
    assert set(await ids(agentos, "where does Dana earn money")) == {old.id, new.id}
    assert row(at_hand, new.id)["subject"] is None and row(at_hand, new.id)["status"] == "active"
    third = (await employer(agentos, "Initech")).memory
    assert set(await ids(agentos, "where does Dana earn money")) == {third.id, new.id}, (
        "it has no slot to be replaced in"
    )


async def test_what_a_later_change_touched_is_not_undone_over_its_head(agentos: AgentOS, clock: Any) -> None:
    acme = (await employer(agentos, "Acme")).memory
    clock.advance(days=1)
    globex = await employer(agentos, "Globex")
    clock.advance(days=1)
    initech = await employer(agentos, "Initech")
    with pytest.raises(Conflict, match=initech.change.id):
        await agentos.lifecycle.revert(NS, globex.change.id)
    await agentos.lifecycle.revert(NS, globex.memory.id)
    assert await ids(agentos, "Dana earns money") == [globex.memory.id]
    await agentos.lifecycle.revert(NS, globex.memory.id)
    assert await ids(agentos, "Dana earns money") == [acme.id]


async def test_who_goes_back_to_what_was_true_before_is_believed(agentos: AgentOS, clock: Any) -> None:
    employers = []
    for company in ("Acme", "Globex", "Acme", "Globex", "Acme"):
        employers.append((await employer(agentos, company)).memory)
        clock.advance(days=1)
        assert await ids(agentos, "where does Dana earn money") == [employers[-1].id]
    assert len({memory.id for memory in employers}) == 5
    assert await ids(agentos, "Dana earns money", as_of=employers[2].occurred_at) == [employers[2].id]
    changed = await agentos.memory.update(NS, employers[-1].id, MemoryChanges(importance=0.9))
    assert (changed.importance, changed.version) == (0.9, 2)


async def test_a_caller_can_say_what_is_superseded(agentos: AgentOS) -> None:
    old = (await agentos.memory.store(NS, StoreRequest("The build takes nine minutes"))).memory
    stored = await agentos.memory.store(NS, StoreRequest("Since the cache it is four minutes", supersedes=[old.id]))
    assert stored.change.relations[0].to_id == old.id
    assert await ids(agentos, "how many minutes does the build take") == [stored.memory.id]
    with pytest.raises(NotFound, match="supersedes"):
        await agentos.memory.store(NS, StoreRequest("Never stored", supersedes=["mem_absent"]))
    assert (await agentos.memory.page(NS)).total == 1
    with pytest.raises(NotFound):
        await agentos.memory.store("bob", StoreRequest("Another namespace", supersedes=[stored.memory.id]))


@pytest.mark.parametrize("doubtful", [{"source": "web"}, {"confidence": 0.3}])
async def test_doubtful_evidence_never_overwrites(
    agentos: AgentOS, doubtful: dict[str, Any], home: Path, at_hand: Any
) -> None:
    old = (await employer(agentos, "Acme")).memory
    for more in (doubtful, {**doubtful, "supersedes": [old.id]}):
        stored = await employer(agentos, "Globex", **more)
        assert stored.memory.status is Status.CONTESTED
        asked = await agentos.approvals.get(NS, stored.change.approval)
        assert asked.payload == {"new": stored.memory.id, "old": [old.id], "resolution": "supersede"}
        current, _ = await agentos.memory.get(NS, old.id)
        assert current.standing == old.standing, "what was known stays what is told"
        await agentos.lifecycle.revert(NS, stored.memory.id, "human")
        assert row(at_hand, old.id)["status"] == "active"
        assert (await agentos.approvals.get(NS, stored.change.approval)).status == "expired", "nobody need decide"


async def test_erasing_one_side_of_a_contest_ends_it(agentos: AgentOS, home: Path, at_hand: Any) -> None:
    old = (await employer(agentos, "Acme")).memory
    new = (await employer(agentos, "Globex", source="web")).memory
    await agentos.memory.delete(NS, new.id)
    assert row(at_hand, old.id)["status"] == "active"
    assert count(at_hand, "relations") == 0
    with at_hand() as connection:
        changes = connection.execute("SELECT reason, relations FROM changes WHERE memory_id = ?", (new.id,)).fetchall()
    assert changes == [("", "[]")]


@pytest.mark.parametrize("approved", [True, False])
async def test_a_humans_decision_is_carried_out_once(
    agentos: AgentOS, approved: bool, home: Path, at_hand: Any
) -> None:
    old = (await employer(agentos, "Acme")).memory
    new = (await employer(agentos, "Globex", source="web")).memory
    payload = {"new": new.id, "old": [old.id], "resolution": "supersede"}
    assert [line.split()[0] for line in await agentos.lifecycle.describe_contest(NS, payload)] == ["new", "old"]
    for _ in range(2):
        await agentos.lifecycle.resolve_contest(NS, payload, approved=approved, approval_id="apr_1")
    winner, loser = (new, old) if approved else (old, new)
    assert await ids(agentos, "where does Dana earn money") == [winner.id]
    assert row(at_hand, winner.id)["status"] == "active"
    assert [c.action for c in await agentos.lifecycle.changes(NS, new.id)] == ["resolve", "contest"]
    with pytest.raises(PermissionDenied):
        await agentos.lifecycle.revert(NS, loser.id)
    await agentos.lifecycle.revert(NS, loser.id, by="human")
    assert [row(at_hand, name)["status"] for name in (old.id, new.id)] == ["active", "contested"]
    [again] = (await agentos.approvals.inbox(NS)).approvals
    assert again.payload == payload, "and is asked again"


@pytest.mark.parametrize("hide", ["archive", "forget"])
async def test_what_was_hidden_meanwhile_supersedes_nothing(
    agentos: AgentOS, home: Path, hide: str, at_hand: Any
) -> None:
    old = (await employer(agentos, "Acme")).memory
    new = (await employer(agentos, "Globex", source="web")).memory
    await agentos.lifecycle.feedback(NS, new.id, "reject")
    await agentos.lifecycle.revert(NS, new.id)
    assert len((await agentos.approvals.inbox(NS)).approvals) == 1, "it is contested still"
    await getattr(agentos.lifecycle, hide)(NS, new.id)
    payload = {"new": new.id, "old": [old.id], "resolution": "supersede"}
    with pytest.raises(Conflict, match="reject it"):
        await agentos.lifecycle.resolve_contest(NS, payload, approved=True, approval_id="apr_1")
    await agentos.lifecycle.resolve_contest(NS, payload, approved=False, approval_id="apr_1")
    assert row(at_hand, old.id)["status"] == "active"


@pytest.mark.parametrize("against", ["reject", "archive", "forget"])
async def test_an_agent_cannot_put_the_trusted_side_of_a_contest_away(agentos: AgentOS, against: str) -> None:
    old = (await employer(agentos, "Acme")).memory
    new = (await employer(agentos, "Globex", source="web")).memory

    async def oppose(memory_id: str, by: str) -> None:
        if against == "reject":
            await agentos.lifecycle.feedback(NS, memory_id, against, by=by)
        else:
            await getattr(agentos.lifecycle, against)(NS, memory_id, by)

    with pytest.raises(Conflict, match="agentos approvals"):
        await oppose(old.id, "agent")
    current, _ = await agentos.memory.get(NS, old.id)
    assert current.standing == old.standing
    await oppose(new.id, "agent")
    await agentos.lifecycle.revert(NS, new.id)
    await oppose(old.id, "human")
    assert (await agentos.lifecycle.changes(NS, old.id))[0].by == "human"


async def test_what_contested_an_erased_memory_is_still_doubtful(agentos: AgentOS, home: Path, at_hand: Any) -> None:
    old = (await employer(agentos, "Acme")).memory
    new = (await employer(agentos, "Globex", source="web")).memory
    await agentos.memory.delete(NS, old.id, by="human")
    assert row(at_hand, new.id)["status"] in ("contested", "candidate")


async def test_an_agent_cannot_decide_for_what_waits_for_a_human(agentos: AgentOS) -> None:
    old = (await employer(agentos, "Acme")).memory
    new = (await employer(agentos, "Globex", source="web")).memory
    with pytest.raises(Conflict, match="agentos approvals"):
        await agentos.lifecycle.feedback(NS, new.id, "confirm")
    with pytest.raises(Conflict, match="agentos approvals"):
        await agentos.lifecycle.feedback(NS, old.id, "supersede", new.id)


ACTS: dict[Verdict, Callable[[AgentOS, str, str], Awaitable[Any]]] = {
    Verdict.CONFIRM: lambda agentos, one, _: agentos.lifecycle.feedback(NS, one, "confirm"),
    Verdict.REJECT: lambda agentos, one, _: agentos.lifecycle.feedback(NS, one, "reject"),
    Verdict.SUPERSEDE: lambda agentos, one, other: agentos.lifecycle.feedback(NS, one, "supersede", other),
    Verdict.REUSE: lambda agentos, one, _: agentos.lifecycle.reused(NS, one),
    Verdict.ARCHIVE: lambda agentos, one, _: agentos.lifecycle.archive(NS, one),
    Verdict.FORGET: lambda agentos, one, _: agentos.lifecycle.forget(NS, one),
    Verdict.RESTORE: lambda agentos, one, _: agentos.lifecycle.restore(NS, one),
}


@pytest.mark.parametrize(("status", "verdict"), list(itertools.product(Status, ACTS)))
async def test_every_verdict_does_what_the_table_says(
    agentos: AgentOS, clock: Any, home: Path, status: Status, verdict: Verdict, at_hand: Any
) -> None:
    other = (await agentos.memory.store(NS, StoreRequest("Another memory"))).memory
    memory = await brought_to(agentos, clock, status)
    before = row(at_hand, memory.id)
    expected = TRANSITIONS[verdict].get(status)
    if expected is None or (status is Status.FORGOTTEN and verdict in (Verdict.CONFIRM, Verdict.REJECT)):
        with pytest.raises((Conflict, NotFound)):
            await ACTS[verdict](agentos, memory.id, other.id)
        assert row(at_hand, memory.id) == before
        return
    stands, change = await ACTS[verdict](agentos, memory.id, other.id)
    after = row(at_hand, memory.id)
    candidate_again = verdict is Verdict.RESTORE and before["confidence"] < 0.5
    assert stands.status is (Status.CANDIDATE if candidate_again and expected is Status.ACTIVE else expected)
    assert {key for key in after if after[key] != before[key]} <= set(JUDGED), "no new version, no other time"
    numbers = {
        Verdict.CONFIRM: (min(1.0, before["confidence"] + 0.25), before["confirmations"] + 1, before["rejections"]),
        Verdict.REJECT: (before["confidence"] * 0.5, before["confirmations"], before["rejections"] + 1),
        Verdict.REUSE: (min(1.0, before["confidence"] + 0.35), before["confirmations"], before["rejections"]),
    }.get(verdict, (before["confidence"], before["confirmations"], before["rejections"]))
    assert (after["confidence"], after["confirmations"], after["rejections"]) == pytest.approx(numbers)
    assert (after["valid_to"] is not None) == (verdict is Verdict.SUPERSEDE)
    assert (change is None) == (after == before)
    if change is not None:
        await agentos.lifecycle.revert(NS, change.id)
        assert row(at_hand, memory.id) == before


async def brought_to(agentos: AgentOS, clock: Any, status: Status) -> Memory:
    confidence = 0.4 if status is Status.CANDIDATE else 0.7
    memory: Memory = (
        await agentos.memory.store(NS, StoreRequest("A memory that is judged", importance=0.1, confidence=confidence))
    ).memory
    if status is Status.CONTESTED:
        memory, _ = await agentos.lifecycle.feedback(NS, memory.id, "reject")
    if status is Status.STALE:
        clock.advance(days=91)
        assert await agentos.upkeep.age(NS) == 2
    if status is Status.ARCHIVED:
        memory, _ = await agentos.lifecycle.archive(NS, memory.id)
    if status is Status.FORGOTTEN:
        memory, _ = await agentos.lifecycle.forget(NS, memory.id)
    return memory


async def test_feedback_is_checked(agentos: AgentOS) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("A memory"))).memory
    for verdict, by in (("archive", None), ("supersede", None), ("confirm", memory.id), ("supersede", memory.id)):
        with pytest.raises(InvalidInput):
            await agentos.lifecycle.feedback(NS, memory.id, verdict, by)
    with pytest.raises(NotFound):
        await agentos.lifecycle.feedback(NS, "mem_absent", "confirm")
    with pytest.raises(NotFound):
        await agentos.lifecycle.feedback("bob", memory.id, "confirm")


async def test_three_verbs_archive_forget_erase(agentos: AgentOS, clock: Any, home: Path, at_hand: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("The office code is 4711"))).memory
    await agentos.lifecycle.archive(NS, memory.id)
    assert await ids(agentos, "office code") == []
    assert (await agentos.memory.get(NS, memory.id))[0].status is Status.ARCHIVED
    assert await ids(agentos, "office code", statuses=(Status.ARCHIVED,)) == [memory.id]
    await agentos.lifecycle.revert(NS, memory.id)
    assert await ids(agentos, "office code") == [memory.id]
    await agentos.lifecycle.forget(NS, memory.id)
    with pytest.raises(NotFound, match="memory_revert"):
        await agentos.memory.get(NS, memory.id)
    assert (await agentos.memory.page(NS)).total == 0
    clock.advance(days=29)
    assert await agentos.upkeep.erase_forgotten() == 0
    clock.advance(days=2)
    assert await agentos.upkeep.erase_forgotten() == 1
    assert count(at_hand, "memories") == 0 and count(at_hand, "change_memories") == 0


async def test_what_nobody_looks_at_goes_stale_and_then_into_the_archive(agentos: AgentOS, clock: Any) -> None:
    idle = (await agentos.memory.store(NS, StoreRequest("A passing remark", importance=0.1))).memory
    important = (
        await agentos.memory.store(NS, StoreRequest("Always critical, never forget: the key", "procedural", 1.0))
    ).memory
    assert important.importance >= 0.7
    clock.advance(days=200)
    assert await agentos.upkeep.age(NS) == 1
    assert (await agentos.memory.get(NS, idle.id))[0].status is Status.STALE
    assert await agentos.upkeep.age(NS) == 1
    assert (await agentos.memory.get(NS, idle.id))[0].status is Status.ARCHIVED
    assert await agentos.upkeep.age(NS) == 0
    assert (await agentos.memory.get(NS, important.id))[0].status is Status.ACTIVE
    await agentos.lifecycle.revert(NS, idle.id)
    assert (await agentos.memory.get(NS, idle.id))[0].status is Status.STALE


async def test_the_same_text_again_is_evidence_without_a_new_version(agentos: AgentOS, clock: Any) -> None:
    first = (await agentos.memory.store(NS, StoreRequest("The team meets on Mondays"))).memory
    at_once = await agentos.memory.store(NS, StoreRequest("The team meets on Mondays"))
    assert at_once.duplicate and at_once.change is None and at_once.memory.confirmations == 0
    clock.advance(days=1)
    again = await agentos.memory.store(NS, StoreRequest("The team meets on Mondays"))
    assert (again.memory.id, again.memory.version, again.memory.confirmations) == (first.id, 1, 1)
    assert again.memory.updated_at == first.updated_at
    clock.advance(days=1)
    assert (await agentos.memory.store(NS, StoreRequest("The team meets on Mondays", source="web"))).change is None


async def test_a_turn_of_a_conversation_is_no_statement_of_record(agentos: AgentOS) -> None:
    turn = (await agentos.memory.store(NS, StoreRequest("Dana: Dana works at Acme", session="s"))).memory
    assert turn.slot is None
    working = (await agentos.memory.store(NS, StoreRequest("Dana's employer is Initech", "working"))).memory
    assert working.slot is None
    read = (await agentos.memory.store(NS, StoreRequest("Dana's employer is Globex"))).memory
    assert read.slot is not None and read.slot.subject == "dana"


async def test_a_corrected_text_is_read_anew(agentos: AgentOS, clock: Any) -> None:
    read = (await agentos.memory.store(NS, StoreRequest("Dana's employer is Globex"))).memory
    clock.advance(days=1)
    other = (await agentos.memory.store(NS, StoreRequest("Lena's employer is Acme"))).memory
    changed = await agentos.memory.update(NS, other.id, MemoryChanges(content="Dana's employer is Acme"))
    assert changed.slot is not None and changed.slot.subject == "dana"
    assert (await agentos.memory.get(NS, read.id))[0].valid_to is not None
    changed = await agentos.memory.update(NS, other.id, MemoryChanges(content="Nothing of that kind"))
    assert changed.slot is None
    clock.advance(days=1)
    given = (await employer(agentos, "Acme")).memory
    corrected = await agentos.memory.update(NS, given.id, MemoryChanges(content="Globex pays Dana"))
    assert corrected.slot is not None and corrected.slot.subject == "dana", "what the caller said of it stays"


async def test_half_a_slot_is_refused_where_the_text_does_not_say_the_rest(agentos: AgentOS) -> None:
    with pytest.raises(InvalidInput, match="attribute"):
        await agentos.memory.store(NS, StoreRequest("It was as ever", subject="Dana"))


async def test_rivals_that_arrive_at_once_leave_one_current(
    open_store: Callable[[], Awaitable[OpenedStore]], wire: Callable[..., AgentOS], home: Path, at_hand: Any
) -> None:
    doors = [wire(await open_store()) for _ in range(3)]
    await asyncio.gather(
        *(
            employer(doors[n % 3], f"Company {n}", occurred_at=f"2026-02-{n + 1:02}")
            for n in random.sample(range(28), 28)
        )
    )
    with at_hand() as connection:
        current = connection.execute("SELECT value FROM memories WHERE valid_to IS NULL").fetchall()
    assert current == [("Company 27",)], "the newest, however they came"


async def near_duplicates(agentos: AgentOS, clock: Any, *texts: str, **more: Any) -> list[Memory]:
    """Memories stored one after the other, and looked at for repetitions."""
    stored = []
    for text in texts:
        stored.append((await agentos.memory.store(NS, StoreRequest(text, **more))).memory)
        clock.advance(minutes=5)
        assert await agentos.memory.embedded(60)
        await agentos.embedding.settled()
    return stored


def relations(at_hand: Any) -> list[tuple[str, str, str]]:
    with at_hand() as connection:
        return connection.execute("SELECT from_id, type, to_id FROM relations ORDER BY created_at").fetchall()


async def test_a_near_duplicate_is_evidence_for_the_older_one(
    agentos: AgentOS, clock: Any, home: Path, at_hand: Any
) -> None:
    first, again = await near_duplicates(agentos, clock, "the team meets  on Mondays", "the team meets on Mondays")
    assert relations(at_hand) == [(again.id, "evidence_of", first.id)]
    assert row(at_hand, first.id)["confirmations"] == 1 and row(at_hand, again.id)["confirmations"] == 0
    assert row(at_hand, first.id)["version"] == 1
    [found] = (await agentos.memory.search(NS, "when does the team meet")).hits
    assert {found.memory.id, *(one.id for one in found.also)} == {first.id, again.id}, "nothing is merged"
    await agentos.lifecycle.revert(NS, first.id)
    assert relations(at_hand) == [] and row(at_hand, first.id)["confirmations"] == 0


async def test_what_resembles_another_is_only_related(agentos: AgentOS, clock: Any, home: Path, at_hand: Any) -> None:
    texts = (
        "the build of the billing service takes nine minutes",
        "the build of the billing service takes four minutes",
    )
    first, other = await near_duplicates(agentos, clock, *texts)
    assert relations(at_hand) == [(other.id, "relates_to", first.id)]
    assert row(at_hand, first.id)["confirmations"] == 0
    assert await agentos.upkeep.consolidation(NS) == []


async def test_turns_of_conversations_are_no_evidence(agentos: AgentOS, clock: Any, home: Path, at_hand: Any) -> None:
    await near_duplicates(agentos, clock, "Ann: thank you so much", "Ann: thank you so much.", session="s")
    assert relations(at_hand) == []


async def test_a_consolidation_does_what_its_preview_shows_and_is_undone(
    agentos: AgentOS, clock: Any, home: Path, at_hand: Any
) -> None:
    texts = ("the  team meets on Mondays", "the team  meets on Mondays", "the team meets  on Mondays", "Lunch at noon")
    first, second, third, other = await near_duplicates(agentos, clock, *texts)
    before = [row(at_hand, memory.id) for memory in (first, second, third, other)]
    planned = await agentos.upkeep.consolidation(NS)
    assert [row(at_hand, memory.id) for memory in (first, second, third, other)] == before, "a preview changes nothing"
    assert {(step.archived.id, step.retained.id) for step in planned} == {(second.id, first.id), (third.id, first.id)}
    done = await agentos.upkeep.consolidate(NS)
    assert [(step.archived, step.retained, step.similarity) for step in done] == [
        (step.archived, step.retained, step.similarity) for step in planned
    ]
    assert {memory.id for memory in (await agentos.memory.page(NS)).memories} == {first.id, other.id}
    assert await agentos.upkeep.consolidate(NS) == []
    for step in done:
        await agentos.lifecycle.revert(NS, str(step.change), by="human")
    assert [row(at_hand, memory.id) for memory in (first, second, third, other)] == before


async def test_hidden_memories_are_no_neighbours_either(agentos: AgentOS) -> None:
    stored = [
        (await agentos.memory.store(NS, StoreRequest(text, session="s"))).memory
        for text in ("Ann: where shall we eat?", "Bob: at the harbour", "Ann: so be it")
    ]
    await agentos.lifecycle.forget(NS, stored[1].id)
    for query in ("where shall we eat", "harbour", "so be it"):
        assert stored[1].id not in await ids(agentos, query)


async def test_a_snapshot_tells_the_trusted_one_of_a_contest_and_leaves_out_what_nobody_confirmed(
    agentos: AgentOS,
) -> None:
    old = (await employer(agentos, "Acme")).memory
    await employer(agentos, "Globex", source="web")
    candidate = (await agentos.memory.store(NS, StoreRequest("Perhaps the office moves", confidence=0.2))).memory
    replaced = (await agentos.memory.store(NS, StoreRequest("Lunch is at noon"))).memory
    now = (await agentos.memory.store(NS, StoreRequest("Lunch is at one", supersedes=[replaced.id]))).memory
    for query in (None, "where does Dana earn money, does the office move, when is lunch"):
        snapshot = await agentos.context.snapshot(NS, query=query)
        shown = {memory.id: memory.label for memory in snapshot.top_memories}
        assert shown == {old.id: "", now.id: ""}
        assert candidate.id not in shown


async def test_a_plan_is_shown_with_its_date_until_it_begins(agentos: AgentOS, clock: Any) -> None:
    begins = clock() + timedelta(days=30)
    plan = (
        await agentos.memory.store(
            NS, StoreRequest("The office is in Bergen", kind="fact", occurred_at=begins.isoformat())
        )
    ).memory
    caveat = f"from {begins:%Y-%m-%d}"
    session, _ = await agentos.sessions.open(NS, "claude-code", "s1", "/w/app")
    for is_begun in (False, True):
        [shown] = (await agentos.context.snapshot(NS)).top_memories
        assert shown.id == plan.id and shown.label == ("" if is_begun else caveat)
        briefing = await agentos.briefing.at_start(session, ())
        assert (f', {caveat}: "The office' in briefing.text) is not is_begun
        compiled = await agentos.context.compile(NS, "where is the office", "prompt")
        labels = [entry.label for part in compiled.parts for entry in part.entries if entry.id == plan.id]
        assert labels and all((caveat in label) is not is_begun for label in labels)
        clock.advance(days=31)


async def test_a_candidate_that_is_rejected_or_goes_stale_is_not_shown_unasked_and_is_found(
    agentos: AgentOS, clock: Any
) -> None:
    asked = "does the office move to Bergen"

    async def shown() -> set[str]:
        snapshots = [await agentos.context.snapshot(NS, query=query) for query in (None, asked)]
        return {memory.id for snapshot in snapshots for memory in snapshot.top_memories}

    text = "Perhaps the office moves to Bergen"
    rejected = (await agentos.memory.store(NS, StoreRequest(text, importance=1.0, confidence=0.2))).memory
    aged = (await agentos.memory.store(NS, StoreRequest("Maybe the office moves to Voss", confidence=0.2))).memory
    sure = (await agentos.memory.store(NS, StoreRequest("The office is in Oslo", importance=0.65))).memory
    assert await shown() == {sure.id}
    stands, _ = await agentos.lifecycle.feedback(NS, rejected.id, "reject")
    assert stands.status is Status.CONTESTED and await shown() == {sure.id}
    clock.advance(days=91)
    assert await agentos.upkeep.age(NS) == 2, "the sure one too"
    assert await shown() == {sure.id}
    assert {rejected.id, aged.id} <= set(await ids(agentos, asked))
    await agentos.lifecycle.feedback(NS, rejected.id, "confirm")
    assert await shown() == {sure.id, rejected.id}


async def test_a_store_is_cut_off_whole(
    agentos: AgentOS, home: Path, monkeypatch: pytest.MonkeyPatch, at_hand: Any
) -> None:
    old = (await employer(agentos, "Acme")).memory
    before = row(at_hand, old.id)

    async def fails(*_: Any) -> None:
        raise RuntimeError("cut off")

    monkeypatch.setattr("agentos.storage.repositories.change_rows.ChangeRows.add", fails)
    with pytest.raises(RuntimeError):
        await employer(agentos, "Globex")
    assert row(at_hand, old.id) == before
    assert (count(at_hand, "memories"), count(at_hand, "relations"), count(at_hand, "changes")) == (1, 0, 0)
