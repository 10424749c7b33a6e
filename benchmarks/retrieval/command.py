"""Measure what is recalled: AgentOS and others on the same conversations, with the same model.

Metrics, data forms and peers are explained in docs/measurements.md. Exit code: 0; 1 when something could not
be measured or missed its budget; 2 for arguments or data that are not acceptable.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agentos import config
from agentos.storage.embedding.locate import EmbeddingUnavailable

from .. import figures, machine, usage
from ..corpus import Seeds
from ..figures import Figure
from ..usage import Parser, UsageError
from . import data, lanes, longmemeval
from .benching import AGENTOS, REFERENCES, SYSTEMS, Bench
from .data import DataSet, Part
from .embeddings import Embeddings
from .measuring import Asking, Outcome
from .report import Compared, ablation_table, in_red, write_rows
from .systems.peer import INSTALL
from .systems.system import SystemUnavailable
from .tables import Table

LANES = ("latency", "retention", "languages")
SIZES = "1000,10000"


def main(argv: Sequence[str] | None = None, prog: str = "python -m benchmarks.retrieval") -> int:
    """Measure, print tables, write files; return the exit code."""
    return usage.run(command, argv, prog)


def command(argv: Sequence[str] | None, prog: str) -> int:
    """Measure, print tables, write files; return the exit code. Raises UsageError."""
    arguments = _parser(prog).parse_args(argv)
    for name in [name for name in os.environ if name.startswith("AGENTOS_") and name != "AGENTOS_HOME"]:
        del os.environ[name]  # what is measured has the default settings and its own home, whoever measures it
    run = Run(arguments)
    with tempfile.TemporaryDirectory(prefix="agentos-retrieval-", dir=arguments.folder) as folder:
        run.measure(Path(folder))
    run.show()
    run.write()
    return 1 if run.failures else 0


class Run:
    """The options and the results of a run."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Check all arguments before hours are spent. Raises UsageError."""
        self._arguments = arguments
        self._peers = _peers(arguments)
        self._settings = _settings(arguments)
        self._names = [*_chosen("--systems", arguments.systems, SYSTEMS), *self._peers]
        self._lanes = _chosen("--lanes", arguments.lanes, LANES)
        self._sizes, self._budgets = _sizes(arguments)
        self._data = list(_datasets(arguments, self._lanes))
        if not self._data and not self._lanes:
            raise UsageError("nothing to measure: give --data, --longmemeval or --lanes")
        if arguments.ablate and AGENTOS not in self._names:
            raise UsageError(f"--ablate leaves out channels of {AGENTOS}, which --systems does not name")
        self._compared: list[Compared] = []
        self._ablated: list[Compared] = []
        self._figures: list[Figure] = []
        self._problems: dict[str, str] = {}

    def measure(self, folder: Path) -> None:
        """Query every system, then AgentOS with each channel left out, then run the lanes."""
        bench = self._bench(folder)
        for dataset in self._data:
            outcomes = bench.compare(dataset, self._names)
            self._compared.append(self._comparison(dataset, outcomes, self._arguments.baseline))
            complete = next((outcome for outcome in outcomes if outcome.system == AGENTOS and outcome.rows), None)
            if self._arguments.ablate and complete is not None:
                self._ablated.append(self._comparison(dataset, [complete, *bench.ablate(dataset)], AGENTOS))
        for compared in (*self._compared, *self._ablated):
            self._problems |= {o.system: o.problem for o in compared.outcomes if o.problem}
        seeds = Seeds(self._arguments.seeds or folder / "seeds")
        if "latency" in self._lanes:
            self._lane("latency", lanes.latency(seeds, folder, self._sizes, self._budgets))
        if "retention" in self._lanes:
            self._lane("retention", lanes.retention(seeds, folder, self._arguments.retention))

    @property
    def failures(self) -> list[str]:
        """The names of what could not be measured or missed its bar."""
        return [*self._problems, *(figure.name for figure in self._figures if figure.passed is False)]

    def show(self) -> None:
        """Print the tables."""
        tables: list[Table] = [table for compared in self._compared for table in compared.tables()]
        tables += map(ablation_table, self._ablated)
        markdown = self._arguments.markdown
        blocks = [table.markdown() if markdown else table.text() for table in tables]
        if self._figures:
            text = figures.table(self._figures)
            blocks.append(f"```\n{text}\n```" if markdown else text)
        blocks += [f"FAILED {name}: {problem}" for name, problem in self._problems.items()]
        text = "\n\n".join(blocks) + "\n"
        is_coloured = sys.stdout.isatty() and not markdown and "NO_COLOR" not in os.environ
        sys.stdout.write(in_red(text) if is_coloured else text)

    def write(self) -> None:
        """Write the requested files."""
        if self._arguments.rows:
            full = [outcome for compared in self._compared for outcome in compared.outcomes]
            parts = [outcome for compared in self._ablated for outcome in compared.outcomes[1:]]
            write_rows(self._arguments.rows, [*full, *parts])
        if self._arguments.json:
            report: dict[str, Any] = {
                "machine": machine.facts(),
                "arguments": {name: str(value) for name, value in vars(self._arguments).items()},
                "data": [compared.as_json() for compared in self._compared],
                "ablation": [compared.as_json() for compared in self._ablated],
                "lanes": [figure.as_json() for figure in self._figures],
                "failed": self._problems,
            }
            self._arguments.json.write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")

    def _bench(self, folder: Path) -> Bench:
        embeddings = Embeddings(folder / "models")
        judge: Embeddings | None = embeddings
        try:
            _ = embeddings.dimension
        except EmbeddingUnavailable as problem:
            say(f"no context relevance, and no system with vectors: {problem}")
            judge = None
        asking = Asking(self._arguments.depth, self._arguments.off_topic, self._arguments.seed)
        return Bench(folder, embeddings, judge, self._peers, self._settings, asking, say)

    def _comparison(self, dataset: DataSet, outcomes: Sequence[Outcome], baseline: str) -> Compared:
        resamples, seed = self._arguments.resamples, self._arguments.seed
        return Compared(dataset.name, outcomes, baseline, resamples, seed, AGENTOS, REFERENCES)

    def _lane(self, name: str, lane: Iterator[Figure]) -> None:
        say(f"{name} …")
        try:
            self._figures += lane
        except (SystemUnavailable, EmbeddingUnavailable) as problem:
            self._problems[name] = str(problem)


