"""What a new memory may replace, in a real store with the real models: asked about, labelled, ordered, settled."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.database import OpenedStore
from agentos.features import registered
from agentos.features.ask.tools import memory_ask
from agentos.features.gateway.block import text_digest
from agentos.modules.agentos import AgentOS
from agentos.modules.context.briefing import answering
from agentos.modules.memory.models import Memory, MemoryFilter, SearchHit
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.plugins.feature import with_parts
from agentos.modules.principals.models import Caller, Door, local_owner
from agentos.modules.store_request import StoreRequest
from agentos.tools.bound import Ran, bind
from agentos.tools.calling import call
from agentos.tools.catalog import all_tools

NS = "ada"
OLDER, NEWER = "The staging database runs on dock 7.", "The staging database now runs on dock 9."
ASKED = "Where does the staging database run?"


@pytest.fixture
async def agentos(store: OpenedStore, with_graphs: None, home: Path, clock: Any) -> AsyncIterator[AgentOS]:
    """The services with the real models."""
    settings = config.load({}, home=home)
    succession = database.open_succession_model(settings)
    assert succession is not None and await succession.ready(120)
    opened = AgentOS.over(store, database.open_embedder(settings), settings, clock, succession_model=succession)
    opened = with_parts(opened, registered(), "wired", store.engine, settings)
    assert await opened.embedding.ready(120)
    yield opened
    await opened.close()


async def store_in_turn(agentos: AgentOS, clock: Any, *texts: str, **more: Any) -> list[Memory]:
    """Notes stored a month after one another, each with its vector and what is thought of it."""
    stored = []
    for text in texts:
        stored.append((await agentos.memory.store(NS, StoreRequest(text, **more))).memory)
        clock.advance(days=30)
        assert await agentos.memory.embedded(60)
        await agentos.embedding.settled()
    return stored


async def hits(agentos: AgentOS, question: str = ASKED, **where: Any) -> dict[str, SearchHit]:
    return {hit.memory.id: hit for hit in (await agentos.memory.search(NS, question, MemoryFilter(**where))).hits}


async def label(agentos: AgentOS, memory: Memory) -> str | None:
    found = (await agentos.memory.get(NS, memory.id))[0].may_be_outdated_by
    return None if found is None else found.id


async def test_what_may_be_replaced_is_labelled_wherever_it_is_read(agentos: AgentOS, clock: Any) -> None:
    older, newer = await store_in_turn(agentos, clock, OLDER, NEWER)
    found = await hits(agentos)
    assert list(found) == [newer.id, older.id]
    assert (found[older.id].memory.outdated_by, found[newer.id].memory.outdated_by) == (newer.id, None)
    for hit in found.values():
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-6)
    answer = await memory_ask(agentos, NS, question=ASKED)
    assert [one.memories for one in answer.sentences] == [(newer.id,), (older.id,)], answer.as_text()
    assert "maybe outdated" in answer.sentences[1].text
    listed = {memory.id: memory for memory in (await agentos.memory.page(NS)).memories}
    assert listed[older.id].may_be_outdated_by is not None and listed[older.id].valid_to is None
    assert await label(agentos, older) == newer.id
    for when, is_of_now in (("on Friday", True), ("in March 2020", False)):
        asked = (await hits(agentos, f"Where does the staging database run {when}?")).get(older.id)
        assert asked is None or (asked.memory.outdated_by is not None) is is_of_now, when


OF_IT = "its id"
DOORS: dict[str, dict[str, Any]] = {
    "memory_search": {"query": ASKED},
    "memory_list": {},
    "memory_search_across": {"query": ASKED, "namespaces": [NS]},
    "context_get_snapshot": {"query": ASKED},
    "context_compile": {"query": ASKED},
    "memory_ask": {"question": ASKED},
    "memory_timeline": {"memory_id": OF_IT},
    "recall_memory": {"query": ASKED, "session_id": "s-2"},
    "search": {"query": ASKED},
    "timeline": {"query": ASKED},
    "get_observations": {"ids": [OF_IT]},
    "memory_get": {"memory_id": OF_IT},
}
"""Tools that tell memories, each with what makes it tell the older one of two, whose id stands for OF_IT."""


async def test_no_door_tells_an_older_value_without_its_successor(agentos: AgentOS, clock: Any, tmp_path: Path) -> None:
    older, newer = await store_in_turn(
        agentos, clock, OLDER, NEWER, tags=("observation",), kind="knowledge", metadata={"about": "user"}
    )
    tools = {one.tool.name: one for one in bind(all_tools(None))}
    caller = local_owner(NS, None, Door.STDIO)
    silent, alone = [], []

    async def opened() -> AgentOS:
        return agentos

    def check(door: str, told: str) -> None:
        if OLDER not in told:
            silent.append(door)
        elif NEWER not in told and newer.id[:10] not in told:
            alone.append(f"{door}: {told}")

    for name, given in DOORS.items():
        known = json.loads(json.dumps(given).replace(OF_IT, older.id))
        answer = await call(tools[name], opened, caller, "a client", known)
        check(name, answer["content"][0]["text"])
        check(f"{name}, structured", json.dumps(answer["structuredContent"], ensure_ascii=False))
    session, _ = await agentos.sessions.open(NS, "claude-code", "s-1", str(tmp_path))
    check("hook of a prompt", (await agentos.briefing.with_prompt(session, ASKED, ())).text)
    check("briefing", (await agentos.briefing.at_start(session, ())).text)
    block = (await agentos.gateway().service.recall(NS, ASKED, 500)).block
    check("gateway", block.text)
    await agentos.portability.view(tmp_path / "view.md", [NS])
    check("view", (tmp_path / "view.md").read_text(encoding="utf-8"))
    assert (alone, silent) == ([], []), "and a door that does not tell the older one proves nothing"


async def test_what_is_newer_is_told_with_a_hit_though_it_is_none_itself(agentos: AgentOS, clock: Any) -> None:
    older, newer = await store_in_turn(agentos, clock, "CI runs on Jenkins.", "CI moved to GitHub Actions.")
    tools = {one.tool.name: one for one in bind(all_tools(None))}

    async def opened() -> AgentOS:
        return agentos

    async def told(name: str, **given: Any) -> str:
        answer = await call(tools[name], opened, local_owner(NS, None, Door.STDIO), "a client", given)
        return str(answer["content"][0]["text"])

    question = "what runs on Jenkins?"
    alone = await told("memory_search", query=question, limit=1)
    assert f'newer: {newer.id[:10]}, now "CI moved to GitHub Actions.": "CI runs on Jenkins."' in alone
    both = await told("memory_search", query=f"{question} And what moved?")
    assert both.count(newer.content) == 1, "a hit tells itself"
    beside = (await told("memory_get", memory_id=older.id), await told("memory_list", limit=1, offset=1))
    assert all(f', now "{newer.content}"' in text for text in beside), beside
    assert (await told("memory_list")).count(newer.content) == 1
    for text in (
        await told("context_compile", query=question),
        (await agentos.gateway().service.recall(NS, question, 500)).block.text,
    ):
        assert older.content in text and newer.content in text
    assert newer.content not in await told("memory_search", query=f"{question[:-1]} in May 2020?", limit=1)
    again = await agentos.gateway().service.recall(NS, question, 500, told={text_digest(newer.content)})
    assert older.content in again.block.text and newer.content not in again.block.text, "it was told before"
    await store_in_turn(agentos, clock, "The press prints in green.", metadata={"project": "press"})
    await store_in_turn(agentos, clock, "The press prints in blue now.", metadata={"project": "loom"})
    assert "in blue" not in await told("memory_search", query="The press prints in green", limit=1)
    await agentos.memory.update(NS, newer.id, MemoryChanges(memory_type="working"))
    clock.advance(days=60)
    for text in (await told("memory_search", query=question, limit=1), await told("memory_get", memory_id=older.id)):
        assert newer.content not in text, "it has expired"


async def test_of_several_that_replaced_one_another_the_last_is_told_while_the_first_holds(
    agentos: AgentOS, clock: Any
) -> None:
    first, middle, last = await store_in_turn(
        agentos, clock, OLDER, NEWER, "The staging database now runs on dock 12 instead of dock 9."
    )
    assert await label(agentos, middle) == last.id, "else this says nothing"

    async def newer() -> dict[str, str]:
        found = [(await agentos.memory.get(NS, one.id))[0] for one in (first, middle)]
        return {name: one.id for name, one in (await agentos.lifecycle.newer(NS, found)).items()}

    assert await newer() == {first.id: last.id}, "once for both"
    other = (await agentos.memory.store(NS, StoreRequest("The staging database is gone."))).memory
    await agentos.lifecycle.feedback(NS, first.id, "supersede", other.id)
    assert await newer() == {middle.id: last.id}, "what was replaced by another one has that"


async def test_a_store_asks_about_what_it_may_replace(agentos: AgentOS, clock: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("agentos.modules.memory.supersession.WAIT_S", 30.0)
    older, *_ = await store_in_turn(agentos, clock, OLDER, "Lunch is served at noon.", "Kofi plays the cello.")
    stored = await agentos.memory.store(NS, StoreRequest(NEWER), ask=True)
    assert [memory.id for memory in stored.may_replace] == [older.id]
    assert (await agentos.memory.store(NS, StoreRequest("The printer is on floor 3."), ask=True)).may_replace == ()


async def test_what_is_told_to_hold_since_long_replaces_what_was_told_meanwhile(agentos: AgentOS, clock: Any) -> None:
    older, newer = await store_in_turn(agentos, clock, OLDER, "The staging database runs on dock 9 since January 2020.")
    assert await label(agentos, older) == newer.id
    assert await label(agentos, newer) is None


async def test_an_event_replaces_no_event_of_another_day_and_is_not_the_same(agentos: AgentOS, clock: Any) -> None:
    texts = ("The nightly import failed", "The nightly import failed with a timeout", "the nightly import failed.")
    events = [
        StoreRequest(text, "episodic", occurred_at=f"2026-0{month}-11") for month, text in enumerate(texts, start=1)
    ]
    stored = []
    for event in events:
        stored.append(await agentos.memory.store(NS, event, ask=True))
        assert await agentos.memory.embedded(60)
        await agentos.embedding.settled()
    assert [(tuple(one.may_replace), tuple(one.same_as)) for one in stored] == [((), ())] * 3
    assert [await label(agentos, one.memory) for one in stored] == [None] * 3


async def test_what_the_answer_did_not_wait_for_is_labelled_all_the_same(
    agentos: AgentOS, clock: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("agentos.modules.memory.supersession.WAIT_S", 0.0)
    [older] = await store_in_turn(agentos, clock, OLDER)
    stored = await agentos.memory.store(NS, StoreRequest(NEWER), ask=True)
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    assert await label(agentos, older) == stored.memory.id


async def test_who_says_that_both_hold_is_believed_until_that_is_undone(agentos: AgentOS, clock: Any) -> None:
    older, newer = await store_in_turn(agentos, clock, OLDER, NEWER)
    _, change = await agentos.lifecycle.feedback(NS, older.id, "confirm")
    assert await label(agentos, older) is None
    await agentos.memory.update(NS, newer.id, MemoryChanges(importance=0.9))
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    assert await label(agentos, older) is None, "it is not labelled again"
    assert change is not None
    await agentos.lifecycle.revert(NS, change.id)
    assert await label(agentos, older) == newer.id


@pytest.mark.parametrize("hide", ["archive", "forget"])
async def test_what_is_hidden_outdates_nothing_until_it_is_back(agentos: AgentOS, clock: Any, hide: str) -> None:
    older, newer = await store_in_turn(agentos, clock, OLDER, NEWER)
    await getattr(agentos.lifecycle, hide)(NS, newer.id)
    assert await label(agentos, older) is None
    await agentos.lifecycle.revert(NS, newer.id)
    assert await label(agentos, older) == newer.id
    await agentos.memory.delete(NS, newer.id)
    assert await label(agentos, older) is None


async def test_what_supersedes_the_newer_one_takes_its_label_over(agentos: AgentOS, clock: Any) -> None:
    older, newer, newest = await store_in_turn(agentos, clock, OLDER, NEWER, "Kofi has moved it all to the cellar.")
    _, change = await agentos.lifecycle.feedback(NS, newer.id, "supersede", newest.id)
    assert await label(agentos, older) == newest.id
    assert change is not None
    await agentos.lifecycle.revert(NS, change.id)
    assert await label(agentos, older) == newer.id
    await agentos.lifecycle.feedback(NS, older.id, "supersede", newer.id)
    assert await label(agentos, older) is None, "it has ended"


async def test_a_new_text_is_judged_anew(agentos: AgentOS, clock: Any) -> None:
    older, newer = await store_in_turn(agentos, clock, OLDER, NEWER)
    await agentos.memory.update(NS, newer.id, MemoryChanges(content="Kofi plays the cello on Sundays."))
    assert await label(agentos, older) is None
    await agentos.memory.update(NS, newer.id, MemoryChanges(content=NEWER))
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    assert await label(agentos, older) == newer.id


@pytest.mark.parametrize(
    "newer",
    [
        "It is an unverified rumour that the staging database now runs on dock 9.",
        "База данных теперь работает на доке 9.",
        "From 2030-01-01 on, the staging database runs on dock 9.",
    ],
)
async def test_what_doubts_is_foreign_or_has_not_begun_labels_nothing(agentos: AgentOS, clock: Any, newer: str) -> None:
    older, _ = await store_in_turn(agentos, clock, OLDER, newer)
    assert await label(agentos, older) is None


@pytest.mark.parametrize("more", [{"source": "web: https://example.org"}, {"session": "talk"}, {"confidence": 0.2}])
async def test_what_is_not_of_record_labels_nothing(agentos: AgentOS, clock: Any, more: dict[str, Any]) -> None:
    [older] = await store_in_turn(agentos, clock, OLDER)
    await store_in_turn(agentos, clock, NEWER, **more)
    assert await label(agentos, older) is None


async def test_what_holds_earlier_labels_nothing_however_late_it_is_stored(agentos: AgentOS, clock: Any) -> None:
    now, then = await store_in_turn(
        agentos, clock, "As of 2026-02-20 the price of a seat is 80.", "As of 2025-01-10 the price of a seat is 60."
    )
    assert await label(agentos, now) is None
    assert await label(agentos, then) in (None, now.id)


async def test_who_asks_for_another_time_gets_no_label(agentos: AgentOS, clock: Any) -> None:
    older, _ = await store_in_turn(agentos, clock, OLDER, NEWER)
    assert (await hits(agentos, as_of=clock()))[older.id].memory.outdated_by is None
    assert (await hits(agentos, include_superseded=True))[older.id].memory.outdated_by is not None


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        (
            "MAX_POOL_SIZE is read at startup from the environment.",
            "IDLE_TIMEOUT_MS is read at startup from the environment.",
            "MAX_POOL_SIZE",
        ),
        ("ABC-123 is about the login page.", "ABC-124 is about the login page.", "what is ABC-123 about"),
        ("src/parser.py is owned by Ines.", "src/writer.py is owned by Karl.", "who owns src/parser.py"),
        ("Frontend changes are reviewed by Ines.", "Backend changes are reviewed by Karl.", "who reviews the frontend"),
    ],
)
async def test_of_two_that_both_hold_the_one_that_is_asked_for_comes_first(
    agentos: AgentOS, clock: Any, first: str, second: str, question: str
) -> None:
    one, _ = await store_in_turn(agentos, clock, first, second)
    assert next(iter(await hits(agentos, question))) == one.id


async def test_other_names_of_one_slot_are_labelled(agentos: AgentOS, clock: Any) -> None:
    slot = {"subject": "session", "attribute": "timeout", "value": "30 minutes"}
    [older] = await store_in_turn(agentos, clock, "Sessions time out after 30 minutes.", **slot)
    slot = {"subject": "user session", "attribute": "lifetime", "value": "15 minutes"}
    [newer] = await store_in_turn(agentos, clock, "User sessions live for 15 minutes.", **slot)
    assert await label(agentos, older) == newer.id


async def test_where_nobody_asked_for_hits_what_may_have_replaced_one_is_told_with_it(
    store: OpenedStore, with_graphs: None, home: Path, clock: Any
) -> None:
    settings = config.load({}, home=home)
    succession, reranker = database.open_succession_model(settings), database.open_reranker(settings)
    assert succession is not None and await succession.ready(120)
    embedder = database.open_embedder(settings)
    agentos = AgentOS.over(store, embedder, settings, clock, reranker, succession_model=succession)
    assert await agentos.embedding.ready(120)
    older, newer = await store_in_turn(
        agentos, clock, "We use Trello for planning", "We dropped Trello and plan in Linear"
    )
    await store_in_turn(agentos, clock, *(f"Crate {number} holds {9 * number} plums" for number in range(6)))
    question = "what do we use for planning?"
    found = await agentos.memory.recall(NS, question, MemoryFilter(), 5)
    assert found.hits[0].memory.outdated_by == newer.id, "else this says nothing"
    assert [hit.memory.id for hit in answering(found)] == [newer.id, older.id]
    context = await agentos.context.compile(NS, question, max_tokens=500)
    assert {newer.content, older.content} <= {entry.text for entry in context.part("memories")}
    await agentos.close()


class SlowModel:
    """A pair model that loads only when it is told to."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.may_load = asyncio.Event()
        self.problem: str | None = None

    async def ready(self, timeout: float) -> bool:
        if timeout:
            await self.may_load.wait()
        return self.may_load.is_set() and bool(await self._model.ready(timeout))

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return list(await self._model.scores(query, texts))

    def close(self) -> None:
        self._model.close()


