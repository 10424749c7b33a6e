"""Vectors on PostgreSQL: made by the database from the bytes, found by pgvector's index and by comparing all alike."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from agentos.modules.memory.models import MemoryFilter, Vector
from agentos.modules.memory.ports import IndexPhase
from agentos.modules.store_request import StoreRequest
from agentos.storage.postgres import direct, directions, vector_search, vectors
from agentos.storage.postgres.store import PostgresStore

pytestmark = pytest.mark.postgres
NS = "ada"
DEADLINE_S = 60.0
SCHEMA = f"directions_{os.getpid()}"
TEXTS = ("apple pie", "apple", "banana split|apple tart", "cherry", "apple cherry")


@pytest.fixture
async def stores(postgres_url: str, home: Path, clock: Any) -> AsyncIterator[list[PostgresStore]]:
    """The stores of two tenants in one schema."""
    home.mkdir()
    opened = [
        await PostgresStore.open(home, postgres_url, clock, schema=SCHEMA, tenant=f"{home}-{n}") for n in range(2)
    ]
    yield opened
    for store in opened:
        await store.close()


async def remember(agentos: Any, *texts: str) -> None:
    for text in texts:
        await agentos.memory.store(NS, StoreRequest(text, tags=("fruit",) if "cherry" in text else ()))
    assert await agentos.embedding.caught_up(DEADLINE_S)


async def test_the_index_and_the_comparison_of_all_find_the_same_and_nothing_of_another_store(
    stores: list[PostgresStore],
    wire: Any,
    embedder: Any,
    postgres_url: str,
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = (wire(store) for store in stores)
    await remember(ours, *TEXTS)
    await remember(theirs, "apple of another store")
    generation = await ours.embedding.generation()
    query = Vector(generation, embedder.vector("apple"))

    async def near(where: MemoryFilter, limit: int = 3) -> list[tuple[str, float, Any]]:
        found = await stores[0].memory.memories.vector_candidates(NS, query, where, clock(), limit)
        return [(one.id, pytest.approx(one.score, abs=1e-5), one.passage) for one in found]

    filters = (MemoryFilter(), MemoryFilter(tags=("fruit",)))
    exact = [await near(where) for where in filters]
    assert [len(found) for found in exact] == [3, 2]
    assert exact[0][0][1] == 1.0
    everything = await near(MemoryFilter(), limit=50)
    assert len(everything) == len(TEXTS) and sum(passage is not None for *_, passage in everything) == 1
    with monkeypatch.context() as few:
        few.setattr(vector_search, "EXACT_UP_TO", 3)
        few.setattr(vector_search, "A_LOOK_UP", 1)
        assert [await near(where) for where in filters] == exact, "the few that pass are looked up"
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 0)
    monkeypatch.setattr(vector_search, "EXACT_UP_TO", 0)
    assert [await near(where) for where in filters] == exact, "all are compared where an index would not pay"
    monkeypatch.setattr(vector_search, "A_VISIT", 0)
    index = stores[0].vector_index(Path())
    assert (await index.open(generation)).count == len(TEXTS) + 1
    assert index.status.state is IndexPhase.READY
    with direct.connected(postgres_url) as connection:
        assert directions.indexes(connection, SCHEMA) == [(directions.index_name(embedder.dimension), True)]
    assert [await near(where) for where in filters] == exact
    assert await near(MemoryFilter(), limit=50) == everything


async def test_the_database_makes_the_very_same_numbers_of_the_bytes(
    stores: list[PostgresStore], postgres_url: str
) -> None:
    values = np.array([0.0, -0.0, 1.0, -1.0, 1e-40, -3.4e38, 0.1, 2**-126, 1.5, -1e-7], dtype="<f4")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}, public")
        row = connection.execute("SELECT direction_of(%s)::real[]", (values.tobytes(),)).fetchone()
    assert row is not None and np.array_equal(np.array(row[0], dtype="<f4"), values)
