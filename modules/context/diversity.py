"""Diversity: choosing of a search's hits what is relevant and says something new (maximal marginal relevance)."""

from collections.abc import Sequence
from itertools import combinations

from ..memory.words import content_stems

Similarities = Sequence[Sequence[float]]
"""A square matrix of how alike each two are, 0 to 1."""


def diverse(relevance: Sequence[float], similarities: Similarities, limit: int, weight: float) -> list[int]:
    """Return which to take, in order, by maximal marginal relevance.

    Each time the one with the most of weight · relevance - (1 - weight) · likeness to the most alike of those that are
    taken, as long as that is not negative. Relevance counts from 0, as a share of the highest; of equals the first one
    is taken.
    """
    high = max(relevance, default=0.0)
    worth = [1.0 if high <= 0 else max(0.0, value) / high for value in relevance]
    waiting = list(range(len(worth)))
    chosen: list[int] = []

    def gain(one: int) -> float:
        return weight * worth[one] - (1 - weight) * max((similarities[one][other] for other in chosen), default=0.0)

    while waiting and len(chosen) < limit and gain(best := max(waiting, key=gain)) >= 0:
        chosen.append(best)
        waiting.remove(best)
    return chosen


def similarities(texts: Sequence[str], vectors: Sequence[bytes | None]) -> list[list[float]]:
    """Return how alike texts are: by their vectors (cosine of unit-length float32), by words where one has none."""
    import numpy as np

    known = [row for row, vector in enumerate(vectors) if vector is not None]
    alike = [[1.0 if row == column else 0.0 for column in range(len(texts))] for row in range(len(texts))]
    if known:
        matrix = np.stack([np.frombuffer(vectors[row] or b"", dtype="<f4") for row in known])
        cosines = np.clip(matrix @ matrix.T, 0.0, 1.0).tolist()
        for place, row in enumerate(known):
            for other, column in enumerate(known):
                alike[row][column] = cosines[place][other]
    if len(known) < len(texts):
        words = [content_stems(text) for text in texts]
        for one, other in combinations(range(len(texts)), 2):
            if vectors[one] is None or vectors[other] is None:
                either = len(words[one] | words[other])
                alike[one][other] = alike[other][one] = len(words[one] & words[other]) / either if either else 0.0
    return alike
