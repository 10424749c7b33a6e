"""Turns: kept in order on pages, once for a key, in sessions that branch; the window of the last is never stale."""

import asyncio

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, InvalidInput, NotFound
from agentos.modules.turns.models import Role, Turn

from .conftest import Clock, OpenStore, Wire


def told(turns: list[Turn]) -> list[tuple[int, str, str]]:
    return [(turn.place, turn.role.value, turn.text) for turn in turns]


async def test_turns_keep_order_role_and_time(agentos: AgentOS, clock: Clock) -> None:
    first = await agentos.turns.add("default", "talk", "user", "Hello", occurred_at="2026-01-05T10:00:00Z")
    clock.advance(minutes=1)
    await agentos.turns.add("default", "talk", "assistant", "Good day")
    page = await agentos.turns.add("default", "talk", "user", "How are you?", answer="Well.")
    turns = await agentos.turns.turns("default", "talk")
    assert told(turns) == [
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
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT] * 45, "a page is added whole"
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
    with pytest.raises(Conflict, match="no branch"):
        await agentos.turns.branch("default", "leaf", "twig")
    with pytest.raises(NotFound, match="parent"):
        await agentos.turns.branch("default", "nobody", "new")
    with pytest.raises(InvalidInput, match="parent"):
        await agentos.turns.branch("default", "twig", "twig")
    trunk, twig = [
        next(s for s in await agentos.sessions.page("default") if s.key == name) for name in ("trunk", "twig")
    ]
    assert twig.parent == trunk.id and twig.project == trunk.project
