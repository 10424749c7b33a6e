"""Training scenes, in the form of `benchmarks.lifecycle.scenes`, and the pairs of statements made of them."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentos.benchmarks.lifecycle.scenes import Scene, scenes

from .succession_pairs import Pair

SCENES = Path(__file__).with_name("scenes")
SHORT = SCENES / "short"
"""Scenes of one plain sentence each: the same sentence with another value replaces, one with another key does not."""
WORLDS = Path(__file__).with_name("worlds")
HELD_BACK = WORLDS / "held_back"
"""Worlds of writers that no adapter is trained with; the weights that use an adapter's output are fitted to them."""
HELD_BACK_EACH = 12
"""Every so-many-th scene of a file is held back from training."""
OF_ANOTHER, OF_ITS_WORLD = 3, 12
"""Statements of other scenes that each scene is paired with: of its file, or of its world."""


def trained_with(files: Sequence[Sequence[Scene]], chance: random.Random) -> list[Pair]:
    """Return all pairs of the scenes that are trained with."""
    chosen = [[one for place, one in enumerate(own) if place % HELD_BACK_EACH] for own in files]
    return [pair for own in chosen for pair in _pairs(own, chance)]


def held_back(files: Sequence[Sequence[Scene]], chance: random.Random) -> list[Pair]:
    """Return all pairs of the scenes that are held back, and of the writers that nothing is trained with."""
    chosen = [*(own[::HELD_BACK_EACH] for own in files), *scenes(HELD_BACK)]
    return [pair for own in chosen for pair in _pairs(own, chance)]


def _pairs(own: Sequence[Scene], chance: random.Random) -> Iterator[Pair]:
    for place, scene in enumerate(own):
        for older in scene.older:
            yield from (Pair(older, newer, True, "scene") for newer in scene.newer)
            yield from (Pair(older, beside, False, "scene: beside") for beside in scene.beside)
        yield Pair(scene.older[0], scene.older[-1], False, "scene: the same")
        others = [one for other, one in enumerate(own) if other != place and one.world == scene.world]
        for another in chance.sample(others, min(OF_ITS_WORLD if scene.world else OF_ANOTHER, len(others))):
            text = chance.choice([*another.older[:1], *another.newer, *another.beside])
            yield Pair(chance.choice(scene.older), text, False, "scene: another")
