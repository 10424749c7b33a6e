"""Graph: entities and relations, as a drawing and as an accessible list; and one entity with what names it."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from .....modules.graph.models import ALIAS_OF, EntityType, NodeType
from ..paging import page_of
from ..texts import DIRECTION_MARKS, Texts
from ..visit import Shown, Visit

HTML_MARKS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&'"}
"""What could end the element that the data stands in."""
MOST_NODES = 2_000
MOST_AROUND = 200
LISTED = 200
NAMING = 20
"""The memories that are shown of an entity."""
COLOURS = 8
"""The colours of kinds in the style sheet; a kind always has the same."""


async def show(visit: Visit, path: str) -> Shown:
    """Show the surroundings of what a query names, or the most mentioned entities; or one entity. Raises NotFound."""
    node_id = path.partition("/")[2]
    if node_id:
        return await _one(visit, node_id)
    query = visit.given("q")
    stats = await visit.call("graph_stats")
    nodes, edges = await (_around(visit, query) if query else _most_mentioned(visit))
    drawn = await asyncio.to_thread(_written, visit.text, nodes, edges)
    known = {node["id"]: node for node in nodes}
    page = page_of(visit, "/graph", max(len(nodes), len(edges)), LISTED, q=query)
    part = slice(page.begin, page.begin + LISTED)
    return Shown(
        "graph.html",
        {
            "query": query,
            "stats": stats,
            "data": drawn,
            "count": len(nodes),
            "nodes": nodes[part],
            "edges": [(known[edge["source"]], edge["type"], known[edge["target"]]) for edge in edges[part]],
            "earlier": page.earlier,
            "later": page.later,
            "kinds": [(kind, _colour(kind)) for kind in sorted({node["type"] for node in nodes})],
        },
    )


async def _one(visit: Visit, node_id: str) -> Shown:
    """Show an entity with its relations and the memories that name it. Raises NotFound."""
    graph, namespace = visit.agentos.graph, visit.namespace
    around = await graph.neighbours(namespace, node_id, limit=NAMING)
    named = await graph.naming(namespace, around.node, NAMING)
    found = {one.id: one for one in await visit.agentos.browsing.named(namespace, named)}
    values = {"node": around.node, "colour": _colour(str(around.node.type)), "around": around}
    return Shown("node.html", {**values, "memories": [found[one] for one in named if one in found]})


def _colour(kind: str) -> int:
    kinds = [str(one) for one in (*EntityType, *NodeType)]
    return kinds.index(kind) % COLOURS if kind in kinds else 0


async def _around(visit: Visit, query: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    found = await visit.agentos.graph.subgraph(visit.namespace, query, MOST_AROUND)
    return _plain(found.nodes, found.edges)


async def _most_mentioned(visit: Visit) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    graph = visit.agentos.graph
    nodes, edges = await graph.picture(visit.namespace, MOST_NODES)
    return _plain(nodes, edges)


def _plain(nodes: Any, edges: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return nodes and edges for the drawing; what is called by several names is one node, with its other names."""
    leader = _leaders([node.id for node in nodes], edges)
    drawn: dict[str, dict[str, Any]] = {}
    for node in nodes:
        mentions = getattr(node, "mentions", 0) or 0
        if leader[node.id] == node.id:
            also = drawn.get(node.id, {}).get("also", [])
            drawn[node.id] = {
                "id": node.id,
                "label": node.label,
                "type": str(node.type),
                "mentions": mentions,
                "also": also,
            }
        else:
            drawn.setdefault(leader[node.id], {"also": []})["also"].append(node.label)
    joined = {}
    for edge in edges:
        source, target = leader.get(edge.source), leader.get(edge.target)
        if source is not None and target is not None and source != target:
            joined[source, target, str(edge.type)] = {"source": source, "target": target, "type": str(edge.type)}
    return list(drawn.values()), list(joined.values())


def _leaders(ids: Sequence[str], edges: Any) -> dict[str, str]:
    """Return for each node the one that it is drawn as: the first of those that are names of one thing."""
    leader = {one: one for one in ids}
    place = {one: at for at, one in enumerate(ids)}

    def of(one: str) -> str:
        while leader[one] != one:
            leader[one] = leader[leader[one]]
            one = leader[one]
        return one

    for edge in edges:
        if str(edge.type) == ALIAS_OF and edge.source in leader and edge.target in leader:
            first, second = sorted((of(edge.source), of(edge.target)), key=place.__getitem__)
            leader[second] = first
    return {one: of(one) for one in ids}


def _written(text: Texts, nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> str:
    """Return nodes, and edges by the nodes' numbers, as JSON for the drawing, which finds their places. Blocks."""
    number = {node["id"]: at for at, node in enumerate(nodes)}
    drawing = {
        "nodes": [[", ".join([node["label"], *node["also"]]), node["type"]] for node in nodes],
        "ids": [node["id"] for node in nodes],
        "edges": [[number[edge["source"]], number[edge["target"]], text.named(edge["type"])] for edge in edges],
    }
    data = json.dumps(drawing, ensure_ascii=False)
    return Markup(data.translate(DIRECTION_MARKS | HTML_MARKS))
