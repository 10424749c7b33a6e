"""What may be outdated, in a real store, with the real model: the newer goes first, and the older is marked."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import outdated
from agentos.modules.memory.models import MemoryFilter, SearchHit
from agentos.storage.embedded.store import EmbeddedStore

NS = "ada"
OLDER, NEWER = (
    "Dana has a flat in Lisbon, right by the river.",
    "Dana has packed up everything and now calls Porto home.",
)
ASKED = "Where does Dana live?"
BESIDE = (
    "Dana gave a short demo of the importer to visitors from Volvo.",
    "The standup of the data team was noisy on Thursday.",
    "Kofi owes Dana three coffees after the bet about the release.",
)


@pytest.fixture
async def agentos(store: EmbeddedStore, home: Path, clock: Any) -> AsyncIterator[AgentOS]:
    """The services with the real model."""
    settings = config.load({}, home=home)
    opened = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    assert await opened.embedding.ready(120)
    yield opened
    await opened.close()


async def told(agentos: AgentOS, clock: Any, *texts: str, **more: Any) -> list[str]:
    """Ids of notes stored a month after one another; as notes they state nothing that rules could judge."""
    ids = []
    for text in texts:
        ids.append((await agentos.memory.store(NS, text, kind="note", **more)).memory.id)
        clock.advance(days=30)
    assert await agentos.memory.embedded(60)
    return ids


async def asked(agentos: AgentOS, question: str = ASKED, **where: Any) -> list[SearchHit]:
    return list((await agentos.memory.search(NS, question, MemoryFilter(**where))).hits)


async def test_the_newer_goes_first_and_the_older_is_marked(agentos: AgentOS, clock: Any) -> None:
    older, newer = await told(agentos, clock, OLDER, NEWER)
    await told(agentos, clock, *BESIDE)
    first, *others = await asked(agentos)
    [marked] = [hit for hit in others if hit.memory.id == older]
    assert (first.memory.id, first.outdated_by) == (newer, None)
    assert marked.outdated_by == newer and marked.parts[outdated.OLDER] < 0
    for hit in (first, *others):
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-6)
    assert marked.memory.valid_to is None  # nothing but the answer has changed


async def test_of_three_the_newest_goes_first(agentos: AgentOS, clock: Any) -> None:
    oldest, middle, newest = await told(
        agentos, clock, OLDER, "Dana has moved to Porto.", "Dana has relocated and is in Braga now."
    )
    first, *others = await asked(agentos)
    assert first.memory.id == newest
    assert {hit.memory.id for hit in others if hit.outdated_by} == {oldest, middle}


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("Where did Dana use to live?", {}),
        ("Where was Dana's flat before?", {}),
        (ASKED, {"include_superseded": True}),
        (ASKED, {"as_of": "now"}),
    ],
)
async def test_who_asks_for_another_time_is_told_what_there_is(
    agentos: AgentOS, clock: Any, question: str, where: dict[str, Any]
) -> None:
    await told(agentos, clock, OLDER, NEWER)
    if "as_of" in where:
        where = {"as_of": clock()}
    hits = await asked(agentos, question, **where)
    assert len(hits) == 2 and not any(hit.outdated_by for hit in hits)


@pytest.mark.parametrize(
    "newer",
    [
        "Dana's brother has packed up everything and now calls Porto home.",
        "Dana might move to Porto.",
        "According to Kofi, Dana calls Porto home now.",
        "Dana brought a lemon cake from Porto to the retrospective.",
        "Kofi has packed up everything and now calls Porto home.",
    ],
)
async def test_what_only_looks_alike_marks_nothing(agentos: AgentOS, clock: Any, newer: str) -> None:
    await told(agentos, clock, OLDER, newer)
    hits = await asked(agentos)
    assert len(hits) == 2 and not any(hit.outdated_by for hit in hits)


@pytest.mark.parametrize("begins", ["From 1 June 2026 on, {}", "From June 2026 on, {}"])
async def test_what_has_not_begun_marks_nothing_until_it_has(agentos: AgentOS, clock: Any, begins: str) -> None:
    older, _ = await told(agentos, clock, OLDER, begins.format("Dana has relocated and is in Braga."))
    assert not any(hit.outdated_by for hit in await asked(agentos))
    clock.advance(days=60)
    assert [hit.memory.id for hit in await asked(agentos) if hit.outdated_by] == [older]


async def test_what_is_dated_in_the_future_marks_nothing(agentos: AgentOS, clock: Any) -> None:
    await told(agentos, clock, OLDER)
    await told(agentos, clock, NEWER, occurred_at="2027-01-01T00:00:00Z")
    assert not any(hit.outdated_by for hit in await asked(agentos))


async def test_a_source_of_low_trust_marks_nothing(agentos: AgentOS, clock: Any) -> None:
    await told(agentos, clock, OLDER)
    await told(agentos, clock, NEWER, source="web: https://example.org/profile")
    assert not any(hit.outdated_by for hit in await asked(agentos))


async def test_turns_of_a_conversation_mark_nothing(agentos: AgentOS, clock: Any) -> None:
    for text in (OLDER, NEWER):
        await agentos.memory.store(NS, f"Kofi: {text}", session="talk")
        clock.advance(days=30)
    assert await agentos.memory.embedded(60)
    assert not any(hit.outdated_by for hit in await asked(agentos))
