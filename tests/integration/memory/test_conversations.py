"""Conversations: places by arrival, speakers, neighbours, timelines, and filters by session."""

import asyncio
import dataclasses
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.errors import Conflict, InvalidInput, NotFound
from agentos.modules.memory.models import Memory, MemoryFilter
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"
TURNS = ["Ann: where to?", "Bob: to Lisbon", "Ann: why?", "Bob: the light", "Ann: and Porto?", "Note: undecided"]


async def talk(agentos: Any, session: str | None, texts: list[str], **arguments: Any) -> list[Memory]:
    return [(await agentos.memory.store(NS, StoreRequest(text, session=session, **arguments))).memory for text in texts]


async def test_turns_keep_their_order_speaker_and_date(agentos: Any, open_store: Any, wire: Any) -> None:
    stored = await talk(agentos, "s", TURNS, occurred_at="2026-01-02")
    other = wire(await open_store())
    for reader in (agentos, other):
        read = [(await reader.memory.get(NS, memory.id))[0] for memory in stored]
        assert read == stored
    assert [memory.place for memory in stored] == [0, 1, 2, 3, 4, 5]
    assert [memory.speaker for memory in stored] == ["Ann", "Bob", "Ann", "Bob", "Ann", None]
    assert {memory.session for memory in stored} == {"s"}


async def test_what_belongs_to_no_conversation_has_neither_place_nor_speaker(agentos: Any) -> None:
    [memory] = await talk(agentos, None, ["Ann: where to?"])
    assert (memory.session, memory.place, memory.speaker) == (None, None, None)
    changed = await agentos.memory.update(NS, memory.id, MemoryChanges(content="Bob: to Lisbon"))
    assert changed.speaker is None


async def test_each_conversation_of_each_agent_counts_for_itself(agentos: Any) -> None:
    await talk(agentos, "one", TURNS[:3])
    [other] = await talk(agentos, "two", ["Ann: hello"])
    his = (await agentos.memory.store("bob", StoreRequest("Ann: hello", session="one"))).memory
    assert (other.place, his.place) == (0, 0)


async def test_a_place_is_given_by_arrival_and_stays(agentos: Any) -> None:
    first, second, third = await talk(agentos, "s", TURNS[:3])
    await agentos.memory.delete(NS, second.id)
    [fourth] = await talk(agentos, "s", TURNS[3:4])
    assert [first.place, third.place, fourth.place] == [0, 2, 3]
    changed = await agentos.memory.update(NS, third.id, MemoryChanges(content="Cleo: it was me"))
    assert (changed.place, changed.speaker, changed.session) == (2, "Cleo", "s")
    assert (await agentos.memory.update(NS, third.id, MemoryChanges(importance=0.9))).speaker == "Cleo"


async def test_processes_that_write_at_once_give_each_place_once(open_store: Any, wire: Any) -> None:
    agents = [wire(await open_store()) for _ in range(3)]
    stores = [
        agent.memory.store(NS, StoreRequest(f"turn {n} of {i}", session="s"))
        for i, agent in enumerate(agents)
        for n in range(8)
    ]
    stored = [done.memory for done in await asyncio.gather(*stores)]
    assert sorted(memory.place for memory in stored) == list(range(24))


async def test_the_same_words_in_another_conversation_are_another_memory(agentos: Any) -> None:
    first = await agentos.memory.store(NS, StoreRequest("Bob: yes", session="one"))
    again = await agentos.memory.store(NS, StoreRequest("Bob: yes", session="one"))
    other = await agentos.memory.store(NS, StoreRequest("Bob: yes", session="two"))
    outside = await agentos.memory.store(NS, StoreRequest("Bob: yes"))
    assert again.duplicate and again.memory == first.memory
    assert not other.duplicate and not outside.duplicate
    turn = (await agentos.memory.store(NS, StoreRequest("Bob: no", session="one"))).memory
    with pytest.raises(Conflict):
        await agentos.memory.update(NS, turn.id, MemoryChanges(content="Bob: yes"))
    assert (await agentos.memory.update(NS, other.memory.id, MemoryChanges(content="Bob: no"))).place == 0


async def test_a_turn_that_is_made_lasting_keeps_its_place(agentos: Any) -> None:
    fleeting = (await agentos.memory.store(NS, StoreRequest("Bob: yes", "working", session="s"))).memory
    await talk(agentos, "s", ["Ann: no"])
    stored = await agentos.memory.store(NS, StoreRequest("Bob: yes", session="s"))
    assert stored.made_lasting
    assert (stored.memory.id, stored.memory.place, stored.memory.speaker) == (fleeting.id, 0, "Bob")


