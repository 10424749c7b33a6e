"""Vectors that are owed: embedded later, and never mixed between generations of models."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentos.modules.errors import StorageUnavailable
from agentos.modules.memory import embedding
from agentos.modules.memory.embedding import BATCH
from agentos.modules.memory.models import MemoryFilter, SearchMode
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest

NS = "ada"
DEADLINE_S = 60.0


class Gate:
    """Holds up an embedder's work on memories until it is opened; queries pass."""

    def __init__(self, embedder: Any) -> None:
        self._event, self._encode = asyncio.Event(), embedder.encode
        self.open = self._event.set
        embedder.encode = self._held

    async def _held(self, contents: Any) -> Any:
        await self._event.wait()
        return await self._encode(contents)


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
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    assert await agentos.embedding.embed_pending() == 0
    assert await similarities(agentos, "apple") == [None] * (BATCH + 5)
    embedder.loaded = True
    assert [await agentos.embedding.embed_pending() for _ in range(3)] == [BATCH, 5, 0]
    assert None not in await similarities(agentos, "apple")


async def test_the_backlog_works_itself_off_in_the_background(agentos: Any, embedder: Any) -> None:
    embedder.loaded = False
    await agentos.memory.store(NS, StoreRequest("apple"))
    embedder.loaded = True
    agentos.embedding.embed_later()

    async def embedded() -> bool:
        return None not in await similarities(agentos, "apple")

    await eventually(embedded)


async def test_a_text_that_changed_meanwhile_does_not_get_the_old_vector(
    agentos: Any, store: Any, embedder: Any
) -> None:
    generation = await agentos.embedding.generation()
    embedder.loaded = False
    memory = (await agentos.memory.store(NS, StoreRequest("apple"))).memory
    owed, _ = await store.memory.backlog.owed(generation, (await store.memory.backlog.beginning(generation))[0], 10)
    assert len(owed) == 1
    await agentos.memory.update(NS, memory.id, MemoryChanges(content="banana"))
    old = await embedder.encode([text.content for text in owed])
    assert await store.memory.backlog.add_passages(owed, old, generation) == 0
    embedder.loaded = True
    assert await similarities(agentos, "banana") == [pytest.approx(1.0, abs=1e-5)]


async def test_a_text_that_was_deleted_meanwhile_gets_no_vector(agentos: Any, store: Any, embedder: Any) -> None:
    generation = await agentos.embedding.generation()
    embedder.loaded = False
    memory = (await agentos.memory.store(NS, StoreRequest("apple"))).memory
    owed, _ = await store.memory.backlog.owed(generation, (await store.memory.backlog.beginning(generation))[0], 10)
    assert len(owed) == 1
    await agentos.memory.delete(NS, memory.id)
    assert await store.memory.backlog.add_passages(owed, await embedder.encode(["apple"]), generation) == 0


async def test_two_workers_do_not_embed_twice(open_store: Any, wire: Any, embedder: Any, at_hand: Any) -> None:
    first, second = wire(await open_store()), wire(await open_store())
    embedder.loaded = False
    for number in range(20):
        await first.memory.store(NS, StoreRequest(f"apple {number}"))
    embedder.loaded = True
    await asyncio.gather(first.embedding.embed_pending(), second.embedding.embed_pending())
    while await first.embedding.embed_pending():
        pass
    with at_hand() as database:
        [written] = database.execute("SELECT count(*) FROM index_outbox WHERE operation = 'upsert'").fetchone()
    assert written == 20, "one change for each memory, whoever embedded it"


async def test_one_text_that_cannot_be_embedded_does_not_hold_up_the_others(agentos: Any, embedder: Any) -> None:
    embedder.loaded = False
    await agentos.memory.store(NS, StoreRequest("poison"))
    for number in range(3):
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    embedder.loaded = True
    encode = embedder.encode

    async def choking(contents: Any) -> Any:
        if "poison" in contents:
            raise RuntimeError("the tokenizer chokes on it")
        return await encode(contents)

    embedder.encode = choking
    agentos.embedding.embed_later()

    async def embedded() -> bool:
        return (await similarities(agentos, "apple")).count(None) == 0

    async with asyncio.timeout(DEADLINE_S):
        while not await embedded():
            agentos.embedding.embed_later()
            await asyncio.sleep(0.01)


