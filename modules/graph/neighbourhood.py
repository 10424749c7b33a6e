"""The part of the graph around a query's entities: breadth first, over co-occurrence and typed relations."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from .. import offload
from .keys import outermost, phrases
from .likeness import other_names
from .models import CO_OCCURS, RULES, Edge, EntityType, Node, NodeRelation, Subgraph, Together
from .validity import holding

if TYPE_CHECKING:
    from ...storage.repositories.graph import GraphsRepository

LEAST_TOGETHER = 2
"""Two nodes are near each other if at least this many memories name both."""
MAX_SEEDS = 8
WIDTH = 12
"""Nodes of a hop from which the walk goes on: the nearest."""
NEWEST = (200, 25)
"""Newest mentions of a node that are looked at, at the first hop and at later ones."""
MAX_TOGETHER = 150
"""Nodes that a hop reaches by co-occurrence at most: those with the largest weights."""
A_NODE_SHOWN = 2
"""Factor: each hop counts this many candidates (the nearest) for each node that may be shown."""
MAX_RELATIONS = 200
MAX_ALIASES_OF_ALIASES = 3


class Names:
    """The aliases of nodes: maps a node's number to that of its canonical node."""

    def __init__(self, repository: "GraphsRepository", namespace: str) -> None:
        self._repository = repository
        self._namespace = namespace
        self._canonical: dict[int, int] = {}
        self._asked: set[int] = set()

    async def learn(self, numbers: Iterable[int]) -> None:
        """Load the aliases and the canonical nodes of these numbers, and theirs in turn."""
        new = set(numbers) - self._asked
        for _ in range(MAX_ALIASES_OF_ALIASES):
            if not new:
                return
            self._asked |= new
            pairs = await self._repository.aliases(self._namespace, sorted(new))
            for alias, canonical in pairs:
                if self.of(canonical) != self.of(alias):
                    self._canonical.setdefault(alias, canonical)
            new = {number for pair in pairs for number in pair} - self._asked

    def of(self, number: int) -> int:
        """Return the canonical node of a node."""
        seen = {number}
        while (further := self._canonical.get(number)) is not None and further not in seen:
            seen.add(further)
            number = further
        return number

    def members(self, canonical: Iterable[int]) -> dict[int, int]:
        """Map each alias of some canonical nodes, and these nodes themselves, to the canonical one."""
        wanted = set(canonical)
        groups = {number: number for number in wanted}
        for alias in self._canonical:
            if (number := self.of(alias)) in wanted:
                groups[alias] = number
        return groups