async def test_what_a_slow_model_finds_is_asked_once_with_the_next_result_and_stands_in_snapshots_until_answered(
    store: OpenedStore, with_graphs: None, home: Path, clock: Any
) -> None:
    settings = config.load({}, home=home)
    succession = database.open_succession_model(settings)
    assert succession is not None and await succession.ready(120)
    model = SlowModel(succession)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock, succession_model=model)
    assert await agentos.embedding.ready(120)
    tools = {one.tool.name: one for one in bind(all_tools(None))}
    caller = local_owner(NS, None, Door.STDIO)

    async def opened() -> AgentOS:
        return agentos

    async def call(tool: str, asking: Caller = caller, **given: Any) -> Ran:
        return await tools[tool].run(opened, asking, "claude-code", given)

    async def snapshot() -> str:
        return (await call("context_get_snapshot")).result.as_text()

    older = (await call("memory_store", content=OLDER)).result
    clock.advance(days=30)
    newer = await call("memory_store", content=NEWER)
    assert (newer.result.may_replace, newer.remarks) == ((), [])
    assert f"Is {older.id}" not in await snapshot()

    model.may_load.set()
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    question = f'Is {older.id} "{OLDER}" replaced by {newer.result.id} "{NEWER}"?'
    assert question in await snapshot()
    others = await call("memory_list", replace(caller, folder="/elsewhere"))
    assert others.remarks == [], "another session's store is not its business"
    told = await call("memory_list")
    assert question in told.remarks[-1]
    assert [(one["id"], one["by"]) for one in told.remarked["questions"]] == [(older.id, newer.result.id)]
    assert (await call("memory_list")).remarks == [], "once"

    assert question in await snapshot(), "nobody has answered"
    await call("memory_feedback", memory_id=older.id, verdict="supersede", by=newer.result.id)
    assert f"Is {older.id}" not in await snapshot()
    await agentos.close()


