"""The REST routes of AgentMem OS: chats, their histories and branches, forgetting, contradictions."""

import re
from collections.abc import Collection, Sequence
from typing import Any

from ....interfaces.http.rest.operations import OfFunction, OperationRequest
from ....interfaces.http.rest.route import Route
from ....modules import inputs, offload
from ....modules.agentos import AgentOS
from ....modules.errors import NotFound
from ....modules.memory.models import HIDDEN, MemoryFilter, Status
from ....modules.principals.models import Role
from ....modules.turns.models import Turn, TurnRole
from ....tools.tool import Tool
from ..tools.agentmem import READ_TURNS, TURNS
from . import agentmem_demo as demo
from .reply import CompatReply

MOST_BRANCHES = 200
MOST_CONTRADICTED = 200
LEAST_WORD_CHARS = 4
_WORD = re.compile(r"\w+")


async def chat(
    agentos: AgentOS, namespace: str, *, session_id: str, message: str, model: str | None = None
) -> CompatReply:
    """Answer a message with the model of the settings, from what is remembered of this and other conversations."""
    if model is not None:
        inputs.text("model", model, 200)
    reply = await agentos.gateway().say(demo.language_of(agentos), namespace, session_id, message)
    return CompatReply({"session_id": session_id, "reply": reply})


async def history(agentos: AgentOS, namespace: str, *, session_id: str, limit: int = 50) -> CompatReply:
    """Return the last turns of a session, in order."""
    turns = await agentos.turns.window(namespace, session_id, limit)
    return CompatReply({"turns": [_row(turn) for turn in turns]})


async def branch_list(agentos: AgentOS, namespace: str, *, session_id: str) -> CompatReply:
    """List the branches of a session."""
    known = await agentos.sessions.page(namespace, limit=MOST_BRANCHES, client=TURNS)
    of = {one.id for one in known if one.key == session_id}
    branches = [one for one in known if one.parent in of]
    sizes = await agentos.turns.sizes(namespace, [one.key for one in branches])
    return CompatReply(
        [
            {
                "id": one.key,
                "parent": session_id,
                "name": one.key.removeprefix(f"{session_id}/"),
                "tokens": sizes.get(one.key, (0, 0))[1],
            }
            for one in branches
        ]
    )


async def branch_create(agentos: AgentOS, namespace: str, *, parent_id: str, branch_name: str) -> CompatReply:
    """Branch a session: the new one has what was said so far."""
    inputs.text("branch_name", branch_name, 100)
    made = await agentos.turns.branch(namespace, parent_id, f"{parent_id}/{branch_name}")
    return CompatReply({"status": "success", "new_session_id": made.session})


async def storage_status(asked: OperationRequest) -> dict[str, Any]:
    """Tell where the data is; there is no second place that it would fall back to."""
    await (await asked.agentos()).principals.require_all(asked.caller, "storage_status")
    return {"active_path": str(asked.behind.home), "is_fallback": False}


async def forget_topic(agentos: AgentOS, namespace: str, *, session_id: str, about: str) -> CompatReply:
    """Forget what the user said in a session that shares a word of four letters or more with a topic."""
    wanted = _words(inputs.text("about", about, 2_000))
    if not wanted:
        raise NotFound(f"about: contains no word of {LEAST_WORD_CHARS} letters or more")
    turns = await agentos.turns.turns(namespace, session_id, limit=READ_TURNS)
    chars = offload.length(turn.text for turn in turns)
    found = await offload.read(chars, _sharing, turns, wanted)
    for turn in found:
        await agentos.lifecycle.forget(namespace, turn.memory_id)
    return CompatReply({"status": "ok", "turns_forgotten": len(found), "topic": about})


async def conflicts(agentos: AgentOS, namespace: str, *, session_id: str) -> CompatReply:
    """List what was said in a session and something later contradicts."""
    seen = tuple(status for status in Status if status not in HIDDEN)
    where = MemoryFilter(session=inputs.text("session_id", session_id, 200), include_superseded=True, statuses=seen)
    page = await agentos.memory.page(namespace, where, MOST_CONTRADICTED)
    against = await agentos.lifecycle.successors(namespace, page.memories)
    for memory in page.memories:
        if memory.status is Status.CONTESTED and (others := await agentos.archive.contesting(namespace, memory.id)):
            against.setdefault(memory.id, others[0])
    contradicted = [
        {
            "id": memory.id,
            "content": memory.content,
            "contradicted_by": against[memory.id],
            "created_at": memory.created_at,
        }
        for memory in page.memories
        if memory.id in against
    ]
    return CompatReply({"session_id": session_id, "contradicted_turns": contradicted, "count": len(contradicted)})


def _row(turn: Turn) -> dict[str, object]:
    return {
        "id": turn.memory_id,
        "role": turn.role.value,
        "content": turn.text,
        "tokens": turn.tokens,
        "importance": turn.salience,
        "created_at": turn.occurred_at,
    }


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.casefold()) if len(word) >= LEAST_WORD_CHARS)


def _sharing(turns: Sequence[Turn], wanted: Collection[str]) -> list[Turn]:
    by_user = (turn for turn in turns if turn.role is TurnRole.USER)
    return [turn for turn in by_user if not _words(turn.text).isdisjoint(wanted)]


_NOBODY: tuple[str, ...] = ()
"""The arguments that name a namespace: none, it is the key's."""

ROUTES = (
    (Route("POST", "/chat", "chat"), Tool(chat, "Chat", namespace_in=_NOBODY)),
    (
        Route("GET", "/history/{session_id:path}", "history"),
        Tool(history, "History", read_only=True, idempotent=True, namespace_in=_NOBODY),
    ),
    (
        Route("GET", "/branch/list/{session_id:path}", "branch_list"),
        Tool(branch_list, "Branches", read_only=True, idempotent=True, namespace_in=_NOBODY),
    ),
    (
        Route("POST", "/branch/create", "branch_create"),
        Tool(branch_create, "Branch", idempotent=True, namespace_in=_NOBODY),
    ),
    (Route("GET", "/storage/status", "storage_status"), OfFunction(storage_status, Role.OPERATOR)),
    (
        Route("POST", "/memory/forget", "forget_topic"),
        Tool(forget_topic, "Forget a topic", destructive=True, namespace_in=_NOBODY),
    ),
    (
        Route("GET", "/memory/conflicts/{session_id:path}", "conflicts"),
        Tool(conflicts, "Contradictions", read_only=True, idempotent=True, namespace_in=_NOBODY),
    ),
    (Route("POST", "/demo/compare", "compare"), Tool(demo.compare, "Compare", namespace_in=_NOBODY)),
    (
        Route("POST", "/demo/reset", "reset"),
        Tool(demo.reset, "Erase two sessions", destructive=True, namespace_in=_NOBODY),
    ),
    (
        Route("GET", "/demo/memory/{session_id:path}", "tiers"),
        Tool(demo.tiers, "Tiers of a session", read_only=True, idempotent=True, namespace_in=_NOBODY),
    ),
    (
        Route("GET", "/demo/kg/{session_id:path}", "graph"),
        Tool(demo.graph, "Graph of a session", read_only=True, idempotent=True, namespace_in=_NOBODY),
    ),
)