class Neighbourhood:
    """Walks from the nodes that a query names. `as_of` is the moment asked for; without it, `now` counts."""

    def __init__(self, repository: "GraphsRepository", namespace: str, as_of: datetime | None, now: datetime) -> None:
        self._repository = repository
        self._namespace = namespace
        self._as_of = as_of
        self._now = now
        self._at = as_of or now
        self._names = Names(repository, namespace)
        self._hop: dict[int, int] = {}
        self._weights: dict[tuple[int, int], int] = {}
        self._relations: dict[int, NodeRelation] = {}

    async def around(self, query: str, max_nodes: int, hops: int) -> Subgraph:
        """Return the nodes within `hops` of those that a query names, at most `max_nodes`."""
        found = await self._named(await offload.read(len(query), phrases, query))
        keys = sorted(outermost(list(found)), key=lambda each: (-len(each.split()), -len(each)))
        matched = [number for each in keys for number in found[each]]
        await self._names.learn(matched)
        seeds = list(dict.fromkeys(self._names.of(number) for number in matched))[:MAX_SEEDS]
        self._hop = dict.fromkeys(seeds, 0)
        frontier = seeds
        for hop in range(1, hops + 1):
            if not frontier:
                break
            frontier = await self._walk(frontier, hop, max_nodes * A_NODE_SHOWN)
        return await self._shown(seeds, max_nodes)

    async def _named(self, asked: Sequence[str]) -> dict[str, list[int]]:
        """Return the nodes by key; a key without any falls back to its forms in other languages and spellings."""
        found = await self._repository.named(self._namespace, asked)
        elsewhere = {other: phrase for phrase in asked if phrase not in found for other in other_names(phrase)}
        if elsewhere:
            for other, numbers in (await self._repository.named(self._namespace, list(elsewhere))).items():
                found.setdefault(elsewhere[other], []).extend(numbers)
        return found

    async def _walk(self, frontier: Sequence[int], hop: int, most: int) -> list[int]:
        groups = self._names.members(frontier)
        newest = NEWEST[min(hop, len(NEWEST)) - 1]
        together = await self._repository.together(
            self._namespace, groups, newest, LEAST_TOGETHER, MAX_TOGETHER, self._as_of, self._now
        )
        relations = await self._repository.relations(self._namespace, sorted(groups), MAX_RELATIONS)
        others = {each.other for each in together}
        ends = {number for each in relations for number in (each.source, each.target)}
        await self._names.learn(others | ends)
        self._relations |= {each.order: each for each in relations}
        near: dict[int, float] = defaultdict(float)
        await self._note_together(together, newest, near)
        for each in holding((self._canonical(each) for each in relations), self._at):
            if each.source == each.target or not {each.source, each.target} & set(frontier):
                continue
            for number in (each.source, each.target):
                near[number] += 1.0 + each.weight
        reached = sorted(near.keys() - self._hop.keys(), key=lambda number: (-near[number], number))[:most]
        self._hop |= dict.fromkeys(reached, hop)
        return reached[:WIDTH]

    def _canonical(self, relation: NodeRelation) -> NodeRelation:
        source, target = self._names.of(relation.source), self._names.of(relation.target)
        if (source, target) == (relation.source, relation.target):
            return relation
        return replace(relation, source=source, target=target)

    async def _note_together(self, together: Sequence[Together], newest: int, near: dict[int, float]) -> None:
        """Store the weights between canonical nodes.

        If several aliases of one node were found, the memories are counted anew, since one memory may name both.
        """
        by_pair: dict[tuple[int, int], list[Together]] = defaultdict(list)
        for each in together:
            one, other = each.one, self._names.of(each.other)
            if one != other:
                by_pair[one, other].append(each)
        for (one, other), found in by_pair.items():
            weight = found[0].memories
            if len(found) > 1:
                ones, others = self._names.members([one]), self._names.members([other])
                weight = await self._repository.both(
                    self._namespace, sorted(ones), sorted(others), self._as_of, self._now
                )
            near[other] += weight
            pair = (min(one, other), max(one, other))
            self._weights[pair] = max(self._weights.get(pair, 0), weight)

    async def _shown(self, seeds: Sequence[int], max_nodes: int) -> Subgraph:
        nodes = await self._counted(list(self._hop))
        ranked = sorted(
            nodes,
            key=lambda node: (self._hop[node.seq] > 0, node.type == EntityType.DATE, -node.mentions, node.seq),
        )
        chosen = sorted(ranked[:max_nodes], key=lambda node: (-node.mentions, self._hop[node.seq], node.seq))
        ids = {node.seq: node.id for node in chosen}
        # Computed again over all hops: what a later hop learned may end what an earlier one found.
        current = holding(map(self._canonical, self._relations.values()), self._at)
        edges = [
            Edge(
                ids[each.source],
                each.type,
                ids[each.target],
                each.weight,
                each.description,
                each.start,
                each.end,
                each.id,
                each.method,
            )
            for each in sorted(current, key=lambda each: (-each.weight, each.order))
            if each.source in ids and each.target in ids and each.source != each.target
        ]
        edges += [
            Edge(ids[one], CO_OCCURS, ids[other], float(weight), method=RULES)
            for (one, other), weight in sorted(self._weights.items(), key=lambda entry: (-entry[1], entry[0]))
            if one in ids and other in ids
        ]
        aliases = await self._aliases([node.seq for node in chosen])
        return Subgraph(
            tuple(chosen),
            tuple(edges),
            tuple(ids[seed] for seed in seeds if seed in ids),
            {ids[number]: labels for number, labels in aliases.items()},
        )

    async def _counted(self, numbers: Sequence[int]) -> list[Node]:
        """Return the nodes with the mentions of all their aliases."""
        groups = self._names.members(numbers)
        members = await self._repository.nodes(self._namespace, sorted(groups), self._as_of, self._now)
        mentions: dict[int, int] = defaultdict(int)
        for node in members:
            mentions[groups[node.seq]] += node.mentions
        for number in {number for alias, number in groups.items() if alias != number}:  # one memory may name both
            member_seqs = sorted(self._names.members([number]))
            mentions[number] = await self._repository.both(
                self._namespace, member_seqs, member_seqs, self._as_of, self._now
            )
        return [replace(node, mentions=mentions[node.seq]) for node in members if groups[node.seq] == node.seq]

    async def _aliases(self, numbers: Sequence[int]) -> dict[int, list[str]]:
        groups = {alias: number for alias, number in self._names.members(numbers).items() if alias != number}
        if not groups:
            return {}
        nodes = await self._repository.nodes(self._namespace, sorted(groups), self._as_of, self._now)
        found: dict[int, list[str]] = defaultdict(list)
        for node in nodes:
            found[groups[node.seq]].append(node.label)
        return found
