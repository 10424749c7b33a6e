"""ChromaDB's child process killed, hung or robbed of its files: no answer is lost, and it is repaired."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.errors import StorageUnavailable
from agentos.modules.memory.models import Vector
from agentos.modules.memory.ports import IndexPhase
from agentos.storage.sqlite import chroma_process, vector_search
from agentos.storage.sqlite.chroma_index import ChromaIndex, IndexNotReady
from agentos.storage.sqlite.chroma_process import ChromaProcess
from tests.integration.storage.test_index_process import DEADLINE_S, FRUIT, NS, catch_up, child, found, store_all
from tests.tables import every

pytestmark = pytest.mark.sqlite("ChromaDB stands beside it alone")


async def test_a_killed_child_costs_no_answer_and_is_started_again(agentos: Any, index: ChromaIndex) -> None:
    before = child(index)
    os.kill(before, signal.SIGKILL)
    assert (await found(agentos, "apple"))[0] == "apple"
    await store_all(agentos, "apple pie")
    await catch_up(index)
    assert child(index) != before
    assert (await index.state()).count == len(FRUIT) + 1
    assert (await found(agentos, "apple pie"))[0] == "apple pie"


async def test_a_child_that_dies_at_each_call_is_given_up_and_search_goes_on(
    agentos: Any, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = index._process._call

    async def killed(name: str, arguments: Any) -> Any:
        if index._process.pid is not None:
            os.kill(child(index), signal.SIGKILL)
        return await call(name, arguments)

    monkeypatch.setattr(index._process, "_call", killed)
    monkeypatch.setattr(index._process, "_program", b"raise SystemExit(1)")
    await store_all(agentos, "apple pie")
    with pytest.raises(StorageUnavailable, match="search works without it"):
        await index.catch_up(100)
    assert index.status.state is IndexPhase.FAILED
    assert "ended with code" in str(index.status.problem)
    assert (await found(agentos, "apple pie"))[0] == "apple pie"


async def test_a_child_that_hangs_is_killed_and_search_does_not_wait_for_it(
    agentos: Any, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "INDEX_WAIT_S", 0.05)
    monkeypatch.setattr(chroma_process, "CALL_S", 1.0)
    hung = child(index)
    os.kill(hung, signal.SIGSTOP)
    assert (await found(agentos, "apple"))[0] == "apple"
    with pytest.raises(IndexNotReady):
        await index.sequences(NS, Vector(index._generation, agentos.embedding._embedder.vector("apple")), 3)
    monkeypatch.setattr(chroma_process, "CALL_S", DEADLINE_S)
    await store_all(agentos, "apple pie")
    await catch_up(index)
    assert child(index) != hung
    assert (await index.state()).count == len(FRUIT) + 1


@pytest.mark.parametrize("damage", ["deleted", "garbage", "emptied"])
async def test_damage_while_it_runs_costs_no_answer_and_is_repaired(
    agentos: Any, index: ChromaIndex, folder: Path, damage: str
) -> None:
    [current] = folder.glob("index-*")
    if damage == "deleted":
        shutil.rmtree(folder)
    elif damage == "garbage":
        (current / "chroma.sqlite3").write_bytes(b"\x00garbage" * 1000)
    else:
        shutil.rmtree(current)
        current.mkdir()
    for name in FRUIT:
        assert (await found(agentos, name))[0] == name
    await store_all(agentos, "apple pie")
    assert (await found(agentos, "apple pie"))[0] == "apple pie"
    await catch_up(index)
    await catch_up(index)
    assert (await index.state()).count == len(FRUIT) + 1
    assert index.status.state is IndexPhase.READY
    assert (await found(agentos, "apple pie"))[0] == "apple pie"


@every("pointer", [b"\xff\xfe\x00noise", b"..", b".", b""])
async def test_a_damaged_pointer_leads_to_a_new_index_and_never_anywhere_else(
    agentos: Any, index: ChromaIndex, store: Any, folder: Path, pointer: bytes
) -> None:
    await index.close()
    (folder / "CURRENT").write_bytes(pointer)
    before = {path for path in folder.parent.iterdir() if path != folder}
    again = ChromaIndex(store._sqlite, ChromaProcess(folder))
    generation = await agentos.embedding.generation()
    assert (await again.open(generation)).count == len(FRUIT)
    assert before <= set(folder.parent.iterdir())
    await again.close()
