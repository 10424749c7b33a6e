"""Clustering of what was said by topic, by average linkage, and of summaries that resemble, by DBSCAN. CPU-bound."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...modules.vectors import Familiar, as_they_are, matrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPSILON = 0.25
"""DBSCAN's radius, in cosine distance: a source within it of another says nearly the same."""
BESIDE = (0.0, 0.5)
"""The weights of what stands beside a vector with which topics are looked for."""
JUDGED = 0.1
"""The weight of what stands beside a vector where it is judged how clearly topics lie apart."""
APART, BY_CHANCE = 0.11, 4
"""The silhouette below which the parts of a conversation are one topic, and how much few exchanges seem to lie apart by
chance, over the square of their number."""
TOPICS_MAX = 40
SAME = 0.92
"""Cosine similarity from which a summary repeats another one."""


def topics(vectors: Sequence[bytes]) -> list[list[int]]:
    """Return the indices of consecutive vectors of a conversation by topic: each in one group, each group in order.

    A conversation keeps to a topic for a while, or jumps between several: vectors are compared with and without what
    stands beside them, and of all groupings into groups of several the one whose groups lie apart most clearly is
    taken; all are one topic if none do. The same vectors always give the same groups.
    """
    found = [list(range(len(vectors)))]
    most = min(TOPICS_MAX, len(vectors) - 1)
    if most < 3:
        return found if vectors else []
    clearest = APART + BY_CHANCE / len(vectors) ** 2
    rows = matrix(vectors)
    judged = _beside(rows, JUDGED)
    for weight in BESIDE:
        near = _beside(rows, weight)
        for groups in _partitions(1 - near @ near.T, most):
            several = _without_single(groups, rows)
            if len(several) > 1 and (clear := silhouette(judged, several)) > clearest:
                found, clearest = several, clear
    return found


def _without_single(groups: Sequence[Sequence[int]], rows: "NDArray[np.float64]") -> list[list[int]]:
    """Return the groups of several; what is alone joins that whose members are on average nearest to it."""
    several = [list(group) for group in groups if len(group) > 1]
    if not several:
        return []
    centres = [rows[group].mean(axis=0) for group in several]
    for [place] in (group for group in groups if len(group) == 1):
        several[max(range(len(several)), key=lambda number: float(rows[place] @ centres[number]))].append(place)
    return sorted(sorted(group) for group in several)


def _beside(rows: "NDArray[np.float64]", weight: float) -> "NDArray[np.float64]":
    """Return each vector with a share of those before and after it, at unit length."""
    import numpy as np

    mixed = np.array(rows)
    mixed[1:] += weight * rows[:-1]
    mixed[:-1] += weight * rows[1:]
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9))


def _partitions(distances: "NDArray[np.float64]", most: int) -> Iterator[list[list[int]]]:
    """Yield the partitions of average linkage into two to `most` clusters."""
    import numpy as np

    merges = sorted(_merges(distances, np.inf))
    for count in range(2, most + 1):
        yield _joined(len(distances), merges[: len(distances) - count])


def silhouette(rows: "NDArray[np.float64]", groups: Sequence[Sequence[int]]) -> float:
    """Return how clearly groups of unit vectors lie apart, -1 to 1: the mean silhouette (Rousseeuw, 1987).

    Of each vector it compares the mean cosine distance to its own group with that to the nearest other one.
    """
    import numpy as np

    sizes = np.array([len(group) for group in groups])
    sums = np.stack([rows[list(group)].sum(axis=0) for group in groups])
    likeness = rows @ sums.T  # of each vector to the members of each group, all together
    own = np.empty(len(rows), dtype=np.intp)
    for number, group in enumerate(groups):
        own[list(group)] = number
    each = np.arange(len(rows))
    inner = 1 - (likeness[each, own] - (rows * rows).sum(axis=1)) / np.maximum(sizes[own] - 1, 1)
    outer = 1 - likeness / sizes
    outer[each, own] = np.inf
    nearest = outer.min(axis=1)
    widths = (nearest - inner) / np.maximum(np.maximum(nearest, inner), 1e-9)
    return float(np.where(sizes[own] > 1, widths, 0.0).mean())


