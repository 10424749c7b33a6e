"""BM25 over counted words (k1 = 1.2)."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

K1 = 1.2


class RankedWords:
    """Texts as counts of their words; `b` says how much the length of a text counts."""

    def __init__(self, texts: Sequence[Counter[str]], b: float) -> None:
        lengths = [text.total() for text in texts]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._norms = [K1 * (1 - b + b * length / mean) for length in lengths]
        self._found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, text in enumerate(texts):
            for word, count in text.items():
                self._found[word].append((place, count))

    def scores(self, words: Iterable[str]) -> dict[int, float]:
        """Return the score of each text that has any of the words, by its place."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in words:
            found = self._found.get(word, ())
            rarity = math.log1p((len(self._norms) - len(found) + 0.5) / (len(found) + 0.5))
            for place, count in found:
                scores[place] += rarity * count * (K1 + 1) / (count + self._norms[place])
        return scores