async def test_a_new_model_never_compares_with_old_vectors(
    store: Any, wire: Any, agentos: Any, another_embedder: Any
) -> None:
    for number in range(5):
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    assert await agentos.embedding.caught_up(DEADLINE_S)
    newer_model = another_embedder("words-2")
    at_work = Gate(newer_model)
    newer = wire(store, newer_model, embedding_wait_s=0.5)
    assert await newer.embedding.generation() != await agentos.embedding.generation()
    result = await newer.memory.recall(NS, "apple", MemoryFilter(), 10)
    assert [hit.similarity for hit in result.hits] == [None] * 5, "words only, until they are embedded anew"
    assert "no vector yet" in result.notes[0]
    at_work.open()
    await newer.memory.store(NS, StoreRequest("banana"))
    assert await newer.embedding.caught_up(DEADLINE_S)
    after = await newer.memory.recall(NS, "apple 3", MemoryFilter(), 10)
    assert after.mode is SearchMode.HYBRID
    assert after.hits[0].memory.content == "apple 3"
    assert after.hits[0].similarity == pytest.approx(1.0, abs=1e-5)
    again = await agentos.memory.recall(NS, "apple 3", MemoryFilter(), 10)
    assert again.hits[0].similarity == pytest.approx(1.0, abs=1e-5), "the old model still has its own"


async def test_a_change_of_text_drops_the_vectors_of_every_generation(
    store: Any, wire: Any, agentos: Any, another_embedder: Any
) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("apple"))).memory
    assert await agentos.embedding.caught_up(DEADLINE_S)
    newer = wire(store, another_embedder("words-2"))
    assert await newer.embedding.caught_up(DEADLINE_S)
    await newer.memory.update(NS, memory.id, MemoryChanges(content="banana"))
    assert await similarities(agentos, "banana") == [pytest.approx(1.0, abs=1e-5)], "not the one of the old text"
    assert await similarities(newer, "banana") == [pytest.approx(1.0, abs=1e-5)]


async def test_one_fingerprint_is_one_generation_in_every_process(open_store: Any) -> None:
    stores = [await open_store() for _ in range(4)]
    numbers = await asyncio.gather(*(s.memory.backlog.generation("model-x", 64) for s in stores for _ in range(3)))
    assert len(set(numbers)) == 1
    assert await stores[0].memory.backlog.generation("model-y", 64) != numbers[0]


async def test_a_store_does_not_wait_for_the_model_but_a_search_does(agentos: Any, embedder: Any) -> None:
    at_work = Gate(embedder)
    for number in range(3):
        assert (await agentos.memory.store(NS, StoreRequest(f"apple {number}"))).memory.version == 1
    asyncio.get_running_loop().call_later(0.05, at_work.open)
    assert None not in await similarities(agentos, "apple")


async def test_a_memory_that_is_changed_while_its_text_waits_gets_its_vector_all_the_same(
    agentos: Any, embedder: Any
) -> None:
    at_work = Gate(embedder)
    memories = [(await agentos.memory.store(NS, StoreRequest(f"apple {number}"))).memory for number in range(3)]
    await agentos.memory.update(NS, memories[0].id, MemoryChanges(importance=0.9))
    at_work.open()
    assert None not in await similarities(agentos, "apple")


async def test_more_texts_than_the_queue_holds_are_all_embedded(
    agentos: Any, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "QUEUE_MAX", 3)
    at_work = Gate(embedder)
    for number in range(20):
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    at_work.open()
    assert await agentos.embedding.caught_up(DEADLINE_S)
    assert (await similarities(agentos, "apple")).count(None) == 0


async def test_what_another_process_left_without_a_vector_is_found_by_meaning(
    open_store: Any, wire: Any, another_embedder: Any
) -> None:
    reader, writer = wire(await open_store()), wire(await open_store(), another_embedder(loaded=False))
    await reader.memory.store(NS, StoreRequest("one of my own"))
    assert None not in await similarities(reader, "own")
    new = (await writer.memory.store(NS, StoreRequest("banana"))).memory
    changed = (await writer.memory.store(NS, StoreRequest("cherry"))).memory
    assert None not in await similarities(reader, "banana cherry")
    await writer.memory.update(NS, changed.id, MemoryChanges(content="cherry pie"))
    await writer.memory.update(NS, new.id, MemoryChanges(content="banana bread"))
    assert None not in await similarities(reader, "banana cherry")


