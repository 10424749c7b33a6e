"""What comes after a contradiction: whoever is upheld stands as before, and no question outlives what it asks about."""

from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict
from agentos.modules.memory.lifecycle_service import HUMAN
from agentos.modules.memory.models import Memory
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest

NS = "ada"


async def employer(agentos: AgentOS, name: str, **more: Any) -> Memory:
    text = f"{name} is where Dana earns her money"
    return (
        await agentos.memory.store(NS, StoreRequest(text, subject="Dana", attribute="employer", value=name, **more))
    ).memory


async def as_it_stands(agentos: AgentOS, memory: Memory) -> Memory:
    return (await agentos.memory.get(NS, memory.id))[0]


async def waiting(agentos: AgentOS) -> list[str]:
    return [approval.payload["new"] for approval in (await agentos.approvals.inbox(NS)).approvals]


async def decided(agentos: AgentOS, new: Memory, old: Memory, *, approved: bool) -> None:
    payload = {"new": new.id, "old": [old.id]}
    await agentos.lifecycle.resolve_contest(NS, payload, approved=approved, approval_id=f"apr_{new.id}")


@pytest.mark.parametrize("confidence", [0.2, 0.7])
async def test_what_is_contradicted_stands_as_before(agentos: AgentOS, confidence: float) -> None:
    before = await employer(agentos, "Acme", confidence=confidence)
    other = await employer(agentos, "Globex", source="web")
    assert (await as_it_stands(agentos, before)).standing == before.standing
    assert (await as_it_stands(agentos, other)).status == "contested"
    await agentos.memory.delete(NS, other.id)
    assert (await as_it_stands(agentos, before)).standing == before.standing


async def test_what_was_rejected_is_not_upheld_by_an_erase(agentos: AgentOS) -> None:
    rejected = await employer(agentos, "Acme")
    other = await employer(agentos, "Globex", source="web")
    await agentos.lifecycle.feedback(NS, rejected.id, "reject", by=HUMAN)
    await agentos.memory.delete(NS, other.id)
    assert (await as_it_stands(agentos, rejected)).status == "contested"


async def test_whom_a_human_decides_for_is_confirmed(agentos: AgentOS) -> None:
    upheld = await employer(agentos, "Acme")
    for name in ("Globex", "Initech", "Umbrella", "Hooli", "Stark"):
        rival = await employer(agentos, name, source="web")
        await decided(agentos, rival, upheld, approved=False)
    found = await as_it_stands(agentos, upheld)
    assert found.standing == upheld.standing, "it was never in doubt"
    rival = await employer(agentos, "Tyrell", source="web")
    await decided(agentos, rival, found, approved=True)
    approved = await as_it_stands(agentos, rival)
    assert approved.status == "active" and approved.confirmations == 1
    assert (await as_it_stands(agentos, upheld)).valid_to is not None


async def test_one_of_two_contradictions_decided_leaves_the_other(agentos: AgentOS) -> None:
    known = await employer(agentos, "Acme")
    first, second = [await employer(agentos, name, source="web") for name in ("Globex", "Initech")]
    await decided(agentos, first, known, approved=False)
    assert [(await as_it_stands(agentos, one)).status for one in (first, second)] == ["archived", "contested"]
    await decided(agentos, second, known, approved=False)
    assert (await as_it_stands(agentos, known)).status == "active"


async def test_what_later_statements_end_of_a_contest_is_brought_back_by_undoing_them(
    agentos: AgentOS, clock: Any
) -> None:
    known = await employer(agentos, "Acme")
    rival = await employer(agentos, "Globex", source="web")
    assert await waiting(agentos) == [rival.id]
    clock.advance(days=1)
    later = await employer(agentos, "Initech")
    assert [(await as_it_stands(agentos, one)).valid_to for one in (known, rival)] == [later.holds_from] * 2
    await agentos.lifecycle.revert(NS, later.id)
    assert [(await as_it_stands(agentos, one)).standing for one in (known, rival)] == [known.standing, rival.standing]
    assert await waiting(agentos) == [rival.id]


