"""ChromaDB in its child process: crashes, hangs, damage and second owners cost neither an answer nor a memory."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from agentos.daemon_pkg import index_worker
from agentos.daemon_pkg.index_worker import IndexWorker
from agentos.modules.errors import StorageUnavailable
from agentos.modules.memory.background import Looks
from agentos.modules.memory.models import MemoryFilter, SearchMode, Vector
from agentos.modules.memory.ports import IndexPhase
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import vector_search
from agentos.storage.sqlite.chroma_index import ChromaIndex
from agentos.storage.sqlite.chroma_process import ChromaProcess

pytestmark = [pytest.mark.sqlite("ChromaDB stands beside it alone"), pytest.mark.usefixtures("unmeasured")]

NS = "ada"
DEADLINE_S = 60.0
FRUIT = ("apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel")


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "chroma"


@pytest.fixture
async def index(agentos: Any, store: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ChromaIndex]:
    """An open index that searches go through, however few vectors there are."""
    monkeypatch.setattr(vector_search, "EXACT_UP_TO", 0)
    monkeypatch.setattr(ChromaIndex, "needed", True)
    index = store.vector_index(folder)
    await store_all(agentos, *FRUIT)
    await index.open(await agentos.embedding.generation())
    yield index
    await index.close()


async def store_all(agentos: Any, *texts: str) -> list[str]:
    ids = [(await agentos.memory.store(NS, StoreRequest(text))).memory.id for text in texts]
    assert await agentos.embedding.caught_up(DEADLINE_S)
    return ids


async def found(agentos: Any, query: str, where: MemoryFilter | None = None) -> list[str]:
    result = await agentos.memory.search(NS, query, where, limit=3)
    assert result.mode is SearchMode.HYBRID
    assert all(hit.similarity is not None for hit in result.hits)
    return [hit.memory.content for hit in result.hits]


async def catch_up(index: ChromaIndex) -> None:
    while await index.catch_up(100):
        pass


def child(index: ChromaIndex) -> int:
    pid = index._process.pid
    assert pid is not None
    return pid


def asked(index: ChromaIndex, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests that the child is sent from now on."""
    names: list[str] = []
    call = index._process.call

    async def noted(name: str, *arguments: Any) -> Any:
        names.append(name)
        return await call(name, *arguments)

    monkeypatch.setattr(index._process, "call", noted)
    return names


async def test_a_large_namespace_is_searched_through_the_index_with_and_without_filters(
    agentos: Any, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        agentos.embedding, "_looks", Mock(spec=Looks)
    )  # who looks for near duplicates asks the index too
    monkeypatch.delitem(sys.modules, "chromadb", raising=False)  # another test may have imported it
    names = asked(index, monkeypatch)
    assert (await found(agentos, "apple"))[0] == "apple"
    assert names == ["query"]
    assert "chromadb" not in sys.modules and child(index) != os.getpid(), "it is imported by another process"
    await agentos.memory.store(NS, StoreRequest("apple tart", tags=["sweet"]))
    assert await agentos.embedding.caught_up(DEADLINE_S)
    assert (await found(agentos, "apple", MemoryFilter(tags=("sweet",))))[0] == "apple tart", "few: compared exactly"
    assert names == ["query"]
    monkeypatch.setattr(vector_search, "FEW", 0)
    assert (await found(agentos, "apple", MemoryFilter(tags=("sweet",)))) == ["apple tart"], "many: by the index"
    assert names == ["query", "query"]
    monkeypatch.setattr(vector_search, "MANY", 0)
    assert (await found(agentos, "apple", MemoryFilter(tags=("sweet",)))) == ["apple tart"], "all vectors compared"


async def test_the_answers_are_those_of_an_exact_scan_while_things_change(
    agentos: Any, store: Any, index: ChromaIndex
) -> None:
    generation = await agentos.embedding.generation()
    exact = store._vectors
    without_index = vector_search.VectorSearch(exact._sqlite, exact._exact)
    for round_ in range(3):
        ids = await store_all(agentos, *(f"{name} {round_}" for name in FRUIT))
        await agentos.memory.delete(NS, ids[round_])
        for name in FRUIT:
            vector = Vector(generation, agentos.embedding._embedder.vector(name))
            now, where = agentos.clock(), MemoryFilter()
            by_index = await exact.nearest(NS, vector, where, now, 100)
            by_scan = await without_index.nearest(NS, vector, where, now, 100)
            assert {c.id: pytest.approx(c.score, abs=1e-5) for c in by_index} == {c.id: c.score for c in by_scan}
        if round_ == 1:
            await catch_up(index)


