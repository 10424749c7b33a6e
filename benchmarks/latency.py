"""Latency of store, search and snapshot over standard input and output at several sizes, beside a reference."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from .corpus import PROJECTS, question, sentence
from .figures import Bar, Figure, durations
from .home import Home, wait_for_meaning
from .references import PlainInsert, PlainScan
from .run import Run, say
from .wire import Wire

SEARCH, SEARCH_P50 = Bar(at_most=60), Bar(at_most=30)
STORE, STORE_P50 = Bar(at_most=35), Bar(at_most=20)
P50_UP_TO = 1_000
BARS_UP_TO = 100_000
"""The bars are for this size; a smaller store must meet them too, a larger one need not."""


def measure(run: Run) -> Iterator[Figure]:
    """Measure all sizes; the reference is the same work done plainly, between the calls."""
    for size in run.sizes:
        say(f"{size:,} memories")
        with run.home(f"latency-{size}", size) as home:
            yield from _at_size(run, home, size)


def _at_size(run: Run, home: Home, size: int) -> Iterator[Figure]:
    repeats = run.repeats(300, 40)
    numbers = count(10_000_000)
    plain_scan, plain_insert = PlainScan(run.seeds, size), PlainInsert(home.folder)
    search_bar, store_bar = (SEARCH, STORE) if size <= BARS_UP_TO else (None, None)
    search_p50, store_p50 = (SEARCH_P50, STORE_P50) if size <= P50_UP_TO else (None, None)
    if run.mode == "off":
        home.daemon()
    with home.connected() as wire:
        wait_for_meaning(wire, 600)
        began = time.perf_counter()
        if home.wait_for_index(1_800):
            yield Figure(f"index ready after opening, {size:,} memories", time.perf_counter() - began, "s")
        else:
            say("there is no daemon, or its index was not ready in time: measuring without")
        wait_for_meaning(wire)

        stores: list[float] = []
        inserts: list[float] = []
        for _ in range(repeats):
            text = sentence(next(numbers))
            stores.append(seconds(lambda: wire.call("memory_store", content=text, tags=["project-1", "new"])))  # noqa: B023
            inserts.append(plain_insert.seconds(text))
        yield from durations(f"store, {size:,} memories", stores, inserts, plain_insert.name, store_p50, store_bar)

        searches: list[float] = []
        filtered: list[float] = []
        scans: list[float] = []
        modes: dict[str, int] = {}
        for number in range(repeats):
            searches.append(seconds(lambda: _search(wire, number * 3, modes)))  # noqa: B023
            scans.append(plain_scan.seconds(question(number * 3 + 1)))
            tags = [f"project-{number % PROJECTS}"]
            filtered.append(seconds(lambda: _search(wire, number * 3 + 2, modes, tags=tags)))  # noqa: B023
        yield from durations(f"search, {size:,} memories", searches, scans, plain_scan.name, search_p50, search_bar)
        yield from durations(f"search with a filter (a tenth), {size:,} memories", filtered, scans, plain_scan.name)
        if set(modes) != {"hybrid"}:
            say(f"modes of the searches: {modes}")
        answered = modes.get("hybrid", 0) / (2 * repeats)
        yield Figure(f"searches that used vectors, {size:,} memories", answered, "", bar=Bar(at_least=1))

        snapshots = [seconds(lambda: wire.call("context_get_snapshot")) for _ in range(repeats)]
        yield from durations(f"snapshot, {size:,} memories", snapshots)
    plain_insert.close()


def _search(wire: Wire, number: int, modes: dict[str, int], **filters: Any) -> None:
    mode = wire.call("memory_search", query=question(number), limit=10, **filters).get("mode", "hybrid")
    modes[mode] = modes.get(mode, 0) + 1


def seconds(work: Callable[[], object]) -> float:
    """Return how long a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
