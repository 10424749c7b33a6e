"""The graph service: entities and relations read by rules; nodes and edges that agents add; walks over both."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import InvalidInput, NotFound, StorageUnavailable
from ..lagging import may_lag
from ..redactor import Redactor
from . import extraction
from .forms import FindTerms
from .keys import key
from .likeness import other_names
from .models import (
    CO_OCCURS,
    RULES,
    Edge,
    EdgeType,
    EntityType,
    Extracted,
    GraphStatistics,
    Impact,
    Node,
    NodeRelation,
    NodeRoute,
    NodeSurroundings,
    NodeType,
    Reached,
    Relationship,
    Subgraph,
    Text,
    Understood,
)
from .neighbourhood import LEAST_TOGETHER, NEWEST, Names, Neighbourhood
from .ports import CountTokens
from .rendering import world_model
from .understanding import understand
from .validity import holding
from .walking import Walking

if TYPE_CHECKING:
    from ...storage.repositories.graph import GraphsRepository

BATCH = 100
MAX_BATCHES = 20
"""Batches that one run of the job reads at most; the next run goes on from there."""
AT_A_QUESTION = 60
"""Unread memories that a query reads first, at most."""
MAX_LIMIT = 200
MAX_DEPTH = 10
MAX_PICTURE = 2_000
EDGES_A_NODE = 3
"""The edges of a picture, for each of its nodes, at most."""
MAX_HOPS = 4
MAX_LABEL_BYTES = 400
MAX_DESCRIPTION_BYTES = 4 * 1024
MAX_TEXT_BYTES = 256 * 1024

log = logging.getLogger(__name__)


class GraphService:
    """The graph of each namespace, over one store."""

    def __init__(
        self,
        repository: "GraphsRepository",
        redactor: Redactor,
        find_terms: FindTerms,
        count_tokens: CountTokens,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._redactor = redactor
        self._find_terms = find_terms
        self._count_tokens = count_tokens
        self._clock = clock

    async def read(self, namespace: str) -> int:
        """Read new and changed memories, a bounded number of batches, and return how many were read.

        Each batch is one transaction: an interrupted one is read again.
        """
        count = 0
        for _ in range(MAX_BATCHES):
            texts = await self._repository.unread(namespace, BATCH, changed=True)
            if not texts:
                break
            await self._understand(namespace, texts)
            count += len(texts)
        return count

    async def subgraph(
        self, namespace: str, query: str, max_nodes: int = 20, hops: int = 2, as_of: str | datetime | None = None
    ) -> Subgraph:
        """Return the nodes that a query names, by any alias, and those near them.

        Nodes are near over typed relations, and over at least two memories that name both; with `as_of`, as of then. At
        most `max_nodes`, each once, the most mentioned first. Memories just stored are read first; `unread` says that
        there were too many for that. Raises InvalidInput.
        """
        inputs.text("query", query, MAX_TEXT_BYTES)
        inputs.count("max_nodes", max_nodes, 1, MAX_LIMIT)
        inputs.count("hops", hops, 0, MAX_HOPS)
        moment = inputs.moment("as_of", as_of) if isinstance(as_of, str) else as_of
        unread = await self._catch_up(namespace)
        walk = Neighbourhood(self._repository, namespace, moment, self._clock())
        return replace(await walk.around(query, max_nodes, hops), unread=unread)

    def world_model(self, subgraph: Subgraph, max_tokens: int) -> str:
        """Render a subgraph as a compact block within a token budget; "" if it is empty."""
        return world_model(subgraph, max_tokens, self._count_tokens)

    async def add_node(
        self, namespace: str, type_: str, label: str, description: str = "", ref_id: str | None = None
    ) -> tuple[Node, bool]:
        """Add a node, or find the one of the same type and label; True if it is new. Raises InvalidInput.

        With `ref_id` it stands for a memory or a goal, and goes when that memory is erased.
        """
        node = await self.draft_node(type_, label, description, ref_id)
        return await self._repository.add_node(namespace, node, self._clock())

    async def draft_node(self, type_: str, label: str, description: str = "", ref_id: str | None = None) -> Node:
        """Return a node as `add_node` would add it. Raises InvalidInput."""
        label, folded = await self._named("label", label)
        return Node(
            seq=0,
            id=identifiers.new_id("node"),
            type=inputs.choice("node_type", type_, NodeType),
            label=label,
            key=folded,
            description=await self._redactor.text(
                inputs.text("description", description, MAX_DESCRIPTION_BYTES, allow_empty=True)
            ),
            ref_id=None if ref_id is None else await self._redactor.text(inputs.text("ref_id", ref_id, 200)),
        )

    async def named(self, namespace: str, type_: str, label: str) -> Node | None:
        """The node of a type and label, if there is one."""
        label, folded = await self._named("label", label)
        kind = inputs.choice("node_type", type_, NodeType)
        nodes, _ = await self._repository.find(namespace, kind, folded, MAX_LIMIT, self._clock())
        return next((node for node in nodes if node.key == folded), None)

    async def add_edge(
        self, namespace: str, source_id: str, target_id: str, type_: str, weight: float = 0.8, description: str = ""
    ) -> tuple[Edge, bool]:
        """Add an edge, or raise the existing one's weight to the larger; True if it is new.

        Raises InvalidInput, NotFound.
        """
        edge_type = self.check_edge(type_, weight, description)
        source = await self.node(namespace, "source_node_id", source_id)
        target = await self.node(namespace, "target_node_id", target_id)
        if source.id == target.id:
            raise InvalidInput("target_node_id", "is the source itself; an edge connects two nodes")
        relation = NodeRelation(
            source=source.seq,
            type=edge_type,
            target=target.seq,
            weight=weight,
            description=await self._redactor.text(description),
            id=identifiers.new_id("edge"),
        )
        stored, is_new = await self._repository.add_edge(namespace, relation, self._clock())
        return Edge(source.id, stored.type, target.id, stored.weight, stored.description, id=stored.id), is_new

    def check_edge(self, type_: str, weight: float, description: str) -> EdgeType:
        """Return the type of an edge, if all of it but its nodes is acceptable. Raises InvalidInput."""
        edge_type = inputs.choice("edge_type", type_, EdgeType)
        inputs.unit_interval("weight", weight)
        if weight == 0:
            raise InvalidInput("weight", "must be more than 0")
        inputs.text("description", description, MAX_DESCRIPTION_BYTES, allow_empty=True)
        return edge_type

    async def add_alias(self, namespace: str, node_id: str, alias: str) -> Node:
        """Give a node an alias, in any language, by which it is found as well. Raises InvalidInput, NotFound."""
        node = await self.node(namespace, "node_id", node_id)
        label, folded = await self._named("alias", alias)
        if folded != node.key:
            await self._repository.add_alias(namespace, node, label, self._clock())
        return node

    async def find(
        self, namespace: str, type_: str | None = None, label_contains: str = "", limit: int = 20
    ) -> tuple[list[Node], int]:
        """Find nodes and entities whose label or alias contains a text, the most mentioned first, and count them all.

        If there is none, nodes with the text in another language or spelling are returned. Raises InvalidInput.
        """
        inputs.count("limit", limit, 1, MAX_LIMIT)
        types = (*NodeType, *EntityType)
        if type_ is not None and type_ not in types:
            raise InvalidInput("node_type", f"must be one of {', '.join(types)}")
        part = key(inputs.text("label_contains", label_contains, MAX_LABEL_BYTES, allow_empty=True))
        await self._catch_up(namespace)
        for each in (part, *other_names(part)):
            nodes, total = await self._repository.find(namespace, type_, each, limit, self._clock())
            if total:
                return nodes, total
        return [], 0

    async def picture(self, namespace: str, limit: int, projects: Sequence[str] = ()) -> Subgraph:
        """Return the most mentioned nodes, at most `limit`, and the edges between them, for a drawing.

        Edges are those that hold now, and CO_OCCURS for nodes that several memories name together. A thing of several
        names is one node, by the most mentioned of them. With `projects`, by id or name, what their memories name.
        """
        inputs.count("limit", limit, 1, MAX_PICTURE)
        await self._catch_up(namespace)
        now = self._clock()
        if projects:
            nodes = await self.named_in(namespace, projects, limit)
        else:
            nodes, _ = await self._repository.find(namespace, None, "", limit, now)
        names = Names(self._repository, namespace)
        await names.learn([node.seq for node in nodes])
        shown: dict[int, Node] = {}
        aliases: dict[str, list[str]] = {}
        ids: dict[int, str] = {}
        for node in nodes:
            leader = shown.setdefault(names.of(node.seq), node)
            ids[node.seq] = leader.id
            if leader is not node:
                aliases.setdefault(leader.id, []).append(node.label)
        edges = await self._between(namespace, ids, limit, now)
        return Subgraph(tuple(shown.values()), tuple(edges), aliases=aliases)

    async def named_in(self, namespace: str, projects: Sequence[str], limit: int) -> list[Node]:
        """Return the nodes that memories of some projects, by id or name, name most often."""
        now = self._clock()
        numbers = await self._repository.named_in(namespace, projects, limit, now)
        return await self._repository.nodes(namespace, numbers, None, now)

    async def _between(self, namespace: str, ids: Mapping[int, str], limit: int, now: datetime) -> list[Edge]:
        """Return the edges between nodes: `ids` maps their numbers to the ids that they are drawn by."""
        relations = await self._repository.relations(namespace, list(ids), EDGES_A_NODE * limit)
        edges = [
            Edge(ids[one.source], one.type, ids[one.target], one.weight)
            for one in holding(relations, now)
            if one.source in ids and one.target in ids and ids[one.source] != ids[one.target]
        ]
        groups = {number: number for number in ids}
        together = await self._repository.together(
            namespace, groups, NEWEST[1], LEAST_TOGETHER, EDGES_A_NODE * limit, None, now
        )
        joined = {(edge.source, edge.target) for edge in edges}
        for one in together:
            source, target = ids.get(one.one), ids.get(one.other)
            if source is None or target is None or source == target or joined & {(source, target), (target, source)}:
                continue
            joined.add((source, target))
            edges.append(Edge(source, CO_OCCURS, target, one.memories))
        return edges

    async def delete(self, namespace: str, node_id: str) -> int:
        """Delete a node with its edges, and return how many edges went. Raises NotFound."""
        inputs.text("node_id", node_id, 200)
        edges = await self._repository.delete_node(namespace, node_id, self._clock())
        if edges is None:
            raise _unknown("node_id", node_id)
        return edges

    async def statistics(self, namespace: str) -> GraphStatistics:
        """Count nodes, edges and mentions."""
        await self._catch_up(namespace)
        return await self._repository.statistics(namespace, self._clock())

    async def related_problems(self, namespace: str, goal_id: str, max_depth: int = 4) -> tuple[Node, list[Reached]]:
        """Return what blocks a goal: what blocks or causes it, what it requires or depends on, and so on from there."""
        goal = await self._start(namespace, "goal_node_id", goal_id, max_depth)
        return goal, await self._walking(namespace).blocking(goal, max_depth)

    async def impact(self, namespace: str, node_id: str, max_depth: int = 5) -> Impact:
        """Return the nodes that a change of a node affects, with the product of the weights on the strongest path."""
        node = await self._start(namespace, "node_id", node_id, max_depth)
        return await self._walking(namespace).impact(node, max_depth)

    async def required_skills(self, namespace: str, task_id: str, max_depth: int = 4) -> tuple[Node, list[Reached]]:
        """Return the skills that a task needs; those at one hop it needs directly."""
        task = await self._start(namespace, "task_node_id", task_id, max_depth)
        return task, await self._walking(namespace).required_skills(task, max_depth)

    async def path(self, namespace: str, source_id: str, target_id: str, max_depth: int = 6) -> NodeRoute:
        """Return a shortest path along the edges from one node to another; empty if there is none."""
        source = await self._start(namespace, "source_node_id", source_id, max_depth)
        target = await self.node(namespace, "target_node_id", target_id)
        return await self._walking(namespace).path(source, target, max_depth)

    async def neighbours(
        self, namespace: str, node_id: str, edge_types: Sequence[str] = (), limit: int = 50
    ) -> NodeSurroundings:
        """Return the neighbours of a node, if given over edges of `edge_types` only. Raises InvalidInput, NotFound."""
        types = (*EdgeType, "works_at", "lives_at", "studies_at", "uses", CO_OCCURS)
        for each in edge_types:
            if each not in types:
                raise InvalidInput("edge_types", f"has {each[:40]!r}; there are {', '.join(types)}")
        inputs.count("limit", limit, 1, MAX_LIMIT)
        node = await self.node(namespace, "node_id", node_id)
        return await self._walking(namespace).neighbours(node, edge_types, limit)

    async def naming(self, namespace: str, node: Node, limit: int) -> list[str]:
        """Return the ids of memories that name a node by any of its names, or that it stands for; the newest first."""
        pairs = await self._repository.aliases(namespace, [node.seq])
        numbers = {node.seq, *(number for pair in pairs for number in pair)}
        named = await self._repository.naming(namespace, sorted(numbers), limit, self._clock())
        return list(dict.fromkeys([*((node.ref_id,) if node.ref_id else ()), *named]))

    async def extract(
        self, namespace: str, text: str, context: str = "", source_ref_id: str | None = None
    ) -> Extracted:
        """Add what a text names and states, by rules. Raises InvalidInput, NotFound.

        If `source_ref_id` is a memory, it is the evidence, and what is added goes with it.
        """
        inputs.text("text", text, MAX_TEXT_BYTES)
        inputs.text("context", context, MAX_TEXT_BYTES, allow_empty=True)
        memory_id = None
        if source_ref_id is not None:
            memory_id = inputs.text("source_ref_id", source_ref_id, 200)
            if not await self._repository.is_memory(namespace, memory_id):
                raise NotFound(f"source_ref_id: there is no memory {memory_id[:60]!r}; memory_list gives valid ids")
        now = self._clock()
        clean = await self._redactor.text(text)
        found = await asyncio.to_thread(extraction.extract, clean, context, now, self._find_terms)
        nodes, edges = await self._repository.extend(namespace, memory_id, found, RULES, now)
        return Extracted(nodes, edges, tuple(each.label for each in found.entities))

    async def relationship(self, one: str, other: str, context: str = "") -> Relationship:
        """Return how two things are related, by the words between them in a context. Nothing is stored."""
        inputs.text("node_a_label", one, MAX_LABEL_BYTES)
        inputs.text("node_b_label", other, MAX_LABEL_BYTES)
        inputs.text("context", context, MAX_TEXT_BYTES, allow_empty=True)
        return await asyncio.to_thread(extraction.relationship, one.strip(), other.strip(), context[:20_000])

    async def node(self, namespace: str, field: str, node_id: str) -> Node:
        """Return a node. Raises NotFound, naming the argument `field`."""
        node = await self._repository.get(namespace, inputs.text(field, node_id, 200))
        if node is None:
            raise _unknown(field, node_id)
        return node

    async def _start(self, namespace: str, field: str, node_id: str, max_depth: int) -> Node:
        inputs.count("max_depth", max_depth, 1, MAX_DEPTH)
        return await self.node(namespace, field, node_id)

    async def _catch_up(self, namespace: str) -> bool:
        """Read what was stored just now, so that queries find it; return whether some is left for the job."""
        with may_lag(False):
            return await self._read_up(namespace)

    async def _read_up(self, namespace: str) -> bool:
        texts = await self._repository.unread(namespace, AT_A_QUESTION, changed=False)
        if texts:
            try:
                await self._understand(namespace, texts)
            except StorageUnavailable as error:  # a store that cannot be written still answers
                log.warning("the graph lags behind: %s", error)
                return True
        return len(texts) == AT_A_QUESTION

    async def _understand(self, namespace: str, texts: Sequence[Text]) -> None:
        understood = await asyncio.to_thread(self._understood, texts)
        await self._repository.record(namespace, understood, self._clock())

    def _understood(self, texts: Sequence[Text]) -> list[tuple[Text, Understood]]:
        return [(text, understand(text, self._find_terms)) for text in texts]

    async def _named(self, field: str, label: str) -> tuple[str, str]:
        """Return a name with secrets redacted, and its key. Raises InvalidInput."""
        clean = (await self._redactor.text(inputs.text(field, label, MAX_LABEL_BYTES))).strip()
        folded = key(clean)
        if not folded:
            raise InvalidInput(field, "has no letter or digit; give a name")
        return clean, folded

    def _walking(self, namespace: str) -> Walking:
        return Walking(self._repository, namespace, self._clock())


def _unknown(field: str, node_id: str) -> NotFound:
    return NotFound(f"{field}: there is no node {node_id[:60]!r}; graph_find_nodes gives valid ids")
