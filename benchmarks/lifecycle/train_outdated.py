"""Makes the weights that tell what may be outdated: `python -m benchmarks.lifecycle.train_outdated [--write]`.

Updates and near pairs of all splits but `held_out` are stored as the benchmark stores them, and each question is
asked. So that rules do not end what the model is to see, some statements are stored as notes, which state nothing. An
example is a pair among the best hits: an update's own pair is one to mark, every other pair is none. One logistic
model; the threshold is the least at which, by weights fitted without the split that is judged (each was written by
somebody who had not seen the others), at most NEAR_MARKED of the near pairs and OTHERS_MARKED of all other pairs are
marked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from agentos import database
from agentos.config import load as load_settings
from agentos.modules.agentos import AgentOS
from agentos.modules.memory import outdated, ranking
from agentos.modules.memory.ranking import ScoringSettings
from agentos.modules.memory.recall import Gathered

from .cases import Said, Split, near_pairs, updates
from .surroundings import distractors
from .train_meaning import fit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS: tuple[Split, ...] = ("dev", "fresh", "blind")
SEEDS = (1, 2)
UPDATES, NEAR, GROUPS, BESIDE = 550, 550, 6, 100
FIRST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
SETTLED_AFTER = 100
"""Stores after which the vectors are waited for."""
NEAR_MARKED, OTHERS_MARKED = 0.068, 0.032
THRESHOLDS = [round(0.3 + 0.05 * step, 2) for step in range(14)]
WEIGHT_OF = {"update": 1.0, "near": 1.5, "other": 0.5}
WEIGHTS = Path(outdated.__file__).with_name("outdated_weights.json")
READ_AS = ((None, None), ("note", "note"), (None, "note"), ("note", None))
"""Which of an update's two statements is stored as a note."""


@dataclass(frozen=True)
class Asked:
    """A question with what the search knows: `pair` are the ids of the older and the newer statement of its case."""

    kind: str
    group: str
    pair: tuple[str, str]
    is_history: bool
    gathered: Gathered


@dataclass(frozen=True)
class Example:
    """A pair of hits: `case` is the number of its question."""

    kind: str
    case: int
    group: str
    features: dict[str, float]


async def asked(split: Split, seed: int, folder: Path) -> list[Asked]:
    """Store the cases of a split and ask their questions; a minute."""
    settings = load_settings({}, home=folder, log_level="ERROR")
    store = await database.open_store(settings, _now)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, _now)
    if not await agentos.embedding.ready(120):
        raise SystemExit("the embedding model does not load")
    try:
        return await _asked(agentos, split, seed)
    finally:
        await agentos.close()
        await store.close()


async def _asked(agentos: AgentOS, split: Split, seed: int) -> list[Asked]:
    chance = random.Random(f"outdated {split} {seed}")
    told: list[tuple[str, str, Said, str | None]] = []
    questions: list[tuple[str, str, str, str, bool]] = []
    for case in updates(split, seed, UPDATES, GROUPS):
        namespace = f"updates-{case.group}"
        read = chance.choice(READ_AS)
        told += [(f"{case.id} old", namespace, case.old, read[0]), (f"{case.id} new", namespace, case.new, read[1])]
        questions.append((case.id, namespace, case.question, case.attribute, False))
    for group in range(GROUPS):
        for text in distractors(chance, BESIDE):
            told.append(
                ("", f"updates-{group}", Said(text, FIRST_DAY + timedelta(hours=chance.randint(0, 8000))), None)
            )
    for pair in near_pairs(split, seed, NEAR):
        namespace, kind = f"near-{pair.group}", chance.choice((None, None, "note"))
        told += [(f"{pair.id} old", namespace, pair.first, kind), (f"{pair.id} new", namespace, pair.second, kind)]
        words = " ".join(pair.question.split()[:3])
        is_history = pair.kind == "past" and pair.asked == "second"
        questions.append((pair.id, namespace, pair.question, f"{pair.kind}: {words}", is_history))
    told.sort(key=lambda one: one[2].at)
    ids: dict[str, str] = {}
    for number, (name, namespace, said, kind) in enumerate(told, start=1):
        stored = await agentos.memory.store(namespace, said.text, occurred_at=said.at.isoformat(), kind=kind)
        ids[name] = stored.memory.id
        if number % SETTLED_AFTER == 0:
            await agentos.memory.embedded(60)
    await agentos.memory.embedded(600)
    found = []
    for name, namespace, question, group, is_history in questions:
        gathered = await agentos.memory.gather(namespace, question, 5)
        of = (ids[f"{name} old"], ids[f"{name} new"])
        found.append(Asked(name.split("-")[0], f"{split} {group}", of, is_history, gathered))
    return found


