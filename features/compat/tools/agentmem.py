"""The tools of AgentMem OS by their names, arguments and results, over the same services: toolset `agentmem`."""

from typing import Literal

from ....modules import inputs
from ....modules.agentos import AgentOS
from ....modules.context.compiler import MAX_TOKENS, MIN_TOKENS
from ....modules.graph.models import Subgraph
from ....tools.tool import Tool
from ..views import agentmem as views

TOOLSET = "agentmem"
TURNS = "turns"
"""The client of sessions made of turns."""
SHARE_OF_WINDOW = 0.6
RECENT_TURNS = 20
MAX_WINDOW = 10_000_000
MAX_NODES = 50
WORLD_TOKENS = 1_000
READ_TURNS = 1_000
MAX_READ_CHARS = 100_000
MAX_SUMMARIES = 50
KEEP_NOTHING = 0
"""The turns that a requested summary leaves out: none, not even the newest; originals stay."""


async def save_memory(
    agentos: AgentOS, namespace: str, *, session_id: str, role: Literal["user", "assistant"], content: str
) -> views.Saved:
    """Store a turn of a conversation."""
    added = await agentos.turns.add(namespace, session_id, role, content)
    turn = added.turns[-1]
    return views.Saved("saved", turn.session, turn.role.value, turn.place + 1, ("working", "short"))


async def recall_memory(
    agentos: AgentOS, namespace: str, *, session_id: str, query: str, model_window: int = 128_000
) -> views.Recalled:
    """Recall memories for a query, within 60 % of the model's window."""
    inputs.count("model_window", model_window, 1, MAX_WINDOW)
    budget = min(max(int(SHARE_OF_WINDOW * model_window), MIN_TOKENS), MAX_TOKENS)
    compiled = await agentos.context.compile(namespace, query, "prompt", budget, session_id)
    if any(part.entries for part in compiled.parts):
        return views.Recalled(session_id, query, compiled.tokens, compiled.context.as_text())
    return views.fallback(session_id, query, await agentos.turns.window(namespace, session_id, RECENT_TURNS))


async def consolidate_session(agentos: AgentOS, namespace: str, *, session_id: str) -> views.ConsolidationReport:
    """Summarise a session's turns; the turns stay."""
    return views.report(
        session_id, await agentos.of_feature("consolidation").consolidate(namespace, session_id, KEEP_NOTHING)
    )


async def get_knowledge_graph(
    agentos: AgentOS, namespace: str, *, session_id: str, entity: str | None = None, max_hops: int = 2
) -> views.KnowledgeGraph:
    """Show the entities around one; without one, those of a session."""
    if entity is not None:
        return views.near(entity, max_hops, await agentos.graph.subgraph(namespace, entity, MAX_NODES, max_hops))
    texts = [turn.text for turn in await agentos.turns.window(namespace, session_id, READ_TURNS)]
    text = "\n".join(texts)[-MAX_READ_CHARS:]
    found = await agentos.graph.subgraph(namespace, text, MAX_NODES, 0) if text.strip() else Subgraph()
    total = (await agentos.graph.statistics(namespace)).nodes
    return views.about(total, agentos.graph.world_model(found, WORLD_TOKENS))


async def list_sessions(agentos: AgentOS, namespace: str, *, limit: int = 20) -> views.SessionsListed:
    """List conversations, most recently active first."""
    known = await agentos.sessions.page(namespace, limit=limit, client=TURNS)
    sizes = await agentos.turns.sizes(namespace, [one.key for one in known])
    entries = []
    for one in known:
        turns, tokens = sizes.get(one.key, (0, 0))
        parent = None if one.parent is None else (await agentos.sessions.get(namespace, one.parent)).key
        entries.append(views.SessionEntry(one.key, one.title or one.key, turns, tokens, one.started_at, parent))
    return views.sessions(entries)


async def get_patterns(
    agentos: AgentOS, namespace: str, *, session_id: str, min_confidence: float = 0.5
) -> views.PatternEntries:
    """List a session's habits."""
    inputs.text("session_id", session_id, 200)
    inputs.unit_interval("min_confidence", min_confidence)
    mined = await agentos.of_feature("procedures").mine(namespace)
    shown = {(habit.trigger, habit.action) for habit in mined.habits if session_id in habit.sessions}
    patterns = [
        one
        for one in mined.procedures
        if (one.trigger, one.action) in shown and one.confidence >= min_confidence and one.is_offered
    ]
    return views.patterns(patterns)


async def summarize_session(agentos: AgentOS, namespace: str, *, session_id: str) -> views.SessionSummary:
    """Summarise a session and return its summaries."""
    report = await consolidate_session(agentos, namespace, session_id=session_id)
    summaries = await agentos.of_feature("consolidation").summaries(namespace, session_id, limit=MAX_SUMMARIES)
    turns = await agentos.turns.turns(namespace, session_id, limit=READ_TURNS)
    return views.summary(report, summaries, {turn.memory_id: turn.place for turn in turns})


_BY_USER = ("agent_id", "user_id")

AGENTMEM_TOOLS = (
    Tool(save_memory, "Save a turn", toolset=TOOLSET),
    Tool(recall_memory, "Recall for a query", read_only=True, idempotent=True, toolset=TOOLSET, namespace_in=_BY_USER),
    Tool(consolidate_session, "Consolidate a session", idempotent=True, toolset=TOOLSET, namespace_in=_BY_USER),
    Tool(get_knowledge_graph, "Knowledge graph", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(list_sessions, "List sessions", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(get_patterns, "Patterns of a session", idempotent=True, toolset=TOOLSET),
    Tool(summarize_session, "Summarise a session", idempotent=True, toolset=TOOLSET),
)
