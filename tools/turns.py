"""The tools of conversations: turns are kept in order, and a session can branch."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.turns.models import Turn
from ..modules.turns.service import WINDOW
from ..modules.views import turns as views
from .filters import Moment
from .tool import Tool

TOOLSET = "turns"
MAX_MESSAGES = 500
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "tool": "tool"}
_ROLES |= {"model": "assistant", "function": "tool", "system": "system", "developer": "system"}
"""Roles of turns, by what chat interfaces call them."""


class Message(BaseModel):
    """A message as chat interfaces write it; further fields are ignored."""

    role: Literal["user", "human", "assistant", "ai", "model", "tool", "function", "system", "developer"]
    content: str | list[dict[str, Any]] | None = None
    parts: list[dict[str, Any]] | None = None
    occurred_at: str | None = None


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


async def conversation_add(
    agentos: AgentOS,
    namespace: str,
    *,
    messages: Annotated[
        list[Message],
        Field(min_length=1, max_length=MAX_MESSAGES, description="in order; those stored before may be among them"),
    ],
    session: Annotated[str | None, Field(description="default: the day and a digest of the first message")] = None,
    extract: Annotated[bool, Field(description="read facts from it")] = True,
) -> views.ConversationAdded:
    """Store a conversation's messages, each once and in order, and the facts that they state."""
    skipped: Counter[str] = Counter()
    turns = {place: turn async for place, turn in _turns(agentos, messages, skipped)}
    if not turns:
        return views.conversation(session or "", (), 0, None, (), skipped)
    first = next(iter(turns.values()))
    name = await agentos.redactor.text(
        session or f"{agentos.clock():%Y-%m-%d} {_digest(first['role'], first['content'])[:12]}"
    )
    for place, turn in turns.items():
        try:
            await agentos.turns.add(namespace, name, **turn, dry_run=True)
        except InvalidInput as error:
            if error.field == "session":
                raise
            raise InvalidInput(f"messages.{place}.{error.field}", error.problem) from None
    stored: list[Turn] = []
    new = 0
    for turn in turns.values():
        added = await agentos.turns.add(namespace, name, **turn)
        stored += added.turns
        new += added.new
    read = await agentos.extraction.read(namespace, [turn.memory_id for turn in stored]) if extract else None
    facts = [(await agentos.memory.get(namespace, one))[0] for one in (read.fact_ids if read else ())]
    return views.conversation(name, stored, new, read, facts, skipped)


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


async def _turns(
    agentos: AgentOS, messages: Sequence[Message], skipped: Counter[str]
) -> AsyncIterator[tuple[int, Mapping[str, Any]]]:
    """Yield what `turns.add` takes of each message with text, with its place; count what has none.

    The same words of a role have the same key in every call, their second occurrence another one.
    """
    occurrences: Counter[tuple[str, str]] = Counter()
    for place, message in enumerate(messages):
        role, content, at = _ROLES[message.role], message.content or message.parts, message.occurred_at
        parts = [{"text": content}] if isinstance(content, str) else content or []
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
        skipped["parts without text"] += len(parts) - len(texts)
        if role == "system":
            skipped["system messages"] += 1
        elif not "".join(texts).strip():
            skipped["messages without text"] += 1
        else:
            text = await agentos.redactor.text("\n".join(texts))
            occurrences[role, text] += 1
            key = None if at else _digest(role, text, str(occurrences[role, text]))
            yield place, {"role": role, "content": text, "occurred_at": at, "key": key}


def _digest(*parts: str) -> str:
    return sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()


TURN_TOOLS = (
    Tool(conversation_add, "Store a conversation", idempotent=True, toolset=TOOLSET),
    Tool(turn_add, "Keep a turn", toolset=TOOLSET),
    Tool(turn_window, "Last turns", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_branch, "Branch a conversation", idempotent=True, toolset=TOOLSET),
)
