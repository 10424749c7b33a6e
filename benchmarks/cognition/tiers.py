"""Latency of each tier of memory for a client over standard input and output, against its budget."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing

from ..corpus import PROJECTS, question, sentence
from ..figures import Bar, Figure, durations
from ..home import Home, wait_for_meaning
from ..run import Run, say
from ..wire import Wire

BUDGET_MS = {"working": 5, "short": 20, "mid": 50, "long": 50, "procedural": 30}
"""The budget of each tier: its 95th percentile, at most."""
REFERENCE = "a search of everything"
MEMORIES = 1_000
SESSIONS, PAGES = 10, 30
STATED, PROCEDURES = 100, 50
SETTLED_WITHIN_S = 180.0


def measure(run: Run) -> Iterator[Figure]:
    """Measure every tier in turns, on a store with conversations whose pages have settled."""
    pages = run.repeats(PAGES, 15)
    with run.home("tiers", MEMORIES) as home:
        home.settings["AGENTOS_TOOLSETS"] = "tiers,turns"
        if run.mode == "off":
            home.daemon()
        with home.connected() as wire:
            wait_for_meaning(wire, 600)
            _converse(wire, pages)
            wait_for_meaning(wire)
            segments = _settled(home, wire)
            found = _found(home)
            say(f"{SESSIONS * pages} pages, {segments} segments, {found} found facts")
            yield from _by_tier(wire, run.repeats(300, 40))


def _converse(wire: Wire, pages: int) -> None:
    for session in range(SESSIONS):
        for page in range(pages):
            number = session * 1_000 + page
            wire.call(
                "turn_add",
                session=f"session-{session}",
                content=f"{question(number)} ({number})",
                answer=sentence(1_000_000 + number),
            )
    for number in range(STATED):
        wire.call("turn_add", session="stated", content=f"I love project {number} of team {number % PROJECTS}.")
    for number in range(PROCEDURES):
        text = f"To release project {number % PROJECTS}, first {sentence(3_000_000 + number)}"
        wire.call("memory_store", content=text, memory_type="procedural")


def _settled(home: Home, wire: Wire) -> int:
    """Wait until the daemon has moved what is beyond short-term memory; return the number of segments.

    Raises TimeoutError.
    """
    give_up_at = time.monotonic() + SETTLED_WITHIN_S
    while (status := wire.call("tiers_status"))["pages_due"]:
        if time.monotonic() > give_up_at:
            raise TimeoutError(f"{status['pages_due']} pages still wait to be moved: {home.status()}")
        time.sleep(1.0)
    return int(status["mid"])


def _found(home: Home) -> int:
    """Run the extraction of facts from users' statements; return how many there are then."""
    home.run("agentos-daemon", "--once", "fact_extraction")
    with closing(sqlite3.connect(home.database, timeout=10)) as connection:
        [found] = connection.execute("SELECT count(*) FROM memories WHERE source LIKE 'extraction:%'").fetchone()
    return int(found)


def _by_tier(wire: Wire, repeats: int) -> Iterator[Figure]:
    def recall(tier: str, number: int) -> object:
        session = f"session-{number % SESSIONS}"
        return wire.call("tiers_recall", query=question(number * 3), session=session, tiers=[tier])

    asked: dict[str, Callable[[int], object]] = {
        "working": lambda number: wire.call("turn_window", session=f"session-{number % SESSIONS}"),
        "short": lambda number: recall("short", number),
        "mid": lambda number: recall("mid", number),
        "long": lambda number: recall("long", number),
        "procedural": lambda number: wire.call(
            "memory_search", query=question(number * 3), memory_type="procedural", limit=5
        ),
    }
    asked[REFERENCE] = lambda number: wire.call("memory_search", query=question(number * 3 + 1), limit=5)
    took: dict[str, list[float]] = {tier: [] for tier in asked}
    for number in range(repeats):
        for tier, ask in asked.items():
            began = time.perf_counter()
            ask(number)
            took[tier].append(time.perf_counter() - began)
    reference = took.pop(REFERENCE)
    for tier, samples in took.items():
        yield from durations(f"{tier} memory", samples, reference, REFERENCE, p95=Bar(at_most=BUDGET_MS[tier]))
