"""The graph tools: nodes and edges added by agents, what memories name, and traversals over both."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ..modules import offload
from ..modules.agentos import AgentOS
from ..modules.graph.models import Node, Subgraph
from ..modules.views import graph as views
from ..modules.views import graph_walks as walks
from .tool import Tool

TOOLSET = "graph"
BLOCK_TOKENS = 1_500


async def graph_add_node(
    agentos: AgentOS,
    namespace: str,
    *,
    node_type: Literal["memory", "goal", "problem", "skill", "episode", "concept", "task"],
    label: str,
    description: str = "",
    ref_id: Annotated[str | None, Field(description="id of the memory or goal it stands for")] = None,
) -> views.AddedNode:
    """Add a node to the thought graph; the same type and label is the same node."""
    node, created = await agentos.graph.add_node(namespace, node_type, label, description, ref_id)
    return views.added_node(node, created=created)


async def graph_add_edge(
    agentos: AgentOS,
    namespace: str,
    *,
    source_node_id: str,
    target_node_id: str,
    edge_type: Literal[
        "causes",
        "blocks",
        "requires",
        "learned_from",
        "solves",
        "depends_on",
        "enables",
        "contradicts",
        "relates_to",
    ],
    weight: float = 0.8,
    description: str = "",
) -> views.AddedEdge:
    """Connect two nodes: source edge_type target. An existing edge keeps the larger weight."""
    edge, created = await agentos.graph.add_edge(
        namespace, source_node_id, target_node_id, edge_type, weight, description
    )
    return views.added_edge(edge, created=created)


async def graph_add_alias(agentos: AgentOS, namespace: str, *, node_id: str, alias: str) -> views.NodeView:
    """Give a node another name; queries for it find the node."""
    return views.node(await agentos.graph.add_alias(namespace, node_id, alias))


async def graph_find_nodes(
    agentos: AgentOS,
    namespace: str,
    *,
    node_type: Annotated[str | None, Field(description="or an entity's: person, organization, place, …")] = None,
    label_contains: str = "",
    limit: int = 20,
) -> views.NodeList:
    """Find nodes, and entities that memories name."""
    nodes, total = await agentos.graph.find(namespace, node_type, label_contains, limit)
    return await offload.read(_size(nodes), views.nodes, nodes, total)


async def graph_delete_node(agentos: AgentOS, namespace: str, *, node_id: str) -> views.DeletedNode:
    """Delete a node with its edges."""
    return views.DeletedNode(True, await agentos.graph.delete(namespace, node_id))


async def graph_stats(agentos: AgentOS, namespace: str) -> views.GraphStats:
    """Count nodes and edges by type."""
    return views.statistics(await agentos.graph.statistics(namespace))


async def graph_find_related_problems(
    agentos: AgentOS, namespace: str, *, goal_node_id: str, max_depth: int = 4
) -> walks.RelatedProblems:
    """Find what blocks a goal: what blocks or causes it, and what it requires or depends on, transitively."""
    _, found = await agentos.graph.related_problems(namespace, goal_node_id, max_depth)
    return walks.related_problems(found)


async def graph_impact_analysis(
    agentos: AgentOS, namespace: str, *, node_id: str, max_depth: int = 5
) -> walks.ImpactAnalysis:
    """List the nodes that a change affects, with the product of the weights along the strongest path."""
    return walks.impact(await agentos.graph.impact(namespace, node_id, max_depth))


async def graph_find_required_skills(
    agentos: AgentOS, namespace: str, *, task_node_id: str, max_depth: int = 4
) -> walks.RequiredSkills:
    """List the skills that a task requires or depends on, directly or indirectly."""
    _, found = await agentos.graph.required_skills(namespace, task_node_id, max_depth)
    return walks.required_skills(found)


async def graph_find_path(
    agentos: AgentOS, namespace: str, *, source_node_id: str, target_node_id: str, max_depth: int = 6
) -> walks.GraphPath:
    """Find the shortest path from one node to another; empty if there is none."""
    route = await agentos.graph.path(namespace, source_node_id, target_node_id, max_depth)
    return await offload.read(_size(route.nodes), walks.path, route)


async def graph_get_neighbors(
    agentos: AgentOS,
    namespace: str,
    *,
    node_id: str,
    direction: Literal["both", "outgoing", "incoming"] = "both",
    edge_types: list[str] | None = None,
) -> views.NodeNeighbours:
    """List a node's edges, and entities named in the same memories (co_occurs)."""
    found = await agentos.graph.neighbours(namespace, node_id, edge_types or ())
    chars = _size([each.node for each in (*found.outgoing, *found.incoming, *found.together)])
    return await offload.read(chars, views.neighbours, found, direction)


async def graph_extract_from_text(
    agentos: AgentOS,
    namespace: str,
    *,
    text: Annotated[str, Field(description="the first 2000 characters count")],
    context: str = "",
    source_ref_id: Annotated[str | None, Field(description="memory id: the evidence")] = None,
) -> views.ExtractedGraph:
    """Add the nodes and edges that a text states, by rules."""
    return views.extracted(await agentos.graph.extract(namespace, text, context, source_ref_id))


async def graph_extract_relationship(
    agentos: AgentOS, namespace: str, *, node_a_label: str, node_b_label: str, context: str = ""
) -> views.ExtractedRelationship:
    """Read from a text how A relates to B; stores nothing."""
    return views.relationship(await agentos.graph.relationship(node_a_label, node_b_label, context))


async def graph_subgraph(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    max_nodes: int = 20,
    as_of: Annotated[str | None, Field(description="as it was then (ISO 8601, default UTC)")] = None,
) -> views.SubgraphView:
    """Show the entities that a query names, and those within two hops."""
    found = await agentos.graph.subgraph(namespace, query, max_nodes, as_of=as_of)
    return await offload.read(_size(found.nodes), _subgraph, agentos, found)


def _subgraph(agentos: AgentOS, found: Subgraph) -> views.SubgraphView:
    return views.subgraph(found, agentos.graph.world_model(found, BLOCK_TOKENS))


def _size(nodes: Sequence[Node]) -> int:
    return offload.length(f"{node.label}{node.description}" for node in nodes)


GRAPH_TOOLS = (
    Tool(graph_add_node, "Add a node", idempotent=True, toolset=TOOLSET),
    Tool(graph_add_edge, "Add an edge", idempotent=True, toolset=TOOLSET),
    Tool(graph_add_alias, "Add an alias", idempotent=True, toolset=TOOLSET),
    Tool(graph_find_nodes, "Find nodes", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_delete_node, "Delete a node", destructive=True, toolset=TOOLSET),
    Tool(graph_stats, "Graph statistics", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_find_related_problems, "Blockers of a goal", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_impact_analysis, "Impact of a change", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_find_required_skills, "Required skills", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_find_path, "Path between nodes", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_get_neighbors, "A node's neighbours", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_extract_from_text, "Extract a graph", toolset=TOOLSET),
    Tool(graph_extract_relationship, "Extract a relationship", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(graph_subgraph, "Subgraph for a query", read_only=True, idempotent=True, toolset=TOOLSET),
)
