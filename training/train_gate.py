"""Makes the weights of the gate: `python -m training.train_gate --data FILE [--write]`.

Asks stores of 5 to 5,000 memories (`gate_cases.py`) what they can answer and what they cannot, notes the gate's signals
for each query, and fits one logistic model for each of late interaction, vectors alone and words alone, by Newton's
method. A query that a search answers wrongly teaches nothing. Cross-validation leaves one conversation out at a time;
what comes from the notes is cut in five by query. The tables say how many queries without an answer are answered
with nothing, and what that costs in recall@10, at the threshold of the settings.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from agentos import database
from agentos.benchmarks.progress import say
from agentos.benchmarks.retrieval import data, metrics
from agentos.config import Settings
from agentos.config import load as load_settings
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import gate, ranking
from agentos.modules.memory.gathering import Gathered
from agentos.modules.memory.models import Passage, QueryEncoding
from agentos.modules.memory.ports import Embedder
from agentos.modules.memory.ranking import Model, ScoringSettings
from agentos.modules.store_request import StoreRequest

from . import gate_cases
from .gate_cases import ANSWERED, HARD, UNANSWERABLE, Asked, Case

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 10
PENALTY = 0.01
STEPS = 40
HARD_WEIGHT = 0.06
"""The weight of hard cases, which are no fault of a search: a little, so that a right name alone is no support."""
LENIENCE: Mapping[Model, float] = {Model.LATE_INTERACTION: 0.25, Model.VECTORS: 0.25, Model.WORDS: 1.2}
"""Added to the bias, in log odds: a withheld answer costs more than a miss that is shown. Chosen together with the
threshold, so that at it 95 of 100 queries without an answer get none in (nearly) every group."""
WEIGHTS = Path(gate.__file__).with_name("gate_weights.json")


@dataclass(frozen=True)
class Example:
    """A query, the signals of the gate for it, and the recall@10 of the search (0 if nothing answers it)."""

    group: str
    fold: str
    case: Case
    signals: Mapping[str, float]
    recall: float


class Remembering:
    """An embedder that embeds each text once, for all stores."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._passages: dict[str, list[Passage]] = {}

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def problem(self) -> str | None:
        return self._embedder.problem

    async def ready(self, wait_s: float) -> bool:
        return await self._embedder.ready(wait_s)

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        new = [text for text in dict.fromkeys(contents) if text not in self._passages]
        self._passages.update(zip(new, await self._embedder.encode(new), strict=True))
        return [self._passages[text] for text in contents]

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        return await self._embedder.knows(texts)

    async def encode_query(self, query: str) -> QueryEncoding:
        return await self._embedder.encode_query(query)

    def close(self) -> None:
        """Do nothing: the next store needs it."""


async def examples(asked: Iterable[Asked], folder: Path) -> dict[Model, list[Example]]:
    """Return the examples of each model, from the same candidates."""
    found: dict[Model, list[Example]] = {model: [] for model in Model}
    embedder: Remembering | None = None
    for number, one in enumerate(asked):
        settings = load_settings({}, home=folder / str(number), log_level="ERROR")
        if embedder is None:
            embedder = Remembering(database.open_embedder(settings))
            if not await embedder.ready(120):
                raise SystemExit(embedder.problem or "the embedding model does not load")
        store = await database.open_store(settings, _now)
        agentos = AgentOS.over(store, embedder, settings, _now)
        await _ask(agentos, one, found)
        await agentos.close()
        await store.close()
        say(f"{one.store.name}: {len(one.store.items)} items, {len(one.cases)} queries")
    return found


async def _ask(agentos: AgentOS, asked: Asked, found: Mapping[Model, list[Example]]) -> None:
    name, item_of = asked.store.name, {}
    for item in asked.store.items:
        stored = await agentos.memory.store(
            name, StoreRequest(item.content, occurred_at=item.occurred_at, session=item.session)
        )
        item_of[stored.memory.id] = item.id
    await agentos.memory.embedded(600.0)
    for case in asked.cases:
        gathered = await agentos.memory.gather(name, case.text, DEPTH)
        if not gathered.turns:
            continue
        fold = asked.fold or str(zlib.crc32(case.text.encode()) % 5)
        for model, examples_of_model in found.items():
            signals, ids = _judged(_as_for(model, gathered))
            recall = metrics.recall([item_of[one] for one in ids], case.evidence, DEPTH) if case.evidence else 0.0
            examples_of_model.append(Example(asked.group, fold, case, signals, recall))


def _as_for(model: Model, gathered: Gathered) -> Gathered:
    """Return what would be gathered without late interaction, or without any model."""
    evidence = gathered.evidence
    if model is Model.LATE_INTERACTION:
        return gathered
    if model is Model.VECTORS:
        return replace(gathered, evidence=replace(evidence, signs={}))
    named = {*evidence.text, *evidence.identifiers}
    at = {(t.session, t.place) for t in gathered.turns if t.id in named and t.session is not None}
    near = {(session, (place or 0) + step) for session, place in at for step in range(-2, 3)}
    turns = [turn for turn in gathered.turns if turn.id in named or (turn.session, turn.place) in near]
    return replace(gathered, evidence=replace(evidence, signs={}, vector=None, cosine={}), turns=turns)


