"""The command: live through conversations, score, print a table, write JSON.

    python -m benchmarks.cognition [--json FILE] [--quick] [--seeds 1,2,3] [--data FILE …] [--questions N]

The seeded conversation (conversation.py) is made anew from each seed and goes through a real server by the official
client. --data adds recorded conversations, a data set in the form of the retrieval benchmark.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio

from ..retrieval.data import load
from ..retrieval.embeddings import Embeddings
from ..run import say
from . import recorded, scores
from .conversation import conversation
from .server import serving
from .walk import Walk, walk

FULL, QUICK = "1,2,3,4,5,6,7,8", "1"
QUESTIONS, QUESTIONS_QUICK = 60, 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; return 1 if ours does not beat its baseline in the mean of the seeded conversations, else 0."""
    asked = _arguments(arguments)
    with tempfile.TemporaryDirectory(prefix="agentos-cognition-", dir=asked.folder) as folder:
        report = anyio.run(_measured, asked, Path(folder))
    sys.stdout.write(f"{_table(report)}\n")
    if asked.json:
        asked.json.write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")
    return 0 if report["overall"]["ours"] > report["overall"]["baseline"] else 1


async def _measured(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    walks: list[Walk] = []
    for seed in asked.seeds:
        say(f"seeded conversation {seed} …")
        async with serving(folder / f"seed-{seed}") as (server, agent):
            walks.append(await walk(server, agent, conversation(seed)))
    replays: dict[str, list[recorded.Recorded]] = {}
    for path in asked.data:
        data = load(path)
        for number, store in enumerate(data.stores[: asked.stores]):
            say(f"{data.name}: {store.name} …")
            async with serving(folder / f"{data.name}-{number}") as (server, agent):
                replays.setdefault(data.name, []).append(await recorded.replay(server, agent, store, asked.questions))
    return await anyio.to_thread.run_sync(_report, walks, replays, folder / "model")


def _report(walks: Sequence[Walk], replays: dict[str, list[recorded.Recorded]], model: Path) -> dict[str, Any]:
    embeddings = Embeddings(model)

    def vectors(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        rows: list[list[float]] = embeddings.vectors(list(texts)).tolist()
        return rows

    seeded = scores.of_walks(walks, vectors)
    saved = [scores.savings(one) for one in walks]
    named = [found for one in walks for found in one.in_graph.values()]
    return {
        "scores": [_as_record(score) for score in seeded],
        "overall": _as_record(scores.overall(seeded)),
        "savings": [{**asdict(one), "saved": one.saved, "saved_when_cached": one.saved_when_cached} for one in saved],
        "facts_in_graph": sum(named) / len(named) if named else None,
        "habits": sorted({habit for one in walks for habit in one.habits}),
        "latency_ms": scores.latencies(walks),
        "recorded": {
            name: {"scores": [_as_record(one) for one in recorded.scores(many, vectors)], "saved": recorded.saved(many)}
            for name, many in replays.items()
        },
        "missed": [
            {"seed": one.conversation.seed, "query": moment.exchange.user, "fact": fact.value}
            for one in walks
            for fact, moment in one.probes
            if not scores.measures.holds(moment.memory.text, fact.value)
        ],
    }


def _as_record(score: scores.Score) -> dict[str, Any]:
    return {**asdict(score), "difference": score.difference}


def _table(report: dict[str, Any]) -> str:
    lines = [f"{'measure':30} {'ours':>7} {'baseline':>9} {'Δ':>7}  {'cases':>5}  against"]
    lines += [_line(score) for score in (*report["scores"], report["overall"])]
    for name, one in report["recorded"].items():
        lines += ["", f"{name}: a context of {recorded.MAX_TOKENS} tokens saves {one['saved']:.0%} of the history"]
        lines += [_line(score) for score in one["scores"]]
    plain = sum(one["saved"] for one in report["savings"]) / len(report["savings"])
    cached = sum(one["saved_when_cached"] for one in report["savings"]) / len(report["savings"])
    lines += [
        "",
        f"tokens saved against the whole history in each prompt: {plain:.0%}; as billed with a cache: {cached:.0%}",
    ]
    if report["facts_in_graph"] is not None:
        lines.append(f"named facts that the graph has: {report['facts_in_graph']:.0%}")
    lines.append(f"habits: {'; '.join(report['habits']) or 'none'}")
    lines += ["", f"{'tier: tool':44} {'p50 ms':>7} {'p95 ms':>7}"]
    lines += [f"{name:44} {one['p50']:>7} {one['p95']:>7}" for name, one in report["latency_ms"].items()]
    return "\n".join(lines)


def _line(score: dict[str, Any]) -> str:
    return (
        f"{score['measure']:30} {score['ours']:>7.3f} {score['baseline']:>9.3f} {score['difference']:>+7.3f}  "
        f"{score['cases']:>5}  {score['against']}"
    )


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cognition",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="one seed, few questions: a look, not a result")
    parser.add_argument("--seeds", help="seeds of conversations, separated by commas")
    parser.add_argument("--data", action="append", default=[], help="a data set of recorded conversations")
    parser.add_argument("--stores", type=int, help="how many conversations of each data set")
    parser.add_argument("--questions", type=int, help="how many questions a recorded conversation")
    parser.add_argument("--json", type=Path, help="write everything to this file")
    parser.add_argument("--folder", type=Path, help="where the homes are made")
    asked = parser.parse_args(given)
    asked.seeds = [int(seed) for seed in (asked.seeds or (QUICK if asked.quick else FULL)).split(",")]
    if asked.questions is None:
        asked.questions = QUESTIONS_QUICK if asked.quick else QUESTIONS
    return asked


if __name__ == "__main__":
    sys.exit(main())
