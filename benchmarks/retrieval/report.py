"""The report: everything as JSON, and tables for people."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..figures import percentile
from . import intervals
from .intervals import Interval
from .measuring import Outcome, Row, mean_savings
from .metrics import METRICS, mean
from .tables import Table

HEADLINES = ("R@5", "R@10", "NDCG@10", "session all@5")
IN_CATEGORIES = ("R@1", *HEADLINES)
BESIDE = ("R@1", "R@5", "R@10", "NDCG@10")
BELOW = "▼"
"""Marks a figure that is below that of a reference."""
BY_STORE = "R@10"
FOUND_IN_ROWS = 20


@dataclass(frozen=True)
class Compared:
    """Outcomes on one data set, compared with the one named `baseline`, if that is among them.

    The one that is `judged` stands beside each of the `references`.
    """

    data: str
    outcomes: Sequence[Outcome]
    baseline: str
    resamples: int = 2_000
    seed: int = 7
    judged: str = ""
    references: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Return every figure with its interval, the differences to the baseline, categories, stores, costs."""
        return {
            "data": self.data,
            "baseline": self.baseline,
            "resamples": self.resamples,
            "systems": [self._system(outcome) for outcome in self.outcomes],
        }

    def tables(self) -> Iterator[Table]:
        """Yield the tables: figures of all systems, differences, categories, conversations, costs and savings."""
        there = [outcome for outcome in self.outcomes if outcome.rows]
        if not there:
            return
        names = [name for name in METRICS if any(outcome.scores(name) for outcome in there)]
        yield Table(
            f"{self.data}: {len(there[0].rows)} questions",
            ["system", *names],
            [[o.system, *(_number(mean([r.figures for r in o.rows]).get(name)) for name in names)] for o in there],
        )
        shown = [name for name in HEADLINES if name in names]
        yield Table(
            f"{self.data}: 95 % intervals, and the difference to {self.baseline}",
            ["system", *(f"{name}{what}" for name in shown for what in ("", f" − {self.baseline}"))],
            [[o.system, *(cell for name in shown for cell in self._interval_cells(o, name))] for o in there],
        )
        for name in (name for name in IN_CATEGORIES if name in names):
            categories = sorted({row.question.category for outcome in there for row in outcome.rows})
            if len(categories) > 1:
                yield Table(
                    f"{self.data}: {name} by category",
                    ["system", *(f"{c} ({_count(there[0].rows, c)})" for c in categories)],
                    [[o.system, *(_number(_of_category(o.rows, c).get(name)) for c in categories)] for o in there],
                )
        yield from self._beside()
        stores = list(there[0].scores(BY_STORE))
        if 1 < len(stores) <= 20:
            yield Table(
                f"{self.data}: {BY_STORE} by conversation",
                ["system", *stores],
                [[o.system, *(_number(intervals.by_store(o.scores(BY_STORE)).get(s)) for s in stores)] for o in there],
            )
        yield Table(
            f"{self.data}: context and cost",
            ["system", "CRS", "tokens: all", "recalled", "saved", "nothing: off-topic", "gibberish", "fill ms/item",
             "search p50 ms", "p95 ms"],
            [[o.system, *self._cost_cells(o)] for o in there],
        )  # fmt: skip

    def _beside(self) -> Iterator[Table]:
        """Yield AgentOS beside each reference, over all and by category, marked where it is below one of them."""
        rows = {outcome.system: outcome.rows for outcome in self.outcomes if outcome.rows}
        others = [name for name in self.references if name in rows]
        if self.judged not in rows or not others:
            return
        counts = Counter(row.question.category for row in rows[self.judged])
        for metric in (metric for metric in BESIDE if self.outcomes[0].scores(metric)):
            lines = []
            for category in ["all", *(sorted(counts) if len(counts) > 1 else [])]:
                of = {n: _of_category(rows[n], None if category == "all" else category) for n in (self.judged, *others)}
                best = max(of[name][metric] for name in others)
                mark = BELOW if of[self.judged][metric] < best else ""
                cells = [f"{mark}{_number(of[self.judged][metric])}", *(_number(of[name][metric]) for name in others)]
                lines.append([category, str(counts[category] or counts.total()), *cells])
            yield Table(f"{self.data}: {metric} beside the references", ["category", "n", self.judged, *others], lines)

    def _system(self, outcome: Outcome) -> dict[str, Any]:
        rows = outcome.rows
        scores = {name: found for name in METRICS if (found := outcome.scores(name))}
        saved = mean_savings(outcome.savings)
        return {
            "system": outcome.system,
            "problem": outcome.problem,
            "questions": len(rows),
            "figures": {name: asdict(self._bootstrap(found)) for name, found in scores.items()},
            "difference": {name: asdict(d) for name in scores if (d := self.difference(outcome, name)) is not None},
            "categories": {
                c: {"questions": _count(rows, c), **_of_category(rows, c)}
                for c in sorted({row.question.category for row in rows})
            },
            "stores": {
                store: {name: intervals.by_store(scores[name]).get(store) for name in scores}
                for store in dict.fromkeys(row.store for row in rows)
            },
            "relevance": _mean(row.relevance for row in rows if row.relevance is not None),
            "tokens": {"history": saved.history, "context": saved.context, "saved": saved.share} if rows else None,
            "answered_with_nothing": {"off_topic": _mean(outcome.foreign), "gibberish": _mean(outcome.gibberish)},
            "fill_ms_an_item": 1000 * outcome.fill_seconds / outcome.items if outcome.items else None,
            "search_ms": {
                f"≤ {tier:,} items": {
                    "searches": len(seconds),
                    "p50": 1000 * percentile(seconds, 0.5),
                    "p95": 1000 * percentile(seconds, 0.95),
                }
                for tier, seconds in outcome.seconds.items()
                if seconds
            },
        }

    def _bootstrap(self, scores: intervals.Scores) -> Interval:
        return intervals.bootstrap(scores, self.resamples, self.seed)

    def difference(self, outcome: Outcome, metric: str) -> Interval | None:
        """Return the improvement over the baseline, per question; None for the baseline, or without one."""
        other = next((o for o in self.outcomes if o.system == self.baseline), None)
        if other is None or other is outcome or not other.rows:
            return None
        return intervals.paired(outcome.scores(metric), other.scores(metric), self.resamples, self.seed)

    def _interval_cells(self, outcome: Outcome, metric: str) -> tuple[str, str]:
        scores = outcome.scores(metric)
        if not scores:
            return "", ""
        own, difference = self._bootstrap(scores), self.difference(outcome, metric)
        low_high = f"{_number(own.mean)} [{_number(own.low)}, {_number(own.high)}]"
        if difference is None:
            return low_high, ""
        return low_high, f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"

    def _cost_cells(self, outcome: Outcome) -> list[str]:
        saved = mean_savings(outcome.savings)
        latencies = [second for seconds in outcome.seconds.values() for second in seconds]
        return [
            _number(_mean(row.relevance for row in outcome.rows if row.relevance is not None)),
            f"{saved.history:,.0f}",
            f"{saved.context:,.0f}",
            f"{saved.share:.1%}",
            _number(_mean(outcome.foreign)),
            _number(_mean(outcome.gibberish)),
            f"{1000 * outcome.fill_seconds / outcome.items:.1f}",
            f"{1000 * percentile(latencies, 0.5):.1f}",
            f"{1000 * percentile(latencies, 0.95):.1f}",
        ]


