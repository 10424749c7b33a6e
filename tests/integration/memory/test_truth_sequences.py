"""What one judgement after another does to memories: nothing is hidden without a reason, nothing stale comes back."""

from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, NotFound
from agentos.modules.memory.models import Memory, MemoryFilter, Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.tools.memory import memory_list
from agentos.tools.search import memory_search

NS = "ada"


async def remember(agentos: AgentOS, content: str, **more: Any) -> Memory:
    return (await agentos.memory.store(NS, StoreRequest(content, **more))).memory


async def current(agentos: AgentOS, **where: Any) -> set[str]:
    """The ids of what is shown of everything that is kept."""
    return {memory.id for memory in (await agentos.memory.page(NS, MemoryFilter(**where))).memories}


async def test_what_is_stored_late_of_a_time_that_has_ended_is_not_current(agentos: AgentOS) -> None:
    await remember(agentos, "Dana's employer is Acme.", occurred_at="2026-01-05")
    globex = await remember(agentos, "Dana's employer is Globex.", occurred_at="2026-02-20")
    late = await remember(agentos, "Dana's employer is Acme", occurred_at="2026-02-01")
    assert late.valid_to == globex.occurred_at
    assert await current(agentos) == {globex.id}


async def test_a_plan_stands_beside_what_holds_until_then(agentos: AgentOS, clock: Any) -> None:
    plan = await remember(agentos, "From 1 June 2026, Omar's employer is Initech.")
    clock.advance(days=20)
    now = await remember(agentos, "Omar's employer is Acme.")
    assert now.valid_to == plan.valid_from
    assert await current(agentos) == {plan.id, now.id}
    assert await agentos.lifecycle.successors(NS, [now]) == {}, "it holds until then"
    clock.advance(days=100)
    assert await current(agentos) == {plan.id}
    assert await agentos.lifecycle.successors(NS, [now]) == {now.id: plan.id}


async def test_a_plan_is_answered_with_its_beginning_until_that_has_come(agentos: AgentOS, clock: Any) -> None:
    plan = await remember(agentos, "From 1 January 2030, Maria's home is Rome.")
    clock.advance(days=1)
    now = await remember(agentos, "Maria's home is Porto.")

    async def answers() -> dict[str, tuple[str, str | None]]:
        """The line and the label of each answer."""
        lines = {view.id: view.line() for view in (await memory_list(agentos, NS)).results}
        found = await memory_search(agentos, NS, query="What is Maria's home?", detail="compact")
        return {hit.id: (lines[hit.id], hit.label) for hit in found.results}

    before = await answers()
    assert ", from 2030-01-01: " in before[plan.id][0] and before[plan.id][1] == "from 2030-01-01"
    assert "from" not in before[now.id][0] and before[now.id][1] == "valid until 2030-01-01"
    clock.advance(days=1500)
    [(text, label)] = (await answers()).values()
    assert "from 2030" not in text and not label


async def test_a_plan_gives_way_to_another_plan(agentos: AgentOS, clock: Any) -> None:
    now = await remember(agentos, "Omar's employer is Acme.")
    clock.advance(days=1)
    await remember(agentos, "From 1 June 2026, Omar's employer is Initech.")
    clock.advance(days=1)
    plan = await remember(agentos, "From 1 June 2026, Omar's employer is Globex.")
    assert await current(agentos) == {now.id, plan.id}
    assert await current(agentos, as_of=clock()) == {now.id}
    assert await current(agentos, as_of=clock.advance(days=200)) == {plan.id}


async def test_a_plan_that_is_superseded_before_it_begins_is_not_shown_until_then(agentos: AgentOS, clock: Any) -> None:
    plan = await remember(agentos, "From 1 June 2026, Omar's employer is Initech.")
    clock.advance(days=20)
    other = await remember(agentos, "Omar stays at Acme", supersedes=[plan.id])
    assert await current(agentos) == {other.id}
    assert await current(agentos, as_of=clock.advance(days=200)) == {other.id}


async def test_what_two_say_of_a_past_moment_is_contested(agentos: AgentOS) -> None:
    acme = await remember(agentos, "Dana's employer is Acme.", occurred_at="2026-01-05")
    globex = await remember(agentos, "Dana's employer is Globex.", occurred_at="2026-02-20")
    stored = await agentos.memory.store(NS, StoreRequest("Dana's employer is Hooli.", occurred_at="2026-01-05"))
    assert stored.change is not None and stored.change.action == "contest"
    assert (stored.memory.status, stored.memory.valid_to) == (Status.CONTESTED, globex.occurred_at)
    assert (await agentos.memory.get(NS, acme.id))[0].standing.status is Status.ACTIVE
    assert await current(agentos) == {globex.id}


async def test_the_same_text_again_can_supersede(agentos: AgentOS, clock: Any) -> None:
    old = await remember(agentos, "The build takes nine minutes")
    new = await remember(agentos, "Since the cache it is four")
    clock.advance(days=1)
    again = await agentos.memory.store(NS, StoreRequest(new.content, supersedes=[old.id]))
    assert again.duplicate and again.change is not None
    assert again.change.after[old.id].valid_to == clock()
    assert await current(agentos) == {new.id}
    await agentos.lifecycle.revert(NS, again.change.id)
    assert await current(agentos) == {old.id, new.id}, "it was there before"
    with pytest.raises(NotFound):
        await agentos.memory.store(NS, StoreRequest(new.content, supersedes=["mem_00000000000000000000"]))


