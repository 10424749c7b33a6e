"""A search read page by page: each hit once, whatever happens meanwhile, for that query alone."""

from typing import Any

import pytest

from agentos.modules.errors import InvalidInput
from agentos.modules.memory import cursors, service
from agentos.modules.memory.models import MemoryFilter, MemoryType
from agentos.modules.store_request import StoreRequest

NS = "ada"


@pytest.fixture
def agentos(store: Any, wire: Any) -> Any:
    """Services that withhold nothing: a walk sees all that is ranked."""
    return wire(store, search_gate=0)


async def fill(agentos: Any, clock: Any, count: int = 60) -> None:
    for number in range(count):
        kind = "semantic" if number % 3 else "episodic"
        text = f"deploy {'service ' * (number % 5)}number {number % 7} item{number}"
        await agentos.memory.store(NS, StoreRequest(text, kind, importance=number % 11 / 10))
        if number % 4 == 0:
            clock.advance(hours=7)


async def walk(agentos: Any, clock: Any, query: str, size: int, where: MemoryFilter | None = None) -> list[str]:
    walked: list[str] = []
    cursor = None
    while True:
        found = await agentos.memory.search(NS, query, where, size, cursor)
        walked += [hit.memory.id for hit in found.hits]
        assert len(found.hits) == size or found.next_cursor is None
        cursor = found.next_cursor
        if cursor is None:
            await agentos.memory.settled()  # other services over the same store look next
            return walked


@pytest.mark.parametrize("size", [1, 7, 20, 100])
async def test_a_walk_gives_each_hit_once_in_the_order_of_one_ranking(
    agentos: Any, lexical: Any, clock: Any, size: int
) -> None:
    await fill(agentos, clock)
    clock.advance(days=30)
    for services in (agentos, lexical):
        expected = [
            hit.memory.id for hit in (await services.memory.recall(NS, "deploy service", MemoryFilter(), 100)).hits
        ]
        assert len(expected) == 60
        assert await walk(services, clock, "deploy service", size) == expected
        clock.advance(days=30)


async def test_a_walk_keeps_its_filter(agentos: Any, clock: Any) -> None:
    await fill(agentos, clock)
    where = MemoryFilter(memory_type=MemoryType.EPISODIC)
    walked = await walk(agentos, clock, "deploy", 3, where)
    assert len(walked) == len(set(walked)) == 20
    assert set(walked) == {memory.id for memory in (await agentos.memory.page(NS, where, 200)).memories}


async def test_a_walk_gives_each_once_whatever_happens_meanwhile(agentos: Any, lexical: Any, clock: Any) -> None:
    """The ranking moves: by time, by accesses, by what is stored and deleted, and with the model."""
    await fill(agentos, clock)
    expected = {hit.memory.id for hit in (await agentos.memory.recall(NS, "deploy", MemoryFilter(), 100)).hits}
    walked: list[str] = []
    cursor = None
    while True:
        services = lexical if len(walked) % 2 else agentos
        found = await services.memory.search(NS, "deploy", limit=7, cursor=cursor)
        walked += [hit.memory.id for hit in found.hits]
        cursor = found.next_cursor
        if cursor is None:
            break
        await agentos.memory.store(NS, StoreRequest(f"deploy deploy deploy newcomer {len(walked)}"))
        await agentos.memory.delete(NS, walked[-1])
        clock.advance(days=5)
    assert len(walked) == len(set(walked))
    assert expected <= set(walked)


async def test_a_walk_ends_after_as_many_as_a_search_can_give_at_once(agentos: Any, clock: Any) -> None:
    await fill(agentos, clock, 210)
    walked = await walk(agentos, clock, "deploy", 90)
    assert len(walked) == len(set(walked)) == service.MAX_LIMIT


async def test_a_cursor_is_refused_for_another_query_filter_or_agent(agentos: Any, clock: Any) -> None:
    await fill(agentos, clock, 10)
    cursor = (await agentos.memory.search(NS, "deploy", limit=3)).next_cursor
    assert cursor is not None and len(cursor) < 30
    for namespace, query, where in (
        (NS, "deploys", None),
        (NS, "deploy", MemoryFilter(min_importance=0.1)),
        (NS, "deploy", MemoryFilter(session="s")),
        ("bob", "deploy", None),
    ):
        with pytest.raises(InvalidInput, match="cursor"):
            await agentos.memory.search(namespace, query, where, 3, cursor)
    assert len((await agentos.memory.search(NS, "deploy", None, 20, cursor)).hits) == 7


@pytest.mark.parametrize("cursor", ["x", "YmVmb3JlOjU", "é", "A" * 5000, "A" * 8, "=" * 9, " "])
async def test_a_forged_cursor_is_refused(agentos: Any, clock: Any, cursor: str) -> None:
    await fill(agentos, clock, 5)
    with pytest.raises(InvalidInput) as refused:
        await agentos.memory.search(NS, "deploy", cursor=cursor)
    assert refused.value.field == "cursor"


async def test_a_cursor_that_claims_more_than_a_search_gives_is_refused(agentos: Any, clock: Any) -> None:
    await fill(agentos, clock, 5)
    marks = [number.to_bytes(4, "big") for number in range(service.MAX_LIMIT)]
    forged = cursors.after_given(marks, NS, "deploy", MemoryFilter())
    with pytest.raises(InvalidInput, match="cursor"):
        await agentos.memory.search(NS, "deploy", cursor=forged)


async def test_the_last_page_has_no_cursor(agentos: Any, clock: Any) -> None:
    await fill(agentos, clock, 10)
    assert (await agentos.memory.search(NS, "deploy", limit=10)).next_cursor is None
    assert (await agentos.memory.search(NS, "deploy", limit=9)).next_cursor is not None
    assert (await agentos.memory.search("nobody", "deploy")).next_cursor is None
