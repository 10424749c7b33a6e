"""Slots that a caller gives: they are found by what they are about, and one value follows the other."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import slot_channel
from agentos.modules.memory.models import Memory, MemoryFilter
from agentos.modules.memory.ports import Embedder
from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"
PAIRS = (
    ("my board game", "Pandemic", "I'm over that one, Azul is the best for me now.", "Azul"),
    ("my hourly rate", "€110", "I raised my prices, it's €65 each time the clock goes round.", "€65"),
    ("my headphones", "Jabra Elite", "The old pair died, I have AirPods Pro now.", "AirPods Pro"),
    ("my thermostat", "18", "I've changed the setting, it's 22.5 indoors now.", "22.5"),
    ("password manager", "Bitwarden", "The router login is kept in NordPass.", "NordPass"),
    ("browser", "Vivaldi", "Extensions for me must be compatible with Edge.", "Edge"),
)
ASKED = (
    ("Which board game do I like best?", "my board game"),
    ("What is my rate for an hour?", "my hourly rate"),
    ("What headphones do I have?", "my headphones"),
    ("At how many degrees is the thermostat?", "my thermostat"),
    ("Where are my passwords?", "password manager"),
)


@pytest.fixture
def embedder(with_graphs: None, home: Path) -> Embedder:
    """The real model."""
    return database.open_embedder(config.load({}, home=home))


@pytest.fixture
async def stored_pairs(agentos: AgentOS, clock: Any) -> dict[str, tuple[str, str]]:
    """The ids of an older and a newer statement for each attribute, each with its slot, amid notes without one."""
    assert await agentos.embedding.ready(120)
    for number in range(12):
        await agentos.memory.store(
            NS, StoreRequest(f"Kofi cleaned floor {number} and charged nobody; the table is free again.")
        )
    ids = {}
    for attribute, before, text, after in PAIRS:
        slot = {"subject": "the user", "attribute": attribute}
        older = await agentos.memory.store(
            NS, StoreRequest(f"Somebody has written down {before} for me.", value=before, **slot)
        )
        clock.advance(days=40)
        newer = await agentos.memory.store(NS, StoreRequest(text, value=after, **slot))
        ids[attribute] = (older.memory.id, newer.memory.id)
    assert await agentos.memory.embedded(60)
    return ids


async def one(agentos: AgentOS, memory_id: str) -> Memory:
    return (await agentos.memory.get(NS, memory_id))[0]


async def test_the_newer_value_ends_the_older_one_whatever_the_texts_say(
    agentos: AgentOS, stored_pairs: dict[str, tuple[str, str]]
) -> None:
    for older, newer in stored_pairs.values():
        assert (await one(agentos, older)).valid_to == (await one(agentos, newer)).holds_from


async def test_the_value_of_a_password_manager_is_no_password(
    agentos: AgentOS, stored_pairs: dict[str, tuple[str, str]]
) -> None:
    slot = (await one(agentos, stored_pairs["password manager"][1])).slot
    assert slot is not None and slot.value == "NordPass"


async def test_what_states_the_slot_that_is_asked_for_comes_first(
    agentos: AgentOS, stored_pairs: dict[str, tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot_channel, "WAIT_S", 60.0)
    for question, attribute in ASKED:
        hits = (await agentos.memory.search(NS, question)).hits
        assert hits[0].memory.id == stored_pairs[attribute][1], question
        assert hits[0].parts["slot"] > 0, question


async def test_another_slot_or_none_outdates_nothing(agentos: AgentOS, clock: Any) -> None:
    assert await agentos.embedding.ready(120)
    slot = {"subject": "Ursula", "attribute": "marital status", "value": "divorced"}
    status = (await agentos.memory.store(NS, StoreRequest("Ursula introduces herself as divorced.", **slot))).memory.id
    clock.advance(days=30)
    await agentos.memory.store(
        NS, StoreRequest("Ursula decided that a meeting without an agenda may be skipped from now on.")
    )
    slot = {"subject": "Ursula", "attribute": "sport", "value": "judo"}
    await agentos.memory.store(NS, StoreRequest("Ursula has changed to judo.", **slot))
    assert await agentos.memory.embedded(60)
    [first, *_] = (await agentos.memory.search(NS, "What is the marital status of Ursula?")).hits
    assert first.memory.id == status and first.memory.outdated_by is None


@pytest.mark.parametrize(
    "text", ["I also write code in Helix.", "I write code in Helix, too.", "I write code in Helix as well."]
)
async def test_what_is_added_ends_nothing(agentos: AgentOS, clock: Any, text: str) -> None:
    slot = {"subject": "the user", "attribute": "editor"}
    vim = await agentos.memory.store(NS, StoreRequest("I write code in Vim.", value="Vim", **slot))
    clock.advance(days=1)
    await agentos.memory.store(NS, StoreRequest(text, value="Helix", **slot))
    assert (await one(agentos, vim.memory.id)).valid_to is None


FROM_2099 = "From 2099-01-01 the staging host is db9, the host that staging has then"
TO_COME = (
    ("slot-same", {}, "staging host", ["db8", "db9"]),
    ("slot-other-attribute", {"attribute": "port"}, "staging host", ["db9", "db8"]),
    ("slot-other-subject", {"subject": "production"}, "staging host", ["db9", "db8"]),
)


@every("name, slot, query, expected", TO_COME)
async def test_what_is_yet_to_hold_comes_after_what_holds_in_its_slot(
    agentos: AgentOS, clock: Any, name: str, slot: dict[str, str], query: str, expected: list[str]
) -> None:
    given = {"subject": "staging", "attribute": "host"}
    for text, value, more in (("Kofi put staging on db8", "db8", slot), (FROM_2099, "db9", {})):
        await agentos.memory.store(name, StoreRequest(text, value=value, **{**given, **more}))
        clock.advance(minutes=1)
    found = await agentos.memory.search(name, query)
    assert [re.findall(r"db\d", hit.memory.content)[0] for hit in found.hits] == expected
    assert all(hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-6) for hit in found.hits)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    then = await agentos.memory.search(name, query, MemoryFilter(as_of=datetime(2100, 1, 1, tzinfo=UTC)))
    assert "db9" in then.hits[0].memory.content
