"""Everything from one source or session goes at once, what it had replaced holds again, and all of it can come back."""

from collections.abc import Mapping
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, InvalidInput, PermissionDenied
from agentos.modules.memory import lifecycle_service
from agentos.modules.memory.lifecycle_service import HUMAN
from agentos.modules.memory.models import Memory, MemoryFilter, Status
from agentos.modules.store_request import StoreRequest

NS = "ada"
EVERY = MemoryFilter(include_superseded=True, statuses=tuple(Status))


async def employer(agentos: AgentOS, company: str, source: str = "", **more: Any) -> Memory:
    stored = await agentos.memory.store(
        NS,
        StoreRequest(
            f"{company} is where Dana earns her money",
            source=source,
            subject="Dana",
            attribute="employer",
            value=company,
            **more,
        ),
    )
    return stored.memory


async def found(agentos: AgentOS) -> list[str]:
    hits = (await agentos.memory.search(NS, "where does Dana earn money")).hits
    return [hit.memory.id for hit in hits]


async def standings(agentos: AgentOS) -> Mapping[str, Any]:
    return {memory.id: memory.standing for memory in (await agentos.memory.page(NS, EVERY, 100)).memories}


async def test_a_source_goes_and_what_it_had_replaced_holds_again(agentos: AgentOS, clock: Any) -> None:
    acme = await employer(agentos, "Acme", "me")
    clock.advance(days=1)
    bad = [await employer(agentos, name, "https://evil.example") for name in ("Globex", "Initech")]
    other = (await agentos.memory.store(NS, StoreRequest("Tea is at four", source="https://evil.example"))).memory
    mine = (await agentos.memory.store(NS, StoreRequest("Coffee is at ten", source="me"))).memory
    before = await standings(agentos)

    preview = await agentos.lifecycle.rollback(NS, source="https://evil.example")
    assert [memory.id for memory in preview.archived] == [other.id, bad[1].id, bad[0].id]
    assert preview.restored == () and preview.change is None, "what they contradicted stood all the while"
    assert await standings(agentos) == before, "a preview changes nothing"

    done = await agentos.lifecycle.roll_back(NS, source="https://evil.example")
    assert (done.archived, done.restored) == (preview.archived, preview.restored) and done.complete
    assert set(await found(agentos)).intersection({acme.id, other.id, *(m.id for m in bad)}) == {acme.id}
    after = await standings(agentos)
    assert {name for name, one in after.items() if one.status is Status.ARCHIVED} == {other.id, *(m.id for m in bad)}
    assert after[acme.id].valid_to is None and after[mine.id] == before[mine.id]
    assert (await agentos.lifecycle.roll_back(NS, source="https://evil.example")).archived == ()

    assert done.change is not None
    with pytest.raises(PermissionDenied):
        await agentos.lifecycle.revert(NS, done.change)
    await agentos.lifecycle.revert(NS, done.change, HUMAN)
    assert await standings(agentos) == before, "to the letter"


async def test_what_something_trusted_has_replaced_since_stays_replaced(agentos: AgentOS, clock: Any) -> None:
    acme = await employer(agentos, "Acme", "me")
    clock.advance(days=1)
    globex = await employer(agentos, "Globex", "evil")
    clock.advance(days=1)
    initech = await employer(agentos, "Initech", "me")
    done = await agentos.lifecycle.roll_back(NS, source="evil")
    assert [memory.id for memory in done.archived] == [globex.id]
    assert await found(agentos) == [initech.id]
    current, _ = await agentos.memory.get(NS, acme.id)
    assert current.valid_to == initech.holds_from, "it held until the trusted one came"
    assert done.change is not None
    await agentos.lifecycle.revert(NS, done.change, HUMAN)
    current, _ = await agentos.memory.get(NS, acme.id)
    assert current.valid_to == globex.holds_from


async def test_a_contest_ends_with_the_one_who_began_it(agentos: AgentOS, clock: Any) -> None:
    acme = await employer(agentos, "Acme", "me")
    clock.advance(days=1)
    unsure = await employer(agentos, "Globex", "rumour", confidence=0.3, supersedes=[acme.id])
    current, _ = await agentos.memory.get(NS, acme.id)
    assert (current.standing, unsure.status) == (acme.standing, Status.CONTESTED)
    assert len((await agentos.approvals.inbox(NS)).approvals) == 1
    await agentos.lifecycle.roll_back(NS, source="rumour")
    current, _ = await agentos.memory.get(NS, acme.id)
    assert current.standing == acme.standing
    assert not (await agentos.approvals.inbox(NS)).approvals, "nobody need be asked any more"


async def test_a_session_goes_alone_and_since_when_counts(agentos: AgentOS, clock: Any) -> None:
    first = (await agentos.memory.store(NS, StoreRequest("The oven is hot", session="s1"))).memory
    clock.advance(hours=2)
    second = (
        await agentos.memory.store(NS, StoreRequest("The oven is cold", session="s1", occurred_at="2020-01-01"))
    ).memory
    (await agentos.memory.store(NS, StoreRequest("The oven is lukewarm", session="s2")))
    since = clock().replace(minute=0)
    done = await agentos.lifecycle.roll_back(NS, session="s1", since=since)
    assert [memory.id for memory in done.archived] == [second.id], "when it was stored counts"
    done = await agentos.lifecycle.roll_back(NS, session="s1")
    assert [memory.id for memory in done.archived] == [first.id]
    assert (await agentos.memory.page(NS)).total == 1
    assert (await agentos.lifecycle.roll_back("someone else", session="s2")).archived == ()


async def test_more_than_one_rollback_takes_is_said(agentos: AgentOS, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle_service, "ROLLED_AT_ONCE", 3)
    for number in range(5):
        await agentos.memory.store(NS, StoreRequest(f"Room {number} is free", source="bulk"))
    sizes = []
    while (done := await agentos.lifecycle.roll_back(NS, source="bulk")).archived:
        sizes.append((len(done.archived), done.complete))
    assert sizes == [(3, False), (2, True)]


async def test_what_was_judged_after_a_rollback_is_not_undone_over_its_head(agentos: AgentOS) -> None:
    stored = (await agentos.memory.store(NS, StoreRequest("Room 1 is free", source="bulk"))).memory
    done = await agentos.lifecycle.roll_back(NS, source="bulk")
    later = await agentos.lifecycle.restore(NS, stored.id, HUMAN)
    assert later[1] is not None and done.change is not None
    with pytest.raises(Conflict, match=later[1].id):
        await agentos.lifecycle.revert(NS, done.change, HUMAN)


@pytest.mark.parametrize("named", [{}, {"source": "a", "session": "b"}])
async def test_exactly_one_thing_is_named(agentos: AgentOS, named: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        await agentos.lifecycle.roll_back(NS, **named)  # type: ignore[arg-type]