async def test_a_contested_memory_that_is_corrected_is_judged_anew(agentos: AgentOS) -> None:
    known = (await agentos.memory.store(NS, StoreRequest("Maria's home is Porto."))).memory
    rival = (await agentos.memory.store(NS, StoreRequest("Maria's home is Lisbon.", source="web"))).memory
    for city in ("Rome", "Madrid"):
        await agentos.memory.update(NS, rival.id, MemoryChanges(content=f"Maria's home is {city}."))
        found = await as_it_stands(agentos, rival)
        assert found.status == "contested" and found.confidence == rival.confidence
        assert await waiting(agentos) == [rival.id]
    assert (await as_it_stands(agentos, known)).standing == known.standing
    await agentos.memory.update(NS, rival.id, MemoryChanges(content="Maria's home is now Porto."))
    assert (await as_it_stands(agentos, rival)).status == "active" and await waiting(agentos) == []


@pytest.mark.parametrize("source", [{}, {"source": "web"}])
async def test_what_is_archived_judges_nothing_when_it_is_corrected(
    agentos: AgentOS, clock: Any, source: dict[str, str]
) -> None:
    known = (await agentos.memory.store(NS, StoreRequest("Maria's home is Porto."))).memory
    clock.advance(days=1)
    hidden = (await agentos.memory.store(NS, StoreRequest("Maria's employer is Acme.", **source))).memory
    await agentos.lifecycle.archive(NS, hidden.id)
    await agentos.memory.update(NS, hidden.id, MemoryChanges(content="Maria's home is Lisbon."))
    assert (await as_it_stands(agentos, known)).standing == known.standing
    assert (await as_it_stands(agentos, hidden)).status == "archived"


async def test_the_same_text_from_another_source_is_evidence_at_once(agentos: AgentOS, clock: Any) -> None:
    found = await employer(agentos, "Acme", source="chat", confidence=0.2)
    clock.advance(seconds=20)
    assert (await employer(agentos, "Acme")).id == found.id
    assert (await as_it_stands(agentos, found)).status == "active"


async def test_a_plan_is_called_off_by_undoing_it(agentos: AgentOS, clock: Any) -> None:
    known = (await agentos.memory.store(NS, StoreRequest("Maria's home is Porto."))).memory
    clock.advance(days=1)
    plan = (await agentos.memory.store(NS, StoreRequest("From 1 January 2030, Maria's home is Rome."))).memory
    assert (await as_it_stands(agentos, known)).valid_to == plan.valid_from
    with pytest.raises(Conflict, match=f"memory_revert.*{plan.id}"):
        await agentos.lifecycle.feedback(NS, plan.id, "supersede", known.id)
    await agentos.lifecycle.revert(NS, plan.id)
    assert (await as_it_stands(agentos, known)).valid_to is None


async def answered(agentos: AgentOS, new: Memory, *, approved: bool) -> None:
    """Answer the question about the arrival of a memory as a human does, and let it be carried out."""
    [asked] = [one for one in (await agentos.approvals.inbox(NS)).approvals if one.payload["new"] == new.id]
    payload = asked.payload
    if await agentos.lifecycle.resolve_contest(NS, payload, approved=approved, approval_id=asked.id):
        assert new.id not in await waiting(agentos)


async def test_a_question_that_is_asked_again_can_be_decided(agentos: AgentOS, clock: Any) -> None:
    known = await employer(agentos, "Acme")
    rival = await employer(agentos, "Globex", source="web")
    await answered(agentos, rival, approved=False)
    await agentos.lifecycle.revert(NS, rival.id, by="human")
    assert await waiting(agentos) == [rival.id]
    await answered(agentos, rival, approved=True)
    assert (await as_it_stands(agentos, known)).valid_to is not None
    assert (await as_it_stands(agentos, rival)).status == "active"


async def test_a_question_ends_with_the_contest_of_the_newcomer(agentos: AgentOS) -> None:
    known = (await agentos.memory.store(NS, StoreRequest("Maria's home is Porto."))).memory
    rival = (await agentos.memory.store(NS, StoreRequest("Maria's home is Lisbon."))).memory  # at the same moment
    assert await waiting(agentos) == [rival.id]
    await agentos.lifecycle.feedback(NS, rival.id, "confirm")
    assert (await as_it_stands(agentos, known)).status == "active" and await waiting(agentos) == []


