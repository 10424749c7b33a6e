"""Facts to train the models with that read two texts, and the pairs of statements of the succession model, from
scenes that writers thought up one by one.

A line of `scenes/*.jsonl` is one fact that somebody told (`older`, in two wordings), what was told weeks later and
makes it true no longer (`newer`: another value, an event, an end, a correction), what was told later, sounds alike
and leaves it true (`not`), and how somebody asks for it (`ask`). Other than a property of `statements` it has no
values to fill in, so that what follows from an event can be told in it: "I lent my drill to Jonas." / "Jonas brought
it back."
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .succession_pairs import Pair

SCENES = Path(__file__).with_name("scenes")
SHORT = SCENES / "short"
"""Scenes in one plain sentence each: the same sentence with another value replaces, that with another key does not."""
WORLDS = Path(__file__).with_name("worlds")
HELD_BACK = WORLDS / "held_back"
"""Worlds of writers that no adapter is trained with; weights that count what an adapter says are fitted to them."""
SEALED = WORLDS / "sealed"
"""Worlds that nothing is trained with nor fitted to."""
HELD_BACK_EACH = 12
"""Of so many scenes of a file one is held back from training."""
OF_ANOTHER, OF_ITS_WORLD = 3, 12
"""How many statements of other scenes of its file, by the same writer, or of its world each scene is paired with."""


@dataclass(frozen=True)
class Scene:
    """One fact, what replaces it, what leaves it true, and how it is asked for."""

    older: tuple[str, ...]
    newer: tuple[str, ...]
    beside: tuple[str, ...]
    asks: tuple[str, ...]
    world: str = ""


def scenes(folder: Path = SCENES) -> list[list[Scene]]:
    """The scenes of each writer."""
    return [
        [_scene(json.loads(line)) for line in path.read_text("utf-8").splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    ]


def _scene(line: dict[str, Any]) -> Scene:
    older, newer, beside, asks = (tuple(line[which]) for which in ("older", "newer", "not", "ask"))
    return Scene(older, newer, beside, asks, line.get("world", ""))


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
