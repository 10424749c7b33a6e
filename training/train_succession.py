"""Makes the adapter that tells what a statement replaces: `python -m training.train_succession [--write]`.

The embedding model reads both statements at once (`pair_model.py`). Pairs come from `statements/*.jsonl`, from
`exercises/*.jsonl` and from the splits in `--splits`, other ones in every round (`succession_pairs.py`), and from
`scenes/*.jsonl` and `worlds/*.jsonl` (`scene_pairs.py`). What is held back makes the chances true. At the end it says
what the model makes of every split, in totals; only those that it was not trained with say something of other people's
wordings.

Needs torch and transformers, which sentence-transformers brings; 50 minutes on two cores. `--go-on` begins with the
adapter that there is, for new material: a tenth of the steps, at half of the rate, does.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agentos.benchmarks.lifecycle.cases import SPLITS, Split, wordings
from agentos.benchmarks.lifecycle.scenes import Scene, scenes
from agentos.benchmarks.progress import say
from agentos.storage.embedding import adapter

from . import scene_pairs
from .fitting import fit
from .pair_model import BATCH, PairModel, weights
from .succession_pairs import HELD_BACK, Pair, Pairs, cases_of, crossed, exercises, properties_of, written

if TYPE_CHECKING:
    import torch

SEED = 1
TRAINED: tuple[Split, ...] = ("dev", "held_out", "fresh", "blind")
STEPS = 4_800
RATE, DROPPED, SMOOTHED = 1e-3, 0.1, 0.03
STEPS_ON, RATE_ON = 500, 6e-4
"""The same for continuing from an adapter."""
SPLITS_COUNT, EXERCISES_COUNT, WORDINGS = 5, 2, 5
"""Uses of a property of a split, and of one of an exercise, for each use of a property of the statements; of these, one
with more than WORDINGS wordings is used again for each further WORDINGS."""
FROM_SPLITS, ROUNDS_OF_SPLITS = 0.4, 4
"""The share of all pairs that are cases of splits or exercises, and how often each of them is filled anew."""
FROM_SCENES, FROM_SHORT = 0.35, 0.18
"""The shares of all pairs that are of scenes, and of short scenes."""
AT_ONCE = 24
"""Batches that are sorted by length together."""
CASES = 550
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)


def _batches(
    pairs: Pairs, places: Sequence[int], beside: Sequence[tuple[float, Sequence[Pair]]], chance: random.Random
) -> Iterator[list[Pair]]:
    """Yield batches of pairs of similar length, without end; `beside` has other pairs, each with its share of all."""
    rest = 1 - sum(share for share, _ in beside)
    several: list[Pair] = []
    while True:
        for place in chance.sample(places, len(places)):
            made = pairs.of(place)
            several += made
            for share, own in beside:
                taken = int(share / rest * len(made) + chance.random()) if own else 0
                several += chance.choices(own, k=taken)
            if len(several) < AT_ONCE * BATCH:
                continue
            chance.shuffle(several)
            several.sort(key=lambda pair: len(pair.older) + len(pair.newer) + 12 * chance.random())
            ready = [several[begin : begin + BATCH] for begin in range(0, len(several) - BATCH + 1, BATCH)]
            chance.shuffle(ready)
            yield from ready
            several = []


def _train(model: PairModel, splits: Sequence[Split], steps: int, rate: float) -> None:
    chance = random.Random(SEED)
    each = [*((wordings(split), SPLITS_COUNT) for split in splits), *((own, EXERCISES_COUNT) for own in exercises())]
    often = [(one, math.ceil(len(one.new) / WORDINGS)) for one in written()]
    often += [(one, count) for own, count in each for one in properties_of(own)]
    properties = [one for one, _ in often]
    places = [place for place, (_, count) in enumerate(often) for _ in range(count)]
    of_splits = [
        pair
        for own, _ in each
        for place in range(ROUNDS_OF_SPLITS)
        for made in (cases_of, crossed)
        for pair in made(own, f"to train with {place}", CASES)
    ]
    pairs = Pairs(properties, model.alike(properties), chance)
    of_scenes = scene_pairs.trained_with(_scenes(), chance)
    of_short = scene_pairs.trained_with(scenes(scene_pairs.SHORT), chance)
    beside = ((FROM_SPLITS, of_splits), (FROM_SCENES, of_scenes), (FROM_SHORT, of_short))
    of_facts = len(of_scenes) + len(of_short)
    say(f"{len(properties)} properties, {len(of_splits)} cases of splits, {of_facts} pairs of scenes")
    model.learn(_losses(model, _batches(pairs, places, beside, chance)), rate, steps)


def _losses(model: PairModel, batches: Iterator[list[Pair]]) -> Iterator[torch.Tensor]:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    for batch in batches:
        truth = torch.tensor([float(pair.replaces) for pair in batch]) * (1 - SMOOTHED) + SMOOTHED / 2
        logits = model.logits([(pair.older, pair.newer) for pair in batch], dropped=DROPPED)
        yield binary_cross_entropy_with_logits(logits, truth)


def _scenes() -> list[list[Scene]]:
    return [*scenes(scene_pairs.SCENES), *scenes(scene_pairs.WORLDS)]


def _held_back() -> list[Pair]:
    """Return pairs of the properties that nothing is trained with, a dozen each, and of the held-back scenes."""
    properties, chance = written(HELD_BACK), random.Random(SEED)
    pairs = Pairs(properties, [[] for _ in properties], chance)
    made = [pair for place in range(len(properties)) for pair in pairs.of(place)]
    return made + scene_pairs.held_back(_scenes(), chance)


def _calibrate(model: PairModel, pairs: Sequence[Pair]) -> None:
    """Scale and shift the log odds until they are calibrated for these pairs, as if half of them replaced.

    Platt, "Probabilistic Outputs for Support Vector Machines" (1999). The training pairs are too easy for that.
    """
    import numpy as np
    import torch

    chances = model.chances([(pair.older, pair.newer) for pair in pairs])
    replaces = np.array([pair.replaces for pair in pairs])
    counts = np.where(replaces, 0.5 / replaces.mean(), 0.5 / (~replaces).mean())
    slope, shift = fit(np.log(chances / (1 - chances))[:, None], replaces.astype(np.float64), counts)
    with torch.no_grad():
        model.outer.weight.mul_(slope)
        model.outer.bias.mul_(slope).add_(shift)
    say(f"log odds of what was held back: {slope:.2f} times and {shift:+.2f}")


def _report(model: PairModel, held_back: Sequence[Pair]) -> None:
    """Print what is found of the updates and near pairs of every split, and of each kind of held-back pairs."""
    for split in SPLITS:
        if split != "all":
            cases, others = (made(wordings(split), f"{split} {SEED}", CASES) for made in (cases_of, crossed))
            _shares(model, f"{split}: an update is likelier than a near pair", cases)
            updates = [pair for pair in cases if pair.replaces]
            _shares(model, f"{split}: an update is likelier than what else is told of its subject", updates + others)
    _shares(model, "held back: what replaces is likelier than what does not", held_back)
    for kind in sorted({pair.kind for pair in held_back}):
        chances = model.chances([(pair.older, pair.newer) for pair in held_back if pair.kind == kind])
        say(f"  {kind}: {100 * (chances >= THRESHOLDS[4]).mean():.1f} % of {len(chances)} from {THRESHOLDS[4]} on")


def _shares(model: PairModel, name: str, pairs: Sequence[Pair]) -> None:
    """Print, at each threshold, the share found of pairs that replace something and of the others."""
    import numpy as np

    chances = model.chances([(pair.older, pair.newer) for pair in pairs])
    replaces = np.array([pair.replaces for pair in pairs])
    updates, others = chances[replaces], np.sort(chances[~replaces])
    above = np.searchsorted(others, updates).mean() / len(others)
    say(f"{name} in {100 * above:.1f} %; the ones and the others from")
    for threshold in THRESHOLDS:
        shares = [100 * (of >= threshold).mean() for of in (updates, others)]
        say(f"  {threshold:.2f}  {shares[0]:5.1f} %  {shares[1]:5.1f} %")


def main() -> None:
    """Train, print the results, and write the adapter if asked to."""
    parser = argparse.ArgumentParser(prog="python -m training.train_succession", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the adapter in {adapter.SUCCESSION_FILE.name}")
    parser.add_argument("--splits", default=",".join(TRAINED), help="what is trained with, besides the statements")
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--go-on", action="store_true", help="begin with the adapter that there is")
    arguments = parser.parse_args()
    import torch

    torch.manual_seed(SEED)
    files = weights()
    model = PairModel(files.folder)
    splits: list[Split] = [split for split in SPLITS if split in arguments.splits.split(",")]
    steps, rate = (STEPS_ON, RATE_ON) if arguments.go_on else (STEPS, RATE)
    if arguments.go_on:
        model.go_on_from(adapter.bundled(adapter.SUCCESSION_FILE))
    _train(model, splits, arguments.steps or steps, rate)
    held_back = _held_back()
    _calibrate(model, held_back)
    if arguments.write:
        adapter.SUCCESSION_FILE.write_bytes(model.written(files.sha256))
    _report(model, held_back)


if __name__ == "__main__":
    main()
