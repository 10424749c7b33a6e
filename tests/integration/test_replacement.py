"""Superseding by meaning in a real store, with the real model."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import Memory, Status
from agentos.storage.embedded.store import EmbeddedStore

NS = "ada"
UPDATES = (
    ("The billing service is on port 8080.", "The billing service can be found behind 9090 from now on."),
    ("Willa's car is a Golf.", "Willa now sits behind the wheel of a Tesla."),
    ("Nadia banks with Barclays.", "Nadia gets her salary paid to Monzo now."),
    ("ledger-worker keeps its data in Postgres.", "ledger-worker now puts everything into MySQL."),
    ("Orla has her standup at 9:00.", "Orla now starts the day with the standup at 10:30."),
    ("Una commutes by train.", "Una now rides a bike to get to work."),
    ("Omar has the extension 2214.", "From now on Omar picks up under 3377."),
    ("Pavel flies with KLM.", "Pavel now books every trip with Finnair."),
    ("Ines gets newsletters at ines@old.example.", "Ines now checks ines@new.example only."),
    ("The garage router hands out 10.0.4.1.", "The garage router now hands out 10.0.9.1."),
    ("Magnus pays 900 euros of rent.", "Magnus now hands over 1,050 euros of rent."),
    ("The design team gathers in the Aquarium.", "The design team now comes together in the Boardroom."),
    ("Ines collects the parcels at counter 3.", "Ines now fetches the parcels at counter 8."),
    ("checkout-api writes to bucket red-fox.", "checkout-api now puts everything into bucket blue-owl."),
    ("The studio printer hangs off 10.0.4.12.", "The studio printer can be found behind 10.0.9.12 from now on."),
    ("mailroom hides behind 8080.", "mailroom can be found behind 9090 from now on."),
    ("Petra picks up under 3377.", "From now on Petra picks up under 2214."),
    ("The search service hides behind 7070.", "The search service now hides behind 4200."),
    ("The data team comes together in the Attic.", "The data team now comes together in the Loft."),
    ("Tom collects the keys at counter 5.", "Tom now fetches the keys at counter 9."),
)
BOTH_TRUE = (
    ("Willa's car is a Golf.", "Willa's neighbour now sits behind the wheel of a Tesla."),
    ("Lars Washington pays 900 euros of rent.", "Lars Halvorsen now hands over 1,050 euros of rent."),
    ("Esther has been to Peru.", "Esther has now been to Chile."),
    ("Nadia banks with Barclays.", "Nadia might get her salary paid to Monzo now."),
    ("Pavel flies with KLM.", "According to Ann, Pavel now books every trip with Finnair."),
    ("checkout-api listens on port 8080.", "checkout-worker can be found behind 9090 from now on."),
    ("ledger-worker keeps its data in Postgres.", "In staging, ledger-worker now puts everything into MySQL."),
    ("I surf with Firefox on my phone.", "I keep all tabs in Chrome on my laptop now."),
    ("thumbnailer is on port 8080.", "thumbnailer is all Rust now."),
    ("Omar has the extension 2214.", "Omar's sister now picks up under 3377."),
    ("The garage router hands out 10.0.4.1.", "The garage printer now sits at 10.0.9.1."),
    ("Dana lives in Oslo.", "Dana brought a lemon cake to the retrospective."),
)


@pytest.fixture
async def by_meaning(store: EmbeddedStore, home: Path, clock: Any) -> AsyncIterator[AgentOS]:
    """The services with the real model, and superseding by meaning."""
    settings = config.load({}, home=home, supersede_by_meaning=True)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    assert await agentos.embedding.ready(120)
    yield agentos
    await agentos.close()


async def told(agentos: AgentOS, clock: Any, *texts: str, **more: Any) -> list[Memory]:
    """Memories stored one day after the other, as they stand once each has been looked at."""
    stored = []
    for text in texts:
        stored.append((await agentos.memory.store(NS, text, **more)).memory)
        clock.advance(days=1)
        assert await agentos.memory.embedded(60)
        await agentos.embedding.settled()
    return [(await agentos.memory.get(NS, memory.id))[0] for memory in stored]


def row(home: Path, memory_id: str) -> dict[str, Any]:
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        connection.row_factory = sqlite3.Row
        return dict(connection.execute("SELECT * FROM memories WHERE id = ?", (memory_id,)).fetchone())


async def test_what_the_rules_cannot_read_is_replaced_by_its_meaning(by_meaning: AgentOS, clock: Any) -> None:
    unread = 0
    for older, newer in UPDATES:
        old, new = await told(by_meaning, clock, older, newer)
        assert old.valid_to == new.occurred_at and new.valid_to is None, newer
        [change, *_] = await by_meaning.judgements.changes(NS, old.id)
        assert change.action == "supersede", newer
        if new.slot is None or old.slot is None:  # the rules learn to read more and more of them
            unread += 1
            assert change.by == "job" and change.reason.startswith("by meaning: "), newer
    assert unread > len(UPDATES) / 2


async def test_what_is_true_beside_it_stays(by_meaning: AgentOS, clock: Any) -> None:
    for older, newer in BOTH_TRUE:
        for memory in await told(by_meaning, clock, older, newer):
            assert memory.valid_to is None and memory.status is Status.ACTIVE, (older, newer)


async def test_it_is_undone_byte_for_byte(by_meaning: AgentOS, clock: Any, home: Path) -> None:
    older, newer = UPDATES[1]
    [old] = await told(by_meaning, clock, older)
    before = row(home, old.id)
    [new] = await told(by_meaning, clock, newer)
    assert row(home, old.id) != before
    await by_meaning.judgements.revert(NS, new.id)
    assert row(home, old.id) == before


@pytest.mark.parametrize(
    "more",
    [{"source": "web: https://example.org"}, {"confidence": 0.3}, {"occurred_at": "2020-01-01"}],
    ids=["low trust", "unsure", "of an earlier time"],
)
async def test_it_never_overwrites_what_is_better_known(by_meaning: AgentOS, clock: Any, more: dict[str, Any]) -> None:
    older, newer = UPDATES[1]
    [old] = await told(by_meaning, clock, older)
    await told(by_meaning, clock, newer, **more)
    assert (await by_meaning.memory.get(NS, old.id))[0].valid_to is None


async def test_turns_of_conversations_replace_nothing(by_meaning: AgentOS, clock: Any) -> None:
    older, newer = UPDATES[1]
    [old] = await told(by_meaning, clock, older)
    await told(by_meaning, clock, f"Ann: {newer}", session="s")
    assert (await by_meaning.memory.get(NS, old.id))[0].valid_to is None
