"""Passages of long memories and the signs of their tokens: stored, found, shown, indexed and erased as one memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.late_interaction import token_similarities
from agentos.modules.memory.models import MemoryFilter, SearchMode, Vector
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import vector_search
from tests.places import needs_weights

NS = "ada"
DEADLINE_S = 60.0
FILLER = "The committee met again and talked about the minutes of the meeting before. "
LONG = (
    FILLER * 40
    + "Our kitten likes to nap beside the window. "
    + FILLER * 40
    + "The invoice of the plumber was paid in March. "
    + FILLER * 10
)


async def stored(agentos: Any, *texts: str, namespace: str = NS) -> list[str]:
    ids = [(await agentos.memory.store(namespace, StoreRequest(text))).memory.id for text in texts]
    assert await agentos.embedding.caught_up(DEADLINE_S)
    return ids


async def candidates(store: Any, agentos: Any, embedder: Any, query: str, limit: int = 10) -> Any:
    vector = Vector(await agentos.embedding.generation(), embedder.vector(query))
    return await store.memory.memories.vector_candidates(NS, vector, MemoryFilter(), agentos.clock(), limit)


def counted(at_hand: Any, source: str) -> int:
    with at_hand() as plain:
        return int(plain.execute(f"SELECT count(*) FROM {source}").fetchone()[0])


async def test_a_memory_is_found_once_by_its_best_passage(agentos: Any, store: Any, embedder: Any) -> None:
    long, short = await stored(agentos, "apple pie|banana bread|cherry cake|banana split", "banana")
    found = await candidates(store, agentos, embedder, "banana bread")
    assert [(c.id, c.passage) for c in found] == [(long, (10, 22)), (short, None)]
    assert found[0].score == pytest.approx(1.0, abs=1e-5)
    assert [c.id for c in await candidates(store, agentos, embedder, "cherry cake", 1)] == [long]
    where = MemoryFilter(min_importance=0.01)
    vector = Vector(await agentos.embedding.generation(), embedder.vector("banana split"))
    [first, _] = await store.memory.memories.vector_candidates(NS, vector, where, agentos.clock(), 10)
    assert (first.id, first.passage) == (long, (35, 47)), "also among those that pass a filter"


async def test_a_changed_memory_has_its_new_passages_only(
    agentos: Any, store: Any, embedder: Any, home: Path, at_hand: Any
) -> None:
    [first, second] = await stored(agentos, "apple|banana|cherry", "zucchini|plum")
    assert len(await candidates(store, agentos, embedder, "apple")) == 2
    await agentos.memory.update(NS, first, MemoryChanges(content="plum|pear"))
    await agentos.memory.update(NS, second, MemoryChanges(content="fig|date|kiwi|lime"))
    assert await agentos.embedding.caught_up(DEADLINE_S)
    by_query = {
        query: [(c.id, c.passage) for c in await candidates(store, agentos, embedder, query, 1)]
        for query in ("pear", "lime")
    }
    assert by_query == {"pear": [(first, (5, 9))], "lime": [(second, (14, 18))]}
    assert counted(at_hand, "embeddings") == counted(at_hand, "token_signs") == 6


async def test_coverage_and_backlog_count_memories(agentos: Any, store: Any, embedder: Any) -> None:
    generation = await agentos.embedding.generation()
    await stored(agentos, "a|b|c|d", "e", "f|g")
    assert await store.memory.backlog.coverage(generation) == (3, 3)
    embedder.loaded = False
    await agentos.memory.store(NS, StoreRequest("h|i"))
    assert await store.memory.backlog.coverage(generation) == (3, 4)
    texts, _ = await store.memory.backlog.owed(generation, (await store.memory.backlog.beginning(generation))[0], 10)
    assert [text.content for text in texts] == ["h|i"]


async def test_token_signs_come_passage_by_passage(agentos: Any, store: Any, embedder: Any) -> None:
    long, short = await stored(agentos, "apple|banana|cherry", "apple")
    [his] = await stored(agentos, "his", namespace="bob")
    generation = await agentos.embedding.generation()
    signs = await store.memory.memories.token_signs(NS, [short, long, his, "mem_unknown"], generation, 100)
    assert {memory_id: [len(part) for part in parts] for memory_id, parts in signs.items()} == {
        long: [8, 8, 8],
        short: [8],
    }
    assert signs[long][0] == signs[short][0]
    query = await embedder.encode_query("banana")
    weights = np.ones(len(query.words), dtype=np.float32)
    better, worse = token_similarities(query.tokens, weights, [long, short], signs)
    assert better.sum() > worse.sum()
    assert await store.memory.memories.token_signs(NS, [long], generation + 1, 100) == {}


async def test_erasing_takes_every_passage_and_its_signs_along(agentos: Any, home: Path, at_hand: Any) -> None:
    [first, _] = await stored(agentos, "apple|banana|cherry", "kept|as it is")
    await agentos.memory.delete(NS, first)
    assert (counted(at_hand, "embeddings"), counted(at_hand, "token_signs")) == (2, 2)
    await agentos.memory.delete_where(NS, MemoryFilter(min_importance=0.001))
    assert (counted(at_hand, "embeddings"), counted(at_hand, "token_signs")) == (0, 0)


async def test_the_vectors_of_an_earlier_model_go_with_their_signs(
    store: Any, wire: Any, agentos: Any, another_embedder: Callable[..., Any], home: Path, at_hand: Any
) -> None:
    await stored(agentos, "apple|banana|cherry", "plum")
    newer = wire(store, another_embedder("words-2"))
    assert await newer.embedding.caught_up(DEADLINE_S)
    assert (counted(at_hand, "embeddings"), counted(at_hand, "token_signs")) == (8, 8)
    assert await newer.embedding.drop_vectors_of_other_models() == 4
    assert (counted(at_hand, "embeddings"), counted(at_hand, "token_signs")) == (4, 4)


@pytest.mark.sqlite("it searches the index beside it")
@pytest.mark.usefixtures("unmeasured")
async def test_the_index_holds_every_passage_and_names_each_memory_once(
    agentos: Any, store: Any, embedder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = await stored(agentos, *("|".join(f"apple {n} {m}" for m in range(30)) for n in range(3)))
    short = await stored(agentos, "apple", "banana")
    index = store.vector_index(tmp_path / "index")
    generation = await agentos.embedding.generation()
    try:
        assert (await index.open(generation)).count == 92
        vector = Vector(generation, embedder.vector("apple 1 7"))
        found = await index.nearest(NS, vector, 5)
        assert {c.id for c in found} == {*long, *short}, "asked again until there are enough memories"
        assert found[0].id == long[1]
        await agentos.memory.update(NS, long[0], MemoryChanges(content="fig|date"))
        await agentos.memory.delete(NS, long[2])
        assert await agentos.embedding.caught_up(DEADLINE_S)
        for count in (92, 34):  # from the tail, then from the index
            assert (await index.state()).count == count
            near = await index.sequences(NS, Vector(generation, embedder.vector("date")), 5)
            assert near[0].part == 1
            assert near[0].cosine == pytest.approx(1.0, abs=1e-4)
            assert len({each.memory_seq for each in near}) == len(near) == 4
            while await index.catch_up(3):
                pass
        folders = sorted((tmp_path / "index").glob("index-*"))
        assert (await index.open(generation)).count == 34
        assert sorted((tmp_path / "index").glob("index-*")) == folders, "it agrees: nothing was built anew"
        monkeypatch.setattr(vector_search, "EXACT_UP_TO", 0)
        monkeypatch.setattr(type(index), "needed", True)
        store._vectors.use(index)
        [best, *_] = await candidates(store, agentos, embedder, "apple 1 7")
        begin = "|".join(f"apple 1 {m}" for m in range(30)).index("apple 1 7")
        assert (best.id, best.passage) == (long[1], (begin, begin + len("apple 1 7")))
    finally:
        await index.close()


async def test_what_matches_by_words_only_shows_its_richest_window(lexical: Any) -> None:
    await lexical.memory.store(NS, StoreRequest(LONG))
    await lexical.memory.store(NS, StoreRequest("A short note about a plumber"))
    result = await lexical.memory.search(NS, "who paid the invoice of the plumber")
    by_length = {len(hit.memory.content) > 1_000: hit for hit in result.hits}
    assert by_length[False].passage is None
    begin, end = by_length[True].passage
    assert "invoice of the plumber" in LONG[begin:end]
    assert end - begin <= 1_000


@pytest.fixture
async def real(home: Path, clock: Any) -> Any:
    settings = config.load(home=home, embedding_wait_s=60)
    store = await database.open_store(settings, clock)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    yield agentos, store
    await agentos.close()
    await store.close()


@needs_weights
async def test_the_real_model_finds_the_passage_of_a_long_memory(real: Any) -> None:
    agentos, store = real
    [long, *_] = await stored(agentos, LONG, "The weather was fine.", "Caroline: I adopted a dog last week")
    result = await agentos.memory.search(NS, "a cat sleeping near the glass", limit=1)
    assert result.mode is SearchMode.HYBRID
    [hit] = result.hits
    assert hit.memory.id == long
    assert hit.passage is not None
    assert "kitten" in LONG[slice(*hit.passage)]
    assert hit.passage[1] - hit.passage[0] <= 1_000


@needs_weights
async def test_the_real_model_leaves_the_speaker_out_and_gives_signs_of_the_words(real: Any) -> None:
    agentos, store = real
    content = "Caroline: I adopted a dog, last week!"
    [spoken, other] = await stored(agentos, content, "The invoice was paid in March.")
    embedder = agentos.embedding._embedder
    [[passage]] = await embedder.encode([content])
    assert content[passage.begin : passage.end] == "I adopted a dog, last week!"
    assert passage.vector == (await embedder.encode([content.removeprefix("Caroline: ")]))[0][0].vector
    assert len(passage.signs) == 48 * 6, "six words, no punctuation, no marks of the model"
    query = await embedder.encode_query("Which puppy did she re-home?")
    assert query.words == ("which", "puppy", "did", "she", "re", "home")
    assert len(query.tokens) == 4 * 384 * len(query.words)
    signs = await store.memory.memories.token_signs(NS, [spoken, other], await agentos.embedding.generation(), 100)
    weights = np.array([0, 3, 0, 0, 0, 1], dtype=np.float32)
    scores = token_similarities(query.tokens, weights, [spoken, other], signs) @ [3.0, 1.0]
    assert scores[0] > scores[1]
    long = await embedder.encode_query("word " * 500)
    assert len(long.words) == 64


@needs_weights
async def test_without_late_interaction_there_are_no_signs_and_switching_embeds_anew(
    home: Path, clock: Any, at_hand: Any
) -> None:
    generations = []
    for wanted, signs in ((False, 0), (True, 1)):
        settings = config.load(home=home, embedding_wait_s=60, late_interaction=wanted)
        store = await database.open_store(settings, clock)
        agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock)
        await stored(agentos, "The cat is asleep")
        found = await agentos.embedding.query_vector("a kitten", 60)
        assert bool(found.tokens) is bool(found.words) is wanted
        assert counted(at_hand, "token_signs") == signs
        generations.append(await agentos.embedding.generation())
        await agentos.close()
        await store.close()
    assert generations[0] != generations[1]
