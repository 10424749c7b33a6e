"""What a read of one namespace reads on PostgreSQL: its own rows by an index, however much the others hold."""

import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from agentos.modules.memory.models import MemoryFilter, Vector, WordFrequencies
from agentos.storage.engine import text_ranking
from agentos.storage.postgres.store import PostgresStore
from tests.tables import every

pytestmark = pytest.mark.postgres
SCHEMA = f"plans_{os.getpid()}"
SHOWN, BESIDE = 60, 300
"""The most rows that are read of a table to show 20, and to show 20 with what stands around each."""
SMALL, LARGE, OTHERS, SIZE = 250, 6_000, 150, 8
ASKED = 200
OF_MANY = ("memories", "embeddings", "memory_words", "memory_text", "memory_tags", "questions")
FILL = f"""
SET session_replication_role = replica;
SET search_path TO {SCHEMA}, public;
INSERT INTO embedding_generations (id, fingerprint, dimension, created_at) VALUES (7, 'made', {SIZE}, 1);
INSERT INTO namespaces (id, created_at, number)
    SELECT CASE n WHEN 0 THEN 'large' ELSE 'small' || n END, 1, 1000 + n FROM generate_series(0, {OTHERS}) n;
CREATE TEMPORARY TABLE made AS SELECT n.id, n.number, k, row_number() OVER () + 1000 AS seq
    FROM namespaces n, generate_series(1, CASE n.id WHEN 'large' THEN {LARGE} ELSE {SMALL} END) k;
INSERT INTO memories (seq, id, namespace, memory_type, content, summary, tags, importance, metadata, source,
        content_hash, occurred_at, created_at, updated_at, accessed_at)
    SELECT seq, 'mem_' || seq, id, 'semantic', 'note ' || k, '', '[]', 0.5, '{{}}', 'test', 'h' || seq, k, k, k, k
    FROM made;
INSERT INTO embeddings (memory_seq, part, generation, begins, ends, vector)
    SELECT seq, 0, 7, 0, 5, substr(sha256(seq::text::bytea), 1, 2)
        || decode('003f' || repeat('0000003f', {SIZE - 1}), 'hex') FROM made;
INSERT INTO memory_text (memory_seq, shelf, tokens) SELECT seq, 2 * number, 8 FROM made;
INSERT INTO memory_words (shelf, word, memory_seq, weight, tokens)
    SELECT 2 * number, word, seq, 1, 8 FROM made, LATERAL (VALUES ('note'), ('harbour' || k % 50)) w (word);
INSERT INTO memory_tags (namespace, tag, memory_seq) SELECT id, 'kind' || k % 10, seq FROM made;
INSERT INTO questions (id, namespace, asked_at, client, tool, question, hits, used)
    SELECT 'ask_' || seq, id, k, '', 'memory_search', 'question ' || k, k % 2, 0 FROM made WHERE k <= {ASKED};
INSERT INTO text_statistics (shelf, memories, tokens) SELECT 2 * number, count(*), 8 * count(*) FROM made GROUP BY 1;
ANALYZE
"""