def examples(given: Sequence[Asked]) -> list[Example]:
    """All pairs of hits that the model is asked about."""
    found = []
    for number, one in enumerate(given):
        query, evidence, turns = one.gathered.query, one.gathered.evidence, one.gathered.turns
        if not turns or not one.gathered.as_of_now:
            continue
        scored = ranking.by_standing(
            ranking.by_model(query, evidence, turns, ScoringSettings(), _now()), turns, one.gathered.at
        )
        ranked = ranking.ordered(scored, turns, one.gathered.answers, outdated.COMPARED)
        for pair in outdated.pairs(query, evidence, turns, ranked):
            ids = (turns[ranked[pair.older].row].id, turns[ranked[pair.newer].row].id)
            is_own = set(ids) == set(one.pair)
            if is_own and one.is_history:
                continue  # that the past is older is true
            found.append(Example(one.kind if is_own else "other", number, one.group, dict(pair.features)))
    return found


def _chances(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    chances: NDArray[np.float64] = 1 / (1 + np.exp(-(values @ weights[:-1] + weights[-1])))
    return chances


def trained(found: Sequence[Example], given: Sequence[Asked]) -> dict[str, object]:
    """The model, after saying what it is worth on wordings that its weights were fitted without."""
    import numpy as np

    names = list(found[0].features)
    values = np.array([[one.features[name] for name in names] for one in found])
    is_update = np.array([one.kind == "update" for one in found], dtype=np.float64)
    counts = np.array([WEIGHT_OF[one.kind] for one in found])
    splits = np.array([one.group.split()[0] for one in found])
    chances = np.zeros(len(found))
    for split in SPLITS:
        here = splits == split
        chances[here] = _chances(values[here], fit(values[~here], is_update[~here], counts[~here]))
    threshold = _threshold(found, given, chances)
    weights = fit(values, is_update, counts)
    return {
        "made_by": "python -m benchmarks.lifecycle.train_outdated --write",
        "pairs": len(found),
        "threshold": threshold,
        "bias": round(float(weights[-1]), 3),
        "weights": {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=False)},
    }


def _threshold(found: Sequence[Example], given: Sequence[Asked], chances: NDArray[np.float64]) -> float:
    of = {kind: sum(one.kind == kind for one in given) for kind in ("update", "near")}
    of["other"] = len(given)
    chosen = THRESHOLDS[-1]
    for threshold in reversed(THRESHOLDS):
        marked = {(one.kind, one.case) for one, chance in zip(found, chances, strict=True) if chance >= threshold}
        shares = {kind: sum(of_kind == kind for of_kind, _ in marked) / of[kind] for kind in of}
        _say(f"{threshold:.2f}  " + "  ".join(f"{kind} {100 * share:.1f} %" for kind, share in shares.items()))
        if shares["near"] <= NEAR_MARKED and shares["other"] <= OTHERS_MARKED:
            chosen = threshold
    return chosen


def _now() -> datetime:
    return datetime.now(UTC)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    """Train, say what came of it, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle.train_outdated", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {WEIGHTS.name}")
    arguments = parser.parse_args()
    given: list[Asked] = []
    with tempfile.TemporaryDirectory(prefix="agentos-outdated-") as folder:
        for split in SPLITS:
            for seed in SEEDS:
                given += asyncio.run(asked(split, seed, Path(folder) / f"{split}-{seed}"))
                _say(f"{split} {seed}: {len(given)} questions so far")
    made = trained(examples(given), given)
    _say(json.dumps(made, indent=1))
    if arguments.write:
        WEIGHTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
