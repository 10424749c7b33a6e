"""Search: fusion of text and vectors, order among equals, hostile text, degraded modes."""

import asyncio
from typing import Any

import pytest

from agentos.modules.errors import InvalidInput
from agentos.modules.memory import embedding
from agentos.modules.memory.models import MemoryFilter, SearchMode
from agentos.modules.memory.ranking import RankingProfile
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.locate import EmbeddingUnavailable
from agentos.storage.engine import text_ranking
from agentos.storage.sqlite import text_search
from tests.tables import every

NS = "ada"
HOSTILE = [
    '"', "'", '""', "*", "a*", "^a", "NEAR(a b, 2)", "content:apple", "apple AND", "OR OR OR", "-apple", "(apple",
    "apple)", "{apple}", "apple; DROP TABLE memories", "\\", "%", "_", "🙂", "apple\u202e", "\u0301", "²", "١٢٣", "۝",
    "a" * 60_000, "apple " * 9_000, "\n\t", "日本語", "ﬁ", "İ", "ß", "\x1b[31mapple", "col : x", "+apple", "~", "[]",
]  # fmt: skip


async def store(agentos: Any, *texts: str, **arguments: Any) -> list[str]:
    return [(await agentos.memory.store(NS, StoreRequest(text, **arguments))).memory.id for text in texts]


async def ids(agentos: Any, query: str, limit: int = 50) -> list[str]:
    return [hit.memory.id for hit in (await agentos.memory.search(NS, query, limit=limit)).hits]


@pytest.mark.parametrize("profile", list(RankingProfile))
async def test_a_score_is_the_sum_of_its_parts(agentos: Any, clock: Any, profile: RankingProfile) -> None:
    await store(agentos, "apple banana", "apple cherry durian", "APPLE_PIE is baked", "grape", source="x")
    clock.advance(days=10)
    for query in ("apple banana", "APPLE_PIE", "what is the latest grape?"):
        found = await agentos.memory.recall(NS, query, MemoryFilter(), 5, profile)
        assert found.mode is SearchMode.HYBRID
        assert found.reading.profile == profile
        assert found.hits
        for hit in found.hits:
            assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-9)


async def test_the_profile_agentos_reproduces_its_score(agentos: Any, clock: Any) -> None:
    [memory_id] = await store(agentos, "apple banana")
    await agentos.memory.update(NS, memory_id, MemoryChanges(importance=0.3))
    clock.advance(days=10)
    [hit] = (await agentos.memory.recall(NS, "apple banana", MemoryFilter(), 5, RankingProfile.AGENTOS)).hits
    assert hit.similarity == pytest.approx(1.0, abs=1e-5)
    assert hit.parts == {
        "similarity": pytest.approx(0.5, abs=1e-5),
        "importance": pytest.approx(0.3 * 0.3, abs=1e-6),
        "strength": pytest.approx(0.2 * (1 - 0.01 * (1 - 0.3) * 10), abs=1e-6),
    }


async def test_relevance_outweighs_importance(agentos: Any) -> None:
    [exact] = await store(agentos, "the staging database password rotates on monday", importance=0.0)
    await store(agentos, *(f"critical important essential note {n}" for n in range(20)), importance=1.0)
    assert (await ids(agentos, "staging database password"))[0] == exact


async def test_of_equal_texts_the_newer_comes_first(agentos: Any, lexical: Any, clock: Any) -> None:
    texts = ["Deploy on Friday", "deploy on friday", "DEPLOY ON FRIDAY", "Deploy On Friday", "deploy ON friday"]
    stored = await store(agentos, *texts)
    for services in (agentos, lexical):
        found = await services.memory.recall(NS, "deploy friday", MemoryFilter(), 10)
        [hit] = found.hits
        assert [hit.memory.id, *(one.id for one in hit.also)] == stored[::-1]


async def test_of_equal_texts_the_newer_comes_first_after_days_too(agentos: Any, clock: Any) -> None:
    stored = []
    for text in ("Deploy on Friday", "deploy on friday", "DEPLOY ON FRIDAY"):
        stored += await store(agentos, text)
        clock.advance(hours=1)
    assert await ids(agentos, "deploy friday") == stored[-1:]


async def test_a_rare_word_in_the_headline_outranks_the_same_word_in_the_body(lexical: Any) -> None:
    filler = "some ordinary words about the weather and the garden"
    body, headline = await store(
        lexical, f"{filler}\nmentions the flamingo once more here", f"mentions the flamingo once more here\n{filler}"
    )
    await store(lexical, *(f"{filler} {n}" for n in range(20)))
    assert await ids(lexical, "flamingo") == [headline, body]


async def test_tags_are_words_too(lexical: Any) -> None:
    [tagged] = await store(lexical, "something else", tags=["observability"])
    assert await ids(lexical, "observability") == [tagged]


async def test_word_forms_accents_and_case_do_not_matter(lexical: Any) -> None:
    [deploys] = await store(lexical, "Deployments of the Café were failing")
    for query in ("deployment", "CAFE", "café", "cafe\u0301", "failed"):
        assert await ids(lexical, query) == [deploys], query


@every("query", [*HOSTILE, "\u00ad", "\u200b\u2060"])
async def test_hostile_queries_are_only_words(agentos: Any, query: str) -> None:
    await store(agentos, "apple pie", "banana bread")
    try:
        result = await agentos.memory.search(NS, query)
    except InvalidInput as refused:
        assert refused.field == "query"
        assert not query.strip()
    else:
        assert len(result.hits) <= 2
    assert (await agentos.memory.page(NS)).total == 2


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_contents_are_kept_and_found_by_their_own_words(lexical: Any, content: str) -> None:
    if not content.strip():
        return
    [stored] = await store(lexical, content + " marker")
    assert (await lexical.memory.get(NS, stored))[0].content == content + " marker"
    assert await ids(lexical, "marker") == [stored]


