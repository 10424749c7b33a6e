"""Local only: with every network socket refused, memories are found by meaning (real model, real weights)."""

import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import SearchMode, Vector
from agentos.modules.store_request import StoreRequest
from tests.places import needs_weights

NS = "ada"
FACTS = {
    "cat": "The cat is asleep on the windowsill.",
    "deploy": "Our release pipeline broke because the staging database schema was out of date.",
    "coffee": "Maria drinks an espresso every morning before work.",
    "flight": "The plane to Lisbon leaves at seven in the evening.",
    "rust": "Borrowed references must not outlive the value that owns them.",
}
PARAPHRASES = {
    "a kitten napping by the glass": "cat",
    "why did shipping the new version fail": "deploy",
    "what hot beverage does she have at breakfast": "coffee",
    "when does the aircraft depart": "flight",
    "lifetime rules of pointers": "rust",
}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.socket

    class LocalSocket(real):
        def __init__(self, family: int = -1, *arguments: Any, **named: Any) -> None:
            if family not in (socket.AF_UNIX, -1) or (family == -1 and named.get("fileno") is None):
                raise AssertionError("something reached for the network")
            super().__init__(family, *arguments, **named)

    def refuse(*arguments: Any, **named: Any) -> None:
        raise AssertionError("something asked for a name")

    monkeypatch.setattr(socket, "socket", LocalSocket)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
async def real(home: Path, clock: Any) -> AsyncIterator[AgentOS]:
    settings = config.load(home=home, embedding_wait_s=60)
    store = await database.open_store(settings, clock)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    yield agentos
    await agentos.close()
    await store.close()


@needs_weights
async def test_a_paraphrase_finds_the_memory_with_the_network_off(real: AgentOS) -> None:
    ids = {name: (await real.memory.store(NS, StoreRequest(text))).memory.id for name, text in FACTS.items()}
    for query, name in PARAPHRASES.items():
        result = await real.memory.search(NS, query, limit=3)
        assert result.mode is SearchMode.HYBRID
        assert result.notes == ()
        assert result.hits[0].memory.id == ids[name], query


@pytest.mark.sqlite("ChromaDB stands beside it alone")
@needs_weights
async def test_the_vector_index_works_with_the_network_off(real: AgentOS, open_store: Any, home: Path) -> None:
    for text in FACTS.values():
        await real.memory.store(NS, StoreRequest(text))
    assert await real.embedding.ready(60)
    while await real.embedding.embed_pending():
        pass
    settings = config.load(home=home)
    index = database.vector_index(await open_store(), settings)
    generation = await real.embedding.generation()
    assert generation is not None
    embedder = database.open_embedder(settings)
    try:
        assert (await index.open(generation)).count == len(FACTS)
        query = await embedder.encode_query("a kitten napping by the glass")
        [nearest] = await index.nearest(NS, Vector(generation, query.vector), 1)
    finally:
        await index.close()
        embedder.close()
    assert (await real.memory.get(NS, nearest.id))[0].content == FACTS["cat"]


async def test_without_weights_and_network_a_memory_is_kept_and_found_by_its_words(home: Path, clock: Any) -> None:
    settings = config.load(home=home, embedding_model=str(home / "absent-model"), embedding_wait_s=20)
    store = await database.open_store(settings, clock)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, clock)
    await agentos.memory.store(NS, StoreRequest("The cat is asleep"))
    result = await agentos.memory.search(NS, "cat")
    assert (len(result.hits), result.mode) == (1, SearchMode.LEXICAL)
    assert "absent-model" in result.notes[0]
    await agentos.close()
    await store.close()


def test_the_runtime_of_the_model_tells_nobody_and_notes_nothing(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from agentos.storage.embedding.loader import load_encoder\n"
        f"load_encoder('all-MiniLM-L6-v2', True, Path({str(tmp_path / 'models')!r})).encode(['a text'])\n"
    )
    user = tmp_path / "user"
    user.mkdir()
    environment = {**os.environ, "HOME": str(user), "PYTHONPATH": ":".join(sys.path)}
    environment.pop("XDG_CACHE_HOME", None)
    subprocess.run((sys.executable, "-c", code), check=True, env=environment, timeout=120)
    assert [path for path in user.rglob("*") if path.is_file()] == []