async def test_what_is_brought_back_into_a_contest_is_asked_about_again(agentos: AgentOS, clock: Any) -> None:
    known = await employer(agentos, "Acme")
    rival = await employer(agentos, "Globex", source="web")
    await agentos.lifecycle.archive(NS, known.id, by=HUMAN)
    clock.advance(days=1)
    await employer(agentos, "Initech", source="slack")
    await agentos.lifecycle.roll_back(NS, source="slack")
    await agentos.lifecycle.revert(NS, known.id, by=HUMAN)
    assert [(await as_it_stands(agentos, one)).status for one in (known, rival)] == ["active", "contested"]
    assert await waiting(agentos) == [rival.id]


async def test_one_decided_and_the_other_erased_leaves_nothing_contested(agentos: AgentOS) -> None:
    known = await employer(agentos, "Acme")
    first, second = [await employer(agentos, name, source="web") for name in ("Globex", "Initech")]
    await answered(agentos, first, approved=False)
    await agentos.memory.delete(NS, second.id)
    assert (await as_it_stands(agentos, known)).status == "active" and await waiting(agentos) == []


async def test_what_one_approval_settles_nothing_else_is_asked_about(agentos: AgentOS, clock: Any) -> None:
    known = await employer(agentos, "Acme")
    rivals = []
    for name in ("Globex", "Initech"):
        clock.advance(hours=1)
        rivals.append(await employer(agentos, name, source="web"))
    await answered(agentos, rivals[1], approved=True)
    assert await waiting(agentos) == []
    assert [(await as_it_stands(agentos, one)).valid_to is None for one in (known, *rivals)] == [False, True, True]


@pytest.mark.parametrize("corrected", ["newer", "older", "older to another value", "older to the newer value"])
async def test_a_correction_leaves_the_contest_that_it_began_and_no_other(
    agentos: AgentOS, clock: Any, corrected: str
) -> None:
    known = (await agentos.memory.store(NS, StoreRequest("Maria's home is Porto."))).memory
    rival = (await agentos.memory.store(NS, StoreRequest("Maria's home is Lisbon.", source="web"))).memory
    clock.advance(minutes=2)
    await agentos.memory.store(NS, StoreRequest("Maria's home is Porto."))  # said again: a confirmation
    changed = rival if corrected == "newer" else known
    texts = {"older to another value": "Maria's home is Faro.", "older to the newer value": "Maria's home is lisbon."}
    await agentos.memory.update(NS, changed.id, MemoryChanges(content=texts.get(corrected, "Maria likes cheese.")))
    assert (await as_it_stands(agentos, known)).status == "active"
    assert (await as_it_stands(agentos, rival)).status == ("active" if corrected == "newer" else "contested")
    assert await waiting(agentos) == ([] if corrected == "newer" else [rival.id])


async def test_a_rejection_confirms_none_of_two_rivals(agentos: AgentOS, clock: Any) -> None:
    known = (await agentos.memory.store(NS, StoreRequest("Maria's employer is Acme."))).memory
    clock.advance(minutes=2)
    other = (await agentos.memory.store(NS, StoreRequest("Maria's employer is Globex.", source="web"))).memory
    clock.advance(minutes=2)
    third = (await agentos.memory.store(NS, StoreRequest("Maria's employer is Initech.", source="web"))).memory
    if third.id in await waiting(agentos):
        await answered(agentos, third, approved=False)
    found = [await as_it_stands(agentos, one) for one in (known, other)]
    assert [(one.confirmations, str(one.status)) for one in found] == [(0, "active"), (0, "contested")]


async def test_what_was_rejected_before_a_contest_is_not_upheld_by_an_erase(agentos: AgentOS) -> None:
    known = await employer(agentos, "Acme")
    await agentos.lifecycle.feedback(NS, known.id, "reject")
    before = await as_it_stands(agentos, known)
    rival = await employer(agentos, "Globex", source="web")
    await agentos.memory.delete(NS, rival.id)
    assert (await as_it_stands(agentos, known)).standing == before.standing


async def test_a_rejection_is_not_answered_by_a_correction(agentos: AgentOS) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("Maria's home is Porto."))).memory
    await agentos.lifecycle.feedback(NS, memory.id, "reject")
    await agentos.memory.update(NS, memory.id, MemoryChanges(content="Maria likes cheese."))
    assert (await as_it_stands(agentos, memory)).status == "contested"
