"""Fits what says whether a memory replaces an older one: `python -m training.train_supersession [--write]`.

An example is a statement and one of the nearest before it in its store (`supersession_stores.py`). One logistic model
is fitted to TRAIN, of which the pair model has seen nothing; the threshold is chosen on VALIDATION; TEST is only
judged, at the end. Weights without an opinion, fitted to the same examples, choose what the pair model reads. Those for
languages that it does not know are kept as they are: `train_languages` makes them, and is to be run after this. Ten
minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentos.benchmarks.lifecycle.scenes import WORLDS
from agentos.benchmarks.progress import say
from agentos.modules.memory import supersession_chance
from agentos.modules.memory.supersession_chance import SupersessionModel, features, judges
from agentos.storage.embedding.adapted_model import SuccessionModel, load_succession_model
from agentos.storage.embedding.loader import load_encoder

from . import scene_pairs, supersession_stores
from .fitting import fit
from .supersession_stores import Statement, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES, NEAR, NAMED = 6, 0.25, 3
"""The number of nearest statements judged, their least cosine, and the most of them that an answer names."""
ASKED_MOST = {"near": 0.12, "parallel": 0.12, "note": 0.1, "other": 0.03}
"""Shares of statements of a kind that may be asked about needlessly, in any set of VALIDATION."""
ANY = ("note", "other")
"""Kinds for which every question is needless; for others, those about their own older statement count."""
STEPS = [round(0.02 * step, 2) for step in range(1, 50)]
MAX_CHARS = 300
"""Longer texts are not judged."""
WITH = ("bias", "odds", "cosine", "odds_cosine", "other_key")
WITHOUT = ("bias", "cosine", "shared", "other_key")
"""The features with an opinion (shared words add nothing to it), and without one."""

Sets = dict[str, Callable[[], Iterator[Store]]]

TRAIN: Sets = {
    "worlds/held_back": lambda: supersession_stores.of_worlds(scene_pairs.HELD_BACK, rounds=2),
    "pairs train": lambda: supersession_stores.of_pairs("train"),
}
VALIDATION: Sets = {
    "unseen": lambda: supersession_stores.of_split("unseen"),
    "pairs validation": lambda: supersession_stores.of_pairs("validation"),
}
TEST: Sets = {
    "sealed": lambda: supersession_stores.of_split("sealed"),
    "told": supersession_stores.of_free_wording,
    "worlds/sealed": lambda: supersession_stores.of_worlds(WORLDS),
    "pairs test": lambda: supersession_stores.of_pairs("test"),
}
OWN, OTHERS = {"pairs train": 5.0}, 0.05
"""Weights of examples: of a statement and its own older one, where that is not 1 (a set is small); and of a statement
and its other neighbours, of which there are seven times as many, and easier ones."""


@dataclass(frozen=True)
class Candidate:
    """A statement of a store that is one of the nearest before another."""

    text: str
    is_own: bool
    cosine: float
    opinion: float | None
    known: dict[str, float]


@dataclass(frozen=True)
class Compared:
    """A statement with its candidates, the nearest first."""

    of: str
    statement: Statement
    candidates: tuple[Candidate, ...]


class Judge:
    """The embedding model and the pair model."""

    def __init__(self, folder: Path) -> None:
        self._encoder = load_encoder("all-MiniLM-L6-v2", True, folder)
        self._model: SuccessionModel = load_succession_model(folder)
        self.fingerprint = self._model.fingerprint

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors: (texts, dimensions)."""
        import numpy as np

        parts = [self._encoder.encode(texts[begin : begin + 32]) for begin in range(0, len(texts), 32)]
        return np.stack([np.frombuffer(each, dtype="<f4") for part in parts for each in part])

    def opinions(self, newer: str, older: Sequence[str]) -> list[float | None]:
        """Return the pair model's score of a statement with each older one, None if it does not know the language."""
        known = [text for text in older if judges(text) and judges(newer)]
        scores = dict(zip(known, self._model.scores(newer, known), strict=True))
        return [scores.get(text) for text in older]


def compared(name: str, stores: Iterator[Store], judge: Judge) -> list[Compared]:
    """Return every statement of the stores that has older ones, with its nearest candidates."""
    import numpy as np

    found = []
    for store in stores:
        vectors = judge.vectors([one.text for one in store])
        for place, one in enumerate(store):
            if place == 0 or not one.kind or len(one.text) > MAX_CHARS:
                continue
            cosines = vectors[:place] @ vectors[place]
            nearest = [int(each) for each in np.argsort(-cosines) if cosines[each] >= NEAR and _fits(store[each], one)]
            opinions = judge.opinions(one.text, [store[each].text for each in nearest[:CANDIDATES]])
            candidates = [
                Candidate(
                    store[each].text,
                    each == one.own,
                    float(cosines[each]),
                    opinion,
                    features(store[each].text, one.text, float(cosines[each]), opinion),
                )
                for each, opinion in zip(nearest[:CANDIDATES], opinions, strict=True)
            ]
            found.append(Compared(name, one, tuple(candidates)))
    return found


def _fits(older: Statement, newer: Statement) -> bool:
    return len(older.text) <= MAX_CHARS and older.text != newer.text


