"""Makes the weights of superseding by meaning: `python -m benchmarks.lifecycle.train_meaning [--write]`.

Pairs come from the development wordings (updates, chains of changes, near pairs, contradictions, two attributes of one
subject) and from tests/unit/statement_pairs.py. Each pair is shown as if the rules had read neither statement, only the
older or only the newer one, since that is when the model is asked. One logistic model, by Newton's method; the
threshold is the least at which, by weights fitted without their attribute, at most LEAVES of the near pairs and
CROSSES of two attributes of one subject are wrong. With `--held-out` it says what model and rules make of the wordings
that nothing was written for, in totals.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agentos.modules.memory import logistic, replacement
from agentos.modules.truth.meaning import FEATURES, Likeness, likeness
from agentos.modules.truth.models import Action, Judgement
from agentos.storage.embedding.loader import load_encoder

from ..progress import say
from .cases import Said, Split, conflicts, near_pairs, updates, wordings
from .rules_alone import Claim, judged
from .values import SUBJECTS, VALUES
from .wording import filled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 1
UPDATES, CHAINS, NEAR, CONFLICTS, CROSSED = 550, 500, 550, 140, 900
FOLDS = 8
PENALTY, STEPS = 1.0, 40
LEAVES, CROSSES = 0.0025, 0.01
"""The shares of near pairs, and of two attributes of one subject, that may be wrong at the threshold."""
THRESHOLDS = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
WEIGHTS = Path(replacement.__file__).with_name("replacement_weights.json")
PAIRS = Path(__file__).parents[2] / "tests" / "unit" / "statement_pairs.py"
EARLIER, LATER = datetime(2025, 3, 3, tzinfo=UTC), datetime(2025, 9, 3, tzinfo=UTC)
POSITIVE = frozenset({"update", "chain", "written update"})
CLOSING = frozenset({Action.SUPERSEDE, Action.CORRECT, Action.CLOSE})


@dataclass(frozen=True)
class Pair:
    """Two statements; `group` is what is left out together when the model is tested."""

    kind: str
    group: str
    old: Said
    new: Said


@dataclass(frozen=True)
class Example:
    """A pair as the model sees it; None where it is not asked."""

    pair: Pair
    like: Likeness | None
    weight: float


def pairs(split: Split) -> Iterator[Pair]:
    """All pairs of a split."""
    for update in updates(split, SEED, UPDATES, 6):
        yield Pair("update", update.attribute, update.old, update.new)
    for near in near_pairs(split, SEED, NEAR):
        yield Pair("near", near.kind, near.first, near.second)
    for conflict in conflicts(split, SEED, CONFLICTS):
        yield Pair("conflict", conflict.kind, conflict.first, conflict.second)
    yield from _made(split)
    if split == "dev":
        yield from _written()


def _made(split: Split) -> Iterator[Pair]:
    """Chains of changes of one attribute, and statements of two attributes of one subject."""
    chance, attributes = random.Random(f"meaning {split} {SEED}"), wordings(split).attributes
    for _ in range(CROSSED):
        one = chance.choice(attributes)
        others = [other for other in attributes if other is not one and other.about == one.about]
        if not others:
            continue
        other, subject = chance.choice(others), chance.choice(SUBJECTS[one.about])
        old = filled(chance.choice(one.old + one.new), s=subject, v=chance.choice(VALUES[one.values]), month="March")
        new = filled(
            chance.choice(other.new + other.old), s=subject, v=chance.choice(VALUES[other.values]), month="May"
        )
        yield Pair("two attributes", one.name, Said(old, EARLIER), Said(new, LATER))
    for _ in range(CHAINS):
        one = chance.choice(attributes)
        subject, (value, other_value) = chance.choice(SUBJECTS[one.about]), chance.sample(VALUES[one.values], 2)
        before = chance.choice(one.old + one.new)
        after = chance.choice([wording for wording in one.new if wording != before])
        old, new = (
            filled(before, s=subject, v=value, month="March"),
            filled(after, s=subject, v=other_value, month="May"),
        )
        yield Pair("chain", one.name, Said(old, EARLIER), Said(new, LATER))


def _written() -> Iterator[Pair]:
    spec = importlib.util.spec_from_file_location("statement_pairs", PAIRS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kinds = {"UPDATES": "written update", "NEAR": "written near", "SAME": "same", "CONTESTED": "contested"}
    for name, kind in kinds.items():
        for number, (old, new) in enumerate(getattr(module, name)):
            yield Pair(kind, f"{kind} {number}", Said(old, EARLIER), Said(new, LATER))


def _unread(claim: Claim) -> Claim:
    return replace(claim, slot=None, valid_from=None, valid_to=None)


def _examples(given: Sequence[Pair]) -> list[Example]:
    found = []
    for pair in given:
        older, newer, _ = judged(pair.old, pair.new)
        variants = {(_unread(older), newer), (older, _unread(newer)), (_unread(older), _unread(newer))}
        likes = [likeness(*variant) for variant in sorted(variants, key=repr)]
        weight = (1.0 if pair.kind in POSITIVE else 2.0) * (2.0 if pair.kind.startswith("written") else 1.0)
        found += [Example(pair, like, weight / len(likes)) for like in likes]
    return found


class Vectors:
    """Encodes each text once."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="agentos-meaning-")  # gone with this object
        self._encoder = load_encoder("all-MiniLM-L6-v2", True, Path(self._folder.name))
        self._known: dict[str, bytes] = {}

    def features(self, pair: Pair, like: Likeness) -> list[float]:
        """All features of a pair, in the order of FEATURES."""
        cosine = self._cosine(pair.old.text, pair.new.text)
        found = replacement.features(like, cosine, self._cosine(like.older, like.newer))
        return [found[name] for name in FEATURES]

    def _cosine(self, one: str, other: str) -> float:
        import numpy as np

        for text in (one, other):
            if text not in self._known:
                [self._known[text]] = map(bytes, self._encoder.encode([text]))
        vectors = [np.frombuffer(self._known[text], dtype="<f4") for text in (one, other)]
        return float(vectors[0] @ vectors[1])


