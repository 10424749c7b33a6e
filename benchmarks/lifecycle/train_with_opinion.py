"""Makes the weights that, with a second opinion, tell what may be outdated.

`python -m benchmarks.lifecycle.train_with_opinion [--write]`, a quarter of an hour. What is told in the worlds that
the second opinion was not trained with (`worlds.py`) is stored, once for each of SIZES in other wordings, and each
fact is asked for. So a pair of hits has the opinion and the neighbours that it has in a store. An example is a pair
among the best hits; that of a fact and what replaces it is one to mark. The threshold is the least at which a share
RIGHT of what is marked is right, by weights that were fitted without the writer who is judged.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agentos.modules.memory.outdated_chance import DENIED, Pair

from agentos import database
from agentos.config import load as load_settings
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import outdated
from agentos.modules.memory.models import Turn
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.succession_model import SuccessionModel, load_succession_model

from ..progress import say
from .scenes import HELD_BACK
from .train_outdated import chances_apart, fitted, written
from .worlds import Told, told_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 1
SIZES = (None, None, 8, 3)
"""How many facts at most a store has in each round: a whole world, or a few, since what stands out among few does so by
less than it seems."""
SETTLED_AFTER = 100
RIGHT = 0.7
"""Less than half of what is marked wrongly costs the answer its place; what is not marked is told as if it held."""
THRESHOLDS = [round(0.1 + 0.05 * step, 2) for step in range(17)]
WEIGHTS = {
    reranked: Path(outdated.__file__).with_name(f"{name}_weights.json")
    for reranked, name in ((False, "with_opinion"), (True, "with_relevance"))
}
"""What is made of hits that were not reranked, and of those that were."""


@dataclass(frozen=True)
class Example:
    """A pair of hits: `case` is the number of its question, `of` the writer."""

    case: int
    of: str
    newer: int
    replaces: bool
    features: dict[str, float]
    denied: bool


async def asked(
    folder: Path, home: Path, seed: int, size: int | None, model: SuccessionModel, *, reranked: bool
) -> list[list[Example]]:
    """The pairs among the best hits of every question, once all is stored; a minute."""
    settings = load_settings({}, home=home, log_level="ERROR", search_gate=0.0)
    store = await database.open_store(settings, _now)
    reranker = database.open_reranker(settings) if reranked else None
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, _now, reranker)
    if not await agentos.embedding.ready(120) or (reranker is not None and not await reranker.ready(120)):
        raise SystemExit("a model does not load")
    try:
        return await _asked(agentos, folder, seed, size, model)
    finally:
        await agentos.close()
        await store.close()


async def _asked(
    agentos: AgentOS, folder: Path, seed: int, size: int | None, model: SuccessionModel
) -> list[list[Example]]:
    told, questions = told_in(folder, random.Random(f"with opinion {seed}"), size)
    first = seed * len(questions)
    known: dict[str, Told] = {}
    for number, one in enumerate(told, start=1):
        stored = await agentos.memory.store(one.namespace, StoreRequest(one.text, occurred_at=one.at.isoformat()))
        known[stored.memory.id] = one
        if number % SETTLED_AFTER == 0:
            await agentos.memory.embedded(60)
    await agentos.memory.embedded(600)
    found = []
    for case, fact in enumerate(questions, start=first):
        gathered = await agentos.memory.gather(fact.namespace, fact.question, 5)
        query, evidence, turns = gathered.query, gathered.evidence, gathered.turns
        if not turns or not gathered.as_of_now:
            continue
        ranked = (await agentos.memory.order(gathered, 5))[: outdated.COMPARED]
        best = [turns[one.row] for one in ranked]
        pairs = outdated.competing_pairs(query, evidence, turns, ranked)
        found.append([_example(case, pair, best, known, model) for pair in pairs])
    return found


def _example(case: int, pair: Pair, best: Sequence[Turn], known: dict[str, Told], model: SuccessionModel) -> Example:
    turns = best[pair.older], best[pair.newer]
    older, newer = (known[turn.id] for turn in turns)
    [opinion] = model.scores(turns[1].content, [turns[0].content])
    is_one = (older.namespace, older.place) == (newer.namespace, newer.place)
    replaces = is_one and (older.which, newer.which) == ("older", "newer")
    return Example(case, older.namespace.split("-")[0], pair.newer, replaces, pair.known(opinion), opinion < DENIED)


def trained(cases: Sequence[Sequence[Example]]) -> dict[str, object]:
    """The model, after saying what it is worth on writers that its weights were fitted without."""
    import numpy as np

    found = [one for case in cases for one in case]
    names = list(found[0].features)
    values = np.array([[one.features[name] for name in names] for one in found])
    replaces = np.array([one.replaces for one in found], dtype=np.float64)
    counts, writers = np.ones(len(found)), np.array([one.of for one in found])
    threshold = _threshold(found, chances_apart(values, replaces, counts, writers))
    return written("train_with_opinion", names, fitted(values, replaces, counts), threshold, len(found))


def _threshold(found: Sequence[Example], chances: NDArray[np.float64]) -> float:
    best: dict[tuple[int, int], float] = defaultdict(float)
    for one, chance in zip(found, chances, strict=True):
        best[one.case, one.newer] = max(best[one.case, one.newer], chance)
    chosen = THRESHOLDS[-1]
    for threshold in reversed(THRESHOLDS):
        marked = [
            one.replaces
            for one, chance in zip(found, chances, strict=True)
            if chance >= threshold and not one.denied and chance >= min(best[one.case, one.newer], outdated.LIKELY)
        ]
        right = sum(marked) / max(1, len(marked))
        say(f"{threshold:.2f}  {sum(marked)} marked rightly, {len(marked) - sum(marked)} wrongly: {100 * right:.1f} %")
        if right >= RIGHT:
            chosen = threshold
    return chosen


def _now() -> datetime:
    return datetime.now(UTC)


def main() -> None:
    """Train, say what came of it, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle.train_with_opinion", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the weights in the files of WEIGHTS")
    arguments = parser.parse_args()
    for reranked, file in WEIGHTS.items():
        cases: list[list[Example]] = []
        with tempfile.TemporaryDirectory(prefix="agentos-with-opinion-") as folder:
            model = load_succession_model(Path(folder))
            for seed, size in enumerate(SIZES, start=SEED):
                home = Path(folder) / str(seed)
                cases += asyncio.run(asked(HELD_BACK, home, seed, size, model, reranked=reranked))
                say(f"{len(cases)} questions so far, {sum(map(len, cases))} pairs")
        made = trained(cases)
        say(json.dumps(made, indent=1))
        if arguments.write:
            file.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
