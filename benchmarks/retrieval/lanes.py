"""Lanes beside the data sets: search latency by size of the store, and whether old memories stay findable."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean

from .. import corpus
from ..corpus import Seeds
from ..figures import Bar, Figure, durations
from ..home import Home, wait_for_meaning
from ..wire import Wire
from .data import Item, Store
from .metrics import hit
from .systems.plain import PlainText
from .systems.system import SystemUnavailable

SEARCHES = 200
WARM_UP = 20

DEPTH = 10

EARLY = 100
"""First memories of a store, for which the retention lane searches."""

EARLY_STORE = 1_000
RETAINED = Bar(at_least=0.95)


def latency(seeds: Seeds, folder: Path, sizes: Sequence[int], budgets: Mapping[int, float]) -> Iterator[Figure]:
    """Measure p50 and p95 of a warm search of AgentOS, over standard input and output, at each size (a tier).

    `budgets` are the limits of p95 in milliseconds, by size; a size without one is only reported.
    """
    for size in sizes:
        bar = Bar(at_most=budgets[size]) if size in budgets else None
        with _planted(seeds, folder / f"latency-{size}", size) as wire:
            for number in range(WARM_UP):
                _search(wire, corpus.question(SEARCHES + number))
            seconds = []
            for number in range(SEARCHES):
                began = time.perf_counter()
                _search(wire, corpus.question(number))
                seconds.append(time.perf_counter() - began)
        yield from durations(f"search, {size:,} memories", seconds, p95=bar)


def retention(seeds: Seeds, folder: Path, more: int) -> Iterator[Figure]:
    """Measure the share of the first EARLY memories that a question for them finds among its first ten.

    In a store of EARLY_STORE, and after `more` newer memories of the same vocabulary; beside it the share that words
    alone find.
    """
    for size, bar in ((EARLY_STORE, None), (EARLY_STORE + more, RETAINED)):
        with _planted(seeds, folder / f"retention-{size}", size) as wire:
            found = [_search(wire, corpus.cue(number)) for number in range(EARLY)]
        with closing(PlainText()) as plain:
            plain.fill(Store("generated", tuple(_item(number) for number in range(size)), ()))
            by_words = [plain.search(corpus.cue(number), DEPTH) for number in range(EARLY)]
        yield Figure(
            f"any@{DEPTH} of the first {EARLY} memories, {size:,} stored",
            fmean(hit(texts, [corpus.sentence(number)], DEPTH) for number, texts in enumerate(found)),
            "",
            fmean(hit(ids, [_item(number).id], DEPTH) for number, ids in enumerate(by_words)),
            "plain BM25",
            bar,
        )


def _item(number: int) -> Item:
    return Item(str(number), None, None, corpus.sentence(number))


@contextmanager
def _planted(seeds: Seeds, folder: Path, size: int) -> Iterator[Wire]:
    """Open a session on a store of `size` generated memories, once searches use vectors. Raises SystemUnavailable."""
    home = Home(folder)
    try:
        seeds.plant(home.folder, size)
        with home.connected() as wire:
            home.wait_for_index(1_800)
            if not wait_for_meaning(wire):
                raise SystemUnavailable("AgentOS searched by words only: its embedding model is missing")
            yield wire
    finally:
        home.end()


def _search(wire: Wire, query: str) -> list[str]:
    return [hit["content"] for hit in wire.call("memory_search", query=query, limit=DEPTH, detail="full")["results"]]
