"""Clustering of sources by topic: DBSCAN over their vectors, then average linkage of its clusters. CPU-bound."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..vectors import matrix, mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EPSILON = 0.25
"""DBSCAN's radius, in cosine distance: a source within it of another says nearly the same."""
ABOUT = 0.65
"""Mean cosine distance up to which clusters, and single turns, are of one topic: turns seldom repeat each other."""
SAME = 0.92
"""Cosine similarity from which a summary repeats another one."""


def alike(vectors: Sequence[bytes]) -> list[list[int]]:
    """Return the indices of vectors of one topic, each group in order, groups by their first; none of one member.

    The same vectors always give the same groups; vectors that are alone among all are alone among themselves.
    """
    groups = dense(vectors)
    taken = {place for group in groups for place in group}
    units = [*groups, *([place] for place in range(len(vectors)) if place not in taken)]
    if len(units) > 1:
        centres = matrix([mean([vectors[place] for place in unit]) for unit in units])
        merged = average_linkage(1 - centres @ centres.T, ABOUT)
        units = [sorted(place for unit in group for place in units[unit]) for group in merged]
    return sorted(unit for unit in units if len(unit) > 1)


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


def average_linkage(distances: "NDArray[np.float64]", below: float) -> list[list[int]]:
    """Return the clusters of a symmetric matrix of distances, merged while two are on average nearer than `below`.

    UPGMA (Sokal and Michener, 1958) by chains of nearest neighbours (Murtagh, 1983: "A survey of recent advances in
    hierarchical clustering algorithms"): mutual nearest neighbours are merged, in whatever order, in quadratic time.
    """
    import numpy as np

    apart = np.array(distances, dtype=np.float64)
    np.fill_diagonal(apart, np.inf)
    clusters: dict[int, list[int]] = {place: [place] for place in range(len(apart))}
    unsettled = set(clusters)
    chain: list[int] = []
    while unsettled:
        if not chain:
            chain.append(min(unsettled))
        last, nearest = chain[-1], int(apart[chain[-1]].argmin())
        if len(chain) > 1 and apart[last, chain[-2]] <= apart[last, nearest]:
            _merge(apart, clusters, chain[-2], last)
            unsettled.discard(last)
            del chain[-2:]
        elif apart[last, nearest] < below:
            chain.append(nearest)
        else:  # it began the chain, then; no merge of others brings it nearer to any
            unsettled.discard(chain.pop())
    return sorted(sorted(cluster) for cluster in clusters.values())


def _merge(apart: "NDArray[np.float64]", clusters: dict[int, list[int]], kept: int, gone: int) -> None:
    """Merge one cluster into another, whose distances become the mean over all members (Lance and Williams, 1967)."""
    import numpy as np

    ours, theirs = len(clusters[kept]), len(clusters[gone])
    apart[kept] = apart[:, kept] = (ours * apart[kept] + theirs * apart[gone]) / (ours + theirs)
    apart[gone] = apart[:, gone] = np.inf
    apart[kept, kept] = np.inf
    clusters[kept] += clusters.pop(gone)


def repeats(vector: bytes, others: Sequence[bytes]) -> bool:
    """Return whether a summary repeats another one."""
    return bool(others) and float((matrix(others) @ matrix([vector])[0]).max()) > SAME
