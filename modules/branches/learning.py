"""Select what a fork learns from its parent, with lower confidence, and what it returns. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..memory.conflict_resolution import Decision
from ..memory.models import Memory, MemoryType, Status
from ..records import dataclass

LEARNT = frozenset({MemoryType.SEMANTIC, MemoryType.PROCEDURAL})
"""Types of memories that an agent has learnt; what happened to it stays its own."""
FORKED_FROM, MERGED_FROM = 0.7, 0.75
"""The least confidence of what is given to a fork, and of what comes back."""
INHERITED = 0.85
"""The share of the confidence that what was learnt by another keeps."""
RAISE = "raise"


def is_learnt(memory: Memory, least: float) -> bool:
    """Return whether a memory is something that an agent has learnt, and is so sure of."""
    stands = memory.status is Status.ACTIVE and memory.valid_to is None and memory.session is None
    return stands and memory.memory_type in LEARNT and memory.confidence >= least


def taught(memory: Memory) -> Memory | None:
    """Return a memory as a fork learns it: a share of the confidence, and of a procedure half of its support.

    None where it is nothing that was learnt, or too unsure.
    """
    if not is_learnt(memory, FORKED_FROM):
        return None
    metadata = elsewhere(memory.metadata)
    if isinstance(metadata.get("support"), int):
        metadata["support"] //= 2
    metadata["forked_from"] = {"agent": memory.namespace, "id": memory.id}
    return replace(
        memory, confidence=memory.confidence * INHERITED, source=f"fork:{memory.namespace}", metadata=metadata
    )


def elsewhere(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata as another namespace understands them: it knows a project by its name, not by its id here."""
    named = metadata.get("project_name")
    return {**metadata, "project": named} if named else dict(metadata)


@dataclass(frozen=True)
class Returned:
    """The outcome of a merge of a fork: how many memories are new to its origin, and of how many it is surer now."""

    new: int
    surer: int


def surer(known: Sequence[tuple[Memory, Memory]], fork: str) -> list[Decision]:
    """Return the decisions about what a fork knows, and its origin in the same words, where the fork is surer of it.

    What is contested there, or waits to be confirmed, is a person's to decide.
    """
    there = {theirs.id: theirs for _, theirs in known if theirs.status is Status.ACTIVE}
    surest: dict[str, float] = {}
    for mine, theirs in known:
        surest[theirs.id] = max(mine.confidence, surest.get(theirs.id, 0.0))
    return [_surer(theirs, surest[name], fork) for name, theirs in there.items() if surest[name] > theirs.confidence]


def _surer(memory: Memory, confidence: float, fork: str) -> Decision:
    standings = {memory.id: replace(memory.standing, confidence=confidence)}
    return Decision(RAISE, memory.id, f"merged from {fork}"[:200], standings)
