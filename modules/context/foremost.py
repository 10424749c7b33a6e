"""The memories that an agent should know before all else: what binds it and what has changed first, habits last."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum

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


class Foremost:
    """Chooses what an agent is shown without asking."""

    def __init__(self, memory: MemoryService, unasked: Unasked) -> None:
        self._memory = memory
        self._unasked = unasked

    async def __call__(
        self, namespace: str, limit: int, project: Sequence[str] = (), most: int | None = None
    ) -> list[tuple[Memory, Precedence]]:
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
            (memory, rank)
            for memory, rank in zip(allowed, ranks, strict=True)
            if memory.id in place or rank is Precedence.BINDING or (project and memory.project)
        ]
        # What belongs to the project goes before what is everywhere.
        ordered = sorted(
            ranked, key=lambda one: (one[1], bool(project) and not one[0].project, place.get(one[0].id, limit))
        )
        step = most or len(ordered) or 1
        shown: list[tuple[Memory, Precedence]] = []
        once: list[tuple[Memory, Precedence]] = []
        for begin in range(0, len(ordered), step):
            shown += await unsuspicious(ordered[begin : begin + step], lambda one: one[0].words)
            once = await self._told_once(namespace, shown)
            if most is not None and len(once) >= most:
                break
        return once

    async def _told_once(
        self, namespace: str, ranked: Sequence[tuple[Memory, Precedence]]
    ) -> list[tuple[Memory, Precedence]]:
        """Return the memories, best first, without those that tell what a better one tells."""
        known = [memory.id for memory, _ in ranked]
        group_of = await self._memory.same(namespace, known)
        told: set[str] = set()
        once = []
        for memory, rank in ranked:
            names = {group_of[memory.id], equal_form(memory.content)}
            if not told & names:
                once.append((memory, rank))
            told |= names
        return once


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
