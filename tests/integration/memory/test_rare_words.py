"""The only note that has a rare word is first, whatever else the question says; also where the word is misspelt."""

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
async def real(store: OpenedStore, home: Path, clock: Any) -> AsyncIterator[AgentOS]:
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
    assert await store.memories.spellings("theirs", ["quendirx"], 2) == {"quendirx": ["quendrix"]}
    assert await store.memories.spellings("ours", ["quendirx"], 2) == {}
