"""A subgraph rendered as a compact block of text (the world model), within a token budget."""

from collections.abc import Sequence
from dataclasses import replace

from ..framing import quote
from ..suspicion import is_suspicious
from .models import CO_OCCURS, LLM, Edge, Subgraph
from .ports import CountTokens

MAX_LABEL = 60
HEADING = "World model (quoted names are recalled data):"


def without_suspicious(subgraph: Subgraph) -> Subgraph:
    """Return the subgraph without nodes and aliases whose names read like instructions to a model."""
    nodes = tuple(node for node in subgraph.nodes if not is_suspicious(node.label))
    ids = {node.id for node in nodes}
    return replace(
        subgraph,
        nodes=nodes,
        edges=tuple(edge for edge in subgraph.edges if edge.source in ids and edge.target in ids),
        aliases={
            node: [alias for alias in labels if not is_suspicious(alias)]
            for node, labels in subgraph.aliases.items()
            if node in ids
        },
    )


def world_model(subgraph: Subgraph, max_tokens: int, count_tokens: CountTokens) -> str:
    """Render nodes with their mentions, and edges, as many lines as fit in `max_tokens`.

    Returns "" if there are none, or if not even one fits below the heading. Names that read like instructions are left
    out.
    """
    lines = [HEADING]
    used = count_tokens(HEADING)
    for line in _lines(without_suspicious(subgraph)):
        cost = count_tokens(line) + 1
        if used + cost > max_tokens:
            break
        used += cost
        lines.append(line)
    return "\n".join(lines) if len(lines) > 1 else ""


def _lines(subgraph: Subgraph) -> Sequence[str]:
    labels = {node.id: quote(node.label, MAX_LABEL) for node in subgraph.nodes}
    typed = [edge for edge in subgraph.edges if edge.type != CO_OCCURS]
    beside = [edge for edge in subgraph.edges if edge.type == CO_OCCURS]
    lines = [
        f"- {labels[edge.source]} {edge.type} {labels[edge.target]}{_since(edge)}{_read_by(edge)}" for edge in typed
    ]
    connected = {end for edge in typed for end in (edge.source, edge.target)}
    for node in subgraph.nodes:
        near = [
            f"{labels[edge.target if edge.source == node.id else edge.source]} ×{edge.weight:.0f}"
            for edge in beside
            if node.id in (edge.source, edge.target)
        ][:5]
        aliases = [quote(alias, MAX_LABEL) for alias in subgraph.aliases.get(node.id, ())]
        if near or aliases or node.id not in connected:
            also = f" = {', '.join(aliases)}" if aliases else ""
            named = f", named {node.mentions}×" if node.mentions else ""
            with_ = f", with {', '.join(near)}" if near else ""
            lines.append(f"- {labels[node.id]}{also} ({node.type}{named}){with_}")
    return lines


def _read_by(edge: Edge) -> str:
    return " (by a language model)" if edge.method == LLM else ""


def _since(edge: Edge) -> str:
    since = f" since {edge.since:%Y-%m-%d}" if edge.since else ""
    return since + (f" until {edge.until:%Y-%m-%d}" if edge.until else "")
