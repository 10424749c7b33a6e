"""The loop proof: eight metrics, each tier left out in turn, and the cost of a prompt by the length of a session.

Small scripted tasks, no language model, no network, homes of their own. Every number says how it was measured; where
another way tells a model more, or costs less, the table shows it.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import usage
from ..figures import Figure
from ..run import Run
from ..usage import Parser
from . import costs, measures
from .costs import LENGTHS, Ablated, Cost
from .living import Place
from .measures import Metric
from .tasks import KINDS

SYSTEMS, QUICK_SYSTEMS = 8, 3
QUICK_LENGTHS = (10, 25, 50)


@dataclass(frozen=True)
class Loop:
    """The results: metrics, the ablation of tiers, the costs by length."""

    metrics: list[Metric]
    ablation: list[Ablated]
    costs: list[Cost]


def looped(place: Place, seed: int, *, quick: bool) -> Loop:
    """Live, carry away, bring together, decide, replay, take up again; then leave out tiers, and let a session grow."""
    systems = QUICK_SYSTEMS if quick else SYSTEMS
    by_length = asyncio.run(costs.by_length(place, seed, QUICK_LENGTHS if quick else LENGTHS))
    metrics = [
        measures.elimination(by_length),
        measures.portability(place, seed, systems),
        *measures.merging(place, seed, systems),
        *measures.gates(place),
        measures.replaying(place, seed),
        measures.task_state(place),
    ]
    return Loop(metrics, asyncio.run(costs.ablation(place, seed, systems)), by_length)


def measure(run: Run) -> Iterator[Figure]:
    """Yield all of it as figures."""
    found = looped(Place(run.scratch / "loop"), run.random_seed, quick=run.quick)
    for one in found.metrics:
        yield Figure(one.name, one.value, one.unit, detail={"how": one.how, **one.detail})
    complete = found.ablation[0]
    for tier in found.ablation[1:]:
        yield Figure(f"answered without {tier.left_out}", tier.answered, "", complete.answered, "with everything")
    for cost in found.costs:
        name = f"a prompt after {cost.exchanges} exchanges, {cost.way}"
        yield Figure(name, cost.tokens, "tokens", detail={"answered": cost.answered})


def text_of(found: Loop) -> str:
    """Return the three tables."""
    width = max(len(one.name) for one in found.metrics)
    lines = [f"{one.name:{width}}  {_number(one):>14}  {one.how}" for one in found.metrics]
    lines += ["", f"{'left out':24}{'answered':>9}" + "".join(f"{kind:>12}" for kind in KINDS) + f"{'tokens':>9}"]
    for tier in found.ablation:
        shares = "".join(f"{tier.by_kind[kind]:>12.0%}" for kind in KINDS)
        lines.append(f"{tier.left_out:24}{tier.answered:>9.0%}{shares}{tier.tokens:>9.0f}")
    lengths = sorted({cost.exchanges for cost in found.costs})
    lines += ["", f"{'tokens a prompt (answered)':28}" + "".join(f"{length:>15}" for length in lengths)]
    for way in dict.fromkeys(cost.way for cost in found.costs):
        row = {cost.exchanges: f"{cost.tokens:,.0f} ({cost.answered:.0%})" for cost in found.costs if cost.way == way}
        lines.append(f"{way:28}" + "".join(f"{row[length]:>15}" for length in lengths))
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None, prog: str = "python -m benchmarks.loop") -> int:
    """Measure, print the tables or JSON; return the exit code."""
    return usage.run(command, argv, prog)


def command(argv: Sequence[str] | None, prog: str) -> int:
    """Measure, print the tables or JSON; return 0. Raises UsageError."""
    parser = Parser(prog=prog, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--quick", action="store_true", help="fewer tasks and shorter sessions: a look, not a result")
    parser.add_argument("--seed", type=int, default=1, help="which systems, values and small talk")
    parser.add_argument("--model", default="", help="an embedding model; none: the text index alone")
    asked = parser.parse_args(argv)
    for name in [name for name in os.environ if name.startswith("AGENTOS_") and name != "AGENTOS_HOME"]:
        del os.environ[name]  # what is measured has the default settings and its own home, whoever measures it
    with tempfile.TemporaryDirectory(prefix="agentos-loop-") as folder:
        found = looped(Place(Path(folder), asked.model), asked.seed, quick=asked.quick)
    if asked.json:
        sys.stdout.write(json.dumps({"seed": asked.seed, **asdict(found)}, indent=1, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(text_of(found) + "\n")
    return 0


def _number(one: Metric) -> str:
    return f"{one.value:,.0f} {one.unit}" if one.value >= 10 else f"{one.value:.2f} {one.unit}".rstrip()