@every("session", ["", " ", "a\x00b", "\ud800", "s" * 201])
async def test_a_session_that_is_none_is_refused(agentos: Any, session: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await agentos.memory.store(NS, StoreRequest("something", session=session))
    assert refused.value.field == "session"
    assert (await agentos.memory.page(NS)).total == 0


async def test_a_filter_by_session_holds_before_ranking(agentos: Any, lexical: Any) -> None:
    await talk(agentos, "loud", [f"Lisbon Lisbon Lisbon {n}" for n in range(150)])
    [quiet] = await talk(agentos, "quiet", ["a long text in which the word Lisbon comes once"])
    await agentos.memory.store("bob", StoreRequest("Lisbon", session="quiet"))
    for services in (agentos, lexical):
        found = await services.memory.search(NS, "Lisbon", MemoryFilter(session="quiet"))
        assert [hit.memory.id for hit in found.hits] == [quiet.id]
    page = await agentos.memory.page(NS, MemoryFilter(session="quiet"))
    assert ([memory.id for memory in page.memories], page.total) == ([quiet.id], 1)


async def test_deleting_by_session_takes_that_conversation_alone(agentos: Any) -> None:
    await talk(agentos, "one", TURNS)
    await talk(agentos, "two", TURNS)
    await talk(agentos, None, ["outside"])
    await agentos.memory.store("bob", StoreRequest("his", session="one"))
    assert await agentos.memory.delete_where(NS, MemoryFilter(session="absent")) == 0
    assert await agentos.memory.delete_where(NS, MemoryFilter(session="one")) == len(TURNS)
    assert (await agentos.memory.page(NS)).total == len(TURNS) + 1
    assert (await agentos.memory.page("bob")).total == 1


async def test_the_speakers_of_a_namespace_are_named_once(agentos: Any, store: Any) -> None:
    assert await store.memory.surroundings.speakers(NS) == []
    await talk(agentos, "one", TURNS)
    await talk(agentos, "two", [*TURNS, "Zoë: me too"])
    await agentos.memory.store("bob", StoreRequest("Mallory: hello", session="one"))
    assert await store.memory.surroundings.speakers(NS) == ["Ann", "Bob", "Zoë"]
    await agentos.memory.delete_where(NS, MemoryFilter(session="two"))
    assert await store.memory.surroundings.speakers(NS) == ["Ann", "Bob"]


async def test_turns_come_with_their_neighbours_once_each(agentos: Any, store: Any, clock: Any) -> None:
    talked = await talk(agentos, "s", [f"Ann: turn {n}" for n in range(12)])
    await talk(agentos, "other", [f"Bob: turn {n}" for n in range(12)])
    [alone] = await talk(agentos, None, ["alone"])
    his = (await agentos.memory.store("bob", StoreRequest("his", session="s"))).memory
    assert await agentos.embedding.caught_up(30)
    generation = await agentos.embedding.generation()
    named = [talked[4].id, talked[5].id, talked[0].id, alone.id, his.id, "mem_unknown"]
    turns = {turn.id: turn for turn in await store.memory.surroundings.turns(NS, named, clock(), generation)}
    assert set(turns) == {memory.id for memory in (*talked[0:8], alone)}
    assert len(await store.memory.surroundings.turns(NS, named, clock(), generation)) == len(turns)
    turn = turns[talked[4].id]
    for field in ("id", "content", "session", "place", "speaker", "occurred_at", "created_at", "importance"):
        assert getattr(turn, field) == getattr(talked[4], field)
    assert turn.accessed_at == talked[4].accessed_at
    assert all(turn.vector is not None and len(turn.vector) == 4 * 64 for turn in turns.values())
    assert [turn.vector for turn in await store.memory.surroundings.turns(NS, named[:1], clock(), None, 0)] == [None]
    assert await store.memory.surroundings.turns(NS, [], clock(), generation) == []


async def test_deleted_and_expired_turns_are_no_neighbours(agentos: Any, store: Any, clock: Any) -> None:
    first, second, third = await talk(agentos, "s", TURNS[:3])
    fleeting = (await agentos.memory.store(NS, StoreRequest("Bob: for today", "working", session="s"))).memory
    await agentos.memory.delete(NS, second.id)
    clock.advance(days=2)
    turns = await store.memory.surroundings.turns(NS, [third.id, fleeting.id], clock(), None)
    assert {turn.id for turn in turns} == {first.id, third.id}


async def test_words_are_counted_as_the_text_index_has_them(agentos: Any, store: Any) -> None:
    await talk(agentos, None, ["deploys on Friday", "a deploy failed", "tests passed"])
    found = await store.memory.memories.frequencies(NS, ["deploy", "friday", "absent", 'quo"ted', ""])
    assert found.counts == {"deploy": 2, "friday": 1, "absent": 0, 'quo"ted': 0, "": 0}
    assert found.memories == 3
    assert (await store.memory.memories.frequencies(NS, [])).counts == {}


async def test_a_timeline_stays_in_its_conversation(agentos: Any) -> None:
    turns = await talk(agentos, "s", [f"Ann: turn {n}" for n in range(9)])
    await talk(agentos, "other", [f"Ann: turn {n}" for n in range(9)])
    found = await agentos.memory.timeline(NS, turns[4].id)
    assert [memory.id for memory in found.before] == [memory.id for memory in turns[1:4]]
    assert found.memory == turns[4]
    assert [memory.id for memory in found.after] == [memory.id for memory in turns[5:8]]
    end = await agentos.memory.timeline(NS, turns[8].id, 1, 5)
    assert ([m.id for m in end.before], end.after) == ([turns[7].id], ())
    assert (await agentos.memory.timeline(NS, turns[0].id, 0, 0)).before == ()


async def test_outside_of_conversations_a_timeline_goes_by_date(agentos: Any, clock: Any) -> None:
    days = ["2026-01-03", "2026-01-01", "2026-01-02", "2026-01-02", "2026-01-05"]
    notes = [
        (await agentos.memory.store(NS, StoreRequest(f"note {n}", occurred_at=day))).memory
        for n, day in enumerate(days)
    ]
    await agentos.memory.store("bob", StoreRequest("his", occurred_at="2026-01-02"))
    fleeting = (await agentos.memory.store(NS, StoreRequest("for today", "working", occurred_at="2026-01-02"))).memory
    clock.advance(days=2)
    in_order = [notes[index].id for index in (1, 2, 3, 0, 4)]
    for index, memory_id in enumerate(in_order):
        found = await agentos.memory.timeline(NS, memory_id, 2, 2)
        assert [memory.id for memory in found.before] == in_order[max(0, index - 2) : index]
        assert [memory.id for memory in found.after] == in_order[index + 1 : index + 3]
    with pytest.raises(NotFound):
        await agentos.memory.timeline(NS, fleeting.id)
    with pytest.raises(NotFound):
        await agentos.memory.timeline("bob", notes[0].id)


@pytest.mark.parametrize(("field", "value"), [("before", -1), ("after", 51)])
async def test_a_timeline_out_of_bounds_is_refused(agentos: Any, field: str, value: int) -> None:
    [memory] = await talk(agentos, None, ["note"])
    with pytest.raises(InvalidInput) as refused:
        await agentos.memory.timeline(NS, memory.id, **{field: value})
    assert refused.value.field == field


async def test_a_timeline_counts_no_access(agentos: Any, clock: Any) -> None:
    first, second = await talk(agentos, "s", TURNS[:2])
    clock.advance(hours=1)
    await agentos.memory.timeline(NS, first.id)
    for memory in (first, second):
        assert (await agentos.memory.get(NS, memory.id))[0] == memory


async def test_the_database_itself_refuses_a_place_without_a_session(agentos: Any, home: Path, at_hand: Any) -> None:
    turns = await talk(agentos, "s", TURNS[:2])
    with at_hand() as connection:
        for change in ("session = NULL", "place = NULL", "place = -1", "place = 1"):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(f"UPDATE memories SET {change} WHERE id = ?", (turns[0].id,))
    assert dataclasses.replace(turns[0]) == (await agentos.memory.get(NS, turns[0].id))[0]


async def test_what_expired_makes_room_for_the_same_turn(agentos: Any, clock: Any) -> None:
    await talk(agentos, "s", TURNS[:1])
    await agentos.memory.store(NS, StoreRequest("Bob: for today", "working", session="s"))
    clock.advance(hours=timedelta(days=2).total_seconds() / 3600)
    again = await agentos.memory.store(NS, StoreRequest("Bob: for today", session="s"))
    assert not again.duplicate
    assert again.memory.place == 1


@every("form", ["session", "beginning", "metadata"])
async def test_the_answer_beside_a_question_is_found_in_a_talk_with_or_without_its_session(
    lexical: Any, form: str
) -> None:
    for text in ["Ann: where will you go?", "Bob: to Lisbon", "Ann: who waters the fig tree?", "Bob: Cleo does"]:
        speaker, words = text.split(": ")
        request = {
            "session": StoreRequest(text, session="s"),
            "beginning": StoreRequest(text),
            "metadata": StoreRequest(words, metadata={"speaker": speaker}),
        }[form]
        await lexical.memory.store(form, request)
    found = await lexical.memory.search(form, "Who waters the fig tree?", limit=2)
    assert "Cleo does" in [hit.memory.content.removeprefix("Bob: ") for hit in found.hits]
