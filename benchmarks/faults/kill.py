"""kill -9 at random moments: of the front, the daemon, the daemon's child, or all; while starting, writing, indexing,
backing up, migrating. After each: everything acknowledged is there, nothing else, and the next call works.
"""

import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field

from .. import processes
from ..figures import Bar, Figure, percentile
from ..home import Home, call_until_answered
from ..run import Run, say
from ..wire import Gone, Wire
from .ledger import Audit, Ledger
from .writer import PipelinedWriter

NONE = Bar(at_most=0)
RECOVERY = Bar(at_most=2_000)
ROUNDS_A_HOME = 50
SEARCHED_A_ROUND = 15
WRITERS = 2
WRITES_A_ROUND = 60
KINDS = ("front", "daemon", "both", "index", "start of a front", "start of a daemon", "first start", "backup")


@dataclass
class Outcome:
    """The totals of all rounds."""

    audit: Audit = field(default_factory=Audit)
    recovery_s: dict[str, list[float]] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    refused: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    unanswered: int = 0
    damaged: list[str] = field(default_factory=list)
    owed: int = 0


def measure(run: Run) -> Iterator[Figure]:
    """Yield the figures of all rounds."""
    outcome = play(run, run.rounds)
    name = f"kill -9, {run.rounds} rounds"
    detail = {
        "rounds": dict(outcome.kinds),
        "acknowledged": outcome.acknowledged,
        "refused": outcome.refused,
        "refusals": dict(outcome.refusals.most_common(5)),
    }
    audit = outcome.audit
    yield Figure(f"{name}: writes acknowledged", outcome.acknowledged, "", detail=detail)
    for what, wrong in (
        ("acknowledged but not listed", audit.lost),
        ("ghosts", audit.ghosts),
        ("duplicates", audit.duplicates),
        ("acknowledged but not found by search", audit.not_found),
        ("databases or backups damaged", outcome.damaged),
    ):
        yield Figure(f"{name}: {what}", len(wrong), "", bar=NONE, detail={"first": wrong[:5]})
    yield Figure(f"{name}: requests never answered by a living front", outcome.unanswered, "", bar=NONE)
    yield Figure(f"{name}: memories left without a vector", outcome.owed, "", bar=NONE)
    all_samples = [sample for samples in outcome.recovery_s.values() for sample in samples]
    by_kind = {kind: round(max(samples) * 1000) for kind, samples in outcome.recovery_s.items()}
    for label, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        bar = RECOVERY if label == "max" else None
        value = percentile(all_samples, share) * 1000
        yield Figure(f"{name}: kill to next call answered, {label}", value, "ms", bar=bar, detail={"max_ms": by_kind})


def play(run: Run, rounds: int, kinds: tuple[str, ...] = KINDS) -> Outcome:
    """Play rounds of faults, in homes of at most ROUNDS_A_HOME each, and return the totals."""
    outcome = Outcome()
    chance = random.Random(run.random_seed)
    order = [kinds[number % len(kinds)] for number in range(rounds)]
    chance.shuffle(order)
    for start in range(0, rounds, ROUNDS_A_HOME):
        with run.home(f"kill-{start}") as home:
            House(home, outcome, chance).play(order[start : start + ROUNDS_A_HOME])
        say(f"{min(start + ROUNDS_A_HOME, rounds)} of {rounds} rounds, {outcome.acknowledged} writes acknowledged")
    return outcome