async def test_a_word_of_any_length_is_kept_and_what_follows_too(lexical: Any) -> None:
    long = "a" + "".join(chr(0x0915 + number * number % 37) for number in range(20_000))
    kept = await store(lexical, f"{long} harbour", "the harbour opens")
    assert set(await ids(lexical, "harbour")) == set(kept)
    assert await ids(lexical, long) == kept[:1]


async def test_the_words_of_a_memory_go_with_it_to_another_namespace(lexical: Any) -> None:
    [moved] = await store(lexical, "the harbour opens")
    await lexical.memory.store("bob", StoreRequest("a heron"))
    await lexical.memory._repository._engine.write(
        lambda connection: connection.execute("UPDATE memories SET namespace = 'bob' WHERE id = ?", (moved,))
    )
    assert await ids(lexical, "harbour") == []
    assert [hit.memory.id for hit in (await lexical.memory.search("bob", "harbour")).hits] == [moved]


@every("query", ["", " ", "\x00", "\ud800", "x" * (2**20 + 1)])
async def test_a_query_that_cannot_be_is_refused(agentos: Any, query: str) -> None:
    with pytest.raises(InvalidInput, match="query"):
        await agentos.memory.search(NS, query)


async def test_without_a_model_search_answers_from_words_and_says_so(lexical: Any) -> None:
    [stored] = await store(lexical, "the cat sat on the mat")
    await store(lexical, "something about dogs")
    result = await lexical.memory.search(NS, "cat mat")
    assert [hit.memory.id for hit in result.hits] == [stored]
    assert result.mode is SearchMode.LEXICAL
    assert result.hits[0].similarity is None
    assert result.notes
    assert "embedding" in result.notes[0]


async def test_while_the_model_loads_search_says_so(agentos: Any, embedder: Any) -> None:
    embedder.loaded = False
    await store(agentos, "the cat sat on the mat")
    result = await agentos.memory.search(NS, "cat")
    assert (result.mode, len(result.hits)) == (SearchMode.LEXICAL, 1)
    assert "loading" in result.notes[0]


async def test_a_model_that_breaks_costs_neither_a_store_nor_a_search(agentos: Any, embedder: Any) -> None:
    await store(agentos, "the cat sat on the mat")
    embedder.failure = EmbeddingUnavailable("the model's thread has ended")
    stored = await agentos.memory.store(NS, StoreRequest("the dog sat on the mat"))
    assert not stored.duplicate
    result = await agentos.memory.search(NS, "cat mat")
    assert result.mode is SearchMode.LEXICAL
    assert len(result.hits) == 2


async def test_a_model_that_hangs_does_not_hold_up_a_search_by_words(
    agentos: Any, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    [stored] = await store(agentos, "the cat sat on the mat")
    assert (await agentos.memory.search(NS, "cat")).mode is SearchMode.HYBRID
    monkeypatch.setattr(embedding, "QUERY_WAIT_S", 0.01)

    async def hang(query: str) -> None:
        await asyncio.Event().wait()

    embedder.encode_query = hang
    result = await agentos.memory.search(NS, "cat mat")
    assert (result.mode, [hit.memory.id for hit in result.hits]) == (SearchMode.LEXICAL, [stored])
    assert "did not answer" in result.notes[0]


async def test_a_second_store_finds_at_once_what_the_first_stored(open_store: Any, wire: Any) -> None:
    first, second = wire(await open_store()), wire(await open_store())
    await second.memory.search(NS, "anything")
    for number in range(5):
        [stored] = await store(first, f"unique{number} content")
        [hit] = (await second.memory.search(NS, f"unique{number}", limit=1)).hits
        assert hit.memory.id == stored
        assert hit.similarity is not None


async def test_a_limit_larger_than_the_candidates_of_a_channel_is_served(agentos: Any) -> None:
    await store(agentos, *(f"apple {n}" for n in range(160)))
    assert len(await ids(agentos, "apple", 150)) == 150
    for limit in (0, 201, -1):
        with pytest.raises(InvalidInput, match="limit"):
            await agentos.memory.search(NS, "apple", limit=limit)


async def test_in_a_large_store_a_rare_word_is_found_among_common_ones(
    lexical: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_ranking, "MAX_MATCHES", 30)
    await store(lexical, *(f"ticket for the release of the cluster number {n}" for n in range(60)))
    [rare] = await store(lexical, "ticket for the release of the cluster by the heron")
    assert (await ids(lexical, "heron ticket release cluster number"))[0] == rare
    assert await ids(lexical, "ticket release cluster number", 5)
    assert await ids(lexical, "unknown words only here") == []


async def test_a_filter_that_few_of_the_best_matches_pass_leaves_the_best_of_those_that_do(
    lexical: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        padding = "padding " * number
        await store(lexical, f"apple {padding}", tags=["chosen"] if number >= 20 else [])
    repository, where = lexical.memory._repository, MemoryFilter(tags=("chosen",))

    async def best() -> list[Any]:
        return list(
            await repository.text_candidates(NS, await repository.frequencies(NS, ["apple"]), where, lexical.clock(), 3)
        )

    monkeypatch.setattr(text_search, "DEPTH", 100)
    expected = await best()
    assert len(expected) == 3
    monkeypatch.setattr(text_search, "DEPTH", 1)
    assert await best() == expected
    assert (
        await repository.text_candidates(
            "bob", await repository.frequencies("bob", ["apple"]), MemoryFilter(), lexical.clock(), 3
        )
        == []
    )