def _judged(gathered: Gathered) -> tuple[Mapping[str, float], list[str]]:
    """Return the signals, and the ids of the ten best."""
    if not gathered.turns:
        return {}, []
    scored = ranking.by_model(gathered.query, gathered.evidence, gathered.turns, ScoringSettings(), _now())
    ranked = ranking.ordered(scored, gathered.turns, gathered.answers, 3 * DEPTH)
    best = [gathered.turns[one.row] for one in ranked[: gate.READ]]
    signals = gate.signals(gathered.query, gathered.evidence, best, gathered.turns)
    chosen = ranking.without_repetition(ranked, gathered.turns, DEPTH)
    return signals, [gathered.turns[one.row].id for one in chosen]


def fit(model: Model, chosen: Sequence[Example]) -> dict[str, float]:
    """Return the weights by which answers are likely to be supported and all else is not; convex, so unique."""
    import numpy as np

    names = (*gate.SIGNALS[model], "dialogue")
    training = [one for one in chosen if one.signals and (one.case.answer != ANSWERED or one.recall > 0)]
    values = np.array([[one.signals[name] for name in names] + [1.0] for one in training])
    offset = np.array([sum(w * one.signals[name] for name, w in gate.FIXED[model].items()) for one in training])
    is_answered = np.array([one.case.answer == ANSWERED for one in training], dtype=np.float64)
    counts = _weights(training, is_answered)
    penalty = np.array([PENALTY] * len(names) + [0.0])
    weights = np.zeros(len(names) + 1)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(values @ weights + offset)))
        gradient = values.T @ (counts * (chance - is_answered)) + penalty * weights
        curvature = (values * (counts * chance * (1 - chance))[:, None]).T @ values + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, gradient)
        weights -= step * min(1.0, 2.0 / (np.abs(step).max() + 1e-12))
    weights[-1] += LENIENCE[model]
    return {name: round(float(weight), 3) for name, weight in zip((*names, "bias"), weights, strict=True)}


def _weights(training: Sequence[Example], is_answered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each example's weight: a kind's total by the root of its size, answered ones as much as others."""
    import numpy as np

    of_kind: dict[tuple[str, str], int] = {}
    for one in training:
        key = (one.group, one.case.kind)
        of_kind[key] = of_kind.get(key, 0) + 1
    hard = np.array([HARD_WEIGHT if one.case.answer == HARD else 1.0 for one in training])
    counts = hard * np.array([of_kind[one.group, one.case.kind] ** -0.5 for one in training])
    for value in (0.0, 1.0):
        counts[is_answered == value] *= 1_000 / counts[is_answered == value].sum()
    return counts


def support(model: Model, weights: Mapping[str, float], one: Example) -> float:
    """Return the log odds that an example's answer is supported."""
    if not one.signals:
        return -100.0
    known = {**gate.FIXED[model], **weights}
    return sum(weight * one.signals.get(name, 1.0) for name, weight in known.items())


def cross_validated(model: Model, chosen: Sequence[Example]) -> list[tuple[Example, float]]:
    """Return every example with its log odds by weights that were fitted without its fold."""
    judged = []
    folds = sorted({one.fold for one in chosen})
    groups = [{name for number, name in enumerate(folds) if number % 5 == left_out} for left_out in range(5)]
    talks = [name for name in folds if not name.isdigit()]
    if talks:
        groups = [{talk, str(number)} for number, talk in enumerate(talks)]
    for left_out in groups:
        weights = fit(model, [one for one in chosen if one.fold not in left_out])
        judged += [(one, support(model, weights, one)) for one in chosen if one.fold in left_out]
    return judged


def table(judged: Sequence[tuple[Example, float]], limit: float) -> list[str]:
    """Return lines by group and by fold: the share of unanswerable queries emptied, and the loss of recall@10."""
    lines = []
    keys = list(dict.fromkeys(one.group for one, _ in judged)) + sorted({one.fold for one, _ in judged})
    for key in keys:
        rows = [(one, value) for one, value in judged if key in (one.group, one.fold)]
        emptied = [value < limit for one, value in rows if one.case.answer == UNANSWERABLE]
        asked = [(one.recall, value < limit) for one, value in rows if one.case.kind == "question"]
        lost = fmean(recall * is_lost for recall, is_lost in asked)
        lines.append(
            f"  {key:16} {len(emptied):5} emptied {fmean(emptied):.3f}   {len(asked):5} R@10 "
            f"{fmean(recall for recall, _ in asked):.3f} lost {lost:.4f}"
        )
    of_kind: dict[str, list[bool]] = {}
    for one, value in judged:
        if one.case.answer != ANSWERED or one.recall:
            of_kind.setdefault(f"{one.case.answer} {one.case.kind}", []).append(value < limit)
    shares = (f"{kind} {fmean(emptied):.3f}" for kind, emptied in sorted(of_kind.items()))
    return [*lines, "  emptied: " + ", ".join(shares)]


def _now() -> datetime:
    return datetime.now(UTC)


def main() -> None:
    """Fit, print the quality of each model, and write the weights where the gate reads them."""
    import math

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="a retrieval data set of conversations")
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    arguments = parser.parse_args()
    chosen = data.load(arguments.data)
    threshold = float(Settings.model_fields["search_gate"].default)
    limit = math.log(threshold / (1 - threshold))
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(examples(gate_cases.stores(chosen.stores), Path(folder)))
    models = {}
    for model, of_model in found.items():
        models[model.value] = fit(model, of_model)
        say(f"{model.value}, cross-validated, threshold {threshold}:")
        for line in table(cross_validated(model, of_model), limit):
            say(line)
        say(f"  {models[model.value]}")
    if arguments.write:
        record = {
            "made_by": "python -m training.train_gate",
            "data": [chosen.name, "notes"],
            "queries": len(next(iter(found.values()))),
            "models": models,
        }
        WEIGHTS.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