class House:
    """A home with its writers and an observer, over many rounds."""

    def __init__(self, home: Home, outcome: Outcome, chance: random.Random) -> None:
        self._home = home
        self._outcome = outcome
        self._chance = chance
        self._ledger = Ledger()
        self._has_backup = home.run("agentos", "backup", "--help").returncode == 0
        self._observer = home.session()
        self._wires = [home.session() for _ in range(WRITERS)]

    def play(self, kinds: list[str]) -> None:
        """Play one round per kind, then examine the store."""
        try:
            for kind in kinds:
                self._round(kind)
            self._last_look()
        finally:
            for wire in [self._observer, *self._wires]:
                wire.kill()

    def _round(self, kind: str) -> None:
        if kind == "backup" and not self._has_backup:
            kind = "daemon"
        if kind == "index" and not self._index_child():
            kind = "daemon"  # where the index has no process of its own, it dies with the daemon's
        writers = [PipelinedWriter(wire, self._ledger, WRITES_A_ROUND) for wire in self._wires]
        self._pause(0.02, 0.3)
        recovery_s = self._strike(kind, writers)
        for writer in writers:
            writer.stop()
        new = [id_ for writer in writers for id_ in writer.acknowledged]
        self._wires = [self._living(writer.wire) for writer in writers]
        self._observer = self._living(self._observer)
        self._outcome.kinds[kind] += 1
        self._outcome.recovery_s.setdefault(kind, []).append(recovery_s)
        self._outcome.acknowledged += len(new)
        for writer in writers:
            self._outcome.refused += len(writer.refused)
            self._outcome.refusals.update(refusal[:120] for refusal in writer.refused)
            self._outcome.unanswered += writer.unanswered
        searched = self._ledger.sample(new, SEARCHED_A_ROUND, self._chance)
        audit = self._ledger.audit(self._observer, searched)
        if not audit.is_clean:
            say(f"after {kind}: {audit}")
        self._outcome.audit.add(audit)

    def _strike(self, kind: str, writers: list[PipelinedWriter]) -> float:
        """Cause the fault of a round; return the seconds from the last kill to the next answered call."""
        if kind == "front":
            writers[0].kill()
        elif kind == "daemon":
            processes.kill(self._home.daemon())
        elif kind == "index":
            processes.kill(self._index_child() or self._home.daemon())
        elif kind == "both":
            processes.kill(self._home.daemon())
            writers[0].kill()
        elif kind == "start of a front":
            wire = self._home.spawn()
            with suppress(Gone):
                wire.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}})
                self._pause(0.0, 0.6)
            wire.kill()
        elif kind == "start of a daemon":
            processes.kill(self._home.daemon())
            if self._home.mode == "off":
                self._home.daemon(wait_s=0)
            self._pause(0.0, 1.0)
            for process in self._home.processes("daemon"):
                processes.kill(process.pid)
        elif kind == "first start":
            return self._kill_at_first_start()
        elif kind == "backup":
            self._kill_a_backup()
        else:
            raise ValueError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
        began = time.monotonic()
        if kind in ("front", "both", "start of a front"):
            wire = self._home.session()
            call_until_answered(wire)
            recovery_s = time.monotonic() - began
            wire.close()
        else:
            call_until_answered(self._observer)
            recovery_s = time.monotonic() - began
        return recovery_s

    def _kill_at_first_start(self) -> float:
        """Kill every process of a new home as it creates its database, then use it; return the seconds to recovery."""
        home = Home(self._home.folder.with_name(f"{self._home.folder.name}-new-{time.monotonic_ns()}"), self._home.mode)
        try:
            ledger = Ledger()
            wire = home.session()
            writer = PipelinedWriter(wire, ledger, WRITES_A_ROUND)
            self._pause(0.0, 0.8)
            for process in home.processes():
                processes.kill(process.pid)
            writer.kill()
            began = time.monotonic()
            again = home.session()
            call_until_answered(again)
            recovery_s = time.monotonic() - began
            audit = ledger.audit(again, ledger.sample(writer.acknowledged, SEARCHED_A_ROUND, self._chance))
            self._outcome.audit.add(audit)
            self._outcome.acknowledged += len(writer.acknowledged)
            again.close()
            home.is_empty_of_processes(10.0)
            self._examine(home)
            return recovery_s
        finally:
            home.end()

    def _kill_a_backup(self) -> None:
        backup = self._home.begin("agentos", "backup")
        self._pause(0.1, 1.5)
        backup.kill()
        backup.wait()

    def _last_look(self) -> None:
        """Check that everything acknowledged is listed and found, every vector is made, and the file is sound."""
        self._outcome.audit.add(self._ledger.audit(self._observer, list(self._ledger.acknowledged)))
        give_up_at = time.monotonic() + 60
        while self._home.vectors_owed() and time.monotonic() < give_up_at:
            time.sleep(0.1)
        self._outcome.owed += self._home.vectors_owed()
        for wire in [self._observer, *self._wires]:
            wire.close()
        self._home.end()
        self._examine(self._home)

    def _examine(self, home: Home) -> None:
        backups = home.folder / "backups"
        for path in [home.database, *(backups.glob("*.db") if backups.exists() else ())]:
            problem = _problem_of(path)
            if problem:
                self._outcome.damaged.append(f"{path.name}: {problem}")

    def _index_child(self) -> int | None:
        return next((process.pid for process in self._home.processes("child")), None)

    def _living(self, wire: Wire) -> Wire:
        if wire.process.poll() is None:
            return wire
        wire.kill()
        return self._home.session()

    def _pause(self, least_s: float, most_s: float) -> None:
        """Sleep for a random time, so that the moment of the fault is random; nothing is waited for."""
        time.sleep(self._chance.uniform(least_s, most_s))


def _problem_of(path: object) -> str | None:
    """Return SQLite's finding against a database; None if it is sound."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True)) as connection:
            [verdict] = connection.execute("PRAGMA integrity_check").fetchone()
            if verdict != "ok":
                return str(verdict)
            if connection.execute("PRAGMA foreign_key_check").fetchall():
                return "a row refers to one that is not there"
            for index in ("memory_text", "memory_text_aside"):
                connection.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            counts = {
                connection.execute(f"SELECT {count}").fetchone()[0]
                for count in (
                    "count(*) FROM memories",
                    "(SELECT count(*) FROM memory_text) + (SELECT count(*) FROM memory_text_aside)",
                )
            }
            return None if len(counts) == 1 else f"rows and text index differ: {counts}"
    except sqlite3.Error as error:
        return str(error)
