"""Which sources are about the same: DBSCAN over their vectors, then average linkage of what it finds. Blocks."""

from collections.abc import Sequence

from ..vectors import matrix, mean

EPSILON, MIN_SAMPLES = 0.25, 2
"""Of DBSCAN, by cosine distance: who says nearly the same as another belongs to it."""
ABOUT = 0.65
"""Mean cosine distance up to which clusters, and turns in none, are of one topic: they seldom repeat each other."""
SAME = 0.92
"""Cosine from which on a summary says what another one says."""


def alike(vectors: Sequence[bytes]) -> list[list[int]]:
    """The places of vectors that are about the same, each group in order, the groups by their first; none alone.

    The same vectors always give the same groups, and those that are alone among all are alone among themselves.
    """
    groups = dense(vectors)
    taken = {place for group in groups for place in group}
    units = [*groups, *([place] for place in range(len(vectors)) if place not in taken)]
    if len(units) > 1:
        from sklearn.cluster import AgglomerativeClustering

        centres = matrix([mean([vectors[place] for place in unit]) for unit in units])
        linkage = AgglomerativeClustering(n_clusters=None, metric="cosine", linkage="average", distance_threshold=ABOUT)
        merged: dict[int, list[int]] = {}
        for label, unit in zip(linkage.fit_predict(centres).tolist(), units, strict=True):
            merged.setdefault(label, []).extend(unit)
        units = [sorted(unit) for unit in merged.values()]
    return sorted(unit for unit in units if len(unit) > 1)


def dense(vectors: Sequence[bytes]) -> list[list[int]]:
    """The groups that DBSCAN finds, each in order; noise is in none."""
    if len(vectors) < MIN_SAMPLES:
        return []
    from sklearn.cluster import DBSCAN

    scan = DBSCAN(eps=EPSILON, min_samples=MIN_SAMPLES, metric="cosine", algorithm="brute")
    return _grouped(scan.fit_predict(matrix(vectors)).tolist(), range(len(vectors)))


def _grouped(labels: Sequence[int], places: Sequence[int]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for label, place in zip(labels, places, strict=True):
        if label >= 0:
            groups.setdefault(label, []).append(place)
    return sorted(group for group in groups.values() if len(group) > 1)


def repeats(vector: bytes, others: Sequence[bytes]) -> bool:
    """Whether a summary says what another one says."""
    return bool(others) and float((matrix(others) @ matrix([vector])[0]).max()) > SAME