async def test_a_model_that_loads_longer_than_is_waited_for_is_asked_again_with_the_next_search(
    store: OpenedStore, with_graphs: None, home: Path, clock: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("agentos.modules.memory.supersession.LOAD_WAIT_S", 0.0)
    settings = config.load({}, home=home)
    succession = database.open_succession_model(settings)
    assert succession is not None and await succession.ready(120)
    model = SlowModel(succession)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock, succession_model=model)
    assert await agentos.embedding.ready(120)
    older, newer = await store_in_turn(agentos, clock, OLDER, NEWER)
    assert await agentos.lifecycle.open_questions(NS) == []
    model.may_load.set()
    await hits(agentos)
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    asked = await agentos.lifecycle.open_questions(NS)
    assert [(one.older.id, one.newer.id) for one in asked] == [(older.id, newer.id)]
    await agentos.close()


async def test_an_older_one_that_gets_its_vector_after_the_store_is_asked_about_with_the_next_result(
    agentos: AgentOS, clock: Any
) -> None:
    store, asker = agentos.memory.store, (NS, "one session")
    older = (await store(NS, StoreRequest(OLDER), ask=True, asker=asker)).memory
    clock.advance(days=30)
    newer = await store(NS, StoreRequest(NEWER), ask=True, asker=asker)
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    assert agentos.supersession is not None
    told = [(one.id, newer.memory.id) for one in newer.may_replace]
    late = agentos.supersession.questions.take(asker)
    assert [*told, *late] == [(older.id, newer.memory.id)]


