"""Walks from a node: only the part of the graph within reach is loaded, one hop at a time."""

import asyncio
import itertools
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from . import algorithms
from .algorithms import Step, Walk
from .models import RULES, Edge, Impact, Neighbour, Node, NodeRelation, NodeRoute, NodeSurroundings, NodeType, Reached
from .validity import holding

if TYPE_CHECKING:
    from ...storage.repositories.graph import GraphsRepository

MAX_LOADED = 5_000
"""Edges looked at in one hop, and nodes in all, at most."""
MAX_TOGETHER = 50
NEWEST = 400

Steps = Callable[[Iterable[NodeRelation]], list[Step]]


class Walking:
    """Walks over one repository, at a moment."""

    def __init__(self, repository: "GraphsRepository", namespace: str, now: datetime) -> None:
        self._repository = repository
        self._namespace = namespace
        self._now = now

    async def blocking(self, goal: Node, max_depth: int) -> list[Reached]:
        """Return the problems and other nodes that block a goal, the nearest first."""
        steps = await self._load(goal.seq, max_depth, algorithms.causes, sorted(algorithms.BLOCKING))
        walks = await asyncio.to_thread(algorithms.nearest, steps, goal.seq, max_depth)
        return await self._reached(walks, goal)

    async def impact(self, node: Node, max_depth: int) -> Impact:
        """Return the nodes that a change of a node affects, the strongest first.

        The severity is critical if a goal or a skill is reached, medium if a problem is, else low.
        """
        steps = await self._load(node.seq, max_depth, algorithms.effects)
        walks = await asyncio.to_thread(algorithms.strongest, steps, node.seq, max_depth)
        affected = sorted(await self._reached(walks, node), key=lambda each: (-each.weight, each.hops, each.node.seq))
        types = {each.node.type for each in affected}
        severity = "critical" if types & {NodeType.GOAL, NodeType.SKILL} else "low"
        if severity == "low" and NodeType.PROBLEM in types:
            severity = "medium"
        return Impact(node, tuple(affected), severity)

    async def required_skills(self, task: Node, max_depth: int) -> list[Reached]:
        """Return the skills that a task needs, directly or indirectly, the nearest first."""
        steps = await self._load(task.seq, max_depth, algorithms.needs, sorted(algorithms.NEEDING))
        walks = await asyncio.to_thread(algorithms.nearest, steps, task.seq, max_depth)
        return [each for each in await self._reached(walks, task) if each.node.type == NodeType.SKILL]

    async def path(self, source: Node, target: Node, max_depth: int) -> NodeRoute:
        """Return a shortest path along the edges; an empty one if there is none within `max_depth` hops."""
        relations: list[NodeRelation] = []
        steps = await self._load(source.seq, max_depth, algorithms.as_written, until=target.seq, seen=relations)
        numbers = await asyncio.to_thread(algorithms.shortest, steps, source.seq, target.seq, max_depth)
        nodes = {node.seq: node for node in await self._nodes(numbers)} | {source.seq: source, target.seq: target}
        edges = []
        for begin, end in itertools.pairwise(numbers):
            best = max(
                (each for each in relations if (each.source, each.target) == (begin, end)), key=lambda each: each.weight
            )
            edges.append(_edge(best, nodes))
        return NodeRoute(tuple(nodes[number] for number in numbers), tuple(edges))

    async def neighbours(self, node: Node, edge_types: Sequence[str], limit: int) -> NodeSurroundings:
        """Return the edges from a node, the edges to it, and the nodes that the same memories name."""
        relations = await self._repository.relations(self._namespace, [node.seq], MAX_LOADED)
        current = [
            each
            for each in holding(relations, self._now)
            if node.seq in (each.source, each.target) and (not edge_types or each.type in edge_types)
        ]
        together = []
        if not edge_types or "co_occurs" in edge_types:
            together = await self._repository.together(
                self._namespace, {node.seq: node.seq}, NEWEST, 1, MAX_TOGETHER, None, self._now
            )
        numbers = {number for each in current for number in (each.source, each.target)}
        nodes = {each.seq: each for each in await self._nodes([*numbers, *(each.other for each in together)])} | {
            node.seq: node
        }
        current = sorted(
            (each for each in current if each.source in nodes and each.target in nodes),
            key=lambda each: (-each.weight, each.order),
        )
        return NodeSurroundings(
            node,
            tuple(Neighbour(nodes[e.target], _edge(e, nodes)) for e in current if e.source == node.seq)[:limit],
            tuple(Neighbour(nodes[e.source], _edge(e, nodes)) for e in current if e.target == node.seq)[:limit],
            tuple(
                Neighbour(
                    nodes[e.other], Edge(node.id, "co_occurs", nodes[e.other].id, float(e.memories), method=RULES)
                )
                for e in together
                if e.other in nodes
            )[:limit],
        )

    async def _load(
        self,
        start: int,
        max_depth: int,
        steps_of: Steps,
        types: Sequence[str] = (),
        *,
        until: int | None = None,
        seen: list[NodeRelation] | None = None,
    ) -> list[Step]:
        """Load the steps that a walk from `start` can take."""
        steps: list[Step] = []
        known, frontier = {start}, [start]
        for _ in range(max_depth):
            if not frontier or until in known or len(known) > MAX_LOADED:
                break
            relations = holding(
                await self._repository.relations(self._namespace, frontier, MAX_LOADED, types), self._now
            )
            if seen is not None:
                seen += relations
            here = set(frontier)
            found = [step for step in steps_of(relations) if step[0] in here]
            steps += found
            frontier = sorted({end for _, end, _ in found} - known)
            known |= set(frontier)
        return steps

    async def _reached(self, walks: dict[int, Walk], start: Node) -> list[Reached]:
        nodes = {node.seq: node for node in await self._nodes(list(walks))}
        ids = {number: node.id for number, node in nodes.items()} | {start.seq: start.id}
        found = [
            Reached(node, walks[number].hops, walks[number].weight, tuple(ids.get(n, "") for n in walks[number].path))
            for number, node in nodes.items()
        ]
        return sorted(found, key=lambda each: (each.hops, -each.weight, each.node.seq))

    async def _nodes(self, numbers: Sequence[int]) -> list[Node]:
        return await self._repository.nodes(self._namespace, numbers, None, self._now) if numbers else []


def _edge(relation: NodeRelation, nodes: dict[int, Node]) -> Edge:
    return Edge(
        nodes[relation.source].id,
        relation.type,
        nodes[relation.target].id,
        relation.weight,
        relation.description,
        relation.start,
        relation.end,
        relation.id,
        relation.method,
    )
