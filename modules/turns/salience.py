"""Salience: how much a turn would be missed, from how rare, how new, how full of names and how late it is.

Each part is brought to 0..1 within the session, then weighed, then smoothed along the conversation. Pure functions.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..text.entities import entities

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    by_words = None if known.all() else _Overlaps(words, idf)
    found: list[float] = []
    for place in range(len(vectors)):
        nearest = 0.0
        if known[place] and known[:place].any():
            nearest = float((dense[:place] @ dense[place]).max())
        if by_words is not None and place and not (known[place] and known[:place].all()):
            earlier = by_words.with_earlier(place)
            nearest = max(nearest, float((earlier[~known[:place]] if known[place] else earlier).max()))
        found.append(1.0 - min(max(nearest, 0.0), 1.0))
    return found


class _Overlaps:
    """The cosines of texts by their words, each weighed by how rare it is; by an index from words to texts."""

    def __init__(self, words: Sequence[Sequence[str]], idf: dict[str, float]) -> None:
        import numpy as np

        self._weights: list[dict[str, float]] = []
        postings: defaultdict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
        for place, of_one in enumerate(words):
            weights = {word: count * (idf[word] + 1e-9) for word, count in Counter(of_one).items()}
            length = math.sqrt(sum(value * value for value in weights.values())) or 1.0
            self._weights.append({word: value / length for word, value in weights.items()})
            for word, value in self._weights[place].items():
                postings[word][0].append(place)
                postings[word][1].append(value)
        self._postings = {
            word: (np.array(places), np.array(values))
            for word, (places, values) in postings.items()
            if len(places) > 1  # a word of one text is like no other's
        }

    def with_earlier(self, place: int) -> "NDArray[np.float64]":
        """The cosine of a text with each one before it."""
        import numpy as np

        found = np.zeros(place)
        for word, value in self._weights[place].items():
            if (posting := self._postings.get(word)) is not None:
                places, values = posting
                earlier = int(np.searchsorted(places, place))
                found[places[:earlier]] += value * values[:earlier]
        return found


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
