"""The REST routes that AgentMem OS' own page is drawn from: what a session left in each tier, and its graph."""

from typing import TYPE_CHECKING, Any

from ....modules.agentos import AgentOS
from ....modules.errors import NotFound
from ....modules.language.ports import LanguageUnavailable
from ....modules.model_gateway import ANSWER_TOKENS
from ..tools.agentmem import MAX_READ_CHARS, MAX_SUMMARIES, READ_TURNS, TURNS
from .reply import CompatReply

if TYPE_CHECKING:
    from ....modules.language.service import LanguageService

NO_MODEL = "chat needs a language model: set AGENTOS_LLM_PROVIDER, AGENTOS_LLM_URL and AGENTOS_LLM_MODEL"
WITH_MEMORY, WITHOUT = "agentmem-demo", "plain-demo"
WORKING_TURNS = 5
MOST_NODES = 50
MOST_HABITS = 10
_LEVELS = {1: "Episode", 2: "Pattern", 3: "Principle"}
_PLAIN = "Answer the message of a user."


def language_of(agentos: AgentOS) -> "LanguageService":
    """Return the model of the settings. Raises LanguageUnavailable."""
    if agentos.language is None:
        raise LanguageUnavailable(NO_MODEL)
    return agentos.language


async def compare(
    agentos: AgentOS,
    namespace: str,
    *,
    message: str,
    agentmem_session: str = WITH_MEMORY,
    plain_session: str = WITHOUT,
    model: str | None = None,
) -> CompatReply:
    """Answer a message from memory, and once more without any; the second answer is not kept."""
    language = language_of(agentos)
    spoken = await agentos.gateway().say(language, namespace, agentmem_session, message)
    plain = await language.complete(_PLAIN, message, ANSWER_TOKENS)
    sizes = await agentos.turns.sizes(namespace, [agentmem_session])
    turns, tokens = sizes.get(agentmem_session, (0, 0))
    summaries = await agentos.of_feature("consolidation").summaries(namespace, agentmem_session, limit=MAX_SUMMARIES)
    aided = {"reply": spoken, "context_tokens": tokens, "turn_count": turns, "summary_count": len(summaries)}
    unaided = {"reply": plain, "context_tokens": len(message) // 4}
    return CompatReply({"agentmem": aided, "plain": unaided, "message": message})


async def tiers(agentos: AgentOS, namespace: str, *, session_id: str) -> CompatReply:
    """Show what a session left in each tier: its last turns, all of them, summaries, and habits for the last."""
    turns = await agentos.turns.turns(namespace, session_id, limit=READ_TURNS)
    if not turns:
        raise NotFound(f"session_id: there is no session {session_id[:60]!r} with turns")
    summaries = await agentos.of_feature("consolidation").summaries(namespace, session_id, limit=MAX_SUMMARIES)
    habits = (await agentos.of_feature("procedures").relevant(namespace, turns[-1].text, MOST_HABITS)).procedures
    rows: list[dict[str, Any]] = [
        {
            "id": turn.memory_id,
            "role": turn.role.value,
            "content": turn.text,
            "importance": turn.salience,
            "tokens": turn.tokens,
        }
        for turn in turns
    ]
    made = [
        {
            "id": one.id,
            "level": int(one.level),
            "level_name": _LEVELS.get(int(one.level), ""),
            "content": one.text,
            "tokens": one.tokens,
        }
        for one in summaries
    ]
    patterns = [
        {
            "trigger": one.trigger.value,
            "action": one.action.value,
            "confidence": round(one.confidence, 4),
            "support_count": one.support,
        }
        for one in habits
    ]
    tokens = sum(turn.tokens for turn in turns)
    shown = {
        "working": {"turns": rows[-WORKING_TURNS:], "count": len(rows[-WORKING_TURNS:])},
        "episodic": {"turns": rows, "count": len(rows), "tokens_used": tokens},
        "semantic": {"summaries": made, "count": len(made), "tokens_used": sum(one.tokens for one in summaries)},
        "procedural": {"patterns": patterns, "count": len(patterns)},
    }
    return CompatReply({"session_id": session_id, "session_name": session_id, "total_tokens": tokens, "tiers": shown})


async def graph(agentos: AgentOS, namespace: str, *, session_id: str) -> CompatReply:
    """Return the entities that a session names, and the relations between them."""
    turns = await agentos.turns.turns(namespace, session_id, limit=READ_TURNS)
    text = "\n".join(turn.text for turn in turns)[-MAX_READ_CHARS:]
    if not text.strip():
        return CompatReply({"nodes": [], "edges": []})
    found = await agentos.graph.subgraph(namespace, text, MOST_NODES, 0)
    labels = {node.id: node.label for node in found.nodes}
    nodes = [
        {"id": node.label, "type": node.type, "count": node.mentions, "session": session_id} for node in found.nodes
    ]
    edges = [
        {"source": labels[edge.source], "target": labels[edge.target], "weight": edge.weight} for edge in found.edges
    ]
    return CompatReply({"nodes": nodes, "edges": edges})


async def reset(
    agentos: AgentOS, namespace: str, *, agentmem_session: str = WITH_MEMORY, plain_session: str = WITHOUT
) -> CompatReply:
    """Erase two sessions with their turns for good, where there are such."""
    for name in (agentmem_session, plain_session):
        try:
            session = await agentos.sessions.named(namespace, TURNS, name)
        except NotFound:
            continue
        await agentos.sessions.erase(namespace, session.id)
    return CompatReply({"status": "reset", "sessions": [agentmem_session, plain_session]})