@pytest.fixture(scope="module")
def filled(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import asyncio

    from agentos.modules.clock import system_clock

    home = tmp_path_factory.mktemp("plans")

    async def made() -> None:
        await (await PostgresStore.open(home, postgres_url, system_clock, schema=SCHEMA)).close()

    asyncio.run(made())
    with psycopg.connect(postgres_url) as connection:
        connection.execute(f"SELECT set_config('agentos.tenant', id::text, false) FROM {SCHEMA}.tenants")
        connection.execute(FILL.encode())
    return home


@pytest.fixture
async def store(filled: Path, postgres_url: str, clock: Any) -> AsyncIterator[PostgresStore]:
    opened = await PostgresStore.open(filled, postgres_url, clock, schema=SCHEMA)
    yield opened
    await opened.close()


def scans(plan: Any) -> Iterator[tuple[str, str, float]]:
    """Each scan of a large table in a plan: the table, the kind of scan, and the rows that it read."""
    if isinstance(plan, list):
        for one in plan:
            yield from scans(one)
    elif isinstance(plan, dict):
        if plan.get("Relation Name") in OF_MANY:
            removed = plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
            yield plan["Relation Name"], plan["Node Type"], (plan["Actual Rows"] + removed) * plan["Actual Loops"]
        for value in plan.values():
            yield from scans(value)


async def best_of_all(store: PostgresStore, namespace: str, words: WordFrequencies, now: datetime) -> Any:
    """The best three by both words, where each of them finds memories."""
    with pytest.MonkeyPatch.context() as all_lead:
        all_lead.setattr(text_ranking, "ENOUGH", text_ranking.MAX_FREQUENCY)
        return await store.memory.memories.text_candidates(namespace, words, MemoryFilter(), now, 3)


@every("namespace, size", [("small77", SMALL), ("large", LARGE)])
async def test_a_search_and_a_list_read_the_rows_of_their_own_namespace(
    store: PostgresStore, clock: Any, monkeypatch: pytest.MonkeyPatch, namespace: str, size: int
) -> None:
    engine: Any = store.engine
    once, plans = engine._read_once, []

    async def explained(connection: Any, query: Any) -> Any:
        sql = query.sql.decode()
        if re.search(rf"\b(?:{'|'.join(OF_MANY)})\b", sql):
            async with connection.pipeline():
                await connection.execute("BEGIN READ ONLY")
                path, role, tenant = engine._search_path, engine._role, str(engine.tenant)
                await connection.execute(
                    "SELECT set_config('search_path', $1, true), set_config('role', $2, true), "
                    "set_config('agentos.tenant', $3, true)",
                    (path, role, tenant),
                )
                cursor = await connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}".encode(), query.values)
                await connection.execute("COMMIT")
            found = (await cursor.fetchone())[0]
            plans.append((sql, json.loads(found) if isinstance(found, str) else found))
        return await once(connection, query)

    monkeypatch.setattr(engine, "_read_once", explained)
    ones = Vector(7, np.full(SIZE, SIZE**-0.5, dtype="<f4").tobytes())
    words = await store.memory.memories.frequencies(namespace, ["note", "harbour7"], with_aside=False)
    assert words.counts["harbour7"] == size // 50
    for where in (MemoryFilter(), MemoryFilter(tags=("kind3",))):
        near = await store.memory.memories.vector_candidates(namespace, ones, where, clock(), 10)
        worded = await store.memory.memories.text_candidates(namespace, words, where, clock(), 10)
        assert len(near) == len(worded) == 10
    with monkeypatch.context() as led:
        led.setattr(text_ranking, "ENOUGH", 1)  # the common word is only looked up in what the rare one finds
        assert await store.memory.memories.text_candidates(namespace, words, MemoryFilter(), clock(), 3) == (
            await best_of_all(store, namespace, words, clock())
        )
    assert len(plans) >= 4
    searching = len(plans)
    assert await store.memory.memories.count(namespace, MemoryFilter(), clock()) == size
    assert len(await store.memory.memories.page(namespace, MemoryFilter(), clock(), 20, 0, None)) == 20
    assert len(await store.memory.archive.strongest(namespace, 0.1, clock(), 20)) == 20
    assert len(plans) >= searching + 3
    beside = len(plans)
    shown = await store.memory.memories.page(namespace, MemoryFilter(), clock(), 20, 0, None)
    turns = await store.memory.surroundings.turns(namespace, [memory.id for _, memory in shown], clock(), 7)
    assert len(await store.memory.surroundings.stored_beside(namespace, [turn.seq for turn in turns], clock(), 7)) >= 20
    assert len(await store.records.questions.unanswered([namespace], 50)) == 50
    assert len(plans) >= beside + 4
    for place, (sql, plan) in enumerate(plans):
        for table, kind, rows in scans(plan):
            assert "Seq Scan" not in kind, (table, sql)
            most = 3 * size if place < searching else SHOWN if place < beside else BESIDE
            assert rows <= most, (table, kind, rows, sql)
