"""Trains the weights of the default ranking: `python -m training.train_ranking --data FILE [--write]`.

Stores the data through the services themselves, gathers for every question what ranking knows of its candidates,
and fits three linear models (with late interaction, with vectors alone, with words alone) that make the evidence
the most likely choice: a softmax over the candidates of a question (ListNet's top-one loss; Cao et al., ICML 2007),
with a small quadratic penalty, solved by Newton's method. Cross-validation leaves one store out at a time, so that
no question is answered by weights that have seen its conversation.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from agentos.benchmarks.progress import say
from agentos.benchmarks.retrieval import data, metrics
from agentos.config import load as load_settings
from agentos.database import opened
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import features
from agentos.modules.memory.features import FEATURES
from agentos.modules.memory.gathering import Gathered
from agentos.modules.store_request import StoreRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODELS: Mapping[str, tuple[str, ...]] = {
    "late_interaction": (
        "text",
        "vector",
        "late",
        "late_window",
        "answer_late",
        "session_text",
        "session_late",
        "speaker",
        "question",
        "date",
        "when",
    ),
    "vectors": (
        "text",
        "coverage",
        "vector",
        "answer_text",
        "session_text",
        "session_vector",
        "speaker",
        "question",
        "date",
        "when",
    ),
    "words": ("text", "coverage", "answer_text", "session_text", "speaker", "question", "date", "when"),
}
"""The features of each model. More were tried and gained nothing on conversations not trained with."""

PENALTY = 1e-4
STEPS = 30
DEPTH = 50
WEIGHTS = Path(features.__file__).with_name("ranking_weights.json")


@dataclass(frozen=True)
class Example:
    """A question with the features of its candidates (candidates × FEATURES), which are evidence, and their ids."""

    store: str
    question: data.Question
    values: NDArray[np.float32]
    is_evidence: NDArray[np.bool_]
    ids: Sequence[str]


async def examples(chosen: data.DataSet, home: Path) -> dict[str, list[Example]]:
    """Return the examples of each model, from the same candidates and with the evidence that it would have in use."""
    settings = load_settings({}, home=home, log_level="ERROR")
    found: dict[str, list[Example]] = {name: [] for name in MODELS}
    async with opened(settings, lambda: datetime.now(UTC)) as (agentos, _):
        for store in chosen.stores:
            item_of = await _filled(agentos, store)
            for question in store.questions:
                if not question.is_answerable:
                    continue
                now = datetime.now(UTC)
                gathered = await agentos.memory.gather(store.name, question.text, DEPTH)
                for name in MODELS:
                    found[name].append(_example(name, store, question, gathered, item_of, now))
            say(f"{store.name}: {len(store.items)} items, {len(store.questions)} questions")
    return found


async def _filled(agentos: AgentOS, store: data.Store) -> dict[str, str]:
    """Store the items; return the item id for each memory's id."""
    item_of = {}
    for item in store.items:
        stored = await agentos.memory.store(
            store.name, StoreRequest(item.content, occurred_at=item.occurred_at, session=item.session)
        )
        item_of[stored.memory.id] = item.id
    await agentos.memory.embedded(600.0)
    return item_of


def _example(
    model: str,
    store: data.Store,
    question: data.Question,
    gathered: Gathered,
    item_of: Mapping[str, str],
    now: datetime,
) -> Example:
    import numpy as np

    evidence = gathered.evidence
    if model != "late_interaction":
        evidence = replace(evidence, signs={})
    if model == "words":
        evidence = replace(evidence, vector=None, cosine={})
    values = features.table(gathered.query, evidence, gathered.turns, now, 0.01, frozenset())
    ids = [item_of[turn.id] for turn in gathered.turns]
    return Example(store.name, question, values, np.array([one in question.evidence for one in ids]), ids)


def fit(model: str, chosen: Sequence[Example]) -> NDArray[np.float64]:
    """Return the weights of a model's features that make the examples' evidence most likely; convex, so unique."""
    import numpy as np

    columns = [list(FEATURES).index(name) for name in MODELS[model]]
    training = [(one.values[:, columns].astype(np.float64), one.is_evidence) for one in chosen if one.is_evidence.any()]
    weights = np.zeros(len(columns))
    for _ in range(STEPS):
        gradient, curvature = 2 * PENALTY * weights, 2 * PENALTY * np.eye(len(columns))
        for values, is_evidence in training:
            scores = values @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            mean = shares @ values
            gradient += (mean - values[is_evidence].mean(axis=0)) / len(training)
            curvature += ((values * shares[:, None]).T @ values - np.outer(mean, mean)) / len(training)
        step = np.linalg.solve(curvature, gradient)
        weights -= step * min(1.0, 2.0 / (np.abs(step).max() + 1e-12))
        if np.abs(step).max() < 1e-6:
            break
    return weights


def measured(
    model: str, weights: NDArray[np.float64], chosen: Sequence[Example], stores: Mapping[str, data.Store]
) -> list[dict[str, float]]:
    """Return the figures of each example, ranked by these weights."""
    import numpy as np

    columns = [list(FEATURES).index(name) for name in MODELS[model]]
    rows = []
    for one in chosen:
        order = np.argsort(-(one.values[:, columns] @ weights), kind="stable")[:DEPTH]
        rows.append(metrics.measure([one.ids[row] for row in order], one.question, stores[one.store].session_of))
    return rows


def cross_validated(model: str, chosen: Sequence[Example], stores: Mapping[str, data.Store]) -> list[dict[str, float]]:
    """Return the figures of every example, by weights that were fitted without its store."""
    rows = []
    for held_out in dict.fromkeys(one.store for one in chosen):
        weights = fit(model, [one for one in chosen if one.store != held_out])
        rows += measured(model, weights, [one for one in chosen if one.store == held_out], stores)
    return rows


def main() -> None:
    """Train, print the quality of each model, and write the weights where search reads them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="a retrieval data set")
    parser.add_argument("--licence", required=True, help="of the data, which the weights carry on")
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    arguments = parser.parse_args()
    chosen = data.load(arguments.data)
    stores = {store.name: store for store in chosen.stores}
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(examples(chosen, Path(folder) / "home"))
    models = {}
    for name, of_model in found.items():
        weights = fit(name, of_model)
        models[name] = {feature: round(float(w), 3) for feature, w in zip(MODELS[name], weights, strict=True)}
        for label, rows in (
            ("trained on all", measured(name, weights, of_model, stores)),
            ("cross-validated", cross_validated(name, of_model, stores)),
        ):
            figures = " ".join(
                f"{key}={fmean(row[key] for row in rows):.4f}" for key in ("R@5", "R@10", "NDCG@10", "session all@5")
            )
            say(f"{name:18} {label:16} {figures}")
        say(f"{'':18} {models[name]}")
    if arguments.write:
        record = {
            "made_by": "python -m training.train_ranking",
            "data": chosen.name,
            "licence_of_data": arguments.licence,
            "questions": sum(len(store.questions) for store in chosen.stores),
            "models": models,
        }
        WEIGHTS.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
