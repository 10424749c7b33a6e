"""Walks over a loaded part of the graph. Cycles are harmless, since no walk is longer than its depth."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..records import dataclass
from .models import EdgeType, NodeRelation

if TYPE_CHECKING:
    import networkx

Step = tuple[int, int, float]
"""One step of a walk: (source node, target node, weight)."""

BACKWARDS = frozenset({EdgeType.REQUIRES, EdgeType.DEPENDS_ON, EdgeType.LEARNED_FROM, "uses"})
"""Edge types whose effect runs from target to source: where A requires B, a change of B reaches A."""
BLOCKING = frozenset({EdgeType.BLOCKS, EdgeType.CAUSES, EdgeType.REQUIRES, EdgeType.DEPENDS_ON})
NEEDING = frozenset({EdgeType.REQUIRES, EdgeType.DEPENDS_ON})
WEIGHT_DIGITS = 9
"""Digits to which products of weights are rounded: .8 · .8 is .64."""


@dataclass(frozen=True)
class Walk:
    """The path by which a node was reached, from the first node to it, and the product of the weights on it."""

    path: tuple[int, ...]
    weight: float

    @property
    def hops(self) -> int:
        return len(self.path) - 1


def effects(relations: Iterable[NodeRelation]) -> list[Step]:
    """Return steps in the direction in which something has an effect."""
    return [
        (each.target, each.source, each.weight) if each.type in BACKWARDS else (each.source, each.target, each.weight)
        for each in relations
    ]


def causes(relations: Iterable[NodeRelation]) -> list[Step]:
    """Return steps from a blocked node to its blockers: what blocks or causes it, and what it requires."""
    return [(end, begin, weight) for begin, end, weight in effects(e for e in relations if e.type in BLOCKING)]


def needs(relations: Iterable[NodeRelation]) -> list[Step]:
    """Return steps from a node to what it requires or depends on."""
    return [(each.source, each.target, each.weight) for each in relations if each.type in NEEDING]


def as_written(relations: Iterable[NodeRelation]) -> list[Step]:
    """Return steps in the direction of the edges."""
    return [(each.source, each.target, each.weight) for each in relations]


def graph_of(steps: Iterable[Step]) -> "networkx.DiGraph[int]":
    """Build a directed graph of steps; of several steps between two nodes the heaviest is kept."""
    import networkx

    graph: networkx.DiGraph[int] = networkx.DiGraph()
    for begin, end, weight in steps:
        if begin != end and weight > (graph[begin][end]["weight"] if graph.has_edge(begin, end) else -1.0):
            graph.add_edge(begin, end, weight=weight)
    return graph


def nearest(steps: Iterable[Step], start: int, max_depth: int) -> dict[int, Walk]:
    """Return each node reached within `max_depth` hops, with a shortest walk to it; `start` itself is left out."""
    import networkx

    graph = graph_of(steps)
    if start not in graph:
        return {}
    paths: Mapping[int, Sequence[int]] = networkx.single_source_shortest_path(graph, start, cutoff=max_depth)
    return {node: _walk(graph, path) for node, path in paths.items() if node != start}


def strongest(steps: Iterable[Step], start: int, max_depth: int) -> dict[int, Walk]:
    """Return each node reached within `max_depth` hops, with the walk whose weights have the largest product.

    Weights are at most 1, so that going around a cycle never gains anything.
    """
    graph = graph_of(steps)
    best: dict[int, Walk] = {start: Walk((start,), 1.0)}
    latest = dict(best)
    for _ in range(max_depth):
        reached: dict[int, Walk] = {}
        for node, walk in latest.items():
            for other in graph.successors(node) if node in graph else ():
                weight = walk.weight * float(graph[node][other]["weight"])
                known = reached.get(other) or best.get(other)
                if known is None or weight > known.weight:
                    reached[other] = Walk((*walk.path, other), weight)
        best |= reached
        latest = reached
        if not reached:
            break
    del best[start]
    return {node: Walk(walk.path, round(walk.weight, WEIGHT_DIGITS)) for node, walk in best.items()}


def shortest(steps: Iterable[Step], start: int, end: int, max_depth: int) -> tuple[int, ...]:
    """Return the nodes on a shortest path of at most `max_depth` hops; empty if there is none."""
    if start == end:
        return (start,)
    walk = nearest(steps, start, max_depth).get(end)
    return () if walk is None else walk.path


def _walk(graph: "networkx.DiGraph[int]", path: Sequence[int]) -> Walk:
    weight = 1.0
    for begin, end in itertools.pairwise(path):
        weight *= float(graph[begin][end]["weight"])
    return Walk(tuple(path), round(weight, WEIGHT_DIGITS))