async def test_a_database_that_is_busy_only_delays_the_vectors(
    agentos: Any, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_passages, failures = store.memory.backlog.add_passages, []

    async def busy_twice(*arguments: Any) -> int:
        if len(failures) < 2:
            failures.append(1)
            raise StorageUnavailable("the database is busy")
        return int(await add_passages(*arguments))

    monkeypatch.setattr(store.memory.backlog, "add_passages", busy_twice)
    await agentos.memory.store(NS, StoreRequest("apple"))

    async def embedded() -> bool:
        return None not in await similarities(agentos, "apple")

    await eventually(embedded)
    assert len(failures) == 2


async def test_a_look_reads_nothing_twice(store: Any, agentos: Any, embedder: Any) -> None:
    generation = await agentos.embedding.generation()
    embedder.loaded = False
    for number in range(5):
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    (position, *_), seen = await store.memory.backlog.beginning(generation), []
    while True:
        texts, position = await store.memory.backlog.owed(generation, position, 2)
        if not texts:
            break
        seen += [text.content for text in texts]
    assert seen == [f"apple {number}" for number in range(5)]
    assert await store.memory.backlog.owed(generation, position, 2) == ([], position)


async def test_a_change_of_the_model_says_how_far_it_is_and_forgets_the_old_one_when_it_is_done(
    store: Any, wire: Any, agentos: Any, another_embedder: Any, at_hand: Any
) -> None:
    for number in range(BATCH + 8):
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    assert await agentos.embedding.caught_up(DEADLINE_S)
    newer_model = another_embedder("words-2")
    at_work = Gate(newer_model)
    newer = wire(store, newer_model, embedding_wait_s=0.5)
    result = await newer.memory.search(NS, "apple 3")
    assert result.mode is SearchMode.HYBRID
    assert result.notes == (
        f"re-embedding: 0 of {BATCH + 8} memories have a vector; the others were searched by words only",
    )
    assert result.hits and await newer.embedding.drop_vectors_of_other_models() == 0
    at_work.open()
    assert await newer.embedding.caught_up(DEADLINE_S)
    assert newer.embedding.progress is None
    assert (await newer.memory.search(NS, "apple 3")).notes == ()
    assert await newer.embedding.drop_vectors_of_other_models() == BATCH + 8
    assert await newer.embedding.drop_vectors_of_other_models() == 0
    with at_hand() as database:
        models = database.execute("SELECT count(DISTINCT generation) FROM embeddings").fetchone()
    assert models[0] == 1


async def test_while_a_new_model_embeds_searches_go_on_by_the_earlier_one(
    store: Any, wire: Any, agentos: Any, another_embedder: Any
) -> None:
    for number in range(BATCH + 8):
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    assert await agentos.embedding.caught_up(DEADLINE_S)
    earlier, newer_model = another_embedder(), another_embedder("words-2")
    at_work = Gate(newer_model)
    opened: list[str] = []
    newer = wire(
        store, newer_model, lambda name: (opened.append(name), earlier)[1], embedding_wait_s=0.5, search_gate=0
    )
    for _ in range(2):
        found = await newer.memory.search(NS, "apple 3")
        assert found.notes == ("re-embedding is under way: until then searches go by the earlier model's vectors",)
        assert found.hits[0].memory.content == "apple 3"
        assert found.hits[0].similarity == pytest.approx(1.0, abs=1e-5), "by the vectors that are there"
    assert opened == ["words-1"] and earlier.loaded
    at_work.open()
    assert await newer.embedding.caught_up(DEADLINE_S)
    assert (await newer.memory.search(NS, "apple 3")).notes == ()
    assert not earlier.loaded, "it is closed once it is needed no more"


async def test_where_the_earlier_model_is_gone_words_are_searched(
    store: Any, wire: Any, agentos: Any, another_embedder: Any
) -> None:
    for number in range(BATCH + 8):
        await agentos.memory.store(NS, StoreRequest(f"apple {number}"))
    assert await agentos.embedding.caught_up(DEADLINE_S)
    for number, gone in enumerate((lambda _: None, lambda _: another_embedder("words-3"))):
        newer_model = another_embedder(f"new-{number}")
        Gate(newer_model)
        found = await wire(store, newer_model, gone, embedding_wait_s=0.2).memory.search(NS, "apple 3")
        assert [note.partition(":")[0] for note in found.notes] == ["re-embedding"] and found.hits


async def test_re_embedding_can_be_stopped_and_goes_on_with_what_is_missing(
    store: Any, wire: Any, agentos: Any, another_embedder: Any
) -> None:
    for number in range(70):
        await agentos.memory.store(NS, StoreRequest(f"note {number} about the harbour"))
    assert await agentos.memory.embedded(60)
    newer = wire(store, another_embedder("words-2"))
    assert await newer.embedding.embed_pending(60) == 32
    stopped = await newer.embedding.stop(stopped=True)
    assert (stopped.done, stopped.total) == (32, 70)
    assert await newer.embedding.embed_pending(60) == 0
    other = wire(store, another_embedder("words-2"))
    found = await other.memory.search(NS, "harbour")
    assert found.hits and any("agentos reembed" in note for note in found.notes), "in every process, and it says so"
    assert await other.embedding.embed_pending(60) == 0
    assert await other.embedding.drop_vectors_of_other_models() == 0
    assert (await other.memory.store(NS, StoreRequest("the crane is new"))).memory.id
    assert await other.embedding.caught_up(60, backlog=False)
    resumed = await newer.embedding.stop(stopped=False)
    assert (resumed.done, resumed.total) == (33, 71), "what is new gets its vector all the same"
    dealt_with = 0
    while more := await newer.embedding.embed_pending(60):
        dealt_with += more
    assert dealt_with == 38, "the missing ones alone"
    assert not (await newer.memory.search(NS, "harbour")).notes


@pytest.mark.parametrize("loaded", [True, False])
async def test_what_was_stored_just_before_an_end_is_compared_with_others_all_the_same(
    open_store: Any, wire: Any, another_embedder: Any, clock: Any, loaded: bool
) -> None:
    text = "apple pie and plum cake are baked in the old kitchen on friday mornings"
    ending = wire(await open_store(), another_embedder(loaded=loaded))
    older = (await ending.memory.store(NS, StoreRequest(text))).memory
    clock.advance(minutes=1)
    await ending.memory.store(NS, StoreRequest(f"{text}."))
    if loaded:
        assert await ending.embedding.caught_up(DEADLINE_S)
    await ending.close()
    began = wire(await open_store())
    began.embedding.embed_later()
    assert await began.embedding.caught_up(DEADLINE_S)
    await began.embedding.settled()
    assert (await began.memory.get(NS, older.id))[0].confirmations == 1


async def test_a_memory_owes_one_look_from_its_first_vector_on(agentos: Any, store: Any, embedder: Any) -> None:
    first = await agentos.embedding.generation()
    other = await store.memory.backlog.generation("another model", embedder.dimension)
    embedder.loaded = False
    ids = [(await agentos.memory.store(NS, StoreRequest(f"apple {number}"))).memory.id for number in range(5)]
    owed, _ = await store.memory.backlog.owed(first, (await store.memory.backlog.beginning(first))[0], 10)
    passages = await embedder.encode([text.content for text in owed])
    assert await store.memory.backlog.add_passages(owed, passages, first) == 5
    texts, after, more = await store.memory.looks.looks(first, 0, 3)
    assert ([text.memory_id for text in texts], more) == (ids[:3], True)
    assert [text.memory_id for text in (await store.memory.looks.looks(first, after, 3))[0]] == ids[3:]
    await store.memory.looks.looked(ids[4:], 3)
    assert [text.memory_id for text in (await store.memory.looks.looks(first, 0, 9))[0]] == ids[1:4], (
        "the newest that wait"
    )
    await store.memory.looks.looked(ids, 3)
    assert await store.memory.backlog.add_passages(owed, passages, other) == 5
    assert (await store.memory.looks.looks(other, 0, 9))[0] == [], "what another model had embedded was looked at"
