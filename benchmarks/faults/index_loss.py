"""The vector index is deleted, then corrupted, while sessions work: answers go on, and it is rebuilt."""

import asyncio
import os
import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agentos import config, database
from agentos.daemon_pkg.lock import DaemonLock

from ..corpus import question, sentence
from ..figures import Bar, Figure, percentile
from ..home import Home, wait_for_meaning
from ..run import Run, say
from ..wire import Gone, Refused, Wire
from .ledger import Audit, Ledger

MEMORIES = 60_000
IN_USE_ABOVE = 50_000
"""In a smaller store searches compare every vector, and a lost index may wait until it is needed."""
SESSIONS = 2
REBUILT_WITHIN_S = 600.0
SMALL_REBUILT_WITHIN_S = 20.0
KILLED_WITHIN_S = 30.0
"""How long a killed daemon may hold its lock: until the last of its threads has ended."""
NONE = Bar(at_most=0)
REBUILT = Bar(at_most=REBUILT_WITHIN_S)


@dataclass
class Outcome:
    """Observations of the sessions, and the state of the index."""

    answers_s: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    modes: set[str] = field(default_factory=set)
    rebuilt_s: dict[str, float] = field(default_factory=dict)
    audit: Audit = field(default_factory=Audit)
    indexed: int = 0
    expected: int = 0


def measure(run: Run) -> Iterator[Figure]:
    """Yield the figures of both faults."""
    memories = 1_000 if run.quick else MEMORIES
    in_use = memories > IN_USE_ABOVE
    outcome = play(run, memories, REBUILT_WITHIN_S if in_use else SMALL_REBUILT_WITHIN_S)
    name = "index lost while running"
    detail: dict[str, object] = {"first": outcome.errors[:5], "modes": sorted(outcome.modes)}
    yield Figure(f"{name}: calls that failed", len(outcome.errors), "", bar=NONE, detail=detail)
    yield Figure(f"{name}: calls answered", len(outcome.answers_s), "")
    for label, share in (("p95", 0.95), ("max", 1.0)):
        yield Figure(f"{name}: a call, {label}", percentile(outcome.answers_s, share) * 1000, "ms")
    for fault, seconds in outcome.rebuilt_s.items():
        yield Figure(f"{name}: {fault} to rebuilt", seconds, "s", bar=REBUILT if in_use else None)
    audit = outcome.audit
    wrong = audit.lost + audit.ghosts + audit.duplicates + audit.not_found
    yield Figure(f"{name}: lost, ghosts, duplicates, not found", len(wrong), "", bar=NONE, detail={"first": wrong[:5]})
    difference = abs(outcome.indexed - outcome.expected)
    detail = {"in the index": outcome.indexed, "in the database": outcome.expected}
    yield Figure(f"{name}: vectors missing or too many in the index", difference, "", bar=NONE, detail=detail)


def play(run: Run, memories: int, rebuilt_within_s: float = SMALL_REBUILT_WITHIN_S) -> Outcome:
    """Delete the index, wait for its rebuild, corrupt it, wait; then audit, and open the result as a daemon does."""
    outcome, ledger = Outcome(), Ledger()
    with run.home("index-loss", memories) as home:
        with ExitStack() as stack:
            wires = [stack.enter_context(home.connected()) for _ in range(SESSIONS)]
            for wire in wires:
                wait_for_meaning(wire)
            home.daemon()
            if not home.wait_for_index(REBUILT_WITHIN_S):
                raise RuntimeError("the index was not ready before anything was done to it")
            stopping = threading.Event()
            with ThreadPoolExecutor(SESSIONS) as threads:
                work = [threads.submit(_work, wire, n, ledger, stopping, outcome) for n, wire in enumerate(wires)]
                try:
                    for fault, strike in (("deleted", _delete), ("corrupted", _corrupt)):
                        outcome.rebuilt_s[fault] = _seconds_to_rebuilt(home, strike, rebuilt_within_s)
                        say(f"{fault}: rebuilt after {outcome.rebuilt_s[fault]:.1f} s")
                finally:
                    stopping.set()
                for done in work:
                    done.result()
            ledger.sent.update(sentence(number) for number in range(memories))
            ids = ledger.sample(ledger.acknowledged, 300, random.Random(run.random_seed))
            outcome.audit = ledger.audit(wires[0], ids)
            home.wait_for_index(60)
        home.end()
        outcome.indexed, outcome.expected = asyncio.run(_counts(home.folder))
    return outcome


def _work(wire: Wire, number: int, ledger: Ledger, stopping: threading.Event, outcome: Outcome) -> None:
    turn = 0
    while not stopping.is_set():
        turn += 1
        began = time.monotonic()
        try:
            text = ledger.new_text()
            ledger.acknowledged[wire.call("memory_store", content=text)["id"]] = text
            outcome.answers_s.append(time.monotonic() - began)
            began = time.monotonic()
            outcome.modes.add(
                wire.call("memory_search", query=question(turn * SESSIONS + number)).get("mode", "hybrid")
            )
            outcome.answers_s.append(time.monotonic() - began)
        except (Refused, TimeoutError) as error:
            outcome.errors.append(repr(error))
        except Gone as error:
            outcome.errors.append(repr(error))
            return
        stopping.wait(0.05)


def _seconds_to_rebuilt(home: Home, strike: Callable[[Path], None], timeout_s: float) -> float:
    """Strike, and return the seconds until another folder of the index has every change; inf after the timeout."""
    before = _current(home)
    began = time.monotonic()
    strike(home.folder / "chroma")
    while time.monotonic() < began + timeout_s:
        now = _current(home)
        if now is not None and now != before and now.exists() and home.index_is_ready():
            return time.monotonic() - began
        time.sleep(0.1)
    return float("inf")


def _current(home: Home) -> Path | None:
    pointer = home.folder / "chroma" / "CURRENT"
    try:
        return pointer.parent / pointer.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _delete(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _corrupt(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("r+b") as file:  # the same file, as a failing disk leaves it; its length stays
                file.write(os.urandom(path.stat().st_size))


async def _counts(folder: Path) -> tuple[int, int]:
    """Return the number of vectors in the index, as it is found, and in the database, once nobody works on either."""
    settings = config.load(home=folder)
    with DaemonLock(settings.database, KILLED_WITHIN_S):
        async with database.opened(settings, lambda: datetime.now(UTC)) as (agentos, index):
            await agentos.embedding.ready(60)
            generation = await agentos.embedding.generation()
            if generation is None:
                raise RuntimeError("there is no embedding model: nothing to compare")
            state = await index.open(generation)
            await index.close()
    with closing(sqlite3.connect(settings.database)) as connection:
        [expected] = connection.execute("SELECT count(*) FROM embeddings").fetchone()
    return state.count, int(expected)