async def test_the_same_text_from_a_source_of_low_trust_supersedes_nothing(agentos: AgentOS) -> None:
    old = await remember(agentos, "The build takes nine minutes")
    new = await remember(agentos, "Since the cache it is four")
    with pytest.raises(Conflict, match="human"):
        await agentos.memory.store(NS, StoreRequest(new.content, source="web", supersedes=[old.id]))
    assert await current(agentos) == {old.id, new.id}


@pytest.mark.parametrize("content", ["Noor's employer is Globex.", "Lunch is at noon"])
async def test_what_is_corrected_to_say_something_else_supersedes_no_more(
    agentos: AgentOS, clock: Any, content: str
) -> None:
    old = await remember(agentos, "Ivy's employer is Acme.")
    clock.advance(days=1)
    new = await remember(agentos, "Ivy's employer is Globex.")
    assert await current(agentos) == {new.id}
    changed = await agentos.memory.update(NS, new.id, MemoryChanges(content=content))
    assert await current(agentos) == {old.id, new.id}
    assert (changed.status, changed.valid_to) == (Status.ACTIVE, None)
    assert (await agentos.memory.get(NS, old.id))[0].standing == old.standing


async def test_what_is_corrected_to_say_something_else_contests_no_more(agentos: AgentOS) -> None:
    old = await remember(agentos, "Ivy's employer is Acme.")
    new = await remember(agentos, "Ivy's employer is Globex.", source="web")
    assert new.status is Status.CONTESTED
    changed = await agentos.memory.update(NS, new.id, MemoryChanges(content="Noor's employer is Globex."))
    assert changed.status is Status.ACTIVE
    assert (await agentos.memory.get(NS, old.id))[0].standing == old.standing
    assert not (await agentos.approvals.inbox(NS)).approvals


async def test_nothing_is_superseded_by_what_is_not_shown_itself(agentos: AgentOS, clock: Any) -> None:
    old = await remember(agentos, "Lia's employer is Acme.")
    clock.advance(days=1)
    new = await remember(agentos, "Lia's employer is Globex.")
    with pytest.raises(Conflict, match="no longer valid"):
        await agentos.lifecycle.feedback(NS, new.id, "supersede", old.id)
    other = await remember(agentos, "Lunch is at noon")
    await agentos.lifecycle.archive(NS, other.id)
    with pytest.raises(Conflict, match="archived"):
        await agentos.lifecycle.feedback(NS, new.id, "supersede", other.id)
    assert await current(agentos) == {new.id}


async def test_what_expires_ends_nothing_that_lasts(agentos: AgentOS, clock: Any) -> None:
    home = await remember(agentos, "Kai's home is Oslo.")
    clock.advance(days=1)
    slot = {"subject": "Kai", "attribute": "home", "value": "Rome"}
    passing = await remember(agentos, "Kai is in Rome", memory_type="working", **slot)
    assert await current(agentos) == {home.id, passing.id}
    lasting = await remember(agentos, "Kai is in Rome", memory_type="semantic", **slot)
    assert lasting.id == passing.id
    assert await current(agentos) == {lasting.id}, "judged once it is to last"


@pytest.mark.parametrize("back", ["revert", "confirm"])
async def test_what_somebody_brought_back_does_not_age_again_at_once(agentos: AgentOS, clock: Any, back: str) -> None:
    old = await remember(agentos, "Some old thing about widgets", importance=0.2)
    clock.advance(days=200)
    await agentos.upkeep.age(NS)
    if back == "revert":
        await agentos.upkeep.age(NS)
        assert (await agentos.memory.get(NS, old.id))[0].status is Status.ARCHIVED
        await agentos.lifecycle.revert(NS, old.id)
    else:
        await agentos.lifecycle.feedback(NS, old.id, "confirm")
    stands = (await agentos.memory.get(NS, old.id))[0].status
    clock.advance(days=1)
    assert await agentos.upkeep.age(NS) == 0
    assert (await agentos.memory.get(NS, old.id))[0].status is stands
    clock.advance(days=200)
    assert await agentos.upkeep.age(NS) == 1


async def test_what_says_the_same_in_other_words_does_not_keep_near_duplicates_from_being_found(
    agentos: AgentOS, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentos.modules.memory.upkeep.AT_ONCE", 2)
    slot = {"subject": "Dana", "attribute": "employer", "value": "Acme"}
    for n in range(5):
        await remember(agentos, f"Acme pays Dana, for the {n}th time", **slot)
    await remember(agentos, "the team  meets on Mondays")
    clock.advance(minutes=1)
    twin = await remember(agentos, "the team meets on Mondays")
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    assert [step.archived.id for step in await agentos.upkeep.consolidation(NS)] == [twin.id]
