"""The graph at scale: the cost of a question and of a reader's batch, with hubs named by half of all memories.

python -m benchmarks --only graph
"""

import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.graph.models import EntityType, Named, Text, Understood
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.engine.ports import Connection
from agentos.storage.sqlite.store import SqliteStore

from .figures import Bar, Figure
from .run import Run

NAMESPACE = "default"
ENTITIES = 4_000
A_MEMORY = 15
A_BATCH = 100
QUESTIONS = {"a hub": "Name0 ?", "two of them": "Name5 and Name40", "a rare name": "Name2500", "nobody": "who is it"}
INSERT = (
    "INSERT INTO memories (id, namespace, memory_type, content, summary, tags, importance, metadata, source, "
    "content_hash, occurred_at, created_at, updated_at, accessed_at) "
    "VALUES (?, ?, 'semantic', ?, 'x', '[]', .5, '{}', '', ?, ?, 0, 0, 0)"
)


def measure(run: Run) -> Iterator[Figure]:
    """Measure a store whose memories name 15 of 4,000 entities each, the n-th in proportion to n^-0.8."""
    size = min(10_000, max(run.sizes))
    yield from asyncio.run(_measured(run, run.scratch / "graph", size))


async def _measured(run: Run, home: Path, size: int) -> list[Figure]:
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), config.load(home=home), system_clock)
    try:
        await store._sqlite.write(lambda connection: _plant(connection, size))
        batches = await _read(store, random.Random(run.random_seed))
        figures = [_figure(f"graph: {A_BATCH} memories written, {size:,} in all", batches, Bar(at_most=250))]
        nothing = await _timed(run, lambda: agentos.graph.subgraph(NAMESPACE, QUESTIONS["nobody"]))
        for name, query in QUESTIONS.items():
            samples = await _timed(run, lambda query=query: agentos.graph.subgraph(NAMESPACE, query))
            bar = Bar(at_most=60)
            figures.append(_figure(f"graph: subgraph of {name}, {size:,} memories", samples, bar, nothing))
        return figures
    finally:
        await agentos.close()
        await store.close()


async def _plant(connection: Connection, size: int) -> None:
    await connection.execute("INSERT INTO namespaces (id, created_at) VALUES (?, 0)", (NAMESPACE,))
    rows = [(f"mem_{number}", NAMESPACE, "x" * 200, f"{number}", number) for number in range(size)]
    await connection.execute_many(INSERT, rows)


async def _read(store: SqliteStore, chance: random.Random) -> list[float]:
    """Write random mentions of every memory; return how long each batch took, in seconds."""
    labels = [f"Name{number}" for number in range(ENTITIES)]
    weights = [(number + 1) ** -0.8 for number in range(ENTITIES)]

    def named(text: Text) -> Understood:
        drawn = dict.fromkeys(chance.choices(labels, weights, k=A_MEMORY + 3))
        return Understood(tuple(Named(label, EntityType.PERSON) for label in list(drawn)[:A_MEMORY]))

    took = []
    while texts := await store.conversation.graph.unread(NAMESPACE, A_BATCH, changed=True):
        understood = [(text, named(text)) for text in texts]
        began = time.perf_counter()
        await store.conversation.graph.record(NAMESPACE, understood, system_clock())
        took.append(time.perf_counter() - began)
    return took


async def _timed(run: Run, ask: Callable[[], Awaitable[Any]]) -> list[float]:
    await ask()
    took = []
    for _ in range(run.repeats(50, 10)):
        began = time.perf_counter()
        await ask()
        took.append(time.perf_counter() - began)
    return took


def _figure(name: str, samples: list[float], bar: Bar, reference: list[float] | None = None) -> Figure:
    median = statistics.median(samples) * 1000
    if reference is None:
        return Figure(f"{name}, p50", median, "ms", bar=bar)
    return Figure(
        f"{name}, p50", median, "ms", statistics.median(reference) * 1000, "a question that names nobody", bar
    )
