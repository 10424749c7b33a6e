"""What a search does about memories that have no vector yet: it waits for them, or it does not."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from agentos.modules.errors import InvalidInput
from agentos.modules.memory.models import Passage, SearchMode
from agentos.modules.store_request import StoreRequest

NS = "ada"


@pytest.fixture
def gate(embedder: Any, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Memories are embedded once it is set; queries always."""
    event = asyncio.Event()
    encode = embedder.encode

    async def waiting(contents: Sequence[str]) -> list[list[Passage]]:
        await event.wait()
        found: list[list[Passage]] = await encode(contents)
        return found

    monkeypatch.setattr(embedder, "encode", waiting)
    return event


async def test_a_strong_search_right_after_a_store_sees_it_by_meaning(
    store: Any, wire: Any, gate: asyncio.Event
) -> None:
    agentos = wire(store, embedding_wait_s=60)
    await agentos.memory.store(NS, StoreRequest("apple banana"))
    search = asyncio.create_task(agentos.memory.search(NS, "banana apple", consistency="strong"))
    asyncio.get_running_loop().call_later(0.05, gate.set)
    result = await search
    assert (result.mode, result.notes) == (SearchMode.HYBRID, ())
    assert result.hits[0].similarity == pytest.approx(1.0, abs=1e-5)


async def test_an_eventual_search_does_not_wait_but_sees_the_words_and_says_what_is_missing(
    store: Any, wire: Any, gate: asyncio.Event
) -> None:
    agentos = wire(store, embedding_wait_s=60)
    await agentos.memory.store(NS, StoreRequest("apple banana"))
    result = await asyncio.wait_for(agentos.memory.search(NS, "banana apple", consistency="eventual"), 30)
    assert not gate.is_set()
    assert [hit.memory.content for hit in result.hits] == ["apple banana"]
    assert result.hits[0].similarity is None
    assert "no vector yet" in result.notes[0]
    gate.set()
    assert await agentos.memory.embedded(60)
    result = await agentos.memory.search(NS, "banana apple", consistency="eventual")
    assert result.notes == () and result.hits[0].similarity == pytest.approx(1.0, abs=1e-5)


async def test_an_eventual_search_takes_nothing_from_a_strong_one_after_it(
    store: Any, wire: Any, gate: asyncio.Event
) -> None:
    agentos = wire(store, embedding_wait_s=60)
    await agentos.memory.store(NS, StoreRequest("apple banana"))
    for _ in range(3):
        await asyncio.wait_for(agentos.memory.search(NS, "banana", consistency="eventual"), 30)
    search = asyncio.create_task(agentos.memory.search(NS, "banana apple"))
    asyncio.get_running_loop().call_later(0.05, gate.set)
    assert (await search).hits[0].similarity == pytest.approx(1.0, abs=1e-5)


async def test_what_takes_long_to_embed_holds_up_one_search_until_more_is_stored(
    store: Any, wire: Any, gate: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    agentos = wire(store, embedding_wait_s=0.05)
    waits: list[float] = []
    caught_up = agentos.embedding.caught_up

    async def counted(wait_s: float, *, backlog: bool = True) -> bool:
        waits.append(wait_s)
        done: bool = await caught_up(wait_s, backlog=backlog)
        return done

    monkeypatch.setattr(agentos.embedding, "caught_up", counted)
    await agentos.memory.store(NS, StoreRequest("apple banana"))
    for _ in range(3):
        assert "no vector yet" in (await agentos.memory.search(NS, "banana apple")).notes[0]
    assert len(waits) == 1
    await agentos.memory.store(NS, StoreRequest("cherry plum"))
    await agentos.memory.search(NS, "banana apple")
    assert len(waits) == 2
    gate.set()
    assert await agentos.memory.embedded(60)
    assert (await agentos.memory.search(NS, "banana apple")).notes == ()


async def test_the_setting_says_what_a_search_does_that_says_nothing(
    store: Any, wire: Any, gate: asyncio.Event
) -> None:
    agentos = wire(store, embedding_wait_s=60, search_consistency="eventual")
    await agentos.memory.store(NS, StoreRequest("apple banana"))
    result = await asyncio.wait_for(agentos.memory.search(NS, "banana apple"), 30)
    assert not gate.is_set() and result.hits[0].similarity is None
    gate.set()


async def test_only_two_kinds_of_consistency_are_known(agentos: Any) -> None:
    with pytest.raises(InvalidInput, match=r"consistency: .*strong.*eventual"):
        await agentos.memory.search(NS, "apple", consistency="weak")