def dense(vectors: Sequence[bytes], familiar: Familiar = as_they_are) -> list[list[int]]:
    """Return the groups of indices that DBSCAN finds, each in order; noise is in none.

    DBSCAN (Ester, Kriegel, Sander, Xu, 1996: "A density-based algorithm for discovering clusters") with two points to a
    neighbourhood: each point with a neighbour is then a core point, and the clusters are the connected components.
    """
    import numpy as np

    if not vectors:
        return []
    rows = matrix(vectors)
    alone = np.ones(len(rows), dtype=bool)
    groups: list[list[int]] = []
    for first in range(len(rows)):
        if not alone[first]:
            continue
        alone[first] = False
        group = [first]
        for place in group:  # grows while it is walked
            near = np.flatnonzero(alone & (familiar(rows @ rows[place]) >= 1 - EPSILON))
            alone[near] = False
            group += near.tolist()
        groups.append(sorted(group))
    return [group for group in groups if len(group) > 1]


def average_linkage(distances: "NDArray[np.float64]", below: float) -> list[list[int]]:
    """Return the clusters of a symmetric matrix of distances, merged while two are on average nearer than `below`.

    UPGMA (Sokal and Michener, 1958) by chains of nearest neighbours (Murtagh, 1983: "A survey of recent advances in
    hierarchical clustering algorithms"): mutual nearest neighbours are merged, in whatever order, in quadratic time.
    """
    return _joined(len(distances), _merges(distances, below))


def _merges(distances: "NDArray[np.float64]", below: float) -> list[tuple[float, int, int]]:
    """Return the height of each merge below a height, with a member of both clusters."""
    import numpy as np

    apart = np.array(distances, dtype=np.float64)
    np.fill_diagonal(apart, np.inf)
    sizes = np.ones(len(apart))
    merges: list[tuple[float, int, int]] = []
    unsettled = set(range(len(apart)))
    chain: list[int] = []
    while unsettled:
        if not chain:
            chain.append(min(unsettled))
        last, nearest = chain[-1], int(apart[chain[-1]].argmin())
        if len(chain) > 1 and apart[last, chain[-2]] <= apart[last, nearest]:
            merges.append((float(apart[last, chain[-2]]), chain[-2], last))
            _merge(apart, sizes, chain[-2], last)
            unsettled.discard(last)
            del chain[-2:]
        elif apart[last, nearest] < below:
            chain.append(nearest)
        else:  # it began the chain, then; no merge of others brings it nearer to any
            unsettled.discard(chain.pop())
    return merges


def _joined(size: int, merges: Sequence[tuple[float, int, int]]) -> list[list[int]]:
    """Return the clusters that some merges leave of single members."""
    clusters = {place: [place] for place in range(size)}
    for _, one, other in merges:
        if clusters[one] is not clusters[other]:
            clusters[one] += clusters[other]
            clusters |= dict.fromkeys(clusters[other], clusters[one])
    return sorted(sorted(cluster) for cluster in {id(each): each for each in clusters.values()}.values())


def _merge(apart: "NDArray[np.float64]", sizes: "NDArray[np.float64]", target: int, source: int) -> None:
    """Merge one cluster into another, whose distances become the mean over all members (Lance and Williams, 1967)."""
    import numpy as np

    ours, theirs = sizes[target], sizes[source]
    apart[target] = apart[:, target] = (ours * apart[target] + theirs * apart[source]) / (ours + theirs)
    apart[source] = apart[:, source] = np.inf
    apart[target, target] = np.inf
    sizes[target] += theirs


def repeats(vector: bytes, others: Sequence[bytes], familiar: Familiar = as_they_are) -> bool:
    """Return whether a summary repeats another one."""
    return bool(others) and float(familiar(matrix(others) @ matrix([vector])[0]).max()) > SAME