def gathered(sets: Sets, judge: Judge) -> list[Compared]:
    """Return all statements of the given sets."""
    found = []
    for name, stores in sets.items():
        found += compared(name, stores(), judge)
        say(f"{name}: {len(found)} statements so far")
    return found


def fitted(given: Sequence[Compared], names: Sequence[str], *, with_opinion: bool) -> dict[str, float]:
    """Return the weights of these features, fitted to all examples, or to those that the pair model judges."""
    import numpy as np

    rows = [(one, each) for one in given for each in one.candidates if not with_opinion or each.opinion is not None]
    values = np.array([[each.known[name] for name in names if name != "bias"] for _, each in rows])
    is_update = np.array([each.is_own and one.statement.kind == "update" for one, each in rows], dtype=np.float64)
    counts = np.array([_weight(one, each) for one, each in rows])
    *weights, bias = fit(values, is_update, counts)
    found = zip([name for name in names if name != "bias"], weights, strict=True)
    return {"bias": round(float(bias), 3)} | {name: round(float(weight), 3) for name, weight in found}


def _weight(one: Compared, each: Candidate) -> float:
    return OWN.get(one.of, 1.0) if each.is_own else OTHERS


def named(one: Compared, model: SupersessionModel) -> list[Candidate]:
    """Return the candidates that the answer to a store names."""
    likely = sorted(_chances(one, model), key=lambda pair: -pair[0])
    return [each for chance, each in likely if chance >= model.asked][:NAMED]


def _chances(one: Compared, model: SupersessionModel) -> list[tuple[float, Candidate]]:
    return [(model.chance(each.text, one.statement.text, each.cosine, each.opinion), each) for each in one.candidates]


def share(several: Sequence[Compared], chosen: Callable[[Compared], Sequence[Candidate]]) -> float:
    """Return the share of statements for which one is chosen: their own older one, or any if each is needless."""
    hits = [any(each.is_own or one.statement.kind in ANY for each in chosen(one)) for one in several]
    return sum(hits) / max(1, len(hits))


def with_threshold(model: SupersessionModel, validation: Sequence[Compared]) -> SupersessionModel:
    """Return the model with the least threshold that keeps needless questions in bounds."""
    english = [one for one in validation if one.statement.is_english]
    return replace(model, asked=_least(lambda step: _asks_too_much(english, replace(model, asked=step))))


def _least(is_too_low: Callable[[float], bool]) -> float:
    return next((step for step in STEPS if not is_too_low(step)), STEPS[-1])


def _asks_too_much(given: Sequence[Compared], model: SupersessionModel) -> bool:
    return any(
        share(several, lambda one: named(one, model)) > ASKED_MOST.get(kind, 1.0)
        for (_, kind), several in _by_kind(given).items()
    )


def _by_kind(given: Sequence[Compared]) -> dict[tuple[str, str], list[Compared]]:
    found: dict[tuple[str, str], list[Compared]] = defaultdict(list)
    for one in given:
        if one.statement.kind in ANY or any(each.is_own for each in one.candidates) or one.statement.own is not None:
            found[one.of, one.statement.kind].append(one)
    return found


def report(name: str, given: Sequence[Compared], model: SupersessionModel) -> None:
    """Print what is named of each kind of statement in each set, English and other languages apart."""
    say(f"{name}: share named")
    for (of, kind), all_of_it in _by_kind(given).items():
        for language, is_english in (("English", True), ("other languages", False)):
            several = [one for one in all_of_it if one.statement.is_english == is_english]
            if several:
                shown = f"{100 * share(several, lambda one: named(one, model)):5.1f} %"
                say(f"  {of:18} {kind:9} {language:16} {len(several):5}  {shown}")


def main() -> None:
    """Fit, choose thresholds, judge, and write the weights if asked to."""
    parser = argparse.ArgumentParser(prog="python -m training.train_supersession", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {supersession_chance.WEIGHTS.name}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agentos-supersession-") as folder:
        judge = Judge(Path(folder))
        train, validation, test = (gathered(sets, judge) for sets in (TRAIN, VALIDATION, TEST))
    made = SupersessionModel(
        fitted(train, WITH, with_opinion=True),
        fitted(train, WITHOUT, with_opinion=False),
        supersession_chance.bundled().of_differences,
        asked=1.0,
    )
    made = with_threshold(made, validation)
    for name, given in (("train", train), ("validation", validation), ("test", test)):
        report(name, given, made)
    written = json.loads(supersession_chance.WEIGHTS.read_text("utf-8")) | {
        "made_by": "python -m training.train_supersession --write",
        "pair_model": judge.fingerprint,
        "train": _counts(train),
        "validation": _counts(validation),
        **asdict(made),
    }
    say(json.dumps(written, indent=1))
    if arguments.write:
        supersession_chance.WEIGHTS.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def _counts(given: Sequence[Compared]) -> dict[str, dict[str, int]]:
    """Count the statements of each kind in each set, and the pairs that they made."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for one in given:
        found[one.of][one.statement.kind] += 1
        found[one.of]["pairs"] += len(one.candidates)
    return {of: dict(counts) for of, counts in found.items()}


if __name__ == "__main__":
    main()
