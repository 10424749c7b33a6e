"""Measure whether what is known stays true, against the bars of the lifecycle.

Cases are made from the seed: the same seed, the same cases. Exit code: 0; 1 when a bar was missed or something could
not be measured; 2 for arguments that are not acceptable.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import machine
from ..figures import Bar, Figure, table
from . import abstention, asking, changes, free_wording, neighbours, said_again, supersession, worlds
from .cases import SPLITS, Split
from .server import Server


@dataclass(frozen=True)
class Amounts:
    """The number of cases of each kind."""

    updates: int
    beside: int
    groups: int
    given: int
    free_wording: int
    worlds: int
    near: int
    conflicts: int
    duplicates: int
    low_trust: int
    off_topic: int
    sizes: tuple[int, ...]
    pair_step: int
    with_seen: bool


FULL = Amounts(550, 300, 6, 200, 300, 1_200, 550, 120, 60, 200, 400, (30, 300, 2000), 1, True)
QUICK = Amounts(60, 50, 1, 40, 10, 60, 60, 30, 20, 40, 80, (30, 150), 2, False)

Measurement = Callable[[Server, Split, int, Amounts], Iterator[Figure]]

MEASUREMENTS: dict[str, Measurement] = {
    "updates": lambda server, split, seed, of: changes.measure(server, split, seed, of.updates, of.beside, of.groups),
    "given": lambda server, split, seed, of: changes.measure_given(server, split, seed, of.given, of.beside),
    "told": lambda server, _, seed, of: free_wording.measure(server, seed, of.free_wording),
    "worlds": lambda server, _, seed, of: worlds.measure(server, seed, of.worlds),
    "supersession": lambda server, _, seed, of: supersession.measure(
        server, seed, of.pair_step, with_seen=of.with_seen
    ),
    "low_trust": lambda server, split, seed, of: changes.measure_low_trust(server, split, seed, of.low_trust),
    "near": lambda server, split, seed, of: neighbours.measure_near(server, split, seed, of.near),
    "conflicts": lambda server, split, seed, of: neighbours.measure_conflicts(server, split, seed, of.conflicts),
    "duplicates": lambda server, split, seed, of: neighbours.measure_duplicates(server, split, seed, of.duplicates),
    "said_again": lambda server, *_: said_again.measure(server),
    "asked": lambda server, split, seed, of: asking.measure(
        server, split, seed, of.updates, of.near, of.beside, of.groups
    ),
    "abstention": lambda server, split, seed, of: abstention.measure(server, split, seed, of.off_topic, of.sizes),
}
SETTINGS = {"AGENTOS_TOOLSETS": "approvals"}
"""Settings of the server."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, write JSON; return the exit code."""
    arguments = _arguments(argv)
    for name in [name for name in os.environ if name.startswith("AGENTOS_") and name != "AGENTOS_HOME"]:
        del os.environ[name]  # what is measured has the default settings and its own home, whoever measures it
    names = arguments.only.split(",") if arguments.only else list(MEASUREMENTS)
    if unknown := set(names) - set(MEASUREMENTS):
        there_are = ", ".join(MEASUREMENTS)
        sys.stderr.write(f"lifecycle: unknown: {', '.join(sorted(unknown))}; there are {there_are}\n")
        return 2
    run = Run(arguments.split, arguments.seed, QUICK if arguments.quick else FULL)
    facts = machine.facts()
    with tempfile.TemporaryDirectory(prefix="agentos-lifecycle-", dir=arguments.folder) as folder:
        for name in names:
            run.measure(name, Path(folder))
    run.add_explained()
    sys.stdout.write(f"{table(run.figures)}\n")
    for name, problem in run.problems.items():
        sys.stdout.write(f"FAILED {name}: {problem}\n")
    if arguments.json:
        report = {
            "machine": facts,
            "split": arguments.split,
            "seed": arguments.seed,
            "took_s": run.took,
            "failed": run.problems,
            "figures": [figure.as_json() for figure in run.figures],
        }
        arguments.json.write_text(json.dumps(report, indent=1, ensure_ascii=False, default=str), encoding="utf-8")
    return 1 if run.problems or any(figure.passed is False for figure in run.figures) else 0


class Run:
    """The options and the results of a run. Each measurement has a home of its own."""

    def __init__(self, split: Split, seed: int, amounts: Amounts) -> None:
        self._split = split
        self._seed = seed
        self._amounts = amounts
        self._explained = 0
        self._unexplained: list[str] = []
        self.figures: list[Figure] = []
        self.problems: dict[str, str] = {}
        self.took: dict[str, float] = {}

    def measure(self, name: str, folder: Path) -> None:
        """Run one measurement; a failure must not stop the others."""
        _report(f"{name} …")
        began = time.monotonic()
        server = Server(folder / name, SETTINGS)
        try:
            for figure in MEASUREMENTS[name](server, self._split, self._seed, self._amounts):
                self.figures.append(figure)
                _report(" ".join(table([figure]).splitlines()[1].split()))
        except Exception as error:  # noqa: BLE001 - see above
            self.problems[name] = f"{type(error).__name__}: {error}"
            _report(f"{name} FAILED: {self.problems[name]}")
        finally:
            server.close()
        self.took[name] = round(time.monotonic() - began, 1)
        self._explained += server.explained
        self._unexplained += server.unexplained

    def add_explained(self) -> None:
        """Add a figure: whether the parts of every hit of every search add up to its score."""
        detail = {"hits": self._explained, "misses": self._unexplained[:50]}
        wrong = len(self._unexplained)
        self.figures.append(
            Figure("hits whose parts are not their score", wrong, "", bar=Bar(at_most=0), detail=detail)
        )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle", description=__doc__)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--split", choices=SPLITS, default="fresh", help="whose wordings (fresh)")
    parser.add_argument("--only", default="", help=f"of {', '.join(MEASUREMENTS)}; separated by commas")
    parser.add_argument("--quick", action="store_true", help="few cases: a look only")
    parser.add_argument("--json", type=Path, help="write every figure, and every miss, to this file")
    parser.add_argument("--folder", type=Path, help="where the homes are made")
    return parser.parse_args(argv)


def _report(text: str) -> None:
    sys.stderr.write(text + "\n")
