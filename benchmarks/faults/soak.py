"""Minutes of mixed work by three sessions on a store of steady size: memory, descriptors, threads, WAL stay level."""

import random
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from .. import processes
from ..corpus import question
from ..figures import Bar, Figure, percentile
from ..home import Home, wait_for_meaning
from ..run import Run, say
from ..wire import Gone, Refused, Wire
from .ledger import Audit, Ledger

SESSIONS = 3
STEADY = 400
WARM_UP_SHARE = 0.25
COMPARED_SHARE = 0.2
GROWTH_PERCENT = Bar(at_most=5)
FLAT = Bar(at_most=2)
NONE = Bar(at_most=0)
WAL_MB = Bar(at_most=16)


@dataclass
class Sample:
    """The sums over all processes at one moment, and the database's WAL."""

    at_s: float
    rss_mb: float
    pss_mb: float
    descriptors: int
    threads: int
    wal_mb: float
    count: int


@dataclass
class Outcome:
    """The course of the soak."""

    samples: list[Sample] = field(default_factory=list)
    calls: int = 0
    errors: list[str] = field(default_factory=list)
    audit: Audit = field(default_factory=Audit)
    took_s: dict[str, list[float]] = field(default_factory=dict)


def measure(run: Run) -> Iterator[Figure]:
    """Compare the first part after the warm-up with the last."""
    outcome = play(run, run.soak_minutes * 60)
    name = f"soak, {run.soak_minutes:g} min"
    first, last = compared(outcome.samples)
    yield Figure(f"{name}: calls", outcome.calls, "")
    yield Figure(f"{name}: errors", len(outcome.errors), "", bar=NONE, detail={"first": outcome.errors[:5]})
    wrong = outcome.audit.lost + outcome.audit.ghosts + outcome.audit.duplicates + outcome.audit.not_found
    yield Figure(f"{name}: lost, ghosts, duplicates, not found", len(wrong), "", bar=NONE, detail={"first": wrong[:5]})
    before, after = (statistics.median(sample.rss_mb for sample in part) for part in (first, last))
    course = [
        [round(s.at_s), round(s.rss_mb, 1), s.descriptors, s.threads, round(s.wal_mb, 1)] for s in outcome.samples
    ]
    yield Figure(
        f"{name}: growth of RSS after the warm-up",
        (after / before - 1) * 100,
        "%",
        bar=GROWTH_PERCENT,
        detail={"before_mb": round(before, 1), "after_mb": round(after, 1), "course": course},
    )
    for what in ("descriptors", "threads", "count"):
        more = statistics.median(getattr(s, what) for s in last) - statistics.median(getattr(s, what) for s in first)
        label = "processes" if what == "count" else what
        yield Figure(f"{name}: more {label} than after the warm-up", more, "", bar=FLAT)
    yield Figure(f"{name}: largest WAL", max(sample.wal_mb for sample in outcome.samples), "MB", bar=WAL_MB)
    for tool, samples in sorted(outcome.took_s.items()):
        half = len(samples) // 2
        if half:
            early, late = percentile(samples[:half], 0.5) * 1000, percentile(samples[half:], 0.5) * 1000
            yield Figure(f"{name}: {tool}, second half, p50", late, "ms", early, "first half")


def compared(samples: list[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Return the first samples after the warm-up, and the last ones."""
    after = samples[int(len(samples) * WARM_UP_SHARE) :]
    size = max(1, int(len(after) * COMPARED_SHARE))
    return after[:size], after[-size:]


def play(run: Run, seconds: float) -> Outcome:
    """Work and sample for `seconds`; then audit."""
    outcome = Outcome()
    with run.home("soak") as home, ExitStack() as stack:
        if run.mode == "off":
            home.daemon()
        wires = [stack.enter_context(home.connected()) for _ in range(SESSIONS)]
        ledger = Ledger()
        for wire in wires:
            wait_for_meaning(wire)
        began = time.monotonic()
        stopping = threading.Event()
        with ThreadPoolExecutor(SESSIONS) as threads:
            work = [threads.submit(_work, wire, n, ledger, stopping, outcome) for n, wire in enumerate(wires)]
            try:
                _look_on(home, began, seconds, outcome)
            finally:
                stopping.set()
            for done in work:
                done.result()
        living = [id_ for id_ in ledger.acknowledged if id_ not in ledger.deleted]
        outcome.audit = ledger.audit(wires[0], ledger.sample(living, 300, random.Random(run.random_seed)))
    return outcome


def _look_on(home: Home, began: float, seconds: float, outcome: Outcome) -> None:
    interval_s = max(0.5, seconds / 200)
    next_report_s = 0
    while (at_s := time.monotonic() - began) < seconds:
        running = [process.pid for process in home.processes() if process.role != "other"]
        used = processes.usage(running)
        wal = home.database.with_name(home.database.name + "-wal")
        wal_mb = wal.stat().st_size / processes.MEGABYTE if wal.exists() else 0.0
        outcome.samples.append(
            Sample(at_s, used.rss_mb, used.pss_mb, used.descriptors, used.threads, wal_mb, len(running))
        )
        if at_s >= next_report_s:
            say(f"{at_s:.0f} s: {used.rss_mb:.0f} MB, {used.descriptors} descriptors, {used.threads} threads")
            next_report_s += 60
        time.sleep(interval_s)


def _work(wire: Wire, number: int, ledger: Ledger, stopping: threading.Event, outcome: Outcome) -> None:
    """Run the mixed load of one session; its share of the store keeps its size."""
    chance = random.Random(number)
    own: list[str] = []
    goal: str | None = None
    turn = 0
    while not stopping.is_set():
        turn += 1
        try:
            text = ledger.new_text()
            id_ = _timed(wire, outcome, "memory_store", content=text, tags=[f"session-{number}"])["id"]
            ledger.acknowledged[id_] = text
            own.append(id_)
            if len(own) > STEADY:
                gone = own.pop(chance.randrange(STEADY // 2))
                ledger.deleted.add(gone)
                _timed(wire, outcome, "memory_delete", memory_id=gone)
            _timed(wire, outcome, "memory_search", query=question(chance.randrange(100_000)))
            if turn % 5 == 0:
                _timed(wire, outcome, "context_get_snapshot")
                _timed(wire, outcome, "memory_list", limit=20)
                _timed(wire, outcome, "memory_update_importance", memory_id=own[-1], importance=chance.random())
            if turn % 20 == 0:
                action, well = f"run the tests of part {chance.randrange(5)}", chance.random() < 0.7
                _timed(wire, outcome, "reflection_log", action=action, outcome="as seen", success=well)
            if turn % 100 == 0:
                if goal is not None:
                    _timed(wire, outcome, "goal_update_status", goal_id=goal, status="completed")
                goal = _timed(wire, outcome, "goal_add", title=f"goal {number} {turn}", description="as asked")["id"]
        except (Refused, TimeoutError) as error:
            outcome.errors.append(repr(error))
        except Gone as error:
            outcome.errors.append(repr(error))
            return


def _timed(wire: Wire, into: Outcome, tool: str, **arguments: Any) -> dict[str, Any]:
    began = time.monotonic()
    result = wire.call(tool, **arguments)
    into.took_s.setdefault(tool, []).append(time.monotonic() - began)
    into.calls += 1
    return result
