"""Scenes to train with, in the form of `benchmarks.lifecycle.scenes`, and the pairs of statements they make."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentos.benchmarks.lifecycle.scenes import Scene, scenes

from .succession_pairs import Pair

SCENES = Path(__file__).with_name("scenes")
SHORT = SCENES / "short"
"""Scenes in one plain sentence each: the same sentence with another value replaces, that with another key does not."""
WORLDS = Path(__file__).with_name("worlds")
HELD_BACK = WORLDS / "held_back"
"""Worlds of writers that no adapter is trained with; weights that count what an adapter says are fitted to them."""
HELD_BACK_EACH = 12
"""Of so many scenes of a file one is held back from training."""
OF_ANOTHER, OF_ITS_WORLD = 3, 12
"""How many statements of other scenes of its file, by the same writer, or of its world each scene is paired with."""


def trained_with(files: Sequence[Sequence[Scene]], chance: random.Random) -> list[Pair]:
    """All pairs of the scenes that are not held back."""
    kept = [[one for place, one in enumerate(own) if place % HELD_BACK_EACH] for own in files]
    return [pair for own in kept for pair in _pairs(own, chance)]


def held_back(files: Sequence[Sequence[Scene]], chance: random.Random) -> list[Pair]:
    """All pairs of those that are, and of the writers that nothing is trained with."""
    kept = [*(own[::HELD_BACK_EACH] for own in files), *scenes(HELD_BACK)]
    return [pair for own in kept for pair in _pairs(own, chance)]


def _pairs(own: Sequence[Scene], chance: random.Random) -> Iterator[Pair]:
    for place, scene in enumerate(own):
        for older in scene.older:
            yield from (Pair(older, newer, True, "scene") for newer in scene.newer)
            yield from (Pair(older, beside, False, "scene: beside") for beside in scene.beside)
        yield Pair(scene.older[0], scene.older[-1], False, "scene: the same")
        others = [one for other, one in enumerate(own) if other != place and one.world == scene.world]
        for another in chance.sample(others, min(OF_ITS_WORLD if scene.world else OF_ANOTHER, len(others))):
            said = chance.choice([*another.older[:1], *another.newer, *another.beside])
            yield Pair(chance.choice(scene.older), said, False, "scene: another")
