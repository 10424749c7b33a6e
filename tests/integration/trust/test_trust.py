"""Trust in a real store: keyed by credentials, moved by others' judgements, undone with them, shown and made use of."""

from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.memory.lifecycle_service import HUMAN
from agentos.modules.memory.models import Memory
from agentos.modules.principals.acting import acting
from agentos.modules.principals.models import Caller, Door, Right, Role
from agentos.modules.store_request import StoreRequest
from agentos.tools.memory import memory_get
from agentos.tools.search import memory_search

NS = "team"


def caller(name: str) -> Caller:
    return Caller(name, Role.WRITER, {NS: Right.WRITE}, NS, Door.HTTP)


async def remember(agentos: AgentOS, by: str, text: str, **more: Any) -> Memory:
    with acting(caller(by)):
        return (await agentos.memory.store(NS, StoreRequest(text, **more))).memory


async def says(agentos: AgentOS, by: str, verdict: str, *memories: Memory) -> None:
    with acting(caller(by)):
        for memory in memories:
            await agentos.lifecycle.feedback(NS, memory.id, verdict)


async def scores(agentos: AgentOS, *memories: Memory) -> list[float]:
    await agentos.memory.embedded(5.0)
    now = [(await agentos.memory.get(NS, one.id))[0] for one in memories]
    found = await agentos.trust.of(now)
    return [found[one.id].score for one in memories]


async def test_a_new_source_is_neutral_and_no_argument_of_its_own_makes_it_better(agentos: AgentOS) -> None:
    plain = await remember(agentos, "eve", "The mill stands by the river")
    grand = await remember(agentos, "eve", "The barn stands by the wood", source="user", confidence=1.0, importance=1.0)
    bob = await remember(agentos, "bob", "The forge stands by the road", source="eve")
    trusts = await agentos.trust.of([plain, grand, bob])
    assert [one.parts["source"] for one in trusts.values()] == [pytest.approx(0.11)] * 3
    assert [one.stored_by for one in trusts.values()] == ["eve", "eve", "bob"]
    await says(agentos, "eve", "confirm", plain, grand)
    assert not (await agentos.trust.of([plain]))[plain.id].is_judged
    assert await agentos.trust.reputations(NS) == {}
    web = await remember(agentos, "eve", "The inn stands by the bridge", source="web:example.org")
    assert (await agentos.trust.of([web]))[web.id].parts["source"] == pytest.approx(0.066)


async def test_what_others_judge_moves_all_that_an_author_stored_and_is_undone_with_it(agentos: AgentOS) -> None:
    first, second = [await remember(agentos, "eve", f"Gate {n} opens at {n + 6}") for n in (1, 2)]
    other = await remember(agentos, "bob", "The well is deep")
    before = await scores(agentos, first, second, other)
    await says(agentos, "ada", "reject", first)
    after = await scores(agentos, first, second, other)
    assert after[0] < after[1] < before[1] and after[2] == before[2]
    with acting(caller("ada")):
        await agentos.lifecycle.revert(NS, first.id)
    assert await scores(agentos, first, second, other) == before
    await agentos.lifecycle.feedback(NS, second.id, "confirm", by=HUMAN)
    assert (await scores(agentos, first))[0] > before[0]


async def test_a_contest_that_a_person_settles_counts_for_the_winner_and_against_the_loser(
    agentos: AgentOS, clock: Any
) -> None:
    slot = {"subject": "svc", "attribute": "port"}
    old = await remember(agentos, "ada", "svc listens on 8080", value="8080", **slot)
    clock.advance(hours=1)
    await remember(agentos, "eve", "svc listens on 9999", value="9999", source="web:evil.example", **slot)
    [question] = (await agentos.approvals.inbox(NS)).approvals
    await agentos.lifecycle.resolve_contest(NS, question.payload, approved=False, approval_id=question.id)
    found = await agentos.trust.reputations(NS)
    assert found["eve"].mean < 0.5
    assert found.get("ada") is None or found["ada"].mean > 0.5
    assert (await agentos.memory.get(NS, old.id))[0].status == "active"


async def test_trust_goes_from_agent_to_agent_over_one_hop(agentos: AgentOS) -> None:
    for number in range(5):
        await says(agentos, "ada", "confirm", await remember(agentos, "bob", f"Berth {number} is {number} metres deep"))
    await says(agentos, "bob", "confirm", await remember(agentos, "cleo", "The crane lifts four tons"))
    network = {(one.judge, one.author): one for one in await agentos.trust.between(NS)}
    assert network["ada", "bob"].score > 0.8 and network["ada", "bob"].stable
    assert network["ada", "cleo"].through == "bob" and network["ada", "cleo"].direct is None


async def test_trust_is_shown_decides_between_equals_and_keeps_back_what_nobody_asked_for(
    agentos: AgentOS, clock: Any
) -> None:
    good = await remember(agentos, "bob", "The ferry leaves at nine")
    bad = await remember(agentos, "eve", "The ferry leaves at ten o'clock")
    alike = [
        await remember(agentos, "bob", "The quay has 3 lamps"),
        await remember(agentos, "eve", "The quay has 4 lamps"),
    ]
    for number in range(6):
        lie = await remember(agentos, "eve", f"Shed {number} is {number * 3} paces long")
        await says(agentos, "ada", "reject", lie)
    await says(agentos, "ada", "confirm", good)
    shown = await memory_get(agentos, NS, memory_id=bad.id)
    assert shown.trust == pytest.approx(sum(shown.trust_parts.values()), abs=0.03) and shown.stored_by == "eve"
    assert shown.trust_interval[0] < shown.trust < shown.trust_interval[1]
    found = await memory_search(agentos, NS, query="quay lamps", explain=True, limit=2)
    assert [one.id for one in found.results] == [one.id for one in alike], "the newer one is trusted less"
    assert found.explanation is not None
    assert found.explanation.trust[alike[0].id] > found.explanation.trust[alike[1].id]
    clock.advance(days=60)  # what is old has nothing but its record to stand on
    await says(agentos, "ada", "reject", bad)
    await says(agentos, "eve", "confirm", bad)  # her own word makes it believed, and no more trusted
    text = (await agentos.context.snapshot(NS, include_memories=50)).as_text()
    assert "nine" in text and "ten o'clock" not in text
