"""Makes the weights that tell what may be outdated: `python -m benchmarks.lifecycle.train_outdated [--write]`.

Updates and near pairs of the splits in SPLITS are stored as the benchmark stores them, and each question is asked; and
once more with the near pairs amid the updates, so that nothing can be told from how full a store is (for the same
reason neither an age nor the words that two share are features: both are the generator's). So that rules do not end
what the model is to see, some statements are stored as notes, which state nothing. An example is a pair among the best
hits: the pair of any update is one to mark, every other pair is none. One logistic model; the threshold is the least at
which, by weights fitted without the split that is judged (each was written by somebody who had not seen the others), a
share RIGHT of all marks is right where there is one near pair for each update.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
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
from agentos.modules.store_request import StoreRequest

from ..progress import say
from .cases import Said, Split, near_pairs, updates
from .fitting import fit
from .surroundings import distractors
from .values import SUBJECTS, VALUES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPLITS: tuple[Split, ...] = ("dev", "fresh", "blind", "held_out")
SEED = 1
UPDATES, NEAR, GROUPS, BESIDE = 550, 550, 6, 100
FIRST_DAY = datetime(2025, 1, 1, tzinfo=UTC)
SETTLED_AFTER = 100
"""Stores after which the vectors are waited for."""
RIGHT = 0.85
THRESHOLDS = [round(0.3 + 0.05 * step, 2) for step in range(14)]
TO_MARK = ("update", "beside")
WEIGHT_OF = {"update": 1.0, "near": 1.5, "other": 0.5, "beside": 0.5}
"""`beside` is the pair of an update that is not the one asked about."""
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
    """A pair of hits: `case` is the number of its question, `newer` the place of the newer one."""

    kind: str
    case: int
    newer: int
    group: str
    features: dict[str, float]


async def asked(split: Split, folder: Path, *, amid: bool) -> list[Asked]:
    """Store the cases of a split, near pairs apart or `amid` the updates, and ask their questions; a minute."""
    settings = load_settings({}, home=folder, log_level="ERROR")
    store = await database.open_store(settings, _now)
    agentos = AgentOS.over(store, database.open_embedder(settings), settings, _now)
    if not await agentos.embedding.ready(120):
        raise SystemExit("the embedding model does not load")
    try:
        return await _asked(agentos, split, amid=amid)
    finally:
        await agentos.close()
        await store.close()


async def _asked(agentos: AgentOS, split: Split, *, amid: bool) -> list[Asked]:
    chance = random.Random(f"outdated {split} {SEED}")
    stores = _Stores()
    told: list[tuple[str, str, Said, str | None]] = []
    questions: list[tuple[str, str, str, str, bool]] = []
    for case in updates(split, SEED, UPDATES, GROUPS):
        namespace = f"updates-{case.group}"
        stores.take(case.group, f"{case.old.text} {case.new.text}")
        read = chance.choice(READ_AS)
        told += [(f"{case.id} old", namespace, case.old, read[0]), (f"{case.id} new", namespace, case.new, read[1])]
        questions.append((case.id, namespace, case.question, case.attribute, False))
    for group in range(GROUPS):
        for text in distractors(chance, BESIDE):
            told.append(
                ("", f"updates-{group}", Said(text, FIRST_DAY + timedelta(hours=chance.randint(0, 8000))), None)
            )
    for pair in near_pairs(split, SEED, NEAR):
        namespace, kind = f"near-{pair.group}", chance.choice((None, None, "note"))
        if amid:
            group = stores.free(f"{pair.first.text} {pair.second.text}", chance)
            if group is None:
                continue
            namespace = f"updates-{group}"
        told += [(f"{pair.id} old", namespace, pair.first, kind), (f"{pair.id} new", namespace, pair.second, kind)]
        words = " ".join(pair.question.split()[:3])
        is_history = pair.kind == "past" and pair.asked == "second"
        questions.append((pair.id, namespace, pair.question, f"{pair.kind}: {words}", is_history))
    told.sort(key=lambda one: one[2].at)
    ids: dict[str, str] = {}
    for number, (name, namespace, said, kind) in enumerate(told, start=1):
        stored = await agentos.memory.store(
            namespace, StoreRequest(said.text, occurred_at=said.at.isoformat(), kind=kind)
        )
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


class _Stores:
    """Which store says what of whom, so that no near pair is put where its question has another answer."""

    def __init__(self) -> None:
        self._taken: list[list[tuple[set[str], set[str]]]] = [[] for _ in range(GROUPS)]

    def take(self, group: int, text: str) -> None:
        """What this store says from now on."""
        self._taken[group].append((_subjects(text), _types(text)))

    def free(self, text: str, chance: random.Random) -> int | None:
        """A store that says nothing of the sort of the same subjects, which it then does; None where all do."""
        subjects, types = _subjects(text), _types(text)
        free = [
            group
            for group, taken in enumerate(self._taken)
            if not any(subjects & others and types & known for others, known in taken)
        ]
        if not free:
            return None
        group = chance.choice(free)
        self.take(group, text)
        return group


def _subjects(text: str) -> set[str]:
    named = {name for names in SUBJECTS.values() for name in names if name.lower() in text.lower()}
    return named | ({"user"} if re.search(r"\b(?:I|I'm|[Mm]y|[Mm]e|[Uu]ser)\b", text) else set())


def _types(text: str) -> set[str]:
    """The lists that the values of a text are from."""
    words = " " + re.sub(r"[,;:!?]|[.](?!\w)", " ", text.lower()) + " "
    return {name for name, values in VALUES.items() if any(f" {value.lower()} " in words for value in values)}


def examples(given: Sequence[Asked]) -> list[Example]:
    """All pairs of hits that the model is asked about."""
    to_mark = {one.pair for one in given if one.kind == "update"}
    found = []
    for number, one in enumerate(given):
        query, evidence, turns = one.gathered.query, one.gathered.evidence, one.gathered.turns
        if not turns or not one.gathered.as_of_now:
            continue
        scored = ranking.by_standing(
            ranking.by_model(query, evidence, turns, ScoringSettings(), _now()), turns, one.gathered.at
        )
        ranked = ranking.ordered(scored, turns, one.gathered.answers, outdated.COMPARED)
        for pair in outdated.competing_pairs(query, evidence, turns, ranked):
            if pair.read is None or not pair.supported:
                continue
            ids = (turns[ranked[pair.older].row].id, turns[ranked[pair.newer].row].id)
            is_own = set(ids) == set(one.pair)
            if is_own and one.is_history:
                continue  # that the past is older is true
            beside = "beside" if ids in to_mark else "other"
            found.append(Example(one.kind if is_own else beside, number, pair.newer, one.group, dict(pair.read)))
    return found


def chances_of(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a logistic model, its bias last, makes of examples: (examples, features) to (examples,)."""
    import numpy as np

    chances: NDArray[np.float64] = 1 / (1 + np.exp(-(values @ weights[:-1] + weights[-1])))
    return chances


