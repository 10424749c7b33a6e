"""`agentos fork` and `merge`: what an agent has learnt is given to a new one, which is less sure of it; and back."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance.parts import Part, branched
from ...conformance.reader import Row
from ...modules import identifiers
from .opened import with_store
from .options import AsJson, Home
from .passports import brought, carried, replayed
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS

LEARNT = frozenset({"semantic", "procedural"})
"""Types of memories that an agent has learnt; what happened to it stays its own."""
FORKED_FROM, MERGED_FROM = 0.7, 0.75
"""The least confidence of what is given to a fork, and of what comes back."""
INHERITED = 0.85
"""The share of the confidence that what was learnt by another keeps."""

Parent = Annotated[str, typer.Argument(metavar="PARENT", help="The agent that the memories belong to.")]
Child = Annotated[str, typer.Argument(metavar="CHILD", help="The agent to create from it.")]


def fork(parent: Parent, child: Child, home: Home = None, as_json: AsJson = False) -> None:
    """Give a new agent what another has learnt: sure facts, lessons and procedures, each at .85 of the confidence.

    What happened to the parent (sessions, episodes) stays with it. No person has confirmed the child's rules yet. CHILD
    must have no memories.
    """
    done = replayed(forked(carried(home, parent), parent, child), child, home)
    count = done.new.get("memories", 0)
    if as_json:
        say_json({"parent": parent, "child": child, "memories": count})
    else:
        say(f"{child} has learnt {count} memories from {parent}")


def merge(child: Child, parent: Parent, home: Home = None, as_json: AsJson = False) -> None:
    """Give an agent what its fork is surer of, or has learnt anew, from a confidence of .75 on.

    Of what both know the greater confidence is kept (agentos revert ID undoes it); what contradicts waits in the inbox.
    """
    parent, child = identifiers.agent("parent", parent), identifiers.agent("child", child)
    known, learnt = carried(home, parent), carried(home, child)
    surer, new = merged(known, learnt, parent, child)
    reason = f"merged from {child}"[:200]

    async def give(agentos: "AgentOS", _: str) -> tuple[int, int]:
        from ...modules.memory.lifecycle_service import AGENT

        added = (await brought(agentos, new, home)).new.get("memories", 0) if new.memories else 0
        return added, await agentos.lifecycle.raise_confidence(parent, surer, reason, AGENT)

    added, raised = with_store(home, give)
    if as_json:
        say_json({"parent": parent, "child": child, "new": added, "surer": raised})
    else:
        say(f"{parent} has learnt {added} memories from {child}, and is surer of {raised}")


def forked(part: Part, parent: str, child: str) -> Part:
    """Return what a child learns from a parent, in its own namespace; each memory names the one it was made from."""
    chosen = part.only(name for name, row in part.memories.items() if is_learnt(row, FORKED_FROM))
    origins = {branched(name, child): name for name in chosen.memories}
    moved = chosen.moved(child)
    moved.memories = {
        name: row
        | {"confidence": row["confidence"] * INHERITED, "source": f"fork:{parent}"}
        | _told(row, {"forked_from": {"agent": parent, "id": origins[name]}}, support=2)
        for name, row in moved.memories.items()
    }
    return moved


def merged(known: Part, learnt: Part, parent: str, child: str) -> tuple[dict[str, float], Part]:
    """Return the new confidence, by id, of what both know and the child is surer of; and what only the child knows."""
    mine = {branched(name, child): name for name in known.memories}
    texts = {row["content"]: name for name, row in known.memories.items()}
    surer: dict[str, float] = {}
    new: list[str] = []
    for name, row in learnt.memories.items():
        if not is_learnt(row, MERGED_FROM):
            continue
        same = mine.get(name) or texts.get(row["content"])
        if same is None:
            new.append(name)
        elif row["confidence"] > max(known.memories[same]["confidence"], surer.get(same, 0.0)):
            surer[same] = row["confidence"]
    origins = {branched(name, parent): name for name in new}
    moved = learnt.only(new).moved(parent)
    moved.memories = {
        name: row | {"source": f"fork:{child}"} | _told(row, {"merged_from": {"agent": child, "id": origins[name]}})
        for name, row in moved.memories.items()
    }
    return surer, moved


def is_learnt(row: Row, least: float) -> bool:
    """Return whether a memory is something that an agent has learnt, and is so sure of."""
    stands = row["status"] == "active" and row.get("valid_to") is None and row.get("session") is None
    return stands and row["memory_type"] in LEARNT and row["confidence"] >= least


def _told(row: Row, more: Mapping[str, Any], support: int = 1) -> Row:
    """Return the metadata of a copy: where it comes from, and of a procedure a share of its support, 1/`support`."""
    metadata = json.loads(row.get("metadata") or "{}")
    if isinstance(metadata.get("support"), int):
        metadata["support"] //= support
    return {"metadata": json.dumps(metadata | more, ensure_ascii=False, sort_keys=True)}
