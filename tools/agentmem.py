"""The tools of AgentMem OS by their names, arguments and results, over the same services: toolset `agentmem`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.consolidation.models import Done, Summary
from ..modules.context.compiler import MAX_TOKENS, MIN_TOKENS
from ..modules.context.rendering import render_compiled
from ..modules.framing import NOTICE, quote
from ..modules.graph.models import Subgraph
from ..modules.procedures.models import Procedure
from .tool import Tool

TOOLSET = "agentmem"
TURNS = "turns"
"""The client of sessions that turns were added to."""
SHARE_OF_WINDOW = 0.6
RECENT_TURNS = 20
MAX_WINDOW = 10_000_000
MAX_NODES = 50
WORLD_TOKENS = 1_000
READ_TURNS = 1_000
MAX_SUMMARIES = 50
KEEP_NOTHING = 0
"""Whoever asks for it has all turns summarised, the newest too: originals stay."""


@dataclass(frozen=True)
class Saved:
    """Where a turn went; `turn_count` is how many the session has."""

    status: str
    session_id: str
    role: str
    turn_count: int
    tiers_updated: list[str]


@dataclass(frozen=True)
class RecentTurn:
    """A turn as it was said."""

    role: str
    content: str


@dataclass(frozen=True)
class Recalled:
    """A context for a query; with `fallback` memory had nothing, and only the last turns are there."""

    session_id: str
    query: str
    token_estimate: int
    context: str
    fallback: bool
    recent_turns: list[RecentTurn]


@dataclass(frozen=True)
class ConsolidationReport:
    """What a consolidation did; `reason` says why nothing was to be done."""

    session_id: str
    status: Literal["consolidated", "nothing_to_do"]
    consolidation_id: str | None
    method: str
    summaries_created: int
    turns_summarised: int
    tokens_before: int
    tokens_after: int
    reason: str


@dataclass(frozen=True)
class GraphNode:
    """Something that memories name."""

    id: str
    type: str
    label: str
    mention_count: int


@dataclass(frozen=True)
class GraphEdge:
    """How two of them hang together."""

    source: str
    type: str
    target: str
    weight: float


@dataclass(frozen=True)
class GraphPart:
    """Nodes, and the edges between them."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]


@dataclass(frozen=True)
class KnowledgeGraph:
    """What is near an entity, or, where none is named, what a session is about."""

    seed_entity: str | None
    max_hops: int
    subgraph: GraphPart
    total_entities: int
    graph_summary: str


@dataclass(frozen=True)
class SessionEntry:
    """A session; which model spoke in it is not recorded."""

    session_id: str
    name: str
    model: str | None
    turn_count: int
    total_tokens: int
    parent_session_id: str | None
    created_at: datetime


@dataclass(frozen=True)
class SessionList:
    """Sessions, the last active first."""

    sessions: list[SessionEntry]


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
    patterns: list[PatternEntry]


@dataclass(frozen=True)
class SummaryEntry:
    """A summary of level 1 to 3; `turn_range` are the first and last turn of the session that it covers, from 0."""

    id: str
    abstraction_level: int
    content: str
    turn_range: list[int]
    created_at: datetime


@dataclass(frozen=True)
class SessionSummary:
    """What summarising did, and the summaries that a session has."""

    consolidation_result: ConsolidationReport
    summary_count: int
    summaries: list[SummaryEntry]


async def save_memory(
    agentos: AgentOS, namespace: str, *, session_id: str, role: Literal["user", "assistant"], content: str
) -> Saved:
    """Keep a turn of a conversation."""
    added = await agentos.turns.add(namespace, session_id, role, content)
    turn = added.turns[-1]
    return Saved("saved", turn.session, turn.role.value, turn.place + 1, ["working", "short"])


async def recall_memory(
    agentos: AgentOS, namespace: str, *, session_id: str, query: str, model_window: int = 128_000
) -> Recalled:
    """What memory has for a query, within 60 % of the model's window."""
    inputs.count("model_window", model_window, 1, MAX_WINDOW)
    budget = min(max(int(SHARE_OF_WINDOW * model_window), MIN_TOKENS), MAX_TOKENS)
    compiled = await agentos.context.compile(namespace, query, "prompt", budget, session_id)
    if any(part.entries for part in compiled.parts):
        return Recalled(session_id, query, compiled.tokens, render_compiled(compiled), fallback=False, recent_turns=[])
    last = await agentos.turns.window(namespace, session_id, RECENT_TURNS)
    turns = [RecentTurn(turn.role.value, turn.text) for turn in last]
    return Recalled(session_id, query, sum(turn.tokens for turn in last), "", fallback=True, recent_turns=turns)


async def consolidate_session(agentos: AgentOS, namespace: str, *, session_id: str) -> ConsolidationReport:
    """Summarise what was said in a session; originals stay."""
    return _report(session_id, await agentos.consolidation.consolidate(namespace, session_id, KEEP_NOTHING))


async def get_knowledge_graph(
    agentos: AgentOS, namespace: str, *, session_id: str, entity: str | None = None, max_hops: int = 2
) -> KnowledgeGraph:
    """What is near an entity; without one, what a session is about."""
    if entity is not None:
        found = await agentos.graph.subgraph(namespace, entity, MAX_NODES, max_hops)
    else:
        said = [turn.text for turn in await agentos.turns.window(namespace, session_id, READ_TURNS)]
        text = "\n".join(said)[-100_000:]
        found = await agentos.graph.subgraph(namespace, text, MAX_NODES, 0) if text.strip() else Subgraph()
    statistics = await agentos.graph.statistics(namespace)
    summary = agentos.graph.world_model(found, WORLD_TOKENS)
    return KnowledgeGraph(entity, max_hops, _part(found), statistics.nodes, summary)


