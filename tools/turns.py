"""The tools of conversations: turns are kept in order, and a session can branch."""

from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.turns.service import WINDOW
from ..modules.views import turns as views
from .filters import Moment
from .tool import Tool

TOOLSET = "turns"


async def turn_add(
    agentos: AgentOS,
    namespace: str,
    *,
    session: Annotated[str, Field(description="your name for it")],
    content: str,
    role: Literal["user", "assistant", "system", "tool"] = "user",
    answer: Annotated[str | None, Field(description="the assistant's")] = None,
    occurred_at: Moment = None,
    key: Annotated[str | None, Field(description="same key, same turn")] = None,
    parent: Annotated[str | None, Field(description="session to branch off from")] = None,
) -> views.TurnAdded:
    """Store a turn of a conversation, or a question with its answer, in order."""
    added = await agentos.turns.add(
        namespace,
        session,
        role,
        content,
        answer=answer,
        occurred_at=occurred_at,
        key=key,
        parent=parent,
    )
    return views.added(added)


async def turn_window(agentos: AgentOS, namespace: str, *, session: str, limit: int = WINDOW) -> views.TurnWindow:
    """Read a conversation's last turns, in order, verbatim."""
    return views.window(session, await agentos.turns.window(namespace, session, limit))


async def session_branch(
    agentos: AgentOS,
    namespace: str,
    *,
    parent: str,
    session: Annotated[str, Field(description="name of the branch")],
    at: Annotated[int | None, Field(description="last turn to inherit; default: all")] = None,
) -> views.Branched:
    """Branch a conversation into a new session; the original stays unchanged."""
    return views.branched(await agentos.turns.branch(namespace, parent, session, at))


TURN_TOOLS = (
    Tool(turn_add, "Keep a turn", toolset=TOOLSET),
    Tool(turn_window, "Last turns", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_branch, "Branch a conversation", idempotent=True, toolset=TOOLSET),
)