async def test_a_second_owner_is_refused_and_harms_nothing(
    agentos: Any, index: ChromaIndex, store: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(path.name for path in folder.glob("index-*"))
    second = ChromaIndex(store._sqlite, ChromaProcess(folder))
    with pytest.raises(StorageUnavailable, match="another process holds the vector index"):
        await second.open(await agentos.embedding.generation())
    await second.close()
    assert sorted(path.name for path in folder.glob("index-*")) == before
    names = asked(index, monkeypatch)
    assert (await found(agentos, "apple"))[0] == "apple"
    assert names == ["query"]
    await index.close()
    third = ChromaIndex(store._sqlite, ChromaProcess(folder))
    assert (await third.open(await agentos.embedding.generation())).count == len(FRUIT)
    await third.close()


async def test_searches_go_on_by_the_index_in_use_while_another_is_built(
    agentos: Any, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, upserts, answers = index._process.call, asyncio.Event(), []

    async def held_up(name: str, *arguments: Any) -> Any:
        if name == "commit":
            upserts.set()
            answers.append((await index.sequences(NS, vector, 1))[0][0])
            await agentos.memory.store(NS, StoreRequest("apple pie"))  # after the build has read its vectors
            assert await agentos.embedding.caught_up(DEADLINE_S)
        return await call(name, *arguments)

    vector = Vector(index._generation, agentos.embedding._embedder.vector("apple"))
    ids = await store_all(agentos, "zucchini")
    await catch_up(index)
    await agentos.memory.delete(NS, ids[0])
    await catch_up(index)
    assert index.deleted == 1
    monkeypatch.setattr(index._process, "call", held_up)
    await index.purge()
    assert upserts.is_set() and answers == [1]
    assert index.deleted == 0
    assert (await found(agentos, "apple pie"))[0] == "apple pie", "what came meanwhile is in the tail"
    await catch_up(index)
    assert (await index.state()).count == len(FRUIT) + 1


async def test_erased_vectors_leave_the_disk_even_after_a_restart(
    agentos: Any, store: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_worker, "SETTLE_S", 0.0)
    monkeypatch.setattr(index_worker, "PURGE_AFTER_S", DEADLINE_S)
    ids = await store_all(agentos, *FRUIT)
    worker = IndexWorker(agentos.embedding, store.vector_index(folder))
    await worker.tick()
    await agentos.memory.delete(NS, ids[0])
    await worker.tick()
    [before] = folder.glob("index-*")
    await worker.close()
    monkeypatch.setattr(index_worker, "PURGE_AFTER_S", 0.0)
    worker = IndexWorker(agentos.embedding, store.vector_index(folder))
    await worker.tick()
    assert worker.status.count == len(FRUIT) - 1
    [after] = folder.glob("index-*")
    assert after != before
    await worker.close()


async def test_an_index_that_nobody_needs_rests_and_is_started_again_for_changes(
    agentos: Any, store: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = store.vector_index(folder)
    worker = IndexWorker(agentos.embedding, index)
    await store_all(agentos, *FRUIT)
    await worker.tick()
    assert index._process.pid is None, "not for a session that may be short"
    monkeypatch.setattr(index_worker, "SETTLE_S", 0.0)
    monkeypatch.setattr(index_worker, "REST_AFTER_S", 0.0)
    await worker.tick()
    assert index._process.pid is None, "done, and at rest again"
    assert (worker.status.state, worker.status.count) == (IndexPhase.READY, len(FRUIT))
    await store_all(agentos, "apple pie")
    await worker.tick()
    assert worker.status.count == len(FRUIT) + 1
    await worker.close()
    again = IndexWorker(agentos.embedding, index := store.vector_index(folder))
    await again.tick()
    assert index._process.pid is None, "nothing to do: not started"
    assert (again.status.state, again.status.count) == (IndexPhase.READY, len(FRUIT) + 1)
    await again.close()
