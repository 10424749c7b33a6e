"""Recall over a real store: conversations, filters, neighbours, times, exact terms."""

from typing import Any

import pytest

from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest

NS = "ada"
TALK = (
    "Ann: Hi Bob! How was the weekend?",
    "Bob: Great, we finally picked a name for the puppy.",
    "Ann: What is it called?",
    "Bob: Biscuit, because of the colour.",
    "Ann: Lovely. I must go now.",
)


async def talk(agentos: Any, *texts: str, session: str = "s1", **arguments: Any) -> list[str]:
    return [
        (await agentos.memory.store(NS, StoreRequest(text, session=session, **arguments))).memory.id for text in texts
    ]


async def found(agentos: Any, query: str, where: MemoryFilter | None = None, limit: int = 10) -> list[str]:
    return [hit.memory.id for hit in (await agentos.memory.search(NS, query, where, limit)).hits]


async def test_an_answer_is_found_by_what_it_answers(lexical: Any) -> None:
    stored = await talk(lexical, *TALK)
    assert stored[3] in await found(lexical, "What is the puppy called?", limit=3)


async def test_a_neighbour_that_does_not_pass_the_filter_lends_its_words_and_is_no_result(lexical: Any) -> None:
    tagged = await talk(lexical, "Bob: Biscuit, because of the puppy.", tags=["keep"])
    await talk(lexical, "Ann: What a name for a puppy!")
    assert await found(lexical, "puppy", MemoryFilter(tags=("keep",))) == tagged
    elsewhere = await talk(lexical, "Ann: Another puppy", session="s2")
    assert await found(lexical, "puppy", MemoryFilter(session="s2")) == elsewhere


async def test_neighbours_stay_in_their_session_and_namespace(lexical: Any) -> None:
    await talk(lexical, "Ann: the kayak is red", session="one")
    await talk(lexical, "Ann: lunch at noon", session="two")
    await lexical.memory.store("bob", StoreRequest("Bob: a kayak of another agent", session="one"))
    [hit] = (await lexical.memory.search(NS, "kayak")).hits
    assert hit.memory.content == "Ann: the kayak is red"


async def test_an_expired_or_erased_neighbour_is_gone(lexical: Any, clock: Any) -> None:
    first, second = await talk(lexical, "Ann: the kayak", "Bob: is red")
    [working] = await talk(lexical, "Ann: for a while", memory_type="working")
    assert set(await found(lexical, "kayak")) == {first, second, working}
    clock.advance(days=2)
    assert set(await found(lexical, "kayak")) == {first, second}
    await lexical.memory.delete(NS, second)
    assert await found(lexical, "kayak") == [first]


async def test_the_person_that_a_query_names_comes_first_and_the_name_is_no_word(lexical: Any) -> None:
    ann, bob = await talk(lexical, "Ann: I play chess on Sundays", "Bob: I play chess with Ann on Sundays")
    assert await found(lexical, "When does Ann play chess?") == [ann, bob]
    assert await found(lexical, "When does Bob play chess?") == [bob, ann]
    result = await lexical.memory.search(NS, "When does Ann play chess?")
    assert result.reading.speakers == ("Ann",)
    assert result.reading.words == ("play", "chess")
    assert result.reading.asks_when


async def test_a_date_in_the_query_draws_what_happened_then(lexical: Any) -> None:
    texts = [f"met the team, round {n}" for n in range(1, 6)]
    stored = [
        (await lexical.memory.store(NS, StoreRequest(text, occurred_at=f"2023-0{n}-15T10:00:00Z"))).memory.id
        for n, text in enumerate(texts, start=1)
    ]
    assert (await found(lexical, "who met the team on 15 March 2023?"))[0] == stored[2]
    assert (await found(lexical, "the team in April 2023"))[0] == stored[3]


async def test_the_latest_comes_first_only_where_it_is_asked_for(lexical: Any) -> None:
    old = (
        await lexical.memory.store(NS, StoreRequest("we spoke of the deploy target alpha", occurred_at="2023-01-01"))
    ).memory.id
    new = (
        await lexical.memory.store(
            NS, StoreRequest("we spoke of the deploy target beta, see notes", occurred_at="2024-01-01")
        )
    ).memory.id
    assert (await found(lexical, "what is the latest deploy target?"))[0] == new
    assert set(await found(lexical, "deploy target")) == {old, new}


@pytest.mark.parametrize("query", ["MAX_POOL_SIZE", "what is MAX_POOL_SIZE?", "max_pool_size"])
async def test_an_exact_term_comes_first_and_the_reading_says_so(lexical: Any, query: str) -> None:
    for text in ("the pool has a maximal size", "pool size max", "MAX POOL SIZE is spoken of", "max the pool to size"):
        await lexical.memory.store(NS, StoreRequest(text))
    wanted = (await lexical.memory.store(NS, StoreRequest("MAX_POOL_SIZE is 20 in settings.py"))).memory.id
    await lexical.memory.store(NS, StoreRequest("size of a pool, at most"))
    result = await lexical.memory.search(NS, query)
    assert result.hits[0].memory.id == wanted
    assert result.reading.identifier_first
    assert result.hits[0].parts["identifier"] > 0


async def test_the_same_words_twice_give_way_to_something_else(store: Any, wire: Any) -> None:
    agentos = wire(store, search_gate=0)  # with the stub's vectors nothing tells what answers
    for text in ("Deploy on Friday", "deploy on friday", "DEPLOY on Friday"):
        await agentos.memory.store(NS, StoreRequest(text))
    other = (await agentos.memory.store(NS, StoreRequest("Friday is quiet"))).memory.id
    result = await agentos.memory.search(NS, "deploy friday", limit=2)
    assert result.hits[1].memory.id == other
