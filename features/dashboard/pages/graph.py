"""Graph: entities and relations, as a drawing and as an accessible list; and one entity with what names it."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from ....modules.graph.models import EntityType, NodeType, Subgraph
from ....modules.views.labels import labels_of
from ..paging import page_of
from ..texts import DIRECTION_MARKS
from ..visit import Shown, Visit

HTML_MARKS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&'"}
"""What could end the element that the data stands in."""
MOST_NODES = 2_000
MOST_AROUND = 200
LISTED = 100
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
    stats: Counter[str] = Counter()
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for one in visit.namespaces:
        inside = visit.inside(one)
        counted = await inside.call("graph_stats")
        stats.update({name: counted[name] for name in ("total_nodes", "total_edges")})
        most = MOST_NODES // len(visit.namespaces)
        found = await (_around(inside, query) if query else _most_mentioned(inside, most))
        nodes += [{**node, "agent": one} for node in found[0]]
        edges += found[1]
    nodes.sort(key=lambda node: -node["mentions"])
    drawn = await asyncio.to_thread(_written, visit, nodes, edges)
    known = {node["id"]: node for node in nodes}
    page = page_of(visit, "/graph", max(len(nodes), len(edges)), LISTED, q=query)
    part = slice(page.begin, page.begin + LISTED)
    return Shown(
        "graph.html",
        {
            "query": query,
            "projects": await visit.projects(),
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
    labels = await labels_of(visit.agentos.lifecycle, namespace, list(found.values()))
    told = [(found[one], labels.of(found[one])) for one in named if one in found]
    values = {"node": around.node, "colour": _colour(str(around.node.type)), "around": around}
    return Shown("node.html", {**values, "memories": told})


def _colour(kind: str) -> int:
    kinds = [str(one) for one in (*EntityType, *NodeType)]
    return kinds.index(kind) % COLOURS if kind in kinds else 0


async def _around(visit: Visit, query: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    graph, namespace = visit.agentos.graph, visit.namespace
    found = await graph.subgraph(namespace, query, MOST_AROUND)
    if not visit.project:
        return _plain(found)
    of_project = {one.id for one in await graph.named_in(namespace, await _projects(visit), MOST_NODES)}
    return _plain(replace(found, nodes=tuple(one for one in found.nodes if one.id in of_project)))


async def _most_mentioned(visit: Visit, most: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return _plain(await visit.agentos.graph.picture(visit.namespace, most, await _projects(visit)))


async def _projects(visit: Visit) -> Sequence[str]:
    """Return what the chosen project is called in memories; nothing for all projects."""
    return await visit.agentos.sessions.spellings(visit.namespace, visit.project or None)


def _plain(found: Subgraph) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return nodes, with the other names of each, and edges for the drawing."""
    nodes = [
        {
            "id": node.id,
            "label": node.label,
            "type": str(node.type),
            "mentions": node.mentions,
            "also": _others(found.aliases[node.id], node.label) if node.id in found.aliases else [],
        }
        for node in found.nodes
    ]
    known = {node.id for node in found.nodes}
    joined = dict.fromkeys((edge.source, edge.target, str(edge.type)) for edge in found.edges)
    edges = [
        {"source": source, "target": target, "type": kind}
        for source, target, kind in joined
        if source in known and target in known
    ]
    return nodes, edges


def _others(names: Sequence[str], label: str) -> list[str]:
    return [name for name in dict.fromkeys(names) if name != label]


def _name(visit: Visit, node: Mapping[str, Any]) -> str:
    """Return what a node is called in the drawing: all its names, and whose it is where it may be another agent's."""
    names = ", ".join([node["label"], *node["also"]]) if node["also"] else node["label"]
    return f"{names} · {node['agent']}" if visit.is_across else names


def _written(visit: Visit, nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> str:
    """Return nodes, and edges by the nodes' numbers, as JSON for the drawing, which finds their places. Blocks."""
    number = {node["id"]: at for at, node in enumerate(nodes)}
    page_in = {one: visit.url("/graph/{id}", ns=one) for one in visit.namespaces}
    drawing = {
        "nodes": [[_name(visit, node), node["type"]] for node in nodes],
        "pages": [page_in[node["agent"]].replace("{id}", node["id"], 1) for node in nodes],
        "ids": [node["id"] for node in nodes],
        "edges": [[number[edge["source"]], number[edge["target"]], visit.text.named(edge["type"])] for edge in edges],
    }
    data = json.dumps(drawing, ensure_ascii=False)
    return Markup(data.translate(DIRECTION_MARKS | HTML_MARKS))
