"""The only note with a rare word is first; messages are judged by what they ask; near misses are told apart."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest

THINGS = ("the ferry desk", "our greenhouse", "the book cart", "the old printer", "the choir", "the rowing boat")
COSAS = ("la taquilla", "nuestro invernadero", "el carrito", "la impresora vieja", "el coro", "la barca")
SAID = {
    "Olek pays for {} until autumn.": "Who carries the bill of {}?",
    "{} was repainted because the rust came back.": "Why did {} get a new colour?",
    "The spare parts of {} lie under the stairs.": "Where do we keep replacements for {}?",
}
DICHO = {
    "El alquiler de {} sube a 90 euros.": "¿Cuánto nos va a costar {}?",
    "{} se cierra los martes por limpieza.": "¿Qué día no abre {}?",
    "Olek guarda la llave de {} en el sótano.": "¿Dónde está lo que abre {}?",
}
NAMES = ("Quendrix", "Tolvamer", "Brisuldo")


@pytest.fixture
async def real(store: OpenedStore, with_graphs: None, home: Path, clock: Any) -> AsyncIterator[AgentOS]:
    """The services with the real model and its reranker."""
    settings = config.load(home=home, embedding_wait_s=60)
    embedder, reranker = database.open_embedder(settings), database.open_reranker(settings)
    agentos = AgentOS.over(store, embedder, settings, clock, reranker)
    assert await agentos.embedding.ready(60)
    yield agentos
    await agentos.close()


async def first(agentos: AgentOS, namespace: str, query: str) -> str | None:
    hits = (await agentos.memory.search(namespace, query, MemoryFilter(), 5)).hits
    return hits[0].memory.content if hits else None


@pytest.mark.parametrize(("namespace", "things", "said"), [("en", THINGS, SAID), ("es", COSAS, DICHO)])
async def test_the_only_note_with_the_word_is_first_also_where_the_word_is_misspelt(
    real: AgentOS, namespace: str, things: tuple[str, ...], said: dict[str, str]
) -> None:
    told = [note.format(thing) for note in said for thing in things]
    named = [note.format(name) for note, name in zip(said, NAMES, strict=True)]
    for text in (*told, *named):
        await real.memory.store(namespace, StoreRequest(text))
    assert await real.embedding.caught_up(60)
    for note, question, name in zip(named, said.values(), NAMES, strict=True):
        swapped = name[:4] + name[5] + name[4] + name[6:]
        for word in (name, name.lower(), swapped):
            assert await first(real, namespace, question.format(word)) == note, word
        assert await first(real, namespace, name) == note


async def test_a_word_is_never_taken_for_one_of_another_namespace(real: AgentOS, store: OpenedStore) -> None:
    await real.memory.store("theirs", StoreRequest("The key of Quendrix is blue."))
    await real.memory.store("ours", StoreRequest("The key of the boat house is red."))
    assert await real.embedding.caught_up(60)
    assert await store.memory.memories.spellings("theirs", ["quendirx"], 2) == {"quendirx": ["quendrix"]}
    assert await store.memory.memories.spellings("ours", ["quendirx"], 2) == {}


TALES = (
    "The lift stood still again this morning and I walked up with two crates, so I am late with all I had planned.",
    "We had cake for Ana's leaving, half of the office sang, and nobody has looked at the tickets since noon.",
)
FOREIGN = ("How many moons does the planet Neptune have?", "Which glue holds ceramic tiles under water?")


async def test_a_message_is_judged_by_what_it_asks(real: AgentOS) -> None:
    said = [note.format(thing) for note in SAID for thing in THINGS]
    for text in (*said, "The lamp oil is kept in the lighthouse cellar."):
        await real.memory.store("long", StoreRequest(text))
    assert await real.embedding.caught_up(60)
    for tale in TALES:
        question = f"{tale} Where is the oil for our lamps?"
        assert await first(real, "long", question) == "The lamp oil is kept in the lighthouse cellar."
        assert [await first(real, "long", f"{tale} {foreign}") for foreign in FOREIGN] == [None, None]
        unmarked = "I would like to know where the oil for our lamps is kept."
        assert await first(real, "long", f"{tale} {unmarked}") == "The lamp oil is kept in the lighthouse cellar."
        assert await first(real, "long", f"{tale} Please explain the moons of the planet Neptune.") is None


WEEK = (
    "The intern Kofi starts on the first of the month.",
    "The boiler was serviced on the 4th, it loses pressure.",
    "Adyen handled the checkout until August, then Mollie took over.",
    "The choir rehearses on Mondays in the parish hall.",
    "Images are served by an imgproxy behind Bunny.",
)


async def test_what_shares_no_more_than_the_topic_of_a_question_is_told_apart_from_results(real: AgentOS) -> None:
    for text in WEEK:
        await real.memory.store("week", StoreRequest(text))
    assert await real.embedding.caught_up(60)
    for question, note in (("When does the intern Kofi start?", 0), ("Where does the choir rehearse?", 3)):
        assert await first(real, "week", question) == WEEK[note]
    for question in ("Who pays the choir?", "Which insurance does Kofi have?", "Who is the vendor of Bunny?"):
        found = await real.memory.search("week", question, MemoryFilter(), 5)
        assert not found.hits and next(hit.memory.content for hit in found.doubted) in WEEK, question
        assert found.gate.parts["near_miss"] < 0
    for text in ("the choir, its singers", "¿Cuántos singers tiene the choir?"):
        assert (await real.memory.search("week", text, MemoryFilter(), 5)).hits, "what is not read is not judged"
