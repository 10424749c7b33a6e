"""What rules would end, the model is asked about first: in a real store, with the real model."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import predecessors, second_opinion
from agentos.modules.memory.models import Memory
from agentos.modules.memory.service import MemoryChanges
from agentos.storage.embedded.store import EmbeddedStore

NS = "ada"
MISREAD = (
    ("My passwords are in Bitwarden.", "I was on 1Password for a while in 2018."),
    ("Selma gets up at 4:45.", "At boarding school Selma had to rise at 5:30."),
    ("Nadja has a phone contract with Vodafone.", "Nadja's home internet moved to O2."),
)
READ = (
    ("I get to work by bike.", "I come in by tram now."),
    ("Maria lives in Lisbon.", "Maria has moved to Porto."),
    ("Maria lives in Lisbon.", "Maria no longer lives in Lisbon."),
    ("Maria lives in Lisbon.", "Actually Maria lives in Porto."),
    ("I work at Google.", "I work at Meta."),
    ("I work at Google.", "I left Google."),
    ("The package manager is npm.", "The package manager is pnpm."),
    ("I am vegetarian.", "I am no longer vegetarian."),
    ("Ian works at Google.", "Ian is no longer at Google, he's at Meta now"),  # it names what ends
    ("Ian works at Google.", "Ian quit Google and joined Meta."),
    ("Ines is on call for billing.", "Karl is on call for billing now."),  # the same sentence
)
OPEN = (
    ("Who is Noor's GP?", "Noor's family doctor: Dr. Moreau.", "If Noor falls ill, ring Dr. Weber from now on."),
    (
        "Who's on call for voucher-api?",
        "On call for voucher-api: Cedric.",
        "From July on, phone Marcus if voucher-api goes down.",
    ),
)
"""A question, and two statements of which rules take the newer one for unsure."""
CHANGED = "Dana has a flat in Lisbon, right by the river.", "Dana has packed up everything and now calls Porto home."
BESIDE = (
    ("Where does my sister live?", "My sister lives in Bern.", "My sister-in-law now lives in Basel."),
    ("Who is my dentist?", "My dentist is Dr. Hofer.", "My new eye doctor is Dr. Lang."),
    ("What is the user's shell?", "The user's login shell is zsh.", "The user's favourite film is Arrival."),
    ("How are clients authenticated?", "Clients of billing use API keys.", "Yasmin owes Tom a coffee after the audit."),
    ("What timeout does the gateway have?", "The gateway's timeout is 30 s.", "In staging its timeout is 120 s now."),
)
"""A question, its answer, and what was said later, comes near, and leaves it true."""
Open = Callable[[bool], Awaitable[AgentOS]]


@pytest.fixture
async def opened(
    with_graphs: None, store: EmbeddedStore, home: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Open]:
    """Opens the services; the model may take its time, however busy the machine is."""
    for module in (predecessors, second_opinion):
        monkeypatch.setattr(module, "WAIT_S", 60.0)
    made: list[AgentOS] = []

    async def open_(asked: bool) -> AgentOS:
        settings = config.load({}, home=home, second_opinion=asked)
        model = database.open_succession_model(settings)
        agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock, succession_model=model)
        made.append(agentos)
        assert await agentos.embedding.ready(120) and (model is None or await model.ready(120))
        return agentos

    yield open_
    for agentos in made:
        await agentos.close()


async def told(agentos: AgentOS, clock: Any, *texts: str, **more: Any) -> list[Memory]:
    stored = []
    for text in texts:
        stored.append((await agentos.memory.store(NS, text, **more)).memory.id)
        assert await agentos.memory.embedded(60)
        clock.advance(days=30)
    return [(await agentos.memory.get(NS, memory_id))[0] for memory_id in stored]


@pytest.mark.parametrize("ask", [True, False])
@pytest.mark.parametrize(("older", "newer"), MISREAD)
async def test_what_only_reads_like_an_update_ends_nothing(
    opened: Open, clock: Any, older: str, newer: str, ask: bool
) -> None:
    old, new = await told(await opened(True), clock, older, newer, ask=ask)
    assert old.valid_to is None and old.status == new.status == "active"


@pytest.mark.parametrize(("older", "newer"), MISREAD)
async def test_rules_alone_would_end_it(opened: Open, clock: Any, older: str, newer: str) -> None:
    old, new = await told(await opened(False), clock, older, newer)
    assert old.valid_to == new.holds_from


@pytest.mark.parametrize(("older", "newer"), READ)
async def test_an_update_that_rules_read_still_ends_the_older(opened: Open, clock: Any, older: str, newer: str) -> None:
    old, _ = await told(await opened(True), clock, older, newer)
    assert old.valid_to is not None


async def test_whoever_gives_the_slot_is_not_doubted(opened: Open, clock: Any) -> None:
    given = {"subject": "user", "attribute": "password manager"}
    old, new = await told(await opened(True), clock, *MISREAD[0], **given)
    assert old.valid_to == new.holds_from


async def test_how_large_a_namespace_is_makes_no_difference(
    opened: Open, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predecessors, "LARGEST", 0)
    old, new = await told(await opened(True), clock, *MISREAD[0])
    assert old.valid_to is None and old.status == new.status == "active"


async def test_what_was_misread_need_not_be_among_the_nearest(
    opened: Open, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predecessors, "NEIGHBOURS", 1)
    agentos = await opened(True)
    old, *_, new = await told(agentos, clock, MISREAD[0][0], "I was on 1Password twice, a while ago.", MISREAD[0][1])
    assert old.valid_to is None and old.status == new.status == "active"


async def test_a_contested_statement_is_not_ended_unasked(opened: Open, clock: Any) -> None:
    older, newer = MISREAD[0]
    agentos = await opened(True)
    [old] = await told(agentos, clock, older)
    slot = {"subject": old.slot.subject, "attribute": old.slot.attribute} if old.slot else {}
    [rival] = await told(agentos, clock, "My passwords are in Keeper.", confidence=0.4, **slot)
    assert rival.status == "contested"
    await told(agentos, clock, newer)
    assert (await agentos.memory.get(NS, old.id))[0].valid_to is None


async def test_a_revised_text_has_a_second_opinion_too(opened: Open, clock: Any) -> None:
    agentos = await opened(True)
    old, note = await told(agentos, clock, MISREAD[0][0], "The plants in the Loft died.")
    await agentos.memory.update(NS, note.id, MemoryChanges(content=MISREAD[0][1]))
    assert (await agentos.memory.get(NS, old.id))[0].valid_to is None


@pytest.mark.parametrize(("asked", "older", "newer"), OPEN)
async def test_what_rules_cannot_read_is_marked_where_the_model_is_sure(
    opened: Open, clock: Any, asked: str, older: str, newer: str
) -> None:
    clock.advance(days=300)
    old, new = await told(await opened(True), clock, older, newer, kind="note")
    for has_opinion, marked in ((True, new.id), (False, None)):
        clock.advance(days=200)
        hits = (await (await opened(has_opinion)).memory.search(NS, asked)).hits
        assert {hit.memory.id: hit.outdated_by for hit in hits} == {old.id: marked, new.id: None}


@pytest.mark.parametrize("others", [0, 1, 4])
@pytest.mark.parametrize(("asked", "older", "newer"), BESIDE)
async def test_what_leaves_it_true_marks_nothing_however_little_there_is_beside(
    opened: Open, clock: Any, asked: str, older: str, newer: str, others: int
) -> None:
    notes = (
        "The printer is in the hall.",
        "I bake on Sundays.",
        "Kofi owes Dana a coffee.",
        "Invoices go out on the 5th.",
    )
    agentos = await opened(True)
    await told(agentos, clock, *notes[:others], older, newer, kind="note")
    hits = (await agentos.memory.search(NS, asked)).hits
    assert older in [hit.memory.content for hit in hits] and not any(hit.outdated_by for hit in hits)


async def test_where_the_model_says_nothing_rules_decide(
    opened: Open, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agentos = await opened(True)
    _, new = await told(agentos, clock, *CHANGED, kind="note")
    monkeypatch.setattr(second_opinion, "WAIT_S", 0.0)
    hits = (await agentos.memory.search(NS, "Where does Dana live?")).hits
    assert [hit.outdated_by for hit in hits] == [None, new.id]