async def list_sessions(agentos: AgentOS, namespace: str, *, limit: int = 20) -> SessionList:
    """Conversations, the last active first."""
    known = await agentos.sessions.page(namespace, limit=limit, client=TURNS)
    sizes = await agentos.turns.sizes(namespace, [one.key for one in known])
    entries = []
    for one in known:
        turns, tokens = sizes.get(one.key, (0, 0))
        parent = None if one.parent is None else (await agentos.sessions.get(namespace, one.parent)).key
        entries.append(SessionEntry(one.key, one.title or one.key, None, turns, tokens, parent, one.started_at))
    return SessionList(entries)


async def get_patterns(
    agentos: AgentOS, namespace: str, *, session_id: str, min_confidence: float = 0.5
) -> PatternEntries:
    """The habits that a session shows."""
    inputs.text("session_id", session_id, 200)
    inputs.unit_interval("min_confidence", min_confidence)
    mined = await agentos.procedures.mine(namespace)
    shown = {(habit.trigger, habit.action) for habit in mined.habits if session_id in habit.sessions}
    patterns = [
        _pattern(one)
        for one in mined.procedures
        if (one.trigger, one.action) in shown and one.confidence >= min_confidence and one.is_offered
    ]
    return PatternEntries(len(patterns), patterns)


async def summarize_session(agentos: AgentOS, namespace: str, *, session_id: str) -> SessionSummary:
    """Summarise a session, and read its summaries."""
    report = await consolidate_session(agentos, namespace, session_id=session_id)
    summaries = await agentos.consolidation.summaries(namespace, session_id, limit=MAX_SUMMARIES)
    turns = await agentos.turns.turns(namespace, session_id, limit=READ_TURNS)
    places = {turn.memory_id: turn.place for turn in turns}
    entries = [_summary(one, places) for one in summaries]
    return SessionSummary(report, len(entries), entries)


def _report(session_id: str, done: Done) -> ConsolidationReport:
    made, plan = done.consolidation, done.plan
    return ConsolidationReport(
        session_id,
        "nothing_to_do" if made is None else "consolidated",
        None if made is None else made.id,
        plan.method.value,
        len(done.summaries),
        0 if made is None else sum(len(draft.sources) for draft in plan.episodes),
        plan.tokens_before,
        plan.tokens_after,
        plan.reason,
    )


def _part(found: Subgraph) -> GraphPart:
    return GraphPart(
        [GraphNode(node.id, node.type, node.label, node.mentions) for node in found.nodes],
        [GraphEdge(edge.source, edge.type, edge.target, edge.weight) for edge in found.edges],
    )


def _pattern(one: Procedure) -> PatternEntry:
    return PatternEntry(one.trigger.value, one.action.value, round(one.confidence, 4), one.support, one.content)


def _summary(one: Summary, places: dict[str, int]) -> SummaryEntry:
    covered = sorted(places[source] for source in one.sources if source in places)
    return SummaryEntry(one.id, int(one.level), one.text, [covered[0], covered[-1]] if covered else [], one.created_at)


def _recalled_text(result: Recalled) -> str:
    if not result.fallback:
        return result.context
    lines = [f"- {turn.role}: {quote(turn.content, 500)}" for turn in result.recent_turns]
    return "\n".join([NOTICE, *lines]) if lines else "Nothing is known yet."


def _report_text(result: ConsolidationReport) -> str:
    if result.consolidation_id is None:
        return f"Nothing to do: {result.reason or 'nothing resembles each other'}."
    return (
        f"{result.consolidation_id}: {result.summaries_created} summaries of {result.turns_summarised} turns, "
        f"{result.tokens_before} → {result.tokens_after} tokens ({result.method})."
    )


def _sessions_text(result: SessionList) -> str:
    lines = [f"- {quote(s.session_id)}: {quote(s.name)}, {s.turn_count} turns" for s in result.sessions]
    return "\n".join([NOTICE, *lines]) if lines else "No sessions yet."


def _patterns_text(result: PatternEntries) -> str:
    lines = [f"- {quote(p.full_pattern)} {p.confidence:.2f}, seen {p.support_count} times" for p in result.patterns]
    return "\n".join(lines) or "No patterns yet."


def _summaries_text(result: SessionSummary) -> str:
    lines = [f"- {one.id} level {one.abstraction_level}: {quote(one.content, 2000)}" for one in result.summaries]
    return "\n".join([_report_text(result.consolidation_result), *([NOTICE, *lines] if lines else [])])


_BY_USER = ("agent_id", "user_id")

AGENTMEM_TOOLS = (
    Tool(save_memory, "Save a turn", lambda result: f"Saved turn {result.turn_count}.", toolset=TOOLSET),
    Tool(
        recall_memory,
        "Recall for a query",
        _recalled_text,
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
        namespace_in=_BY_USER,
    ),
    Tool(
        consolidate_session,
        "Consolidate a session",
        _report_text,
        idempotent=True,
        toolset=TOOLSET,
        namespace_in=_BY_USER,
    ),
    Tool(
        get_knowledge_graph,
        "Knowledge graph",
        lambda result: "\n".join([NOTICE, result.graph_summary]) if result.graph_summary else "Nothing is named yet.",
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
    ),
    Tool(list_sessions, "List sessions", _sessions_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(get_patterns, "Patterns of a session", _patterns_text, idempotent=True, toolset=TOOLSET),
    Tool(summarize_session, "Summarise a session", _summaries_text, idempotent=True, toolset=TOOLSET),
)
