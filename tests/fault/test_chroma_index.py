"""The index's files damaged or deleted between two runs and while it runs: it is built anew from SQLite."""

from pathlib import Path
from typing import Any

import pytest

from agentos.modules.memory.models import Vector
from tests.integration.storage.test_chroma_index import NS, Opened, catch_up, fill, random_vectors
from tests.tables import every


@pytest.fixture
async def built(agentos: Any, store: Any, opened: Opened) -> int:
    """The generation of the vectors in an index that has been built."""
    generation: int = await agentos.embedding.generation()
    await fill(store, agentos, 1200, generation)  # enough for Chroma to write its vector files
    await opened(generation)
    return generation


@every("damage", ["garbage", "truncated", "empty", "vectors gone", "vectors garbage", "pointer"])
async def test_a_damaged_folder_is_built_anew(built: int, opened: Opened, folder: Path, damage: str) -> None:
    await opened.close()
    [current] = folder.glob("index-*")
    database = current / "chroma.sqlite3"
    segments = [path for path in current.rglob("*.bin")]
    if damage == "garbage":
        database.write_bytes(b"\x00garbage" * 1000)
    elif damage == "truncated":
        database.write_bytes(database.read_bytes()[:5000])
    elif damage == "empty":
        database.write_bytes(b"")
    elif damage == "pointer":
        (folder / "CURRENT").write_text("index-absent")
    else:
        assert segments
        for path in segments:
            if damage == "vectors gone":
                path.unlink()
            else:
                path.write_bytes(b"\xff" * max(1, path.stat().st_size // 2))
    index = await opened(built)
    assert (await index.state()).count == 1200
    await catch_up(index)
    vector = Vector(built, random_vectors(1, 5)[0])
    assert len(await index.nearest(NS, vector, 10)) == 10
