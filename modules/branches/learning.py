"""Select what a fork learns from its parent, with lower confidence, and what it returns. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..memory.models import Memory, MemoryType, Status

LEARNT = frozenset({MemoryType.SEMANTIC, MemoryType.PROCEDURAL})
"""Types of memories that an agent has learnt; what happened to it stays its own."""
FORKED_FROM, MERGED_FROM = 0.7, 0.75
"""The least confidence of what is given to a fork, and of what comes back."""
INHERITED = 0.85
"""The share of the confidence that what was learnt by another keeps."""


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
    metadata: dict[str, Any] = dict(memory.metadata)
    if isinstance(metadata.get("support"), int):
        metadata["support"] //= 2
    metadata["forked_from"] = {"agent": memory.namespace, "id": memory.id}
    return replace(
        memory, confidence=memory.confidence * INHERITED, source=f"fork:{memory.namespace}", metadata=metadata
    )


def returned(known: Sequence[Memory], learnt: Sequence[Memory]) -> tuple[dict[str, float], list[str]]:
    """Return the new confidence, by id, of what both know and the fork is surer of; and the ids of what only it knows.

    `known` are the memories of the agent, `learnt` those of its fork.
    """
    by_id = {one.id: one for one in known}
    by_text = {one.content: one for one in known}
    surer: dict[str, float] = {}
    new: list[str] = []
    for memory in learnt:
        if not is_learnt(memory, MERGED_FROM):
            continue
        same = by_id.get(_origin(memory)) or by_text.get(memory.content)
        if same is None:
            new.append(memory.id)
        elif memory.confidence > max(same.confidence, surer.get(same.id, 0.0)):
            surer[same.id] = memory.confidence
    return surer, new


def _origin(memory: Memory) -> str:
    """Return the id of the memory that a fork's was made of."""
    origin = memory.metadata.get("forked_from")
    return str(origin.get("id")) if isinstance(origin, dict) else ""
