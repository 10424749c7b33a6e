"""Graph: entities and relations, as a drawing and as an accessible list."""

import asyncio
import json
from typing import Any

from markupsafe import Markup

from .....modules.errors import InvalidInput
from ..texts import DIRECTION_MARKS
from ..visit import Redirect, Shown, Visit

HTML_MARKS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&'"}
"""What could end the element that the data stands in."""
MOST_NODES = 2_000
MOST_AROUND = 200
LISTED = 200


async def show(visit: Visit, path: str) -> Shown:
    """Show the surroundings of what a query names, or the most mentioned entities."""
    query = visit.given("q")
    stats = await visit.call("graph_stats")
    nodes, edges = await (_around(visit, query) if query else _most_mentioned(visit))
    drawn = await asyncio.to_thread(_written, nodes, edges)
    names = {node["id"]: node["label"] for node in nodes}
    listed = [
        {"from": names[edge["source"]], "to": names[edge["target"]], "type": edge["type"]} for edge in edges[:LISTED]
    ]
    values = {"query": query, "stats": stats, "nodes": nodes[:LISTED], "data": drawn}
    kinds = sorted({node["type"] for node in nodes})
    return Shown("graph.html", {**values, "edges": listed, "edges_left": len(edges) - LISTED, "kinds": kinds})


async def act(visit: Visit, path: str) -> Redirect:
    """Refuse every form: nothing is changed here. Raises InvalidInput."""
    raise InvalidInput("do", visit.text("errors.nothing_here"))


async def _around(visit: Visit, query: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    found = await visit.agentos.graph.subgraph(visit.namespace, query, MOST_AROUND)
    return _plain(found.nodes, found.edges)


async def _most_mentioned(visit: Visit) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    graph = visit.agentos.graph
    nodes, edges = await graph.picture(visit.namespace, MOST_NODES)
    return _plain(nodes, edges)


def _plain(nodes: Any, edges: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    known = {node.id for node in nodes}
    return (
        [
            {"id": node.id, "label": node.label, "type": str(node.type), "mentions": getattr(node, "mentions", 0) or 0}
            for node in nodes
        ],
        [
            {"source": edge.source, "target": edge.target, "type": str(edge.type)}
            for edge in edges
            if edge.source in known and edge.target in known
        ],
    )


def _written(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> str:
    """Return nodes, and edges by the nodes' numbers, as JSON for the drawing, which finds their places. Blocks."""
    number = {node["id"]: at for at, node in enumerate(nodes)}
    drawing = {
        "nodes": [[node["label"], node["type"]] for node in nodes],
        "edges": [[number[edge["source"]], number[edge["target"]], edge["type"]] for edge in edges],
    }
    data = json.dumps(drawing, ensure_ascii=False)
    return Markup(data.translate(DIRECTION_MARKS | HTML_MARKS))
