"""Salience: how much a turn would be missed, from its rarity, novelty, density of entities and recency.

Each part is normalised to 0..1 within the session, then weighted, then smoothed along the conversation. Pure
functions.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..records import dataclass
from ..text.entities import entities

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RARITY, NOVELTY, ENTITIES, RECENCY = 0.30, 0.35, 0.20, 0.15
HALF_LIFE_TURNS = 20
"""Further turns after which recency is half."""
ALPHA = 0.8
"""The weight of a turn's own value; the rest is carried over from the turns before: so little of it that filler right
after something new stays filler, and enough that what belongs to a lively stretch is kept with it."""
NAME_WEIGHT, NUMBER_WEIGHT = 2.0, 1.0
"""Weights of entities: a name or an identifier counts double, since numbers and times alone say less."""
FLAT = 0.5
"""The value of a part that is the same for all turns, and so says nothing."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Spoken:
    """A turn as salience needs it. `vector` is unit-length float32, little-endian; `age` counts the turns after it."""

    text: str
    age: int
    vector: bytes | None = None


def of(turns: Sequence[Spoken]) -> list[float]:
    """Return the salience (0..1) of turns, given in the order in which they were said."""
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
    return [min(max(value, 0.0), 1.0) for value in found]  # rounding errors may exceed the range


def inverse_frequencies(words: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the inverse document frequency of each word: the smoothed logarithm of texts per text that has it."""
    counts = Counter(word for of_one in words for word in set(of_one))
    return {word: math.log((1 + len(words)) / (1 + count)) for word, count in counts.items()}


def density(text: str) -> float:
    """Return the density of entities: the weights of what a text names, each once, per word."""
    named = entities([text]).values()
    weight = sum(NAME_WEIGHT if one[0].isalpha() or "/" in one else NUMBER_WEIGHT for one in named)
    return weight / max(len(text.split()), 1)


def rarity(words: Sequence[str], idf: dict[str, float]) -> float:
    """Return the rarity of a text: the IDF of its words, each once, divided by the root of their number; 0 for none.

    By the root, since a single rare word ("thanks") says little, and long texts say more, but not in proportion to
    their length.
    """
    return sum(idf[word] for word in set(words)) / math.sqrt(len(words)) if words else 0.0


def novelty(vectors: Sequence[bytes | None], words: Sequence[Sequence[str]], idf: dict[str, float]) -> list[float]:
    """Return 1 − the highest cosine to an earlier text for each; by words if either has no vector. The first is 1."""
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
    """Cosines of texts by their words, weighted by rarity; uses an index from words to texts."""

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
            if len(places) > 1  # a word of a single text matches no other
        }

    def with_earlier(self, place: int) -> "NDArray[np.float64]":
        """Return the cosine of a text with each one before it."""
        import numpy as np

        found = np.zeros(place)
        for word, value in self._weights[place].items():
            if (posting := self._postings.get(word)) is not None:
                places, values = posting
                earlier = int(np.searchsorted(places, place))
                found[places[:earlier]] += value * values[:earlier]
        return found


def recency(age: int) -> float:
    """Return 2^(−age / HALF_LIFE_TURNS): 1 for the last turn."""
    return float(2.0 ** (-age / HALF_LIFE_TURNS))


def normalised(values: Sequence[float]) -> list[float]:
    """Return the values scaled to 0..1 by their minimum and maximum; FLAT if these are equal."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        return [FLAT] * len(values)
    return [(value - low) / (high - low) for value in values]


def smoothed(values: Sequence[float], alpha: float = ALPHA) -> list[float]:
    """Return the exponential moving average of a sequence: `alpha` of each value, the rest of the average before it."""
    found: list[float] = []
    for value in values:
        found.append(value if not found else alpha * value + (1 - alpha) * found[-1])
    return found
