"""Select what a fork learns from its parent, with lower confidence, and what it returns. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..memory.conflict_resolution import Decision
from ..memory.models import HIDDEN, Memory, MemoryType, Status
from .models import Offered

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
    metadata: dict[str, Any] = dict(memory.metadata)
    if isinstance(metadata.get("support"), int):
        metadata["support"] //= 2
    metadata["forked_from"] = {"agent": memory.namespace, "id": memory.id}
    return replace(
        memory, confidence=memory.confidence * INHERITED, source=f"fork:{memory.namespace}", metadata=metadata
    )


@dataclass(frozen=True)
class Returned:
    """The outcome of a merge of a fork: how many memories are new to its origin, and of how many it is surer now."""

    new: int
    surer: int


def returned(
    offered: Sequence[Offered], origin: Mapping[str, Memory], fork: str
) -> tuple[list[Decision], list[Memory]]:
    """Return the decisions about what both know and the fork is surer of, and what the fork alone knows.

    `origin` are the memories there that points name, by id. What has ended there, or was hidden or erased, stays so.
    """
    known: dict[str, Memory] = {}
    surest: dict[str, float] = {}
    new: list[Memory] = []
    for one in offered:
        there = one.same if one.point is None else _shown(origin.get(one.point.origin_id)) or one.same
        if not is_learnt(one.memory, MERGED_FROM):
            continue
        if there is not None:
            known[there.id] = there
            surest[there.id] = max(one.memory.confidence, surest.get(there.id, 0.0))
        elif one.point is None:
            new.append(one.memory)
    surer = [_surer(there, surest[name], fork) for name, there in known.items() if surest[name] > there.confidence]
    return surer, new


def _shown(memory: Memory | None) -> Memory | None:
    return None if memory is None or memory.status in HIDDEN or memory.valid_to is not None else memory


def _surer(memory: Memory, confidence: float, fork: str) -> Decision:
    standings = {memory.id: replace(memory.standing, confidence=confidence)}
    return Decision(RAISE, memory.id, f"merged from {fork}"[:200], standings)