def say(text: str) -> None:
    """Print progress to standard error."""
    sys.stderr.write(f"  {text}\n")
    sys.stderr.flush()


def _chosen(option: str, value: str, known: Sequence[str]) -> list[str]:
    names = [name for name in value.split(",") if name]
    for name in names:
        if name not in known:
            raise UsageError(f"{option}: there is no {name!r}; there are {', '.join(known)}")
    return names


def _peers(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return the interpreter of each peer: its own (`name=python`), or the one for all. Raises UsageError."""
    peers: dict[str, Path] = {}
    for entry in filter(None, arguments.peers.split(",")):
        name, _, own = entry.partition("=")
        if name not in INSTALL:
            raise UsageError(f"--peers: there is no {name!r}; there are {', '.join(INSTALL)}")
        python = own or arguments.peer_python
        if not python:
            raise UsageError(
                f"--peers: which Python has {name}? Install it in an environment of its own, where its dependencies "
                f"cannot meet ours (python3 -m venv DIR; DIR/bin/pip install {INSTALL[name]}), and give "
                f"--peers {name}=DIR/bin/python"
            )
        peers[name] = Path(python).absolute()
    return peers


def _settings(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the non-default settings of AgentOS to measure with, without the prefix. Raises UsageError."""
    known = config.Settings.model_fields
    settings: dict[str, str] = {}
    for entry in arguments.setting:
        name, is_one, value = entry.removeprefix(config.PREFIX).partition("=")
        if not is_one or name.lower() not in known:
            raise UsageError(f"--setting is NAME=VALUE, with the name of a setting of AgentOS: {entry!r}")
        settings[name] = value
    return settings


def _sizes(arguments: argparse.Namespace) -> tuple[list[int], dict[int, float]]:
    """Return the store sizes of the latency lane, and the budget of each: `MS` for all, or `SIZE=MS,…`.

    Raises UsageError.
    """
    try:
        sizes = [int(size) for size in arguments.sizes.split(",")]
        budgets: dict[int, float] = {}
        for entry in filter(None, (arguments.budget_ms or "").split(",")):
            size, is_one, budget = entry.rpartition("=")
            budgets |= {int(size): float(budget)} if is_one else dict.fromkeys(sizes, float(budget))
    except ValueError as error:
        raise UsageError(f"--sizes and --budget-ms are numbers, separated by commas: {error}") from error
    if missing := set(budgets) - set(sizes):
        raise UsageError(f"--budget-ms: {', '.join(map(str, sorted(missing)))} is not among --sizes")
    return sizes, budgets


def _datasets(arguments: argparse.Namespace, chosen_lanes: Sequence[str]) -> Iterator[DataSet]:
    for source in arguments.data:
        yield _part(data.load(source), arguments)
    for path in arguments.longmemeval:
        yield _part(longmemeval.load(path), arguments)
    if "languages" in chosen_lanes:
        yield data.load("languages")


def _part(dataset: DataSet, arguments: argparse.Namespace) -> DataSet:
    stores, categories = (
        frozenset(filter(None, names.split(","))) for names in (arguments.stores, arguments.categories)
    )
    return dataset.only(Part(stores, arguments.first, categories, arguments.questions))


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = Parser(prog=prog, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_argument_group("what is asked")
    what.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="FILE",
        help=f"stores with questions, as JSON; or built in: {', '.join([*data.BUILT_IN, data.NOISY])}",
    )
    what.add_argument(
        "--longmemeval", action="append", default=[], type=Path, metavar="FILE", help="LongMemEval's public JSON"
    )
    what.add_argument("--lanes", default="", help=f"more to measure, separated by commas: {', '.join(LANES)}")
    what.add_argument("--stores", default="", metavar="NAMES", help="only these conversations, separated by commas")
    what.add_argument("--first", type=int, metavar="N", help="only the first N conversations")
    what.add_argument("--categories", default="", metavar="NAMES", help="only questions of these, separated by commas")
    what.add_argument("--questions", type=int, metavar="N", help="only the first N questions of each")
    who = parser.add_argument_group("who is asked")
    who.add_argument("--systems", default=",".join(SYSTEMS), help="separated by commas; default: %(default)s")
    who.add_argument("--peers", default="", metavar="NAME[=PYTHON],…", help=f"also {', '.join(INSTALL)}")
    who.add_argument("--peer-python", metavar="PATH", help="the interpreter that has the peers installed")
    who.add_argument("--ablate", action="store_true", help="also AgentOS with each channel left out in turn")
    how = parser.add_argument_group("how")
    how.add_argument(
        "--setting",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of AgentOS that is not the default, as RERANKER_MODEL=/folder; may be given several times",
    )
    how.add_argument("--baseline", default="bm25", help="the system that differences are to; default: %(default)s")
    how.add_argument("--depth", type=int, default=50, help="results a question; default: %(default)s")
    how.add_argument("--off-topic", type=int, default=300, help="off-topic questions in all; default: %(default)s")
    how.add_argument("--resamples", type=int, default=2_000, help="of the bootstrap; default: %(default)s")
    how.add_argument("--seed", type=int, default=7, help="of everything that is left to chance")
    how.add_argument("--sizes", default=SIZES, help="stores of the latency lane; default: %(default)s")
    how.add_argument("--budget-ms", metavar="MS|SIZE=MS,…", help="what p95 of the latency lane may take")
    how.add_argument("--retention", type=int, default=20_000, metavar="N", help="memories stored after the early ones")
    where = parser.add_argument_group("where")
    where.add_argument("--json", type=Path, metavar="FILE", help="write the report to this file")
    where.add_argument("--rows", type=Path, metavar="FILE", help="write every question of every system, one a line")
    where.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    where.add_argument("--folder", type=Path, help="where stores are made, on the disk that counts")
    where.add_argument("--seeds", type=Path, help="keep generated stores here for the next run")
    return parser
