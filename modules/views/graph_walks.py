"""Walks over the graph as results: what holds a goal up, what a change reaches, which skills are needed, a path."""

from collections.abc import Sequence

from ..framing import named, quote
from ..graph.models import Impact, NodeRoute, Reached
from ..records import dataclass
from ..suspicion import is_suspicious
from ..text.counting import counted
from .graph import LABEL, NamedNode, flag

SHOWN = 50


@dataclass(frozen=True)
class ReachedView:
    """A node that was reached: over which nodes (`path`, where there are some between), and the product of the weights
    on the way.
    """

    id: str
    label: str
    hops: int
    weight: float
    path: tuple[str, ...] = ()
    suspicious: bool = False

    def line(self, type_: str) -> str:
        """Return the node as one line."""
        hops = f"{self.hops} hops{_way(self.path, self.weight)}"
        return f"- {_line(self.id, type_, self.label)}, {hops}{flag(self.suspicious)}"


@dataclass(frozen=True)
class BlockingNode:
    """A node that holds the goal up."""

    id: str
    type: str
    label: str
    hops_to_goal: int
    weight: float
    path: tuple[str, ...] = ()
    suspicious: bool = False

    def line(self) -> str:
        """Return the node as one line."""
        hops = f"{self.hops_to_goal} hops{_way(self.path, self.weight)}"
        return f"- {_line(self.id, self.type, self.label)}, {hops}{flag(self.suspicious)}"


@dataclass(frozen=True)
class RelatedProblems:
    """Nodes that hold a goal up, the nearest first, and their total."""

    blocking_nodes: tuple[BlockingNode, ...]
    total_found: int

    def as_text(self) -> str:
        """Return the nodes as lines."""
        return "\n".join(
            [
                *(one.line() for one in self.blocking_nodes),
                f"Held up by {counted(self.total_found, 'node')}.",
            ]
        )


@dataclass(frozen=True)
class ImpactAnalysis:
    """Nodes that a change affects, by type, the strongest first; critical if a goal or a skill is among them."""

    severity: str
    total_affected: int
    affected_by_type: dict[str, tuple[ReachedView, ...]]

    def as_text(self) -> str:
        """Return the nodes as lines."""
        lines = [one.line(type_) for type_, found in self.affected_by_type.items() for one in found]
        return "\n".join([*lines, f"{counted(self.total_affected, 'node')} reached: {self.severity}."])


@dataclass(frozen=True)
class RequiredSkill:
    """A skill; `direct` where the task itself names it."""

    id: str
    label: str
    direct: bool
    weight: float
    path: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the skill as one line."""
        direct = ", direct" if self.direct else ""
        return f"- {self.id} {quote(self.label, LABEL)}{direct}{_way(self.path, self.weight)}"


@dataclass(frozen=True)
class RequiredSkills:
    """The skills that a task needs, the nearest first."""

    skills: tuple[RequiredSkill, ...]
    total_found: int

    def as_text(self) -> str:
        """Return the skills as lines."""
        return "\n".join([*(one.line() for one in self.skills), f"{counted(self.total_found, 'skill')}."])


@dataclass(frozen=True)
class GraphPath:
    """A way from one node to another, by its nodes and the types of its edges; empty where there is none."""

    path: tuple[NamedNode, ...]
    edges: tuple[str, ...]
    hops: int

    def as_text(self) -> str:
        """Return the path on one line."""
        if not self.path:
            return "No path."
        first, *rest = (_line(node.id, node.type, node.label) for node in self.path)
        steps = (f"-{edge}→ {node}" for edge, node in zip(self.edges, rest, strict=True))
        return f"{' '.join([first, *steps])} ({self.hops} hops)"


def related_problems(found: Sequence[Reached]) -> RelatedProblems:
    """Return the view of what holds a goal up."""
    nodes = tuple(
        BlockingNode(one.node.id, one.node.type, one.node.label, one.hops, one.weight, _between(one), _flagged(one))
        for one in found[:SHOWN]
    )
    return RelatedProblems(nodes, len(found))


def impact(found: Impact) -> ImpactAnalysis:
    """Return the view of what a change of a node reaches."""
    by_type: dict[str, tuple[ReachedView, ...]] = {}
    for one in found.affected[:SHOWN]:
        view = ReachedView(one.node.id, one.node.label, one.hops, one.weight, _between(one), _flagged(one))
        by_type[one.node.type] = (*by_type.get(one.node.type, ()), view)
    return ImpactAnalysis(found.severity, len(found.affected), by_type)


def required_skills(found: Sequence[Reached]) -> RequiredSkills:
    """Return the view of the skills that a task needs."""
    skills = tuple(
        RequiredSkill(one.node.id, one.node.label, one.hops == 1, one.weight, _between(one)) for one in found[:SHOWN]
    )
    return RequiredSkills(skills, len(found))


def path(route: NodeRoute) -> GraphPath:
    """Return the view of a path from one node to another."""
    nodes = tuple(NamedNode(node.id, node.type, node.label) for node in route.nodes)
    return GraphPath(nodes, tuple(edge.type for edge in route.edges), len(route.edges))


def _between(one: Reached) -> tuple[str, ...]:
    """Return the path to a node, empty where there are no others between."""
    return tuple(one.path) if one.hops > 1 else ()


def _flagged(one: Reached) -> bool:
    return is_suspicious(one.node.label)


def _line(id_: str, type_: str, label: str) -> str:
    return f"{id_} {named(type_)} {quote(label, LABEL)}"


def _way(path: Sequence[str], weight: float) -> str:
    over = f" by {' → '.join(quote(label, LABEL) for label in path)}" if path else ""
    return f"{over}, weight {weight:g}"
