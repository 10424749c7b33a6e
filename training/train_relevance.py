"""Makes the adapter that tells how well a memory answers a query.

`python -m training.train_relevance [--write]`, 35 minutes on two cores; needs torch and transformers,
which sentence-transformers brings. The embedding model reads a memory and a question at once (`pair_model.py`). It
learns from groups of a question, a text that answers it and others that do not (`relevance_groups.py`): the one that
answers is to be the likeliest of its group (a softmax over the group, as in listwise ranking: Cao et al., 2007), and
likely by itself. At the end it says how often that is so of the writers whom it was not trained with.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from agentos.benchmarks.lifecycle.cases import Split, wordings
from agentos.benchmarks.lifecycle.scenes import Scene, scenes
from agentos.benchmarks.progress import say
from agentos.storage.embedding import adapter

from . import scene_pairs
from .pair_model import BATCH, PairModel, weights
from .relevance_groups import TEXTS, Group, Groups
from .succession_pairs import exercises, properties_of, written

if TYPE_CHECKING:
    import torch

SEED = 1
TRAINED: tuple[Split, ...] = ("dev", "held_out", "fresh", "blind")
STEPS, RATE, DROPPED, SMOOTHED = 3_600, 1e-3, 0.1, 0.04
ALONE = 0.3
"""The weight of each text's own likelihood beside the group's order."""
AT_ONCE = 24
"""Batches whose groups are sorted by length together."""
ALIKE, THE_SAME = 12, 0.85
"""Facts similar to another one that are its hard negatives; the cosine from which two may be the same fact."""
REPORTED = 1_500


def labelled_scenes(folders: Sequence[Sequence[Sequence[Scene]]], *, held_back: bool) -> list[tuple[str, Scene]]:
    """Return scenes with the name of their writer or world: those to train with, or those held back from it."""
    found = []
    for folder, files in enumerate(folders):
        for number, own in enumerate(files):
            for place, scene in enumerate(own):
                if bool(place % scene_pairs.HELD_BACK_EACH) != held_back:
                    found.append((f"{folder}-{number}-{scene.world}", scene))
    return found


def alike_scenes(model: PairModel, of: Sequence[tuple[str, Scene]]) -> list[list[int]]:
    """Return, for each scene, those of its writer or world whose first text is nearest to its question."""
    texts, asks = (model.vectors(part) for part in zip(*((one.older[0], one.asks[0]) for _, one in of), strict=True))
    places: dict[str, list[int]] = defaultdict(list)
    for number, (place, _) in enumerate(of):
        places[place].append(number)
    found: list[list[int]] = [[] for _ in of]
    for numbers in places.values():
        asked, same = asks[numbers] @ texts[numbers].T, texts[numbers] @ texts[numbers].T
        for row, number in enumerate(numbers):
            nearest = (other for other in asked[row].argsort()[::-1] if other != row and same[row, other] < THE_SAME)
            found[number] = [numbers[other] for other in islice(nearest, ALIKE)]
    return found


def _groups(model: PairModel, *, held_back: bool) -> Groups:
    own = [*(wordings(split) for split in TRAINED), *exercises()]
    properties = [*written(), *(one for each in own for one in properties_of(each))]
    of = labelled_scenes([scenes(scene_pairs.SCENES), scenes(scene_pairs.WORLDS)], held_back=held_back)
    if held_back:
        of += labelled_scenes([scenes(scene_pairs.HELD_BACK)], held_back=True) + labelled_scenes(
            [scenes(scene_pairs.HELD_BACK)], held_back=False
        )
    say(f"{len(properties)} properties, {len(of)} scenes")
    return Groups(properties, model.alike(properties), own, of, alike_scenes(model, of), random.Random(SEED))


def _batches(groups: Groups) -> Iterator[list[Group]]:
    """Yield batches of groups of similar length, without end."""
    chance, source, count = random.Random(SEED), iter(groups), BATCH // TEXTS
    while True:
        several = list(islice(source, AT_ONCE * count))
        several.sort(key=lambda group: len(group.question) + max(map(len, group.texts)))
        ready = [several[begin : begin + count] for begin in range(0, len(several), count)]
        chance.shuffle(ready)
        yield from ready


def _odds(model: PairModel, groups: Sequence[Group], *, dropped: float = 0.0) -> torch.Tensor:
    """Return the log odds: (groups, TEXTS)."""
    pairs = [(text, group.question) for group in groups for text in group.texts]
    return model.logits(pairs, dropped=dropped).view(len(groups), TEXTS)


def _losses(model: PairModel, groups: Groups) -> Iterator[torch.Tensor]:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

    for batch in _batches(groups):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            odds = _odds(model, batch, dropped=DROPPED).float()
        answers = torch.full_like(odds, SMOOTHED / 2)
        answers[:, 0] = 1 - SMOOTHED / 2
        first = torch.zeros(len(batch), dtype=torch.long)
        yield cross_entropy(odds, first) + ALONE * binary_cross_entropy_with_logits(odds, answers)


def _report(model: PairModel, groups: Groups) -> None:
    """Print how often the answering text is the likeliest of its group, and how often it is likely by itself."""
    import torch

    of_scenes = [groups.of_scene() for _ in range(REPORTED)]
    with torch.no_grad():
        odds = torch.cat([_odds(model, of_scenes[begin : begin + 8]) for begin in range(0, len(of_scenes), 8)])
    first = 100 * (odds.argmax(dim=1) == 0).float().mean().item()
    likely = [100 * (part > 0).float().mean().item() for part in (odds[:, 0], odds[:, 1:])]
    say(f"held back: first of six {first:.1f} %; likely by itself {likely[0]:.1f} %, of the others {likely[1]:.1f} %")


def main() -> None:
    """Train, print the results, and write the adapter if asked to."""
    parser = argparse.ArgumentParser(prog="python -m training.train_relevance", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the adapter in {adapter.RELEVANCE_FILE.name}")
    parser.add_argument("--steps", type=int, default=STEPS)
    arguments = parser.parse_args()
    import torch

    torch.manual_seed(SEED)
    files = weights()
    model = PairModel(files.folder)
    trained_with, held_back = (_groups(model, held_back=which) for which in (False, True))
    model.learn(_losses(model, trained_with), RATE, arguments.steps)
    if arguments.write:
        adapter.RELEVANCE_FILE.write_bytes(model.written(files.sha256))
    _report(model, held_back)


if __name__ == "__main__":
    main()
