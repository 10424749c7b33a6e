"""Clustering of sources by topic: DBSCAN over their vectors, then average linkage of its clusters. CPU-bound."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..vectors import matrix, mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPSILON = 0.25
"""DBSCAN's radius, in cosine distance: a source within it of another says nearly the same."""
CUTS = (0.65, 0.55, 0.575, 0.6, 0.625, 0.675, 0.7, 0.725)
"""Mean cosine distances up to which clusters, and single turns, may be of one topic: turns seldom repeat each other.

The cut that tells the topics of a conversation apart best is taken; within the first, all is one topic.
"""
SAME = 0.92
"""Cosine similarity from which a summary repeats another one."""


def alike(vectors: Sequence[bytes]) -> list[list[int]]:
    """Return the indices of vectors of one topic, each group in order, groups by their first; none of one member.

    The same vectors always give the same groups; vectors that are alone among all are alone among themselves.
    """
    left, found = list(range(len(vectors))), []
    while groups := _topics([vectors[place] for place in left]):
        found += [[left[place] for place in group] for group in groups]
        taken = {place for group in found for place in group}
        left = [place for place in left if place not in taken]
    return sorted(found)


def _topics(vectors: Sequence[bytes]) -> list[list[int]]:
    """Return the groups of several vectors: one for all if all are near, else those that lie apart most clearly."""
    groups = dense(vectors)
    taken = {place for group in groups for place in group}
    units = [*groups, *([place] for place in range(len(vectors)) if place not in taken)]
    if len(units) > 1:
        centres = matrix([mean([vectors[place] for place in unit]) for unit in units])
        distances = 1 - centres @ centres.T
        cuts = [
            [[place for unit in group for place in units[unit]] for group in cut]
            for cut in average_linkage(distances, *CUTS)
        ]
        rows = matrix(vectors)
        several = [cut for cut in cuts if len(cut) > 1]
        units = cuts[0] if len(cuts[0]) == 1 or not several else max(several, key=lambda cut: silhouette(rows, cut))
    return sorted(sorted(unit) for unit in units if len(unit) > 1)


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


def dense(vectors: Sequence[bytes]) -> list[list[int]]:
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
            near = np.flatnonzero(alone & (rows @ rows[place] >= 1 - EPSILON))
            alone[near] = False
            group += near.tolist()
        groups.append(sorted(group))
    return [group for group in groups if len(group) > 1]


def average_linkage(distances: "NDArray[np.float64]", *heights: float) -> list[list[list[int]]]:
    """Return for each height the clusters of a symmetric matrix of distances, merged while two are on average nearer.

    UPGMA (Sokal and Michener, 1958) by chains of nearest neighbours (Murtagh, 1983: "A survey of recent advances in
    hierarchical clustering algorithms"): mutual nearest neighbours are merged, in whatever order, in quadratic time.
    """
    merges = _merges(distances, max(heights))
    return [_cut(len(distances), merges, height) for height in heights]


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


def _cut(size: int, merges: Sequence[tuple[float, int, int]], below: float) -> list[list[int]]:
    """Return the clusters left by the merges below a height; a merge is never lower than those within it."""
    clusters = {place: [place] for place in range(size)}
    for height, one, other in merges:
        if height < below and clusters[one] is not clusters[other]:
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


def repeats(vector: bytes, others: Sequence[bytes]) -> bool:
    """Return whether a summary repeats another one."""
    return bool(others) and float((matrix(others) @ matrix([vector])[0]).max()) > SAME
