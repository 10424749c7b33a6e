"""Moving a store between engines: nothing is missing, whatever interrupts it, and nothing that is there is touched."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.features import registered
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, InvalidInput, StorageRefused
from agentos.modules.memory.models import MemoryFilter, MemoryType
from agentos.modules.plugins.feature import with_parts
from agentos.modules.principals.models import Door, Right, Role, local_owner
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.moving.parts import PARTS, MovedPart
from tests.integration.conftest import Clock, WordEmbedder
from tests.integration.portability.test_bundle import lived_in

pytestmark = pytest.mark.postgres
CLOCK = partial(Clock().advance, microseconds=1)
OWNER = local_owner("ann", None, Door.COMMAND_LINE, "req_1")


class Place:
    """A store on an engine, in a home of its own."""

    def __init__(self, folder: Path, name: str, url: str) -> None:
        self.settings = config.load(
            {},
            home=folder / name,
            database_url=url,
            database_schema="test_move",
            database_tenant=str(folder),
            embedding_model="none",
        )
        self.to = url or f"sqlite:{self.settings.database}"

    @asynccontextmanager
    async def opened(self, embedder: Any) -> AsyncIterator[AgentOS]:
        store = await database.open_store(self.settings, CLOCK)
        own = AgentOS.over(store, embedder, self.settings, CLOCK)
        agentos = with_parts(own, registered(), "wired", store.engine, self.settings)
        try:
            yield agentos
        finally:
            await agentos.close()
            await store.close()

    async def move(self, target: "Place") -> Any:
        return await database.move(self.settings, target.to, CLOCK, lambda *_: None)


@pytest.fixture
def place(tmp_path: Path, postgres_url: str) -> Callable[..., Place]:
    return lambda name: Place(tmp_path, name, postgres_url if name == "postgres" else "")


async def inhabit(place: Place) -> tuple[str, str]:
    """Something of everything; return the canonical hash, and the head of the audit log."""
    async with place.opened(WordEmbedder()) as agentos:
        await lived_in(agentos)
        for text in ("Dana Fontaine met Priya Halloran in Lisbon \u20ac \x7f | \ttwice", "Nothing | of note"):
            await agentos.memory.store("ann", StoreRequest(text))
        for city in ("Genoa", "Turin"):
            where = StoreRequest(f"The depot is in {city}", subject="depot", attribute="city", value=city)
            await agentos.memory.store("ann", where)
        await agentos.graph.read("ann")
        await agentos.aliases.compare("ann")
        await agentos.turns.add("ann", "s9", "user", "What time is it?", key="k")
        await agentos.principals.create_key(OWNER, "laptop", Role.WRITER, {"ann": Right.WRITE})
        await agentos.principals.grant(OWNER, "bob", "laptop", Right.READ)
        await agentos.queue.put("ann", "mail", "k1", {"to": "Ben"})
        await agentos.memory.settled()
        assert await agentos.memory.embedded(60)
        return await facts(agentos)


async def facts(agentos: AgentOS) -> tuple[str, str]:
    verified = await agentos.audit.verify(OWNER)
    assert not verified.faults
    return await agentos.portability.canonical_hash(), verified.head.hash


class Forbidden(WordEmbedder):
    """A model of which no passage may be asked again."""

    async def encode(self, contents: Any) -> Any:
        raise AssertionError("vectors are copied")


async def test_a_store_goes_to_postgresql_and_back_with_all_that_it_has(place: Callable[..., Place]) -> None:
    first, middle, last = place("first"), place("postgres"), place("last")
    known = await inhabit(first)
    before = first.settings.database.read_bytes()
    there = await first.move(middle)
    assert not there.is_behind and first.settings.database.read_bytes() == before, "the source is only read"
    used = "memories memory_versions goals turns entities keys grants queue audit embeddings approvals memory_tags"
    assert all(there.rows[name] for name in used.split())
    back = await middle.move(last)
    assert back.rows == there.rows
    for target in (middle, last):
        async with target.opened(Forbidden()) as agentos:
            assert await facts(agentos) == known
            [found, *_] = (await agentos.memory.search("ann", "Priya Halloran")).hits
            assert "Lisbon" in found.memory.content
            assert (await agentos.memory.search("ann", "Priya Halloran")).mode == "hybrid"
            assert not await agentos.embedding.embed_pending()
        async with target.opened(NoEmbedder()) as agentos:
            await agentos.memory.store("ann", StoreRequest("What is new after the move"))
            assert not (await agentos.audit.verify(OWNER)).faults, "the log goes on"
    assert not list(last.settings.home.glob("*.moving"))


NOTES = 150
THINGS = "harbour crane permit ledger beacon valve orchard kiln ferry quarry loom anchor".split()
DEEDS = ("was moved to", "depends on", "was paid by", "is checked after")
FILTERS = (
    MemoryFilter(),
    MemoryFilter(tags=("kind1",)),
    MemoryFilter(MemoryType.EPISODIC),
    MemoryFilter(projects=("",)),
)


def note(number: int) -> str:
    """A note of common words and an identifier; one of five has a word of its own."""
    one, other = THINGS[number % 12], THINGS[number * 7 // 12 % 12]
    rare = f", says Ilsabe{number}" if number % 5 == 0 else ""
    return f"The {one} {DEEDS[number % 4]} the {other}, ticket AB-{number}{rare}"


def asked(number: int) -> str:
    """A question: common words, a rare one, one mistyped, one cut short, or an identifier."""
    about, other, rare = THINGS[number % 12], THINGS[number // 5 % 12], number * 5 % NOTES
    ways = (f"{about} and {other}", f"Ilsabe{rare}", f"Ilsbe{rare} {about}", f"the {about[:-1]}", f"AB-{number}")
    return f"{ways[number % 5]} {DEEDS[number % 4]}"


async def test_sixty_questions_have_the_same_first_ten_on_both_engines(place: Callable[..., Place]) -> None:
    first, middle = place("first"), place("postgres")
    async with first.opened(WordEmbedder()) as agentos:
        for number in range(NOTES):
            kind = ("semantic", "episodic", "procedural")[number % 3]
            await agentos.memory.store("ann", StoreRequest(note(number), kind, tags=(f"kind{number % 4}",)))
        await agentos.memory.settled()
        assert await agentos.memory.embedded(60)
    await first.move(middle)
    found = []
    for target in (first, middle):
        async with target.opened(WordEmbedder()) as agentos:
            answers = [
                await agentos.memory.recall("ann", asked(number), FILTERS[number // 15], 10) for number in range(60)
            ]
            assert {answer.mode for answer in answers} == {"hybrid"}
            found.append([[hit.memory.id for hit in answer.hits] for answer in answers])
    on_sqlite, on_postgres = found
    assert sum(len(ids) == 10 for ids in on_sqlite) >= 45
    assert [number for number in range(60) if on_sqlite[number] != on_postgres[number]] == []


class Killed(BaseException):
    """Ends a run as a signal does: nothing of ours is called."""


@pytest.mark.parametrize("way", [("first", "postgres"), ("postgres", "last")])
async def test_a_move_that_was_cut_off_goes_on(
    place: Callable[..., Place], way: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = map(place, way)
    known = await inhabit(source)
    write, steps = MovedPart.write, iter(range(1000))
    at: Iterator[int] = iter([0, 1, 9, 20, 30, 33])
    stop = next(at)

    async def cut_off(self: MovedPart, *given: Any) -> None:
        nonlocal stop
        await write(self, *given)
        if next(steps) == stop:
            stop = next(at, -1)
            raise Killed

    monkeypatch.setattr(MovedPart, "write", cut_off)
    for _ in range(6):
        with pytest.raises(Killed):
            await source.move(target)
        if target.settings.uses_postgres:
            with pytest.raises(StorageRefused, match="interrupted"):
                await database.open_store(target.settings, CLOCK)
        else:
            assert not target.settings.database.exists()
    await source.move(target)
    assert next(steps) < 2 * len(PARTS), "each went on where the one before ended"
    async with target.opened(Forbidden()) as agentos:
        assert await facts(agentos) == known


async def test_a_source_that_has_changed_since_is_copied_anew(
    place: Callable[..., Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = place("first"), place("postgres")
    await inhabit(source)
    write = MovedPart.write

    async def cut_off(self: MovedPart, *given: Any) -> None:
        await write(self, *given)
        if self.name == "audit":
            raise Killed

    for change in ("UPDATE memories SET access_count = access_count + 1", "DELETE FROM audit WHERE FALSE"):
        monkeypatch.setattr(MovedPart, "write", cut_off)
        with pytest.raises(Killed):
            await source.move(target)
        monkeypatch.setattr(MovedPart, "write", write)
        store = await database.open_store(source.settings, CLOCK)
        await store.engine.write(lambda connection, change=change: connection.execute(change))  # type: ignore[misc]
        await store.close()
    async with source.opened(WordEmbedder()) as agentos:
        await agentos.goals.add("bob", "Something new", "since", 0.5, 0.5, None)
        known = await facts(agentos)
    await source.move(target)
    async with target.opened(Forbidden()) as agentos:
        assert await facts(agentos) == known


async def test_what_holds_something_is_no_target_and_stays_as_it_is(place: Callable[..., Place]) -> None:
    first, middle = place("first"), place("postgres")
    await inhabit(first)
    async with middle.opened(WordEmbedder()) as agentos:
        await agentos.goals.add("bob", "Mine", "alone", 0.5, 0.5, None)
        known = await facts(agentos)
    for source, target in ((first, middle), (middle, first)):
        with pytest.raises(Conflict, match="nothing was changed"):
            await source.move(target)
    for to in ("mysql://x", middle.to):
        with pytest.raises(InvalidInput, match="--to"):
            await database.move(middle.settings, to, CLOCK, lambda *_: None)
    async with middle.opened(WordEmbedder()) as agentos:
        assert await facts(agentos) == known
