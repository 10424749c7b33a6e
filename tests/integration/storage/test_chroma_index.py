"""ChromaDB derived from SQLite: catches up, goes on, is built anew, and finds what an exact scan finds."""

import dataclasses
import shutil
import struct
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentos.modules.memory.conflict_resolution import Addition
from agentos.modules.memory.models import MemoryFilter, Passage, Vector
from agentos.modules.memory.ports import UnembeddedText
from agentos.modules.memory.service import MemoryChanges, content_hash
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite.chroma_index import ChromaIndex, IndexNotReady
from agentos.storage.sqlite.index_progress import KEEP_CHANGES
from agentos.storage.sqlite.vector_search import ExactVectors

pytestmark = [pytest.mark.sqlite("ChromaDB stands beside it alone"), pytest.mark.usefixtures("unmeasured")]

NS = "ada"
DEADLINE_S = 60.0


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "chroma"


class Opened:
    """At most one open index over a store, as the daemon's lock would have it."""

    def __init__(self, store: Any, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._index: ChromaIndex | None = None

    async def __call__(self, generation: int) -> ChromaIndex:
        await self.close()
        self._index = self._store.vector_index(self._folder)
        await self._index.open(generation)
        return self._index

    async def close(self) -> None:
        index, self._index = self._index, None
        if index is not None:
            await index.close()


@pytest.fixture
async def opened(store: Any, folder: Path) -> AsyncIterator[Opened]:
    opened = Opened(store, folder)
    yield opened
    await opened.close()


async def stored(agentos: Any, *texts: str, namespace: str = NS) -> list[str]:
    """The ids of texts that are stored and have their vectors."""
    ids = [(await agentos.memory.store(namespace, StoreRequest(text))).memory.id for text in texts]
    assert await agentos.embedding.caught_up(DEADLINE_S)
    return ids


async def near(index: ChromaIndex, agentos: Any, embedder: Any, text: str, namespace: str = NS, limit: int = 50) -> Any:
    vector = Vector(await agentos.embedding.generation(), embedder.vector(text))
    return [candidate.id for candidate in await index.nearest(namespace, vector, limit)]


async def catch_up(index: ChromaIndex) -> None:
    while await index.catch_up(100):
        pass


def folders(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("index-*"))


async def test_it_catches_up_and_finds_by_namespace(agentos: Any, embedder: Any, opened: Opened) -> None:
    index = await opened(await agentos.embedding.generation())
    assert (await index.state()).count == 0
    assert await near(index, agentos, embedder, "apple") == []
    apple, banana = await stored(agentos, "apple", "banana")
    await stored(agentos, "apple", namespace="bob")
    state = await index.state()
    assert (state.count, state.newest - state.applied) == (0, 3)
    assert (await near(index, agentos, embedder, "apple"))[0] == apple, "the tail is added exactly"
    await catch_up(index)
    state = await index.state()
    assert (state.count, state.newest - state.applied) == (3, 0)
    assert await near(index, agentos, embedder, "apple") == [apple, banana]
    assert await near(index, agentos, embedder, "apple", limit=1) == [apple]
    assert len(await near(index, agentos, embedder, "apple", "bob")) == 1
    assert await near(index, agentos, embedder, "apple", "nobody") == []


async def test_it_goes_on_where_it_stopped(agentos: Any, embedder: Any, opened: Opened, folder: Path) -> None:
    generation = await agentos.embedding.generation()
    index = await opened(generation)
    await stored(agentos, *(f"apple {n}" for n in range(10)))
    assert await index.catch_up(4) == 4
    before = folders(folder)
    index = await opened(generation)
    assert folders(folder) == before, "nothing was built anew"
    state = await index.state()
    assert (state.count, state.applied) == (10, state.newest)
    assert (folder.stat().st_mode & 0o777) == 0o700


async def test_changes_and_deletes_follow(agentos: Any, embedder: Any, opened: Opened, folder: Path) -> None:
    index = await opened(await agentos.embedding.generation())
    first, second, third = await stored(agentos, "apple", "banana", "cherry")
    await catch_up(index)
    await agentos.memory.update(NS, first, MemoryChanges(content="zucchini"))
    await agentos.memory.delete(NS, second)
    assert await agentos.embedding.caught_up(DEADLINE_S)
    for _ in range(2):  # from the tail, then from the index
        assert (await near(index, agentos, embedder, "zucchini"))[0] == first
        assert second not in await near(index, agentos, embedder, "banana")
        assert len(await near(index, agentos, embedder, "cherry")) == 2
        await catch_up(index)
    assert (await index.state()).count == 2
    before = folders(folder)
    [came_and_went, _] = await stored(agentos, "damson", "elder")
    await agentos.memory.delete(NS, came_and_went)
    assert await index.catch_up(100) == 3, "what came and went between two looks is no trouble"
    assert ((await index.state()).count, folders(folder)) == (3, before)


async def test_a_deleted_folder_is_built_anew(agentos: Any, embedder: Any, opened: Opened, folder: Path) -> None:
    generation = await agentos.embedding.generation()
    [apple, *_] = await stored(agentos, "apple", "banana", "cherry")
    index = await opened(generation)
    shutil.rmtree(folder)  # while it is open
    with suppress(IndexNotReady):  # Chroma answers from the files that it holds open, or says that it cannot
        assert (await near(index, agentos, embedder, "apple"))[0] == apple
    assert (await agentos.memory.search(NS, "apple")).hits[0].memory.id == apple, "answers go on"
    await catch_up(index)
    assert (await index.state()).count == 3
    assert (await near(index, agentos, embedder, "apple"))[0] == apple
    await opened.close()
    shutil.rmtree(folder)  # between two runs
    index = await opened(generation)
    assert (await index.state()).count == 3


def random_vectors(count: int, seed: int, dimension: int = 64) -> list[bytes]:
    matrix = np.random.default_rng(seed).normal(size=(count, dimension)).astype("<f4")
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return [row.tobytes() for row in matrix]


async def fill(store: Any, agentos: Any, count: int, generation: int, seed: int = 1) -> None:
    """`count` memories with random vectors, straight through the backlog."""
    template = (await agentos.memory.store(NS, StoreRequest(f"template {seed}"))).memory
    assert await agentos.embedding.caught_up(DEADLINE_S)
    await agentos.memory.delete(NS, template.id)
    texts = []
    for number in range(count):
        content = f"{seed} {number}"
        memory = dataclasses.replace(template, id=f"mem_{seed}_{number}", content=content)
        await store.memory.memories.add(Addition(memory, content_hash(content)))
        texts.append(UnembeddedText(memory.id, content))
    passages = [[Passage(0, 1, data, b"")] for data in random_vectors(count, seed)]
    assert await store.memory.backlog.add_passages(texts, passages, generation) == count


async def test_the_nearest_are_those_of_an_exact_scan(agentos: Any, store: Any, opened: Opened, home: Path) -> None:
    generation = await agentos.embedding.generation()
    index = await opened(generation)
    await fill(store, agentos, 2000, generation)
    await catch_up(index)
    await fill(store, agentos, 50, generation, seed=2)  # the tail
    hits = total = 0
    for data in random_vectors(40, 3):
        vector = Vector(generation, data)
        exact = await store.memory.memories.vector_candidates(NS, vector, MemoryFilter(), agentos.clock(), 10)
        approximate = await index.nearest(NS, vector, 10)
        assert [c.score for c in approximate] == sorted((c.score for c in approximate), reverse=True)
        hits += len({c.id for c in exact} & {c.id for c in approximate})
        total += 10
        tail = {c.id: c.score for c in exact if c.id.startswith("mem_2_")}
        found = {c.id: c.score for c in approximate if c.id.startswith("mem_2_")}
        assert found.items() >= {k: pytest.approx(v, abs=1e-5) for k, v in tail.items()}.items()
    assert hits / total >= 0.98


async def test_an_exact_scan_is_exact(agentos: Any, store: Any) -> None:
    generation = await agentos.embedding.generation()
    await fill(store, agentos, 500, generation)
    matrix = np.array([struct.unpack("<64f", data) for data in random_vectors(500, 1)])
    for data in random_vectors(10, 3):
        scores = matrix @ np.frombuffer(data, dtype="<f4")
        best = np.argsort(-scores)[:20]
        found = await store.memory.memories.vector_candidates(
            NS, Vector(generation, data), MemoryFilter(), agentos.clock(), 20
        )
        assert [c.id for c in found] == [f"mem_1_{number}" for number in best]
        assert [c.score for c in found] == pytest.approx(list(scores[best]), abs=1e-5)


async def test_another_model_gets_an_index_of_its_own(
    agentos: Any, store: Any, wire: Any, embedder: Any, another_embedder: Any, opened: Opened
) -> None:
    await stored(agentos, "apple", "banana")
    await opened(await agentos.embedding.generation())
    newer_model = another_embedder("words-2")
    newer = wire(store, newer_model)
    index = await opened(await newer.embedding.generation())
    assert (await index.state()).count == 0
    assert await newer.embedding.embed_pending() == 2
    await catch_up(index)
    assert (await index.state()).count == 2
    assert len(await near(index, newer, newer_model, "apple")) == 2
    index = await opened(await agentos.embedding.generation())
    assert (await index.state()).count == 2


async def test_an_index_that_lost_entries_is_built_anew(
    agentos: Any, embedder: Any, opened: Opened, folder: Path
) -> None:
    await stored(agentos, "apple", "banana", "cherry")
    index = await opened(await agentos.embedding.generation())
    [near] = await index.sequences(NS, Vector(index._generation, embedder.vector("apple")), 1)
    await index._process.call("delete", NS, index._generation, [f"{near.memory_seq}.{near.part}"])
    assert (await index.state()).count == 2
    before = folders(folder)
    await catch_up(index)
    assert (await index.state()).count == 3
    assert folders(folder) != before
    assert len(folders(folder)) == 1, "the old folder is gone"


async def test_who_missed_pruned_changes_builds_anew(agentos: Any, store: Any, opened: Opened) -> None:
    generation = await agentos.embedding.generation()
    await opened(generation)
    await stored(agentos, "apple", "banana")
    progress = store.vector_index(Path("unused"))._progress
    newest = await progress.newest()
    exact = ExactVectors(store._sqlite)
    assert KEEP_CHANGES > newest

    async def prune(connection: Any) -> None:
        await connection.execute("DELETE FROM index_outbox")

    await store._sqlite.write(prune)
    index = await opened(generation)
    assert (await index.state()).count == 2
    vector = Vector(generation, random_vectors(1, 1)[0])
    assert len(await exact.nearest(NS, vector, None, 5)) == 2


async def test_many_namespaces_are_all_counted(agentos: Any, embedder: Any, opened: Opened, folder: Path) -> None:
    generation = await agentos.embedding.generation()
    for number in range(120):
        await stored(agentos, "apple", namespace=f"agent {number}")
    index = await opened(generation)
    assert (await index.state()).count == 120
    before = folders(folder)
    await catch_up(index)
    index = await opened(generation)
    assert folders(folder) == before


async def test_writers_beside_it_do_not_make_it_build_anew(
    agentos: Any, opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its last look at the changes and its count, another process may store one more."""
    index = await opened(await agentos.embedding.generation())
    await stored(agentos, "apple")
    await catch_up(index)
    before = folders(folder)
    counted = index._count

    async def count_while_somebody_writes() -> int:
        total = await counted()
        await stored(agentos, f"newcomer {total}")
        return total

    monkeypatch.setattr(index, "_count", count_while_somebody_writes)
    await index.catch_up(100)
    monkeypatch.undo()
    assert folders(folder) == before