async def test_a_value_of_the_profile_that_may_be_outdated_is_told_with_what_is_newer(
    agentos: AgentOS, clock: Any
) -> None:
    older, newer = await store_in_turn(agentos, clock, "My employer is Acme", "I now work at Globex, no longer at Acme")
    [value] = (await agentos.of_feature("profile").get(NS, ["work.employer"])).entries[0].values
    assert (value.memory_id, value.newer) == (older.id, newer.id)


async def test_a_note_written_by_a_clock_that_was_ahead_is_told_with_its_date_and_outdates_nothing(
    agentos: AgentOS, clock: Any
) -> None:
    clock.advance(days=400)
    [ahead] = await store_in_turn(agentos, clock, OLDER)
    clock.advance(days=-430)
    today = await agentos.memory.store(NS, StoreRequest(NEWER), ask=True, asker=(NS, "session"))
    assert await agentos.memory.embedded(60)
    await agentos.embedding.settled()
    found = (await agentos.memory.search(NS, ASKED)).hits
    assert [hit.memory.id for hit in found] == [today.memory.id, ahead.id]
    assert (await label(agentos, today.memory), found[0].memory.valid_to) == (None, None)
    assert found[1].memory.occurred_at > clock()
    assert found[1].memory.may_be_outdated_by is not None
    assert found[1].memory.may_be_outdated_by.id == today.memory.id
    await agentos.lifecycle.feedback(NS, ahead.id, "supersede", today.memory.id)
    assert (await agentos.memory.get(NS, today.memory.id))[0].valid_to is None
    assert [hit.memory.id for hit in (await agentos.memory.search(NS, ASKED)).hits] == [today.memory.id]


async def test_a_note_of_a_machine_whose_clock_is_minutes_ahead_counts_by_the_time_it_tells(
    agentos: AgentOS, clock: Any
) -> None:
    [newer] = await store_in_turn(agentos, clock, NEWER)
    clock.advance(days=-30, minutes=-5)
    [older] = await store_in_turn(agentos, clock, OLDER)
    assert (await label(agentos, older), await label(agentos, newer)) == (newer.id, None)