def ablation_table(compared: Compared) -> Table:
    """Return a table of each channel's value: the figures without it, and the change from the baseline."""
    [complete] = [outcome for outcome in compared.outcomes if outcome.system == compared.baseline]
    names = [name for name in HEADLINES if complete.scores(name)]
    return Table(
        f"{compared.data}: each channel left out in turn",
        ["system", *(cell for name in names for cell in (name, "change"))],
        [
            [outcome.system, *(cell for name in names for cell in _ablation_cells(compared, outcome, name))]
            for outcome in compared.outcomes
        ],
    )


def _ablation_cells(compared: Compared, outcome: Outcome, metric: str) -> tuple[str, str]:
    if not outcome.rows:
        return "failed", ""
    difference = compared.difference(outcome, metric)
    figure = _number(mean([row.figures for row in outcome.rows]).get(metric))
    if difference is None:
        return figure, ""
    return figure, f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"


def in_red(text: str) -> str:
    """Return a text for a terminal, with what is below a reference in red."""
    return re.sub(rf"{BELOW}\S+", lambda match: f"\x1b[31m{match.group()}\x1b[0m", text)


def write_rows(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Write every question of every system, one per line: the question, its evidence, the results, the figures."""
    with path.open("w", encoding="utf-8") as file:
        for outcome in outcomes:
            for row in outcome.rows:
                line = {
                    "system": outcome.system,
                    "store": row.store,
                    "question": row.question.text,
                    "category": row.question.category,
                    "evidence": row.question.evidence,
                    "found": row.found[:FOUND_IN_ROWS],
                    **row.figures,
                    "relevance": row.relevance,
                    "ms": round(1000 * row.seconds, 2),
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _of_category(rows: Sequence[Row], category: str | None) -> dict[str, float]:
    """Return the means of a category's figures; None: of all."""
    return mean([row.figures for row in rows if category is None or row.question.category == category])


def _count(rows: Sequence[Row], category: str) -> int:
    return sum(row.question.category == category for row in rows)


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else None


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
