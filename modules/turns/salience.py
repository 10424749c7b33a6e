"""Salience: how much a turn would be missed, from how rare, how new, how full of names and how late it is.

Each part is brought to 0..1 within the session, then weighed, then smoothed along the conversation. Pure functions.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..truth.entities import entities

RARITY, NOVELTY, ENTITIES, RECENCY = 0.30, 0.35, 0.20, 0.15
HALF_LIFE_TURNS = 20
"""After so many further turns recency is half."""
ALPHA = 0.8
"""What a turn says for itself; the rest is carried over from the turns before it. So little of it that filler right
after something new stays filler, and enough that what belongs to a lively stretch is kept with it."""
NAME_WEIGHT, NUMBER_WEIGHT = 2.0, 1.0
"""A name or an identifier counts double: numbers and times alone say less."""
FLAT = 0.5
"""What a part is worth where it is the same for all: it tells nothing."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Spoken:
    """A turn as salience sees it. `vector` is unit-length float32, little-endian; `age` counts the turns after it."""

    text: str
    age: int
    vector: bytes | None = None


def of(turns: Sequence[Spoken]) -> list[float]:
    """The salience (0..1) of turns in the order in which they were said."""
    if not turns:
        return []
    words = [_WORD.findall(turn.text.lower()) for turn in turns]
    idf = inverse_frequencies(words)
    parts = (
        (RARITY, [rarity(of_one, idf) for of_one in words]),
        (NOVELTY, novelty([turn.vector for turn in turns], words, idf)),
        (ENTITIES, [density(turn.text) for turn in turns]),
        (RECENCY, [recency(turn.age) for turn in turns]),
    )
    even = [(weight, normalised(values)) for weight, values in parts]
    found = smoothed([sum(weight * values[place] for weight, values in even) for place in range(len(turns))])
    return [min(max(value, 0.0), 1.0) for value in found]  # sums of fractions may be a hair beyond


def inverse_frequencies(words: Sequence[Sequence[str]]) -> dict[str, float]:
    """How rare each word is among texts: the logarithm of how many there are for each that has it, smoothed."""
    counts = Counter(word for of_one in words for word in set(of_one))
    return {word: math.log((1 + len(words)) / (1 + count)) for word, count in counts.items()}


def density(text: str) -> float:
    """How much a text names, a word: weights of what it names, each thing once, by the number of its words."""
    named = entities([text]).values()
    weight = sum(NAME_WEIGHT if one[0].isalpha() or "/" in one else NUMBER_WEIGHT for one in named)
    return weight / max(len(text.split()), 1)


def rarity(words: Sequence[str], idf: dict[str, float]) -> float:
    """The TF-IDF of a text: the rareness of its words, each once, by the root of how many it has; 0 for none.

    By the root, since a single rare word ("thanks") says little, and long texts say more, but not as much as they are
    longer.
    """
    return sum(idf[word] for word in set(words)) / math.sqrt(len(words)) if words else 0.0


def novelty(vectors: Sequence[bytes | None], words: Sequence[Sequence[str]], idf: dict[str, float]) -> list[float]:
    """For each text 1 − its highest cosine to an earlier one; by words where either has no vector. The first is new."""
    import numpy as np

    size = next((len(vector) for vector in vectors if vector is not None), 0)
    known = np.array([vector is not None and len(vector) == size for vector in vectors])
    dense = np.zeros((len(vectors), size // 4), dtype=np.float32)
    for place, vector in enumerate(vectors):
        if known[place] and vector is not None:
            dense[place] = np.frombuffer(vector, dtype="<f4")
    found: list[float] = []
    for place in range(len(vectors)):
        nearest = 0.0
        if known[place] and known[:place].any():
            nearest = float((dense[:place] @ dense[place]).max())
        if place and not (known[place] and known[:place].all()):
            without = [other for other in range(place) if not (known[place] and known[other])]
            nearest = max([nearest, *(_overlap(words[place], words[other], idf) for other in without)])
        found.append(1.0 - min(max(nearest, 0.0), 1.0))
    return found


def _overlap(one: Sequence[str], other: Sequence[str], idf: dict[str, float]) -> float:
    """The cosine of two texts by their words, each weighed by how rare it is."""
    first, second = ({word: count * (idf[word] + 1e-9) for word, count in Counter(w).items()} for w in (one, other))
    length = math.sqrt(sum(v * v for v in first.values())) * math.sqrt(sum(v * v for v in second.values()))
    return sum(value * second.get(word, 0.0) for word, value in first.items()) / length if length else 0.0


def recency(age: int) -> float:
    """2^(−age / HALF_LIFE_TURNS): 1 for the last turn."""
    return float(2.0 ** (-age / HALF_LIFE_TURNS))


def normalised(values: Sequence[float]) -> list[float]:
    """Values brought to 0..1 by the least and the greatest of them; FLAT where these are the same."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        return [FLAT] * len(values)
    return [(value - low) / (high - low) for value in values]


def smoothed(values: Sequence[float], alpha: float = ALPHA) -> list[float]:
    """The exponential moving average along a sequence: each is `alpha` itself, the rest what came before it."""
    found: list[float] = []
    for value in values:
        found.append(value if not found else alpha * value + (1 - alpha) * found[-1])
    return found
