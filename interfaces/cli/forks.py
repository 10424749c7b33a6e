"""`agentos fork` and `merge`: what an agent has learnt is given to a new one, which is less sure of it; and back."""

from typing import Annotated

import typer

from ...modules.text.counting import memories_counted
from .opened import with_caller
from .options import AsJson, Home
from .terminal import say, say_json

Parent = Annotated[str, typer.Argument(metavar="PARENT", help="The agent to fork from.")]
Child = Annotated[str, typer.Argument(metavar="CHILD", help="The fork: the agent that learns from PARENT.")]
Origin = Annotated[str, typer.Argument(metavar="PARENT", help="The agent that CHILD was forked from.")]


def fork(parent: Parent, child: Child, home: Home = None, as_json: AsJson = False) -> None:
    """Give a new agent another agent's confident facts, lessons and procedures, at .85 of their confidence.

    The parent's sessions and episodes are not copied. The child's rules count as unconfirmed. CHILD
    must have no memories.
    """
    count = with_caller(home, lambda agentos, caller: agentos.branches.teach(caller, parent, child))
    if as_json:
        say_json({"parent": parent, "child": child, "memories": count})
    else:
        say(f"{child} learned {memories_counted(count)} from {parent}")


def merge(child: Child, parent: Origin, home: Home = None, as_json: AsJson = False) -> None:
    """Give an agent what its fork is surer of or has newly learned, with confidence of .75 or more.

    If both know it, the greater confidence is kept (agentos revert ID undoes it). Contradictions wait for your
    decision (agentos approvals).
    """
    found = with_caller(home, lambda agentos, caller: agentos.branches.take_back(caller, child, parent))
    if as_json:
        say_json({"parent": parent, "child": child, "new": found.new, "surer": found.surer})
    else:
        say(f"{parent} learned {memories_counted(found.new)} from {child}, and became surer of {found.surer}")
