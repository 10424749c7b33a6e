"""A query of many parts: found by parts, within the namespace and the filters, in bounded time."""

import asyncio
from typing import Any

import pytest

from agentos.modules.memory import recall
from agentos.modules.memory.models import MemoryFilter, MemoryType, SearchMode
from agentos.modules.store_request import StoreRequest

NS = "ada"
TOPICS = ["turbine", "orchard", "violin", "harbour", "glacier", "bakery", "comet", "saddle"]


def corpus() -> str:
    """More than 200 KB that speak of one topic after another."""
    return "\n".join(
        f"Entry {number}: the {topic} was looked at again, and the {topic} stays where it is, says the report."
        for topic in TOPICS
        for number in range(300)
    )


async def remember(agentos: Any, namespace: str, **arguments: Any) -> set[str]:
    return {
        (
            await agentos.memory.store(namespace, StoreRequest(f"The {topic} belongs to {namespace}.", **arguments))
        ).memory.id
        for topic in TOPICS
    }


async def test_over_200_kb_are_searched_by_parts_that_stay_inside_the_namespace(agentos: Any) -> None:
    mine = await remember(agentos, NS)
    await remember(agentos, "bob")
    query = corpus()
    assert len(query.encode()) > 200_000
    result = await agentos.memory.search(NS, query, limit=50)
    assert {hit.memory.id for hit in result.hits} == mine
    assert {hit.memory.namespace for hit in result.hits} == {NS}
    assert result.mode is SearchMode.HYBRID
    assert "8 most informative parts" in result.notes[0]


async def test_the_filters_hold_for_every_part(store: Any, wire: Any) -> None:
    agentos = wire(store, search_gate=0)  # what one of eight topics has is little support
    await remember(agentos, NS, tags=["old"])
    expected = (await agentos.memory.store(NS, StoreRequest("A comet was seen.", "procedural", tags=["new"]))).memory.id
    for where in (MemoryFilter(tags=("new",)), MemoryFilter(memory_type=MemoryType.PROCEDURAL)):
        result = await agentos.memory.search(NS, corpus(), where, limit=50)
        assert [hit.memory.id for hit in result.hits] == [expected]


async def test_each_of_several_questions_finds_its_answer(lexical: Any) -> None:
    ids = await remember(lexical, NS)
    for number in range(100):
        await lexical.memory.store(NS, StoreRequest(f"Note {number}: the report has it all."))
    questions = " ".join(f"As the report has it, to whom does the {topic} belong?" for topic in TOPICS)
    result = await lexical.memory.search(NS, questions, limit=len(TOPICS))
    assert {hit.memory.id for hit in result.hits} == ids
    assert any("searched as 8 sub-queries" in note for note in result.notes)
    for hit in result.hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))


async def test_a_walk_over_a_long_query_gives_each_memory_once(agentos: Any) -> None:
    ids = await remember(agentos, NS)
    seen: list[str] = []
    cursor = None
    while True:
        result = await agentos.memory.search(NS, corpus(), limit=3, cursor=cursor)
        seen += [hit.memory.id for hit in result.hits]
        cursor = result.next_cursor
        if cursor is None:
            break
    assert len(seen) == len(ids) and set(seen) == ids


async def test_an_ordinary_question_is_not_taken_apart(agentos: Any) -> None:
    await remember(agentos, NS)
    result = await agentos.memory.search(NS, "Whose is the turbine? And whose is the violin?")
    assert result.notes == ()
    assert not any(name.startswith("sub_query") for hit in result.hits for name in hit.parts)


async def test_parts_that_take_too_long_are_left_out_and_that_is_told(
    agentos: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await remember(agentos, NS)
    assert await agentos.memory.embedded(60)
    monkeypatch.setattr(recall, "SUB_QUERIES_S", 0.0)
    result = await agentos.memory.search(NS, corpus(), limit=50)
    assert result.hits
    assert "were answered within 0 s" in result.notes[0]
    assert [task for task in asyncio.all_tasks() if "_answer" in str(task.get_coro())] == []


async def test_without_a_model_the_parts_are_searched_by_words(lexical: Any) -> None:
    ids = await remember(lexical, NS)
    result = await lexical.memory.search(NS, corpus(), limit=50)
    assert {hit.memory.id for hit in result.hits} == ids
    assert result.mode is SearchMode.LEXICAL
    assert len(result.notes) == 2
