"""Results of AgentMem OS by its names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ....modules.framing import NOTICE, named, quote
from ....modules.graph.models import Subgraph
from ....modules.records import dataclass
from ....modules.text.counting import counted
from ....modules.turns.models import Turn
from ....modules.views.texts import Minute

if TYPE_CHECKING:
    from ...consolidation.models import Done, Summary
    from ...procedures.models import Procedure


@dataclass(frozen=True)
class Saved:
    """The stored turn; `turn_count` is the number of turns in the session."""

    status: str
    session_id: str
    role: str
    turn_count: int
    tiers_updated: tuple[str, ...]

    def as_text(self) -> str:
        """Return that the turn was saved."""
        return f"Saved turn {self.turn_count}."


@dataclass(frozen=True)
class RecentTurn:
    """A turn as it was said."""

    role: str
    content: str


@dataclass(frozen=True)
class Recalled:
    """A `context` for a query; with `fallback` memory had nothing, and there are only the last turns."""

    session_id: str
    query: str
    token_estimate: int
    context: str = ""
    fallback: bool = False
    notice: str = ""
    recent_turns: tuple[RecentTurn, ...] = ()

    def as_text(self) -> str:
        """Return the context, or the last turns."""
        if not self.fallback:
            return self.context
        lines = [f"- {turn.role}: {quote(turn.content, 500)}" for turn in self.recent_turns]
        return "\n".join([self.notice, *lines]) if lines else "Nothing is known yet."


@dataclass(frozen=True)
class ConsolidationReport:
    """The result of a consolidation; `reason` says why there was nothing to do."""

    session_id: str
    status: Literal["consolidated", "nothing_to_do"]
    consolidation_id: str | None = None
    method: str = "rules"
    summaries_created: int = 0
    turns_summarised: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    reason: str = ""

    def as_text(self) -> str:
        """Return what was done."""
        if self.consolidation_id is None:
            return f"Nothing to do: {self.reason or 'nothing resembles each other'}."
        return (
            f"{self.consolidation_id}: {self.summaries_created} summaries of {self.turns_summarised} turns, "
            f"{self.tokens_before} → {self.tokens_after} tokens ({self.method})."
        )


@dataclass(frozen=True)
class GraphNode:
    """An entity that memories name."""

    id: str
    type: str
    label: str
    mention_count: int


@dataclass(frozen=True)
class GraphEdge:
    """A relation between two entities."""

    source: str
    type: str
    target: str
    weight: float


@dataclass(frozen=True)
class GraphPart:
    """Nodes, and the edges between them."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


@dataclass(frozen=True)
class KnowledgeGraph:
    """The entities around one (`subgraph`), or, where none is named, those of a session (`graph_summary`)."""

    seed_entity: str | None = None
    max_hops: int | None = None
    subgraph: GraphPart | None = None
    total_entities: int | None = None
    notice: str = ""
    graph_summary: str = ""

    def as_text(self) -> str:
        """Return the nodes and edges, or the summary."""
        if self.graph_summary:
            return "\n".join([self.notice, self.graph_summary])
        if self.subgraph is None or not self.subgraph.nodes:
            return "Nothing is named yet."
        labels = {node.id: quote(node.label) for node in self.subgraph.nodes}
        lines = [
            f"- {node.id} {named(node.type)} {labels[node.id]} ×{node.mention_count}" for node in self.subgraph.nodes
        ]
        lines += [
            f"- {labels[edge.source]} {named(edge.type)} {labels[edge.target]} {edge.weight:g}"
            for edge in self.subgraph.edges
        ]
        return "\n".join([self.notice, *lines])


@dataclass(frozen=True)
class SessionEntry:
    """A session; which model spoke in it is not recorded."""

    session_id: str
    name: str
    turn_count: int
    total_tokens: int
    created_at: Minute
    parent_session_id: str | None = None


@dataclass(frozen=True)
class SessionsListed:
    """Sessions, the last active first."""

    sessions: tuple[SessionEntry, ...]
    notice: str = ""

    def as_text(self) -> str:
        """Return the sessions as lines."""
        lines = [
            f"- {quote(one.session_id)}: {quote(one.name)}, "
            f"{counted(one.turn_count, 'turn')}, since {one.created_at:%Y-%m-%d}"
            for one in self.sessions
        ]
        return "\n".join([self.notice, *lines]) if lines else "No sessions yet."


