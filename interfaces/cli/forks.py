"""`agentos fork` and `merge`: what an agent has learnt is given to a new one, which is less sure of it; and back."""

from typing import TYPE_CHECKING, Annotated

import typer

from ...modules import identifiers
from .opened import with_caller
from .options import AsJson, Home
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.memory.models import Memory
    from ...modules.principals.models import Caller

PAGE = 200

Parent = Annotated[str, typer.Argument(metavar="PARENT", help="The agent to fork from.")]
Child = Annotated[str, typer.Argument(metavar="CHILD", help="The fork: the agent that learns from PARENT.")]


def fork(parent: Parent, child: Child, home: Home = None, as_json: AsJson = False) -> None:
    """Give a new agent another agent's knowledge: confident facts, lessons and procedures, at .85 of the confidence.

    The parent's sessions and episodes are not copied. The child's rules count as unconfirmed. CHILD
    must have no memories.
    """
    count = with_caller(home, lambda agentos, caller: agentos.branches.teach(caller, parent, child))
    if as_json:
        say_json({"parent": parent, "child": child, "memories": count})
    else:
        say(f"{child} learned {count} memories from {parent}")


def merge(child: Child, parent: Parent, home: Home = None, as_json: AsJson = False) -> None:
    """Give an agent what its fork is surer of or has newly learned, with confidence of .75 or more.

    If both know it, the greater confidence is kept (agentos revert ID undoes it); what contradicts waits in the inbox.
    """
    from ...modules.branches.learning import returned
    from ...modules.memory.lifecycle_service import AGENT

    parent, child = identifiers.agent("parent", parent), identifiers.agent("child", child)

    async def give(agentos: "AgentOS", caller: "Caller") -> tuple[int, int]:
        known, learnt = [await _all(agentos, caller.reading(name)) for name in (parent, child)]
        surer, new = returned(known, learnt)
        added = await agentos.branches.take_back(caller, child, parent, new) if new else 0
        reason = f"merged from {child}"[:200]
        return added, await agentos.lifecycle.raise_confidence(parent, surer, reason, AGENT)

    added, raised = with_caller(home, give)
    if as_json:
        say_json({"parent": parent, "child": child, "new": added, "surer": raised})
    else:
        say(f"{parent} learned {added} memories from {child}, and became surer of {raised}")


async def _all(agentos: "AgentOS", namespace: str) -> "list[Memory]":
    from ...modules.memory.models import MemoryFilter

    found: list[Memory] = []
    cursor = None
    while True:
        page = await agentos.memory.page(namespace, MemoryFilter(include_superseded=True), PAGE, 0, cursor)
        found += page.memories
        if (cursor := page.next_cursor) is None:
            return found
