"""Latency over the course of a session: the last quarter of a long session beside its first."""

import statistics
import time
from collections.abc import Iterator

from .corpus import question, sentence
from .figures import Bar, Figure
from .home import wait_for_meaning
from .run import Run

STEPS = 20
FLAT = Bar(ratio_at_most=1.5)


def measure(run: Run) -> Iterator[Figure]:
    """Measure one session that starts with an empty store: stores, searches and snapshots, step by step."""
    writes = run.repeats(4_000, 400) // STEPS
    probes = run.repeats(20, 5)
    curve: list[dict[str, float]] = []
    with run.home("curves") as home, home.connected() as wire:
        wait_for_meaning(wire)
        for step in range(STEPS):
            stores = []
            for number in range(step * writes, (step + 1) * writes):
                began = time.perf_counter()
                wire.call("memory_store", content=sentence(number))
                stores.append(time.perf_counter() - began)
            searches, snapshots = [], []
            for probe in range(probes):
                began = time.perf_counter()
                wire.call("memory_search", query=question(step * probes + probe))
                searches.append(time.perf_counter() - began)
                began = time.perf_counter()
                wire.call("context_get_snapshot")
                snapshots.append(time.perf_counter() - began)
            point = {"memories": float((step + 1) * writes)}
            for name, samples in (("store", stores), ("search", searches), ("snapshot", snapshots)):
                point[f"{name}_p50_ms"] = round(statistics.median(samples) * 1000, 2)
            curve.append(point)
    quarter = STEPS // 4
    for name in ("store", "search", "snapshot"):
        column = [point[f"{name}_p50_ms"] for point in curve]
        yield Figure(
            f"{name}, last quarter of {STEPS * writes:,} stores in a session, p50",
            statistics.median(column[-quarter:]),
            "ms",
            statistics.median(column[:quarter]),
            "its first quarter",
            FLAT,
            {"curve": curve} if name == "store" else {},
        )
