"""Filters and paging: the database answers as a naive filter in Python would."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentos.modules.errors import InvalidInput
from agentos.modules.memory.models import Memory, MemoryFilter, MemoryType
from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"
START = datetime(2026, 1, 1, tzinfo=UTC)
TAGS = ("ci", "db", "naïve", "%", "'")

FILTERS = st.builds(
    MemoryFilter,
    memory_type=st.none() | st.sampled_from(MemoryType),
    tags=st.lists(st.sampled_from((*TAGS, "absent")), max_size=2, unique=True).map(tuple),
    since=st.none() | st.integers(0, 60).map(lambda day: START + timedelta(days=day)),
    until=st.none() | st.integers(0, 60).map(lambda day: START + timedelta(days=day)),
    min_importance=st.sampled_from([0.0, 0.2, 0.35, 0.4, 0.6, 0.9]),
    session=st.sampled_from([None, None, "one", "two", "absent"]),
    projects=st.sampled_from([(), (), (), ("prj_1",), ("kiln",), ("absent",), ("",), ("prj_1", "kiln")]),
    working_in=st.sampled_from([(), (), ("prj_1",), ("prj_1", "kiln"), ("absent",)]),
)


def matches(memory: Memory, where: MemoryFilter) -> bool:
    named = memory.metadata.get("project_name")
    return (
        (where.memory_type is None or memory.memory_type is where.memory_type)
        and set(where.tags) <= set(memory.tags)
        and (where.since is None or memory.occurred_at >= where.since)
        and (where.until is None or memory.occurred_at < where.until)
        and memory.importance >= where.min_importance
        and (where.session is None or memory.session == where.session)
        and (not where.projects or memory.project in where.projects or named in where.projects)
        and (not where.working_in or memory.project in ("", *where.working_in))
    )


async def fill(agentos: Any, clock: Any, count: int = 60) -> list[Memory]:
    """Memories of every kind, newest first, and as many of somebody else."""
    chance = random.Random(11)
    stored = []
    for number in range(count):
        day = START + timedelta(days=chance.randrange(60))
        arguments = {
            "memory_type": chance.choice(list(MemoryType)),
            "importance": chance.choice([0, 0.25, 0.5, 0.75, 1]),
            "tags": chance.sample(TAGS, chance.randrange(4)),
            "occurred_at": day.isoformat(),
            "session": chance.choice([None, "one", "two"]),
            "metadata": chance.choice([None, {"project": "kiln"}, {"project": "prj_1", "project_name": "kiln"}]),
        }
        stored.append((await agentos.memory.store(NS, StoreRequest(f"shared words item{number}", **arguments))).memory)
        await agentos.memory.store("bob", StoreRequest(f"shared words other{number}", **arguments))
        clock.advance(seconds=1)
    return stored[::-1]


async def test_filters_and_walks_answer_as_naive_ones(agentos: Any, clock: Any) -> None:
    """All look at the same memories, which take longer to store than to be looked at; what changes them comes last."""
    memories = await fill(agentos, clock)
    await each_filter_alone_and_together_equals_a_naive_one(agentos, memories)
    for size in (1, 7, 60, 200):
        await a_walk_by_cursor_or_offset_gives_each_once(agentos, memories, size)
    await a_walk_by_cursor_keeps_its_filter(agentos, memories)
    await a_walk_is_not_disturbed_by_what_is_stored_and_deleted_meanwhile(agentos, memories)


async def each_filter_alone_and_together_equals_a_naive_one(agentos: Any, memories: list[Memory]) -> None:
    loop_of_this_test: list[tuple[MemoryFilter, list[str]]] = []

    @settings(max_examples=75, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(FILTERS)
    def collect(where: MemoryFilter) -> None:
        loop_of_this_test.append((where, [memory.id for memory in memories if matches(memory, where)]))

    collect()
    for where, expected in loop_of_this_test:
        page = await agentos.memory.page(NS, where, limit=200)
        assert [memory.id for memory in page.memories] == expected
        assert page.total == len(expected)
        assert page.next_cursor is None
        found = await agentos.memory.recall(NS, "shared words", where, 200)
        assert sorted(hit.memory.id for hit in found.hits) == sorted(expected)
        assert len({hit.memory.id for hit in found.hits}) == len(found.hits)


async def test_filters_hold_before_ranking(agentos: Any) -> None:
    """A hundred better matches that a filter excludes must not push out the one that it admits."""
    for number in range(150):
        await agentos.memory.store(NS, StoreRequest(f"deploy deploy deploy {number}", "episodic"))
    expected = (
        await agentos.memory.store(NS, StoreRequest("a long text in which the word deploy comes once", "semantic"))
    ).memory
    [hit] = (await agentos.memory.search(NS, "deploy", MemoryFilter(memory_type=MemoryType.SEMANTIC))).hits
    assert hit.memory.id == expected.id


async def test_expired_memories_do_not_push_out_living_ones(store: Any, wire: Any, clock: Any) -> None:
    """Nobody has erased them yet: they must not take the places of the candidates."""
    agentos = wire(store, search_gate=0)
    for number in range(150):
        await agentos.memory.store(NS, StoreRequest(f"alpha beta gamma {number}", "working"))
    clock.advance(days=2)
    expected = (await agentos.memory.store(NS, StoreRequest("alpha delta epsilon zeta"))).memory
    [hit] = (await agentos.memory.recall(NS, "alpha beta gamma", MemoryFilter(), 5)).hits
    assert hit.memory.id == expected.id
    assert hit.similarity is not None, "the vector channel has to find it too"


async def test_another_agents_memories_are_never_seen(agentos: Any) -> None:
    secret = (await agentos.memory.store("bob", StoreRequest("the password is swordfish"))).memory
    assert (await agentos.memory.search(NS, "password swordfish")).hits == ()
    assert (await agentos.memory.page(NS)).total == 0
    assert await agentos.memory.strongest(NS, 5) == []
    assert (await agentos.memory.search("bob", "password")).hits[0].memory.id == secret.id


async def a_walk_by_cursor_or_offset_gives_each_once(agentos: Any, memories: list[Memory], size: int) -> None:
    expected = [memory.id for memory in memories]
    walked, cursor = [], None
    while True:
        page = await agentos.memory.page(NS, limit=size, cursor=cursor)
        assert page.total == len(expected)
        walked += [memory.id for memory in page.memories]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert walked == expected
    paged = [m.id for o in range(0, 60, size) for m in (await agentos.memory.page(NS, limit=size, offset=o)).memories]
    assert paged == expected
    assert (await agentos.memory.page(NS, offset=60)).memories == ()


async def a_walk_is_not_disturbed_by_what_is_stored_and_deleted_meanwhile(agentos: Any, memories: list[Memory]) -> None:
    expected = [memory.id for memory in memories]
    walked, cursor, number = [], None, 0
    while True:
        page = await agentos.memory.page(NS, limit=7, cursor=cursor)
        walked += [memory.id for memory in page.memories]
        cursor = page.next_cursor
        if cursor is None:
            break
        number += 1
        await agentos.memory.store(NS, StoreRequest(f"newcomer {number}"))
        await agentos.memory.delete(NS, page.memories[-1].id)  # the very one that the cursor stands on
    assert walked == expected


async def a_walk_by_cursor_keeps_its_filter(agentos: Any, memories: list[Memory]) -> None:
    where = MemoryFilter(tags=("ci",))
    expected = [memory.id for memory in memories if "ci" in memory.tags]
    first = await agentos.memory.page(NS, where, limit=3)
    rest = await agentos.memory.page(NS, where, limit=200, cursor=first.next_cursor)
    assert [m.id for m in (*first.memories, *rest.memories)] == expected


@every("cursor", ["x", "YmVmb3JlOi0x", "YmVmb3JlOg", "é", "YmVmb3JlOjF4", "A" * 5000, "=" * 9, " "])
async def test_a_forged_cursor_is_refused(agentos: Any, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        await agentos.memory.page(NS, cursor=cursor)


@every(("field", "value"), [("limit", 0), ("limit", 201), ("offset", -1), ("offset", 2**63)])
async def test_a_page_out_of_bounds_is_refused(agentos: Any, field: str, value: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        await agentos.memory.page(NS, **{field: value})
    assert refused.value.field == field