def fit(
    values: NDArray[np.float64], is_update: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights of a logistic model, the bias last; convex, so unique."""
    import numpy as np

    values = np.hstack([values, np.ones((len(values), 1))])
    penalty = np.array([PENALTY] * (values.shape[1] - 1) + [1e-9])
    weights = np.zeros(values.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(values @ weights)))
        gradient = values.T @ (counts * (chance - is_update)) + penalty * weights
        curvature = (values * (counts * chance * (1 - chance))[:, None]).T @ values + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights -= step * min(1.0, 2.0 / (np.abs(step).max() + 1e-12))
    return weights


def _chances(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    chances: NDArray[np.float64] = 1 / (1 + np.exp(-(values @ weights[:-1] + weights[-1])))
    return chances


def _shares(
    kinds: Sequence[str], chances: Sequence[float], of: Mapping[str, int], threshold: float
) -> dict[str, float]:
    hits = Counter(kind for kind, chance in zip(kinds, chances, strict=True) if chance >= threshold)
    return {kind: hits[kind] / of[kind] for kind in sorted(of)}


def _train(vectors: Vectors) -> dict[str, object]:
    import numpy as np

    examples = _examples(list(pairs("dev")))
    of = Counter(one.pair.kind for one in examples)
    asked = [(one, one.like) for one in examples if one.like is not None]
    kinds = [one.pair.kind for one, _ in asked]
    values = np.array([vectors.features(one.pair, like) for one, like in asked])
    is_update = np.array([kind in POSITIVE for kind in kinds], dtype=np.float64)
    counts = np.array([one.weight for one, _ in asked])
    folds = np.array([zlib.crc32(one.pair.group.encode()) % FOLDS for one, _ in asked])
    chances = np.zeros(len(asked))
    for fold in range(FOLDS):
        here = folds == fold
        chances[here] = _chances(values[here], fit(values[~here], is_update[~here], counts[~here]))
    chosen = THRESHOLDS[-1]
    for threshold in reversed(THRESHOLDS):
        shares = _shares(kinds, list(chances), of, threshold)
        say(f"{threshold:.2f}  " + "  ".join(f"{kind} {100 * share:.1f} %" for kind, share in shares.items()))
        near = max(shares[kind] for kind in ("near", "written near", "conflict", "same", "contested"))
        if near <= LEAVES and shares["two attributes"] <= CROSSES:
            chosen = threshold
    weights = fit(values, is_update, counts)
    named = {name: round(float(weight), 3) for name, weight in zip(FEATURES, weights, strict=False)}
    return {
        "made_by": "python -m benchmarks.lifecycle.train_meaning --write",
        "pairs": len({id(one.pair) for one in examples}),
        "threshold": chosen,
        "bias": round(float(weights[-1]), 3),
        "weights": named,
    }


def _held_out(vectors: Vectors, made: logistic.Model) -> None:
    """Totals of what the rules find, and of what both find, as it would go in a store."""
    of: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    both: Counter[str] = Counter()
    for pair in pairs("held_out"):
        older, newer, judgement = judged(pair.old, pair.new)
        ruled = _closes(judgement)
        like = None if ruled else likeness(older, newer)
        sure = False
        if like is not None:
            found = dict(zip(FEATURES, vectors.features(pair, like), strict=True))
            sure = made.probability(found) >= made.threshold
        of[pair.kind] += 1
        rules[pair.kind] += ruled
        both[pair.kind] += ruled or sure
    for kind in sorted(of):
        say(f"held out: {kind}: {of[kind]}, by rules {rules[kind]}, by both {both[kind]}")


def _closes(judgement: Judgement | None) -> bool:
    return judgement is not None and judgement.action in CLOSING and bool(judgement.revised)


def main() -> None:
    """Train, say what came of it, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lifecycle.train_meaning", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {WEIGHTS.name}")
    parser.add_argument("--held-out", action="store_true", help="totals of the held-out wordings, by the kept weights")
    arguments = parser.parse_args()
    vectors = Vectors()
    if not arguments.held_out or arguments.write:
        made = _train(vectors)
        say(json.dumps(made, indent=1))
        if arguments.write:
            WEIGHTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    if arguments.held_out:
        _held_out(vectors, replacement.model())


if __name__ == "__main__":
    main()
