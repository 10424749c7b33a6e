"""Memory records over real SQLite: kept whole, listed, changed, counted, expired."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentos.modules.errors import Conflict, InvalidInput, NotFound
from agentos.modules.memory.models import MemoryFilter, MemoryType
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"
MARKED = "naïve 日本語 👩‍👩‍👧\r\n\ttabs \u202e 'quotes\" \\n ; DROP TABLE memories; --\n  "


async def test_a_memory_comes_back_as_it_was_stored(agentos: Any, clock: Any, open_store: Any, wire: Any) -> None:
    metadata = {"n": 1, "deep": {"list": [1.5, None, True, "é"]}, "big": 2**60}
    stored = await agentos.memory.store(
        NS,
        StoreRequest(MARKED, "procedural", 0.8, ["b", " a ", "b"], metadata, "the user", "2026-01-01T12:00:00+02:00"),
    )
    assert not stored.duplicate
    other = wire(await open_store())
    for reader in (agentos, other):
        memory, history = await reader.memory.get(NS, stored.memory.id)
        assert memory == stored.memory
        assert history == []
    assert (memory.content, memory.metadata, memory.source) == (MARKED, metadata, "the user")
    assert (memory.tags, memory.memory_type, memory.version) == (("b", "a"), MemoryType.PROCEDURAL, 1)
    assert memory.occurred_at == datetime(2026, 1, 1, 10, tzinfo=UTC)
    assert memory.created_at == memory.updated_at == memory.accessed_at == clock.now
    assert memory.importance == 0.8
    assert (memory.access_count, memory.expires_at) == (0, None)


@every(
    ("field", "arguments"),
    [
        ("content", {"content": " "}),
        ("content", {"content": "x" * 65_537}),
        ("content", {"content": "a\x00"}),
        ("content", {"content": "\ud800"}),
        ("memory_type", {"memory_type": "dream"}),
        ("importance", {"importance": 1.5}),
        ("importance", {"importance": float("nan")}),
        ("tags", {"tags": ["x"] * 10_000}),
        ("tags", {"tags": [""]}),
        ("metadata", {"metadata": {"x": float("inf")}}),
        ("source", {"source": "s" * 201}),
        ("occurred_at", {"occurred_at": "yesterday"}),
    ],
)
async def test_a_refused_memory_leaves_nothing_behind(agentos: Any, field: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        await agentos.memory.store(NS, StoreRequest(**{"content": "something", **arguments}))
    assert refused.value.field == field
    assert (await agentos.memory.page(NS)).total == 0
    assert await agentos.jobs.namespaces() == []


async def test_the_largest_content_is_kept_byte_for_byte(agentos: Any) -> None:
    content = "é" * 32_768
    memory_id = (await agentos.memory.store(NS, StoreRequest(content))).memory.id
    assert (await agentos.memory.get(NS, memory_id))[0].content == content


async def test_metadata_as_deep_as_is_accepted_can_be_read_again(agentos: Any) -> None:
    accepted = []
    for depth in (10, 100, 500, 700, 800, 850, 900, 925, 950, 960, 970, 980, 990, 2000, 6000):
        inner: Any = 1
        for _ in range(depth):
            inner = [inner]
        try:
            stored = await agentos.memory.store(NS, StoreRequest(f"depth {depth}", metadata={"x": inner}))
        except InvalidInput as refused:
            assert refused.field == "metadata"
        else:
            accepted.append(stored.memory.id)
    assert accepted
    for memory_id in accepted:
        assert (await agentos.memory.get(NS, memory_id))[0].id == memory_id
    assert (await agentos.memory.page(NS, limit=100)).total == len(accepted)


async def test_the_same_text_twice_is_the_first_memory(agentos: Any, clock: Any) -> None:
    first = await agentos.memory.store(NS, StoreRequest("The build needs Python 3.11", importance=0.9, tags=["ci"]))
    clock.advance(days=1)
    again = await agentos.memory.store(NS, StoreRequest("The build needs Python 3.11", importance=0.1, tags=["other"]))
    assert again.duplicate
    assert again.memory == replace(first.memory, confirmations=1), "it is evidence, and changes nothing else"
    elsewhere = await agentos.memory.store("bob", StoreRequest("The build needs Python 3.11"))
    assert not elsewhere.duplicate
    assert (await agentos.memory.page(NS)).total == 1


async def test_two_stores_that_race_keep_one_copy(open_store: Any, wire: Any) -> None:
    agents = [wire(await open_store()) for _ in range(3)]
    for number in range(8):
        results = await asyncio.gather(
            *(a.memory.store(NS, StoreRequest(f"fact {number}")) for a in agents for _ in range(3))
        )
        assert len({result.memory.id for result in results}) == 1
        assert sum(not result.duplicate for result in results) == 1
    assert (await agents[0].memory.page(NS)).total == 8


async def test_an_update_raises_the_version_and_keeps_the_old_text_in_the_history_alone(
    agentos: Any, clock: Any
) -> None:
    memory = (
        await agentos.memory.store(NS, StoreRequest("old wording zebra", "episodic", 0.2, ["a"], {"k": 1}))
    ).memory
    clock.advance(hours=1)
    changes = MemoryChanges("new wording giraffe", "semantic", 0.9, ["b"], {"k": 2})
    changed = await agentos.memory.update(NS, memory.id, changes)
    assert (changed.version, changed.content, changed.memory_type) == (2, "new wording giraffe", MemoryType.SEMANTIC)
    assert (changed.importance, changed.tags, changed.metadata) == (0.9, ("b",), {"k": 2})
    assert (changed.summary, changed.updated_at) == ("new wording giraffe", clock.now)
    assert (changed.created_at, changed.id) == (memory.created_at, memory.id)
    read, [old] = await agentos.memory.get(NS, memory.id)
    assert read == changed
    assert (old.version, old.content, old.memory_type, old.tags, old.importance, old.metadata, old.replaced_at) == (
        1, "old wording zebra", MemoryType.EPISODIC, ("a",), memory.importance, {"k": 1}, clock.now,
    )  # fmt: skip
    found = (await agentos.memory.search(NS, "zebra")).hits
    assert all(hit.similarity is not None and hit.similarity < 0.9 for hit in found)
    assert (await agentos.memory.page(NS, MemoryFilter(tags=("a",)))).total == 0
    assert (await agentos.memory.page(NS, MemoryFilter(tags=("b",)))).total == 1


async def test_an_update_of_one_field_leaves_the_others(agentos: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("text", "semantic", 0.4, ["a"], {"k": 1}, "me"))).memory
    changed = await agentos.memory.update(NS, memory.id, MemoryChanges(tags=[]))
    assert (changed.tags, changed.content, changed.importance, changed.metadata, changed.source) == (
        (), "text", memory.importance, {"k": 1}, "me",
    )  # fmt: skip
    for number in range(5):
        changed = await agentos.memory.update(NS, memory.id, MemoryChanges(importance=number / 10))
    _, history = await agentos.memory.get(NS, memory.id)
    assert [old.version for old in history] == [6, 5, 4, 3, 2, 1]


async def test_an_update_that_cannot_be_is_refused_and_changes_nothing(agentos: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("first"))).memory
    other = (await agentos.memory.store(NS, StoreRequest("second"))).memory
    with pytest.raises(Conflict, match=other.id):
        await agentos.memory.update(NS, memory.id, MemoryChanges(content="second"))
    with pytest.raises(Conflict, match="version"):
        await agentos.memory.update(NS, memory.id, MemoryChanges(importance=0.1), expected_version=7)
    with pytest.raises(Conflict, match="version"):
        await agentos.memory.update(NS, memory.id, MemoryChanges(importance=0.1), expected_version=0)
    with pytest.raises(InvalidInput, match="nothing to change"):
        await agentos.memory.update(NS, memory.id, MemoryChanges())
    with pytest.raises(InvalidInput, match="importance"):
        await agentos.memory.update(NS, memory.id, MemoryChanges(content="x", importance=2))
    for namespace, memory_id in ((NS, "mem_unknown"), ("bob", memory.id)):
        with pytest.raises(NotFound, match="memory_id"):
            await agentos.memory.update(namespace, memory_id, MemoryChanges(content="x"))
    assert (await agentos.memory.get(NS, memory.id)) == (memory, [])


async def test_of_updates_that_race_each_succeeds_or_raises_a_conflict(open_store: Any, wire: Any) -> None:
    first, second = wire(await open_store()), wire(await open_store())
    memory = (await first.memory.store(NS, StoreRequest("text"))).memory
    results = await asyncio.gather(
        *(
            a.memory.update(NS, memory.id, MemoryChanges(content=f"text {n}"))
            for n, a in enumerate([first, second] * 4)
        ),
        return_exceptions=True,
    )
    succeeded = [result for result in results if not isinstance(result, BaseException)]
    assert all(isinstance(result, Conflict) for result in results if isinstance(result, BaseException))
    assert succeeded
    now, history = await first.memory.get(NS, memory.id)
    assert now.version == len(succeeded) + 1 == len(history) + 1
    assert {now.content, *(old.content for old in history)} == {"text", *(result.content for result in succeeded)}


async def test_a_change_of_importance_moves_the_rank(agentos: Any, clock: Any) -> None:
    first = (await agentos.memory.store(NS, StoreRequest("the parser reads yaml files"))).memory
    second = (await agentos.memory.store(NS, StoreRequest("the parser reads toml files"))).memory
    await agentos.memory.update(NS, second.id, MemoryChanges(importance=0.0))
    await agentos.memory.update(NS, first.id, MemoryChanges(importance=1.0))
    assert [m.id for m in await agentos.memory.strongest(NS, 2)] == [first.id, second.id]
    assert (await agentos.memory.search(NS, "parser files")).hits[0].memory.id == first.id
    await agentos.memory.update(NS, first.id, MemoryChanges(importance=0.0))
    await agentos.memory.update(NS, second.id, MemoryChanges(importance=1.0))
    assert [m.id for m in await agentos.memory.strongest(NS, 2)] == [second.id, first.id]
    assert (await agentos.memory.search(NS, "parser files")).hits[0].memory.id == second.id


async def test_only_returned_memories_are_counted_and_once(agentos: Any, clock: Any) -> None:
    for number in range(8):
        await agentos.memory.store(NS, StoreRequest(f"apple number {number}"))
    created = clock.now
    clock.advance(days=2)
    returned = {hit.memory.id for hit in (await agentos.memory.search(NS, "apple", limit=3)).hits}
    assert len(returned) == 3
    for memory in (await agentos.memory.page(NS)).memories:
        counted = memory.id in returned
        assert (memory.access_count, memory.accessed_at) == ((1, clock.now) if counted else (0, created))
        assert (memory.version, memory.updated_at) == (1, created), "an access is not a change"


async def test_looking_without_searching_is_not_an_access(agentos: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("apple"))).memory
    await agentos.memory.get(NS, memory.id)
    await agentos.memory.page(NS)
    await agentos.memory.recall(NS, "apple", MemoryFilter(), 5)
    await agentos.context.snapshot(NS, query="apple")
    assert (await agentos.memory.get(NS, memory.id))[0].access_count == 0


async def test_searches_at_the_same_time_are_all_counted(open_store: Any, wire: Any) -> None:
    first, second = wire(await open_store()), wire(await open_store())
    memory = (await first.memory.store(NS, StoreRequest("apple"))).memory
    await asyncio.gather(*(agent.memory.search(NS, "apple") for agent in [first, second] * 6))
    await second.memory.settled()
    assert (await first.memory.get(NS, memory.id))[0].access_count == 12


@pytest.mark.parametrize("kind", list(MemoryType))
async def test_a_type_filter_returns_only_that_type(agentos: Any, kind: MemoryType) -> None:
    for other in MemoryType:
        for number in range(3):
            await agentos.memory.store(NS, StoreRequest(f"{other} thing {number}", other))
    where = MemoryFilter(memory_type=kind)
    page = await agentos.memory.page(NS, where)
    found = await agentos.memory.search(NS, "thing", where, 50)
    assert page.total == len(page.memories) == len(found.hits) == 3
    assert {m.memory_type for m in page.memories} == {hit.memory.memory_type for hit in found.hits} == {kind}


async def test_a_working_memory_expires_everywhere(agentos: Any, clock: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("scratch note", "working"))).memory
    assert memory.expires_at == clock.now + timedelta(hours=24)
    clock.advance(hours=23, minutes=59)
    assert (await agentos.memory.get(NS, memory.id))[0] == memory
    clock.advance(minutes=1)
    with pytest.raises(NotFound):
        await agentos.memory.get(NS, memory.id)
    with pytest.raises(NotFound):
        await agentos.memory.update(NS, memory.id, MemoryChanges(importance=1))
    assert (await agentos.memory.page(NS)).total == 0
    assert (await agentos.memory.search(NS, "scratch note")).hits == ()
    assert await agentos.memory.strongest(NS, 5) == []
    assert (await agentos.archive.statistics(NS, clock.now)).total == 0
    again = await agentos.memory.store(NS, StoreRequest("scratch note"))
    assert not again.duplicate
    assert again.memory.id != memory.id
    assert await agentos.archive.erase_expired_everywhere(clock.now) == 0


async def test_expired_memories_are_erased_and_the_others_stay(agentos: Any, clock: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("one", "working"))
    await agentos.memory.store("bob", StoreRequest("two", "working"))
    remaining = (await agentos.memory.store(NS, StoreRequest("three"))).memory
    clock.advance(days=2)
    assert await agentos.archive.erase_expired_everywhere(clock.now) == 2
    assert (await agentos.memory.page(NS)).memories == (remaining,)


async def test_a_lasting_store_of_a_working_text_outlives_it(agentos: Any, clock: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("the deploy key is in the vault", "working"))
    await agentos.memory.store(NS, StoreRequest("the deploy key is in the vault", "semantic"))
    clock.advance(days=2)
    await agentos.archive.erase_expired_everywhere(clock.now)
    assert (await agentos.memory.page(NS)).total == 1, "what was stored for good must not expire"


async def test_changing_the_type_starts_and_ends_the_expiry(agentos: Any, clock: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("note", "working"))).memory
    updated = await agentos.memory.update(NS, memory.id, MemoryChanges(memory_type="semantic"))
    assert updated.expires_at is None
    short = await agentos.memory.update(NS, memory.id, MemoryChanges(memory_type="working"))
    assert short.expires_at == clock.now + timedelta(hours=24)