@dataclass(frozen=True)
class PatternEntry:
    """A habit."""

    trigger: str
    action: str
    confidence: float
    support_count: int
    full_pattern: str


@dataclass(frozen=True)
class PatternEntries:
    """The habits that a session shows, the surest first."""

    pattern_count: int
    patterns: tuple[PatternEntry, ...]

    def as_text(self) -> str:
        """Return the habits as lines."""
        lines = [
            f"- {named(one.trigger)} → {named(one.action)} {quote(one.full_pattern)} {one.confidence:.2f}, "
            f"seen {counted(one.support_count, 'time')}"
            for one in self.patterns
        ]
        return "\n".join(lines) or "No patterns yet."


@dataclass(frozen=True)
class SummaryEntry:
    """A summary of level 1 to 3; `turn_range` are the first and last turn of the session that it covers, from 0."""

    id: str
    abstraction_level: int
    content: str
    turn_range: tuple[int, ...]
    created_at: Minute


@dataclass(frozen=True)
class SessionSummary:
    """The result of summarising, and the summaries of the session."""

    consolidation_result: ConsolidationReport
    summary_count: int
    summaries: tuple[SummaryEntry, ...]
    notice: str = ""

    def as_text(self) -> str:
        """Return what was done, and the summaries as lines."""
        lines = [f"- {one.id} level {one.abstraction_level}: {quote(one.content, 2000)}" for one in self.summaries]
        return "\n".join([self.consolidation_result.as_text(), *([self.notice, *lines] if lines else [])])


def fallback(session_id: str, query: str, last: Sequence[Turn]) -> Recalled:
    """Return the view of the last turns, where memory has nothing for a query."""
    turns = tuple(RecentTurn(turn.role.value, turn.text) for turn in last)
    spent = sum(turn.tokens for turn in last)
    return Recalled(session_id, query, spent, fallback=True, notice=NOTICE if turns else "", recent_turns=turns)


def report(session_id: str, done: "Done") -> ConsolidationReport:
    """Return the view of what a consolidation did."""
    made, plan = done.consolidation, done.plan
    if made is None:
        return ConsolidationReport(session_id, "nothing_to_do", reason=plan.reason)
    return ConsolidationReport(
        session_id,
        "consolidated",
        made.id,
        plan.method.value,
        len(done.summaries),
        sum(len(draft.sources) for draft in plan.episodes),
        plan.tokens_before,
        plan.tokens_after,
        plan.reason,
    )


def near(entity: str, max_hops: int, found: Subgraph) -> KnowledgeGraph:
    """Return the view of what is near an entity."""
    nodes = tuple(GraphNode(node.id, node.type, node.label, node.mentions) for node in found.nodes)
    edges = tuple(GraphEdge(edge.source, edge.type, edge.target, edge.weight) for edge in found.edges)
    return KnowledgeGraph(entity, max_hops, GraphPart(nodes, edges), notice=NOTICE if nodes else "")


def about(total: int, summary: str) -> KnowledgeGraph:
    """Return the view of what a session is about."""
    return KnowledgeGraph(total_entities=total, notice=NOTICE if summary else "", graph_summary=summary)


def sessions(entries: Sequence[SessionEntry]) -> SessionsListed:
    """Return the view of sessions."""
    return SessionsListed(tuple(entries), NOTICE if entries else "")


def patterns(found: "Sequence[Procedure]") -> PatternEntries:
    """Return the view of habits."""
    entries = tuple(
        PatternEntry(one.trigger.value, one.action.value, round(one.confidence, 4), one.support, one.content)
        for one in found
    )
    return PatternEntries(len(entries), entries)


def summary(done: ConsolidationReport, summaries: "Sequence[Summary]", places: dict[str, int]) -> SessionSummary:
    """Return what summarising did, with the summaries; `places` are those of turns in their session."""
    entries = tuple(_entry(one, places) for one in summaries)
    return SessionSummary(done, len(entries), entries, NOTICE if entries else "")


def _entry(one: "Summary", places: dict[str, int]) -> SummaryEntry:
    covered = sorted(places[source] for source in one.sources if source in places)
    turns = (covered[0], covered[-1]) if covered else ()
    return SummaryEntry(one.id, int(one.level), one.text, turns, one.created_at)
