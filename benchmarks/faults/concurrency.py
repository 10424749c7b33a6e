"""Eight processes write at once, others read, jobs run: no error, nothing lost, everything soon visible to all."""

import random
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field

from ..corpus import question
from ..figures import Bar, Figure, percentile
from ..home import Home, wait_for_meaning
from ..run import Run, say
from ..wire import Gone, Refused, Wire, structured
from .ledger import Audit, Ledger, seconds_until_visible

WRITERS = 8
READERS = 2
NONE = Bar(at_most=0)
VISIBLE = Bar(at_most=2_000)
VISIBLE_WITHIN_S = 10.0
PROBE_EVERY = 5
JOBS = ("reflection_analyzer", "goal_monitor", "self_maintenance", "memory_decay")


@dataclass
class Outcome:
    """The record of all processes."""

    acknowledged: int = 0
    errors: list[str] = field(default_factory=list)
    reads: int = 0
    job_runs: int = 0
    listed_s: list[float] = field(default_factory=list)
    found_s: list[float] = field(default_factory=list)
    audit: Audit = field(default_factory=Audit)


def measure(run: Run) -> Iterator[Figure]:
    """Yield the figures of the run."""
    outcome = play(run, run.writes, searches=20 if run.quick else None)
    name = f"{WRITERS} processes × {run.writes} writes"
    detail = {"reads": outcome.reads, "job_runs": outcome.job_runs, "first": outcome.errors[:5]}
    yield Figure(f"{name}: errors", len(outcome.errors), "", bar=NONE, detail=detail)
    yield Figure(f"{name}: not acknowledged", WRITERS * run.writes - outcome.acknowledged, "", bar=NONE)
    yield Figure(f"{name}: lost for some process", len(outcome.audit.lost), "", bar=NONE)
    yield Figure(f"{name}: not found by some process", len(outcome.audit.not_found), "", bar=NONE)
    wrong = len(outcome.audit.ghosts) + len(outcome.audit.duplicates)
    yield Figure(f"{name}: ghosts and duplicates", wrong, "", bar=NONE)
    for what, samples in (("listed", outcome.listed_s), ("found by search", outcome.found_s)):
        for label, share in (("p50", 0.5), ("max", 1.0)):
            yield Figure(
                f"{name}: acknowledged to {what} by another process, {label}",
                percentile(samples, share) * 1000,
                "ms",
                bar=VISIBLE if label == "max" else None,
                detail={"samples": len(samples)},
            )


def play(run: Run, writes: int, searches: int | None = None) -> Outcome:
    """Run the writers; then let each process look for all memories by list, and `searches` (None: all) by search."""
    outcome, ledger = Outcome(), Ledger()
    with run.home("concurrency") as home, ExitStack() as stack:
        if run.mode == "off":
            home.daemon()
        writers = [stack.enter_context(home.connected()) for _ in range(WRITERS)]
        probes = [stack.enter_context(home.connected()) for _ in range(WRITERS)]
        readers = [stack.enter_context(home.connected()) for _ in range(READERS)]
        for wire in [*writers, *probes]:
            wait_for_meaning(wire)
        stopping = threading.Event()
        with ThreadPoolExecutor(WRITERS + READERS + 1) as threads:
            aside = [threads.submit(_read, wire, stopping, outcome) for wire in readers]
            aside.append(threads.submit(_run_jobs, home, stopping, outcome))
            writing = [
                threads.submit(_write, writers[n], probes[(n + 1) % WRITERS], writes, ledger, outcome)
                for n in range(WRITERS)
            ]
            for done in writing:
                done.result()
            say(f"{outcome.acknowledged} writes acknowledged, {len(outcome.errors)} errors")
            stopping.set()
            for done in aside:
                done.result()
            looks = [
                threads.submit(_look, ledger, wire, searches, run.random_seed + n) for n, wire in enumerate(writers)
            ]
            for look in looks:
                outcome.audit.add(look.result())
    return outcome


def _write(wire: Wire, other: Wire, writes: int, ledger: Ledger, outcome: Outcome) -> None:
    for number in range(writes):
        text = ledger.new_text()
        try:
            id_ = wire.call("memory_store", content=text, tags=["shared"])["id"]
        except (Refused, Gone, TimeoutError) as error:
            outcome.errors.append(f"store: {error!r}")
            continue
        ledger.acknowledged[id_] = text
        outcome.acknowledged += 1
        if number % PROBE_EVERY == 0:
            try:
                listed, found = seconds_until_visible(other, id_, text, VISIBLE_WITHIN_S)
            except (Refused, Gone, TimeoutError) as error:
                outcome.errors.append(f"probe: {error!r}")
                continue
            outcome.listed_s.append(listed)
            outcome.found_s.append(found)


def _read(wire: Wire, stopping: threading.Event, outcome: Outcome) -> None:
    number = 0
    calls: Sequence[tuple[str, dict[str, object]]] = (
        ("memory_search", {}),
        ("memory_list", {"limit": 50}),
        ("context_get_snapshot", {}),
        ("goal_list", {}),
    )
    while not stopping.wait(0.05):
        tool, arguments = calls[number % len(calls)]
        if tool == "memory_search":
            arguments = {"query": question(number)}
        number += 1
        try:
            structured(wire.answer(wire.send("tools/call", {"name": tool, "arguments": arguments})))
            outcome.reads += 1
        except (Refused, Gone, TimeoutError) as error:
            outcome.errors.append(f"{tool}: {error!r}")


def _run_jobs(home: Home, stopping: threading.Event, outcome: Outcome) -> None:
    number = 0
    while not stopping.wait(0.2):
        job = JOBS[number % len(JOBS)]
        number += 1
        done = home.run("agentos-daemon", "--once", job)
        outcome.job_runs += 1
        if done.returncode and b"somebody else runs it" not in done.stdout:
            outcome.errors.append(f"{job}: {done.stderr.decode(errors='replace')[-200:]}")


def _look(ledger: Ledger, wire: Wire, searches: int | None, seed: int) -> Audit:
    ids = list(ledger.acknowledged)
    return ledger.audit(wire, ids if searches is None else ledger.sample(ids, searches, random.Random(seed)))
