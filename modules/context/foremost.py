"""The memories that an agent should know before all else: what binds it and what has changed first, habits last."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

from .. import offload
from ..memory.models import Kind, Memory, MemoryFilter, MemoryType
from ..memory.sameness import equal_form
from ..memory.service import MemoryService
from ..suspicion import unsuspicious
from . import lessons
from .task_state import is_constraint, is_decision, is_preference
from .unasked import Unasked

BINDING_TAGS = ("decision", "preference", "constraint", lessons.TAG)
"""Tags of memories that bind, whatever their words."""
READ_CHARS = 400
"""The characters of a memory that are read to find its precedence."""
NEWEST, OF_A_TAG = 20, 20
"""The number of memories looked at beside the strongest: the newest ones, and those with each of BINDING_TAGS."""


class Precedence(IntEnum):
    """The order in which memories are shown: decisions, preferences, constraints and current values of what changed;
    anything else; procedures; what another memory has probably replaced."""

    BINDING = 0
    OTHER = 1
    PROCEDURE = 2
    OUTDATED = 3


class Chosen(NamedTuple):
    """A memory to show, its precedence, and the ids of those that tell the same."""

    memory: Memory
    rank: Precedence
    also: frozenset[str] = frozenset()


class Foremost:
    """Chooses what an agent is shown without asking."""

    def __init__(self, memory: MemoryService, unasked: Unasked) -> None:
        self._memory = memory
        self._unasked = unasked

    async def __call__(
        self, namespace: str, limit: int, project: Sequence[str] = (), most: int | None = None
    ) -> list[Chosen]:
        """Return memories that may be shown, by precedence, then importance × strength, among the `limit` strongest.

        With `most`, no more are looked for once there are as many.

        Turns of conversations are not among them, and what tells the same is told once.
        With the names of a `project`, memories of others are left out, and the newest of its own are looked at too.
        """
        strongest, newest, *more = await asyncio.gather(
            self._memory.strongest(namespace, limit),
            self._memory.newest(namespace, MemoryFilter(), NEWEST),
            *(self._memory.newest(namespace, MemoryFilter(tags=(tag,)), OF_A_TAG) for tag in BINDING_TAGS),
            *(self._memory.newest(namespace, MemoryFilter(projects=(name,)), NEWEST) for name in project),
        )
        known = {memory.id: memory for memories in (strongest, newest, *more) for memory in memories}
        lasting = (memory for memory in known.values() if memory.kind is not Kind.EPISODE)
        allowed = await self._unasked.credible(memory for memory in lasting if is_for(memory, project))
        current = await self._memory.replacing(namespace, [memory.id for memory in allowed])
        current |= {memory.outdated_by for memory in allowed if memory.outdated_by}
        chars = offload.length(memory.content[:READ_CHARS] for memory in allowed)
        ranks = await offload.read(chars, lambda: [precedence(memory, current) for memory in allowed])
        place = {memory.id: at for at, memory in enumerate(strongest)}
        # What is not among the strongest is here because it binds, or is of the project; all else is left out.
        ranked = [
            Chosen(memory, rank)
            for memory, rank in zip(allowed, ranks, strict=True)
            if memory.id in place or rank is Precedence.BINDING or (project and memory.project)
        ]
        # What belongs to the project goes before what is everywhere.
        ordered = sorted(
            ranked,
            key=lambda one: (one.rank, bool(project) and not one.memory.project, place.get(one.memory.id, limit)),
        )
        step = most or len(ordered) or 1
        shown: list[Chosen] = []
        once: list[Chosen] = []
        for begin in range(0, len(ordered), step):
            shown += await unsuspicious(ordered[begin : begin + step], lambda one: one.memory.words)
            once = await self.told_once(namespace, shown)
            if most is not None and len(once) >= most:
                break
        return once

    async def told_once(self, namespace: str, ranked: Sequence[Chosen]) -> list[Chosen]:
        """Return the memories, best first, without those that tell what a better one tells; that one names them."""
        group_of = await self._memory.same(namespace, [one.memory.id for one in ranked])
        told: dict[str, str] = {}
        once: dict[str, Chosen] = {}
        for one in ranked:
            names = group_of[one.memory.id], equal_form(one.memory.content)
            first = next((told[name] for name in names if name in told), None)
            if first is None:
                once[one.memory.id] = one
            else:
                others = once[first].also | one.also | {one.memory.id}
                once[first] = once[first]._replace(also=others - {first})
            told |= {name: first or one.memory.id for name in names if name not in told}
        return list(once.values())


def is_for(memory: Memory, project: Collection[str]) -> bool:
    """Return whether a memory belongs to the project of these names, or to none; without names every one does."""
    return not project or not memory.project or memory.project in project


def precedence(memory: Memory, current: Collection[str] = ()) -> Precedence:
    """Return the precedence of a memory; those with an id in `current` have replaced others."""
    if memory.outdated_by is not None:
        return Precedence.OUTDATED
    if memory.id in current or memory.kind in (Kind.PREFERENCE, Kind.RULE) or _has_any(memory.tags, BINDING_TAGS):
        return Precedence.BINDING
    if memory.kind is Kind.PROCEDURE or memory.memory_type is MemoryType.PROCEDURAL:
        return Precedence.PROCEDURE
    text = memory.content[:READ_CHARS]
    binds = is_decision(text) or is_preference(text) or is_constraint(text)
    return Precedence.BINDING if binds else Precedence.OTHER


def _has_any(tags: Iterable[str], of: Collection[str]) -> bool:
    return any(tag in of for tag in tags)
