"""`agentos fork` and `merge`: what an agent has learnt is given to a new one, which is less sure of it; and back."""

from typing import Annotated

import typer

from .opened import with_caller
from .options import AsJson, Home
from .terminal import say, say_json

Parent = Annotated[str, typer.Argument(metavar="PARENT", help="The agent that it is forked from.")]
Child = Annotated[str, typer.Argument(metavar="CHILD", help="The fork: the agent that learns from PARENT.")]


def fork(parent: Parent, child: Child, home: Home = None, as_json: AsJson = False) -> None:
    """Give a new agent what another has learnt: sure facts, lessons and procedures, each at .85 of the confidence.

    What happened to the parent (sessions, episodes) stays with it. No person has confirmed the child's rules yet. CHILD
    must have no memories.
    """
    count = with_caller(home, lambda agentos, caller: agentos.branches.teach(caller, parent, child))
    if as_json:
        say_json({"parent": parent, "child": child, "memories": count})
    else:
        say(f"{child} has learnt {count} memories from {parent}")


def merge(child: Child, parent: Parent, home: Home = None, as_json: AsJson = False) -> None:
    """Give an agent what its fork is surer of, or has learnt anew, from a confidence of .75 on.

    Of what both know the greater confidence is kept (agentos revert ID undoes it); what contradicts waits in the inbox.
    """
    found = with_caller(home, lambda agentos, caller: agentos.branches.take_back(caller, child, parent))
    if as_json:
        say_json({"parent": parent, "child": child, "new": found.new, "surer": found.surer})
    else:
        say(f"{parent} has learnt {found.new} memories from {child}, and is surer of {found.surer}")