def fitted(
    values: NDArray[np.float64], is_update: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights of the values as they are, fitted to values of one scale: else small ones were held back."""
    import numpy as np

    mean, scale = values.mean(axis=0), values.std(axis=0) + 1e-6
    weights = fit((values - mean) / scale, is_update, counts)
    own = weights[:-1] / scale
    return np.append(own, weights[-1] - own @ mean)


def chances_apart(
    values: NDArray[np.float64], is_update: NDArray[np.float64], counts: NDArray[np.float64], of: NDArray[np.str_]
) -> NDArray[np.float64]:
    """What models make of examples that were fitted without those `of` the same split or writer: (examples,)."""
    import numpy as np

    chances = np.zeros(len(values))
    for one in np.unique(of):
        here = of == one
        chances[here] = chances_of(values[here], fitted(values[~here], is_update[~here], counts[~here]))
    return chances


def written(
    command: str, names: Sequence[str], weights: NDArray[np.float64], threshold: float, pairs: int
) -> dict[str, object]:
    """A model as `logistic.read` reads it; its bias is the last of the weights."""
    return {
        "made_by": f"python -m benchmarks.lifecycle.{command} --write",
        "pairs": pairs,
        "threshold": threshold,
        "bias": round(float(weights[-1]), 3),
        "weights": {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=False)},
    }


def trained(found: Sequence[Example], given: Sequence[Asked]) -> dict[str, object]:
    """The model, after saying what it is worth on wordings that its weights were fitted without."""
    import numpy as np

    names = list(found[0].features)
    values = np.array([[one.features[name] for name in names] for one in found])
    is_update = np.array([one.kind in TO_MARK for one in found], dtype=np.float64)
    counts = np.array([WEIGHT_OF[one.kind] for one in found])
    splits = np.array([one.group.split()[0] for one in found])
    threshold = _threshold(found, given, chances_apart(values, is_update, counts, splits))
    return written("train_outdated", names, fitted(values, is_update, counts), threshold, len(found))


def _threshold(found: Sequence[Example], given: Sequence[Asked], chances: NDArray[np.float64]) -> float:
    of = {kind: sum(one.kind == kind for one in given) for kind in ("update", "near")}
    of["other"] = len(given)
    best: dict[tuple[int, int], float] = {}
    for one, chance in zip(found, chances, strict=True):
        best[one.case, one.newer] = max(chance, best.get((one.case, one.newer), 0.0))
    chosen = THRESHOLDS[-1]
    for threshold in reversed(THRESHOLDS):
        marked = {
            (one.kind, one.case)
            for one, chance in zip(found, chances, strict=True)
            if chance >= threshold and chance >= min(best[one.case, one.newer], outdated.LIKELY)
        }
        shares = {kind: sum(of_kind == kind for of_kind, _ in marked) / of[kind] for kind in of}
        wrong = shares["near"] + 2 * shares["other"]  # of one update and one near pair, either may mark another
        right = shares["update"] / ((shares["update"] + wrong) or 1.0)
        told = "  ".join(f"{kind} {100 * share:.1f} %" for kind, share in shares.items())
        say(f"{threshold:.2f}  {told}  right {100 * right:.1f} %")
        if right >= RIGHT:
            chosen = threshold
    return chosen


def _now() -> datetime:
    return datetime.now(UTC)


def main() -> None:
    """Train, say what came of it, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle.train_outdated", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {WEIGHTS.name}")
    arguments = parser.parse_args()
    given: list[Asked] = []
    with tempfile.TemporaryDirectory(prefix="agentos-outdated-") as folder:
        for split in SPLITS:
            for amid in (False, True):
                given += asyncio.run(asked(split, Path(folder) / f"{split}-{amid}", amid=amid))
                say(f"{split}, near pairs {'amid the updates' if amid else 'apart'}: {len(given)} questions so far")
    made = trained(examples(given), given)
    say(json.dumps(made, indent=1))
    if arguments.write:
        WEIGHTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
