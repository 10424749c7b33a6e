"""Vectors that are owed: embedded later, and never mixed between generations of models."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.memory.embedding import BATCH
from agentos.modules.memory.models import MemoryFilter, SearchMode, Vector
from agentos.modules.memory.service import MemoryChanges

NS = "ada"
DEADLINE_S = 20.0


async def eventually(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not await condition():
            await asyncio.sleep(0.01)


async def similarities(agentos: Any, query: str) -> list[float | None]:
    found = await agentos.memory.recall(NS, query, MemoryFilter(), 200)
    return [hit.similarity for hit in found.hits]


async def test_what_was_stored_while_the_model_loaded_gets_its_vector_later(agentos: Any, embedder: Any) -> None:
    embedder.loaded = False
    for number in range(BATCH + 5):
        await agentos.memory.store(NS, f"apple {number}")
    assert await agentos.embedding.embed_pending() == 0
    assert await similarities(agentos, "apple") == [None] * (BATCH + 5)
    embedder.loaded = True
    assert [await agentos.embedding.embed_pending() for _ in range(3)] == [BATCH, 5, 0]
    assert None not in await similarities(agentos, "apple")


async def test_the_backlog_works_itself_off_in_the_background(agentos: Any, embedder: Any) -> None:
    embedder.loaded = False
    await agentos.memory.store(NS, "apple")
    embedder.loaded = True
    agentos.embedding.embed_later()

    async def embedded() -> bool:
        return None not in await similarities(agentos, "apple")

    await eventually(embedded)


async def test_a_text_that_changed_meanwhile_does_not_get_the_old_vector(
    agentos: Any, store: Any, embedder: Any
) -> None:
    embedder.loaded = False
    memory = (await agentos.memory.store(NS, "apple")).memory
    embedder.loaded = True
    generation = await agentos.embedding.generation()
    owed = await store.backlog.unembedded(generation, 10)
    await agentos.memory.update(NS, memory.id, MemoryChanges(content="banana"))
    old = [Vector(generation, embedder.vector(text.content)) for text in owed]
    assert await store.backlog.add_vectors(owed, old) == 0
    assert await similarities(agentos, "banana") == [pytest.approx(1.0, abs=1e-5)]


async def test_a_text_that_was_deleted_meanwhile_gets_no_vector(agentos: Any, store: Any, embedder: Any) -> None:
    embedder.loaded = False
    memory = (await agentos.memory.store(NS, "apple")).memory
    embedder.loaded = True
    generation = await agentos.embedding.generation()
    owed = await store.backlog.unembedded(generation, 10)
    await agentos.memory.delete(NS, memory.id)
    assert await store.backlog.add_vectors(owed, [Vector(generation, embedder.vector("apple"))]) == 0


async def test_two_workers_do_not_embed_twice(open_store: Any, wire: Any, embedder: Any, home: Path) -> None:
    first, second = wire(await open_store()), wire(await open_store())
    embedder.loaded = False
    for number in range(20):
        await first.memory.store(NS, f"apple {number}")
    embedder.loaded = True
    await asyncio.gather(first.embedding.embed_pending(), second.embedding.embed_pending())
    while await first.embedding.embed_pending():
        pass
    with closing(sqlite3.connect(home / "agentos.db")) as plain:
        [written] = plain.execute("SELECT count(*) FROM index_outbox WHERE operation = 'upsert'").fetchone()
    assert written == 20, "one change for each memory, whoever embedded it"


async def test_one_text_that_cannot_be_embedded_does_not_hold_up_the_others(agentos: Any, embedder: Any) -> None:
    embedder.loaded = False
    await agentos.memory.store(NS, "poison")
    for number in range(3):
        await agentos.memory.store(NS, f"apple {number}")
    embedder.loaded = True
    embed = embedder.embed

    async def choking(texts: Any) -> list[bytes]:
        if "poison" in texts:
            raise RuntimeError("the tokenizer chokes on it")
        return list(await embed(texts))

    embedder.embed = choking
    agentos.embedding.embed_later()

    async def embedded() -> bool:
        return (await similarities(agentos, "apple")).count(None) == 0

    async with asyncio.timeout(2):
        while not await embedded():
            agentos.embedding.embed_later()
            await asyncio.sleep(0.01)


async def test_a_new_model_never_compares_with_old_vectors(
    store: Any, wire: Any, agentos: Any, another_embedder: Any
) -> None:
    for number in range(5):
        await agentos.memory.store(NS, f"apple {number}")
    newer_model = another_embedder("words-2")
    newer = wire(store, newer_model)
    assert await newer.embedding.generation() != await agentos.embedding.generation()
    result = await newer.memory.recall(NS, "apple", MemoryFilter(), 10)
    assert [hit.similarity for hit in result.hits] == [None] * 5, "words only, until they are embedded anew"
    await newer.memory.store(NS, "banana")
    assert await newer.embedding.embed_pending() == 5
    after = await newer.memory.recall(NS, "apple 3", MemoryFilter(), 10)
    assert after.mode is SearchMode.HYBRID
    assert after.hits[0].memory.content == "apple 3"
    assert after.hits[0].similarity == pytest.approx(1.0, abs=1e-5)
    again = await agentos.memory.recall(NS, "apple 3", MemoryFilter(), 10)
    assert again.hits[0].similarity == pytest.approx(1.0, abs=1e-5), "the old model still has its own"
    assert {hit.memory.content: hit.similarity for hit in again.hits}.get("banana") is None


async def test_a_change_of_text_drops_the_vectors_of_every_generation(
    store: Any, wire: Any, agentos: Any, another_embedder: Any
) -> None:
    memory = (await agentos.memory.store(NS, "apple")).memory
    newer = wire(store, another_embedder("words-2"))
    await newer.embedding.embed_pending()
    await newer.memory.update(NS, memory.id, MemoryChanges(content="banana"))
    assert await similarities(agentos, "banana") == [None]
    assert await similarities(newer, "banana") == [pytest.approx(1.0, abs=1e-5)]


async def test_one_fingerprint_is_one_generation_in_every_process(open_store: Any) -> None:
    stores = [await open_store() for _ in range(4)]
    numbers = await asyncio.gather(*(s.backlog.generation("model-x", 64) for s in stores for _ in range(3)))
    assert len(set(numbers)) == 1
    assert await stores[0].backlog.generation("model-y", 64) != numbers[0]
