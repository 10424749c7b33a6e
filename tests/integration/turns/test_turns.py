"""Turns: kept in order on pages, once for a key, in sessions that branch; the window of the last is never stale."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, InvalidInput, NotFound
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.modules.turns.models import Turn, TurnRole
from agentos.storage.embedding.lazy import NoEmbedder
from tests.integration.conftest import Clock, OpenStore, Wire, require_intact_keys


def summaries_of(turns: list[Turn]) -> list[tuple[int, str, str]]:
    return [(turn.place, turn.role.value, turn.text) for turn in turns]


async def test_turns_keep_order_role_and_time(agentos: AgentOS, clock: Clock) -> None:
    first = await agentos.turns.add("default", "talk", "user", "Hello", occurred_at="2026-01-05T10:00:00Z")
    clock.advance(minutes=1)
    await agentos.turns.add("default", "talk", "assistant", "Good day")
    page = await agentos.turns.add("default", "talk", "user", "How are you?", answer="Well.")
    turns = await agentos.turns.turns("default", "talk")
    assert summaries_of(turns) == [
        (0, "user", "Hello"),
        (1, "assistant", "Good day"),
        (2, "user", "How are you?"),
        (3, "assistant", "Well."),
    ]
    assert turns[0].occurred_at.isoformat() == "2026-01-05T10:00:00+00:00" and turns[1].occurred_at == clock()
    assert page.new == 2 and [turn.place for turn in page.turns] == [2, 3]
    assert all(turn.tokens > 0 and turn.salience is None for turn in turns)
    memory, _ = await agentos.memory.get("default", first.turns[0].memory_id)
    assert (memory.session, memory.place, memory.kind, memory.memory_type) == ("talk", 0, "episode", "episodic")
    [session] = await agentos.sessions.page("default")
    assert (session.client, session.key, session.title, session.id) == ("turns", "talk", "Hello", first.session_id)


async def test_a_user_turn_opens_a_page_and_answers_follow(agentos: AgentOS) -> None:
    for role, text in (
        ("system", "Be brief."),
        ("user", "One"),
        ("user", "Two"),
        ("assistant", "Yes"),
        ("tool", "exit code 0"),
        ("user", "Three"),
    ):
        await agentos.turns.add("default", "talk", role, text)
    pages = await agentos.turns.pages("default", "talk")
    assert [[turn.text for turn in page.turns] for page in pages] == [
        ["Be brief."],
        ["One"],
        ["Two", "Yes", "exit code 0"],
        ["Three"],
    ]
    assert [page.number for page in pages] == [0, 1, 2, 3] and {page.segment for page in pages} == {None}
    assert [turn.page for turn in pages[2].turns] == [pages[2].id] * 3
    memory, _ = await agentos.memory.get("default", pages[2].turns[2].memory_id)
    assert memory.trust < 0.5, "what a tool said is trusted less"


async def test_the_same_words_twice_are_two_turns_and_the_same_key_is_one(agentos: AgentOS) -> None:
    for _ in range(2):
        await agentos.turns.add("default", "talk", "user", "ok")
    for text in ("first", "another text"):
        again = await agentos.turns.add("default", "talk", "user", text, answer="yes", key="k")
    assert again.new == 0 and [turn.text for turn in again.turns] == ["first", "yes"]
    for _ in range(2):
        await agentos.turns.add("default", "talk", "user", "at a time", occurred_at="2026-01-01")
    assert [turn.text for turn in await agentos.turns.turns("default", "talk")] == [
        "ok",
        "ok",
        "first",
        "yes",
        "at a time",
    ]
    late = await agentos.turns.add("default", "talk", "user", "first", answer="yes", key="k")
    assert late.new == 0
    elsewhere = await agentos.turns.add("default", "other talk", "user", "first", key="k")
    assert elsewhere.new == 1 and elsewhere.turns[0].place == 0


async def test_what_is_not_acceptable_changes_nothing(agentos: AgentOS) -> None:
    for arguments, field in (
        (("talk", "narrator", "x"), "role"),
        (("talk", "user", " "), "content"),
        (("", "user", "x"), "session"),
        (("talk", "user", "x\x00"), "content"),
    ):
        with pytest.raises(InvalidInput, match=field):
            await agentos.turns.add("default", *arguments)
    with pytest.raises(InvalidInput, match="answer"):
        await agentos.turns.add("default", "talk", "assistant", "x", answer="y")
    with pytest.raises(InvalidInput, match="answer"):
        await agentos.turns.add("default", "talk", "user", "x", answer="\x00")
    with pytest.raises(NotFound, match="parent"):
        await agentos.turns.add("default", "talk", "user", "x", parent="nobody")
    assert await agentos.turns.turns("default", "talk") == [] and await agentos.sessions.page("default") == []


async def test_secrets_are_taken_out_of_turns(agentos: AgentOS) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    added = await agentos.turns.add("default", "talk", "user", f"my token is {secret}", answer=f"noted {secret}")
    assert all(secret not in turn.text for turn in added.turns)


async def test_turns_are_found_by_search_by_meaning_too(agentos: AgentOS) -> None:
    await agentos.turns.add("default", "talk", "user", "the boat is called Marguerite", answer="a lovely name")
    assert await agentos.memory.embedded(60)
    found = await agentos.memory.search("default", "boat called")
    assert found.mode == "hybrid" and found.hits[0].memory.content == "the boat is called Marguerite"


async def test_writers_at_once_leave_no_gap_and_share_one_session(open_store: OpenStore, wire: Wire) -> None:
    services = [wire(await open_store()) for _ in range(3)]
    await asyncio.gather(
        *(
            service.turns.add("default", "talk", "user", f"{writer} {number}", answer="yes")
            for writer, service in enumerate(services)
            for number in range(15)
        )
    )
    turns = await services[0].turns.turns("default", "talk")
    assert [turn.place for turn in turns] == list(range(90))
    assert [turn.role for turn in turns] == [TurnRole.USER, TurnRole.ASSISTANT] * 45, "a page is added whole"
    pages = await services[0].turns.pages("default", "talk")
    assert [page.number for page in pages] == list(range(45)) and all(len(page.turns) == 2 for page in pages)
    assert len(await services[0].sessions.page("default")) == 1


async def test_the_window_is_the_last_twenty_and_never_stale(open_store: OpenStore, wire: Wire, clock: Clock) -> None:
    one, other = wire(await open_store()), wire(await open_store())
    for number in range(25):
        await one.turns.add("default", "talk", "user", f"turn {number}")
    window = await one.turns.window("default", "talk")
    assert (
        [turn.place for turn in window]
        == list(range(5, 25))
        == [t.place for t in await other.turns.window("default", "talk")]
    )
    added = await other.turns.add("default", "talk", "assistant", "from elsewhere")
    assert (await one.turns.window("default", "talk"))[-1] == added.turns[0]
    assert len(await one.turns.window("default", "talk", 3)) == 3
    assert [turn.place for turn in await one.turns.window("default", "talk", 26)] == list(range(26))
    await other.memory.delete("default", window[-1].memory_id)
    assert window[-1] not in await one.turns.window("default", "talk")
    assert len(await one.turns.window("default", "talk")) == 20, "what came before moves up"
    assert await wire(await open_store()).turns.window("default", "talk") == await one.turns.window("default", "talk")
    assert await one.turns.window("default", "unknown") == []


async def test_a_branch_sees_what_was_said_before_it_and_changes_nothing_there(agentos: AgentOS) -> None:
    for number in range(4):
        await agentos.turns.add("default", "trunk", "user", f"trunk {number}")
    branch = await agentos.turns.branch("default", "trunk", "twig")
    assert (branch.place, branch.is_new) == (3, True)
    await agentos.turns.add("default", "trunk", "user", "said in the trunk later")
    await agentos.turns.add("default", "twig", "user", "said in the twig")
    window = await agentos.turns.window("default", "twig")
    assert [turn.text for turn in window] == [*(f"trunk {n}" for n in range(4)), "said in the twig"]
    assert [turn.place for turn in window] == [0, 1, 2, 3, 4]
    assert [t.text for t in await agentos.turns.window("default", "trunk")][-1] == "said in the trunk later"
    early = await agentos.turns.branch("default", "twig", "leaf", 1)
    await agentos.turns.add("default", "leaf", "user", "said in the leaf")
    assert early.place == 1
    assert [t.text for t in await agentos.turns.window("default", "leaf")] == ["trunk 0", "trunk 1", "said in the leaf"]
    again = await agentos.turns.branch("default", "trunk", "twig")
    assert (again.place, again.is_new) == (3, False)
    with pytest.raises(Conflict, match="not a branch"):
        await agentos.turns.branch("default", "leaf", "twig")
    with pytest.raises(NotFound, match="parent"):
        await agentos.turns.branch("default", "nobody", "new")
    with pytest.raises(InvalidInput, match="parent"):
        await agentos.turns.branch("default", "twig", "twig")
    trunk, twig = [
        next(s for s in await agentos.sessions.page("default") if s.key == name) for name in ("trunk", "twig")
    ]
    assert twig.parent == trunk.id and twig.project == trunk.project


FILLER = ("ok", "thanks", "ok", "yes", "ok")


@pytest.fixture
async def with_model(store: OpenedStore, with_graphs: None, home: Path, clock: Clock) -> AsyncIterator[AgentOS]:
    """The services with the real model."""
    settings = config.load({}, home=home)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    assert await agentos.embedding.ready(120)
    yield agentos
    await agentos.close()


async def test_what_is_new_and_names_things_is_more_salient_than_filler(with_model: AgentOS) -> None:
    for text in ("ok", "Ana Silva from Lisbon takes over the billing service on 3 May", *FILLER):
        await with_model.turns.add("default", "talk", "user", text)
    assert await with_model.memory.embedded(60)
    assert await with_model.turns.mature() == 7
    turns = await with_model.turns.turns("default", "talk")
    weights = [turn.salience for turn in turns]
    assert all(weight is not None for weight in weights) and weights[1] == max(weights, key=lambda w: w or 0)
    assert await with_model.turns.mature() == 0, "nothing is new"
    candidates = await with_model.turns.least_salient("default", "talk")
    assert len(candidates) == 2 and turns[1] not in candidates
    assert (await with_model.turns.window("default", "talk"))[1].salience == weights[1], "the window is told of it"
    await with_model.turns.add("default", "talk", "user", "Ana Silva called from Porto about invoice 4711")
    assert await with_model.memory.embedded(60)
    assert await with_model.turns.mature() > 1, "the others are older now"


async def test_a_continued_topic_shares_one_chain_and_its_gist(with_model: AgentOS) -> None:
    for question, answer in (
        ("How do I set up a replica for the Postgres database?", "Take a base backup and create a replication slot."),
        ("Which replication slots should the Postgres replica use?", "Physical ones."),
        ("And what if it lags behind?", "Watch pg_stat_replication."),
        ("Which neighbourhood in Lisbon is good for a holiday?", "Alfama."),
        ("Are there direct flights from Hamburg to Lisbon?", "Yes, every day."),
    ):
        await with_model.turns.add("default", "talk", "user", question, answer=answer)
    assert await with_model.memory.embedded(60)
    await with_model.turns.mature()
    pages = await with_model.turns.pages("default", "talk")
    assert [page.chain for page in pages] == [pages[0].id] * 3 + [pages[3].id] * 2
    assert "replica" in pages[0].gist and "Lisbon" in pages[3].gist
    assert {page.gist for page in (pages[1], pages[2], pages[4])} == {""}
    await with_model.turns.mature()
    assert await with_model.turns.pages("default", "talk") == [
        replace(page, turns=now.turns)
        for page, now in zip(pages, await with_model.turns.pages("default", "talk"), strict=True)
    ]


async def test_without_a_model_words_tell_what_is_new(lexical: AgentOS) -> None:
    for text in ("ok", "Ana Silva from Lisbon takes over on 3 May", "ok", "ok"):
        await lexical.turns.add("default", "talk", "user", text)
    assert await lexical.turns.mature() == 4
    [_, new, *filler] = [turn.salience or 0 for turn in await lexical.turns.turns("default", "talk")]
    assert new > max(filler)


async def test_a_turn_waits_for_its_vector_but_not_for_ever(store: OpenedStore, wire: Wire, clock: Clock) -> None:
    agentos = wire(store)
    await agentos.turns.add("default", "talk", "user", "one")
    assert await agentos.memory.embedded(60)
    other = wire(store, NoEmbedder())
    await other.turns.add("default", "talk", "user", "two")
    assert await agentos.turns.mature() == 1
    clock.advance(minutes=11)
    assert await agentos.turns.mature() >= 1
    assert all(turn.salience is not None for turn in await agentos.turns.turns("default", "talk"))


def rows(at_hand: Any, table: str) -> int:
    with at_hand() as connection:
        require_intact_keys(connection)
        orphans = "SELECT count(*) FROM pages p WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.page = p.seq)"
        assert connection.execute(orphans).fetchone() == (0,), "no page without turns"
        lost = "SELECT count(*) FROM pages p WHERE NOT EXISTS (SELECT 1 FROM pages f WHERE f.id = p.chain)"
        assert connection.execute(lost).fetchone() == (0,), "every chain begins somewhere"
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


async def conversation(agentos: AgentOS) -> list[Turn]:
    for question in ("first secret plan", "and the second", "and the third"):
        await agentos.turns.add("default", "talk", "user", question, answer=f"about {question}")
    assert await agentos.memory.embedded(60)
    await agentos.turns.mature()
    return await agentos.turns.turns("default", "talk")


async def test_an_erased_turn_leaves_nothing_and_its_chain_begins_later(
    agentos: AgentOS, home: Path, at_hand: Any
) -> None:
    turns = await conversation(agentos)
    pages = await agentos.turns.pages("default", "talk")
    assert [page.chain for page in pages] == [pages[0].id] * 3 and pages[0].gist
    await agentos.memory.delete("default", turns[0].memory_id)
    remaining = await agentos.turns.pages("default", "talk")
    assert remaining[0].gist == "" and [turn.text for turn in remaining[0].turns] == ["about first secret plan"]
    await agentos.memory.delete("default", turns[1].memory_id)
    assert (rows(at_hand, "pages"), rows(at_hand, "turns")) == (2, 4)
    await agentos.turns.mature()
    remaining = await agentos.turns.pages("default", "talk")
    assert [page.chain for page in remaining] == [pages[1].id] * 2 and "secret" not in remaining[0].gist != ""
    await agentos.memory.delete_where("default", MemoryFilter(session="talk"))
    assert (rows(at_hand, "pages"), rows(at_hand, "turns"), rows(at_hand, "memories")) == (0, 0, 0)
    added = await agentos.turns.add("default", "talk", "assistant", "again")
    assert added.turns[0].place == 0


async def test_an_erased_session_takes_its_turns_along(agentos: AgentOS, home: Path, at_hand: Any) -> None:
    turns = await conversation(agentos)
    branch = await agentos.turns.branch("default", "talk", "twig")
    await agentos.turns.add("default", "twig", "user", "said in the twig")
    other = await agentos.memory.store("default", StoreRequest("no turn at all"))
    [trunk] = [one for one in await agentos.sessions.page("default") if one.key == "talk"]
    await agentos.sessions.erase("default", trunk.id)
    assert (rows(at_hand, "pages"), rows(at_hand, "turns"), rows(at_hand, "memories")) == (1, 1, 2)
    with pytest.raises(NotFound):
        await agentos.memory.get("default", turns[0].memory_id)
    assert [turn.text for turn in await agentos.turns.window("default", "twig")] == ["said in the twig"]
    assert await agentos.turns.window("default", "talk") == []
    assert (await agentos.memory.get("default", other.memory.id))[0].content == "no turn at all"
    await agentos.sessions.erase("default", branch.session_id)
    assert (rows(at_hand, "turns"), rows(at_hand, "events")) == (0, 0)


async def test_a_forgotten_turn_is_in_no_answer_until_it_is_brought_back(
    agentos: AgentOS, home: Path, clock: Clock, at_hand: Any
) -> None:
    turns = await conversation(agentos)
    for turn in turns[:2]:
        await agentos.lifecycle.forget("default", turn.memory_id)
    pages = await agentos.turns.pages("default", "talk")
    assert [page.number for page in pages] == [1, 2] and {page.gist for page in pages} == {""}
    assert [turn.place for turn in await agentos.turns.window("default", "talk")] == [2, 3, 4, 5]
    await agentos.lifecycle.revert("default", turns[0].memory_id)
    assert [turn.place for turn in await agentos.turns.window("default", "talk")] == [0, 2, 3, 4, 5]
    clock.advance(days=400)
    assert await agentos.upkeep.erase_forgotten() == 1
    assert (rows(at_hand, "pages"), rows(at_hand, "turns")) == (3, 5)


@pytest.mark.parametrize("way", ["erase", "forget", "correct"])
async def test_no_session_is_named_by_words_that_are_gone(agentos: AgentOS, way: str) -> None:
    secret = await agentos.turns.add("default", "talk", "user", "My daughter Zorbaline is ill")
    await agentos.turns.branch("default", "talk", "twig")
    await agentos.turns.branch("default", "twig", "leaf")
    [turn] = secret.turns
    if way == "erase":
        await agentos.memory.delete("default", turn.memory_id)
    elif way == "forget":
        await agentos.lifecycle.forget("default", turn.memory_id)
    else:
        await agentos.memory.update("default", turn.memory_id, MemoryChanges(content="Nothing"))
    assert {one.title for one in await agentos.sessions.page("default")} == {""}
    await agentos.turns.add("default", "talk", "user", "Let us talk of boats")
    titles = {one.key: one.title for one in await agentos.sessions.page("default")}
    assert titles["talk"] == "Let us talk of boats"


async def test_what_a_changed_turn_led_to_is_worked_out_again(agentos: AgentOS) -> None:
    turns = await conversation(agentos)
    changed = await agentos.memory.update(
        "default", turns[0].memory_id, MemoryChanges(content="nothing of the sort at all")
    )
    [first, *_] = await agentos.turns.window("default", "talk")
    assert (first.text, first.salience) == (changed.content, None) and first.tokens > turns[0].tokens
    assert changed.kind == "episode"
    assert (await agentos.turns.pages("default", "talk"))[0].gist == ""
    assert await agentos.memory.embedded(60)
    assert await agentos.turns.mature() > 0
    assert "secret plan" not in (await agentos.turns.pages("default", "talk"))[0].turns[0].text


async def test_a_bundle_has_conversations_whole(
    agentos: AgentOS, tmp_path: Path, wire: Wire, clock: Clock, open_home: Any
) -> None:
    await conversation(agentos)
    await agentos.turns.branch("default", "talk", "twig", 1)
    await agentos.turns.add("default", "twig", "user", "said in the twig", key="k")
    bundle = tmp_path / "bundle.jsonl"
    await agentos.portability.export(bundle)
    other_home = tmp_path / "other"
    store = await open_home(other_home, other_home / "agentos.db", clock)
    try:
        other = wire(store)
        for _ in range(2):
            await other.portability.import_bundle(bundle)
            for name in ("talk", "twig"):
                assert await other.turns.window("default", name) == await agentos.turns.window("default", name)
                assert await other.turns.pages("default", name) == await agentos.turns.pages("default", name)
        assert (await other.turns.add("default", "twig", "user", "said in the twig", key="k")).new == 0
        imported = [await other.turns.turns("default", name) for name in ("talk", "twig")]
        assert sum(map(len, imported)) == 7
    finally:
        await store.close()


async def test_a_bundle_brings_no_page_without_turns(
    agentos: AgentOS, tmp_path: Path, wire: Wire, clock: Clock, home: Path, open_home: Any, at_hand: Any
) -> None:
    """The same words are there already, in a session of the same name."""
    bundle, other_home = tmp_path / "bundle.jsonl", tmp_path / "other"
    store = await open_home(other_home, other_home / "agentos.db", clock)
    try:
        other = wire(store)
        for services in (agentos, other):
            await services.turns.add("default", "talk", "user", "the same", answer="indeed", key="k")
        await other.portability.export(bundle)
    finally:
        await store.close()
    await agentos.portability.import_bundle(bundle)
    assert (rows(at_hand, "pages"), rows(at_hand, "turns"), rows(at_hand, "memories")) == (1, 2, 2)


async def test_a_run_weighs_a_bounded_number_of_turns_and_the_next_goes_on(
    agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentos.modules.turns import service

    for number in range(30):
        await agentos.turns.add(
            "default", "talk", "user", f"Turn number {number} about {['bread', 'tests', 'boats'][number % 3]}"
        )
    await agentos.embedding.caught_up(60)
    monkeypatch.setattr(service, "CONTEXT", 4)
    monkeypatch.setattr(service, "MATURED_AT_ONCE", 20)
    monkeypatch.setattr(service, "MATURED_A_RUN", 10)
    assert await agentos.turns.mature() == 20
    left = [turn for turn in await agentos.turns.turns("default", "talk") if turn.salience is None]
    assert len(left) == 10
    await agentos.turns.mature()
    assert not [turn for turn in await agentos.turns.turns("default", "talk") if turn.salience is None]
