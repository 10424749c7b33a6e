"""The tools of conversations: what is said is kept in order, and a session can branch."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.framing import NOTICE, quote
from ..modules.turns.models import Turn
from ..modules.turns.service import WINDOW
from .tool import Tool

TOOLSET = "turns"


@dataclass(frozen=True)
class TurnAdded:
    """Where the turns stand: `turns` from 0 in the session, one with an answer on the same `page`.

    `duplicate` when all of them were there already.
    """

    session: str
    memory_ids: list[str]
    turns: list[int]
    page: str
    duplicate: bool


@dataclass(frozen=True)
class TurnView:
    """A turn, by the id of its memory; `salience` (0..1) is null until it has been worked out."""

    id: str
    turn: int
    role: str
    text: str
    salience: float | None
    occurred_at: datetime


@dataclass(frozen=True)
class TurnWindow:
    """The last turns of a session, in order."""

    session: str
    results: list[TurnView]


@dataclass(frozen=True)
class Branched:
    """The branch: what it inherits ends with the turn `inherited_until`, -1 for nothing."""

    session: str
    parent: str
    inherited_until: int
    duplicate: bool


async def turn_add(
    agentos: AgentOS,
    namespace: str,
    *,
    session: Annotated[str, Field(description="your name for it")],
    content: str,
    role: Literal["user", "assistant", "system", "tool"] = "user",
    answer: Annotated[str | None, Field(description="the assistant's")] = None,
    occurred_at: str | None = None,
    key: Annotated[str | None, Field(description="same key, same turn")] = None,
    parent: Annotated[str | None, Field(description="session to branch off from")] = None,
) -> TurnAdded:
    """Keep a turn of a conversation, or a question with its answer, in order."""
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
    return TurnAdded(
        added.turns[-1].session,
        [turn.memory_id for turn in added.turns],
        [turn.place for turn in added.turns],
        added.turns[-1].page,
        added.new == 0,
    )


async def turn_window(agentos: AgentOS, namespace: str, *, session: str, limit: int = WINDOW) -> TurnWindow:
    """The last turns of a conversation, in order, as they were said."""
    return TurnWindow(session, [_view(turn) for turn in await agentos.turns.window(namespace, session, limit)])


async def session_branch(
    agentos: AgentOS,
    namespace: str,
    *,
    parent: str,
    session: Annotated[str, Field(description="name of the branch")],
    at: Annotated[int | None, Field(description="last turn to inherit; default: all")] = None,
) -> Branched:
    """Go on from a conversation in a new session, which leaves the first as it is."""
    branch = await agentos.turns.branch(namespace, parent, session, at)
    return Branched(branch.session, branch.parent, branch.place, not branch.is_new)


def _view(turn: Turn) -> TurnView:
    return TurnView(turn.memory_id, turn.place, turn.role.value, turn.text, turn.salience, turn.occurred_at)


def _added_text(result: TurnAdded) -> str:
    numbers = " and ".join(map(str, result.turns))
    return f"{'Was there already' if result.duplicate else 'Kept'}: turn {numbers} of {quote(result.session)}."


def _window_text(result: TurnWindow) -> str:
    lines = [f"- {one.turn} {one.role}, {one.occurred_at:%Y-%m-%d %H:%M}: {quote(one.text)}" for one in result.results]
    return "\n".join([NOTICE, *lines]) if lines else f"Nothing was said in {quote(result.session)}."


def _branched_text(result: Branched) -> str:
    inherited = f"{result.inherited_until + 1} turns" if result.inherited_until >= 0 else "nothing"
    return f"{quote(result.session)} goes on from {quote(result.parent)}, of which it inherits {inherited}."


TURN_TOOLS = (
    Tool(turn_add, "Keep a turn", _added_text, toolset=TOOLSET),
    Tool(turn_window, "Last turns", _window_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(session_branch, "Branch a conversation", _branched_text, idempotent=True, toolset=TOOLSET),
)
