"""Latency of a search among long turns of talks with an assistant, beside exact vectors of the same run.

A turn has 2,000 characters on average, an answer of the assistant five times as many as what the user says, in as many
passages.
"""

from collections.abc import Iterator

from .corpus import question
from .figures import Bar, Figure, durations
from .home import wait_for_meaning
from .latency import seconds
from .references import PlainScan
from .run import Run, say

TURNS = 10_000
WITHIN = Bar(at_most=120)


def measure(run: Run) -> Iterator[Figure]:
    """Search among as many turns as the largest size, TURNS at most; the reference searches between the calls."""
    count = min(TURNS, max(run.sizes))
    say(f"{count:,} long turns")
    repeats = run.repeats(300, 40)
    with run.home("long-turns", count, turns=True) as home:
        plain = PlainScan(run.seeds, count, turns=True)
        with home.connected() as wire:
            wait_for_meaning(wire, 600)
            home.wait_for_index(1_800)
            searches: list[float] = []
            scans: list[float] = []
            for number in range(repeats):
                searches.append(seconds(lambda: wire.call("memory_search", query=question(number * 3), limit=10)))  # noqa: B023
                scans.append(plain.seconds(question(number * 3 + 1)))
        yield from durations(f"search, {count:,} long turns", searches, scans, plain.name, p95=WITHIN)
