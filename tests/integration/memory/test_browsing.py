"""Browsing: one list of several namespaces, what each filter would show, and what tells the same."""

from datetime import UTC, datetime

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.facts.models import EVIDENCE_OF, SAME_AS, Relation
from agentos.modules.memory.models import MemoryFilter, MemoryType, Order
from agentos.modules.store_request import StoreRequest


async def test_a_walk_through_several_namespaces_is_one_list(agentos: AgentOS) -> None:
    told = [(await agentos.memory.store(f"walk-{n % 3}", StoreRequest(f"Chair {n} is free."))).memory.id
            for n in range(9)]  # fmt: skip
    seen, place = [], ""
    for _ in range(3):
        page = await agentos.browsing.page(["walk-0", "walk-1", "walk-2"], MemoryFilter(), Order.NEWEST, 3, place)
        seen += [one.id for one in page.memories]
        place = page.after or ""
    assert (seen, place, page.total) == (told[::-1], "", 9)


async def test_each_value_of_a_filter_is_counted_among_what_the_other_filters_let_pass(agentos: AgentOS) -> None:
    for n in range(6):
        kind = "semantic" if n < 4 else "episodic"
        request = StoreRequest(
            f"Lamp {n} is lit.", memory_type=kind, tags=["Lamp", f"room {n % 2}"], source=("ann", "ben")[n % 2],
            metadata={"project": "prj_1", "project_name": "house"} if n else {},
        )  # fmt: skip
        await agentos.memory.store("facets", request)
    everything = await agentos.browsing.facets(["facets"], MemoryFilter())
    assert dict(everything["memory_type"]) == {"semantic": 4, "episodic": 2}
    assert dict(everything["tags"]) == {"lamp": 6, "room 0": 3, "room 1": 3}
    assert dict(everything["project_name"]) == {"house": 5} and dict(everything["status"]) == {"active": 6}
    chosen = await agentos.browsing.facets(["facets"], MemoryFilter(memory_type=MemoryType.EPISODIC, source="ann"))
    assert dict(chosen["memory_type"]) == {"semantic": 2, "episodic": 1}, "as if it were not chosen by kind"
    assert dict(chosen["source"]) == {"ann": 1, "ben": 1} and dict(chosen["tags"]) == {"lamp": 1, "room 0": 1}


async def test_what_tells_the_same_is_one_group_from_each_of_them(agentos: AgentOS, store: OpenedStore) -> None:
    texts = ("Tea is at four.", "Tea is at four", "Tea is at 4 pm.", "Cake is at five.")
    first, *others = [(await agentos.memory.store("again", StoreRequest(text))).memory.id for text in texts]
    links = [Relation(others[0], first, EVIDENCE_OF, 1.0, ""), Relation(others[1], first, SAME_AS, 0.9, "")]
    await store.memory.lifecycle.relate("again", links, datetime.now(UTC))
    for one in (first, others[0], others[1]):
        [group] = await agentos.browsing.told_again("again", [one])
        assert {group.first.id, *(each.id for each, _ in group.others)} == {first, *others[:2]}
    assert await agentos.browsing.told_again("again", [others[2]]) == []
