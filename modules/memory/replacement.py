"""Superseding by meaning: a new statement ends the older one that it replaces, where the rules could not read one.

Looked for in the background, once a new memory has its vector. A logistic model over a few features (`truth.meaning`,
and two cosines) decides, and only when it is sure; otherwise nothing happens. Its weights are in
replacement_weights.json, which `python -m benchmarks.lifecycle.train_meaning --write` makes.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..clock import Clock
from ..truth.models import Relation
from . import lifecycle, logistic
from .judging import SUPERSEDES, Decision
from .models import HIDDEN, Memory, MemoryFilter, MemoryType, Status, Vector
from .ports import Embedder, MemoryRepository, MemoryStandings

if TYPE_CHECKING:
    from ..truth.meaning import Likeness

NEIGHBOURS, COMPARED = 20, 10
"""How many of the nearest memories are looked at for the same subject, and how many of these are compared."""
CACHED = 1_000
BY_MEANING = "by meaning"


@cache
def model() -> logistic.Model:
    """The model as it was trained."""
    return logistic.read("replacement_weights.json")


def features(like: "Likeness", cosine: float, masked: float) -> dict[str, float]:
    """All features of a pair: `cosine` of the texts, `masked` of the texts without subject and values."""
    return {**like.features, "cosine": cosine, "masked": masked, "change_masked": like.features["change"] * masked}


class Replacements:
    """Ends the older memory that a new one replaces, if it is sure of it."""

    def __init__(
        self, repository: MemoryRepository, standings: MemoryStandings, embedder: Embedder, clock: Clock
    ) -> None:
        self._repository = repository
        self._standings = standings
        self._embedder = embedder
        self._clock = clock
        self._masked: OrderedDict[str, bytes] = OrderedDict()

    async def look(self, memory_id: str, generation: int) -> None:
        """Look at one memory that has its vector; the second time changes nothing. Raises StorageUnavailable."""
        embedded = await self._repository.with_vector(memory_id, generation)
        if embedded is None or not _may_take_part(embedded[0]):
            return
        memory, vector = embedded
        near = await self._repository.vector_candidates(
            memory.namespace, Vector(generation, vector), MemoryFilter(), self._clock(), NEIGHBOURS
        )
        cosines = {each.id: each.score for each in near}
        known = await self._repository.fetch(memory.namespace, list(cosines))
        older = [each for each in known if _may_be_replaced(each, memory)]
        older.sort(key=lambda each: -cosines[each.id])
        pairs = await asyncio.to_thread(_alike, older, memory)  # regular expressions, some milliseconds
        judged = [
            (model().probability(features(like, cosines[each.id], await self._cosine(like))), each)
            for each, like in pairs
        ]
        sure = [pair for pair in judged if pair[0] >= model().threshold]
        if sure:
            chance, replaced = max(sure, key=lambda pair: pair[0])
            await self._supersede(memory, replaced, chance)

    async def _cosine(self, like: "Likeness") -> float:
        one, other = [await self._encoded(text) for text in (like.older, like.newer)]
        return await asyncio.to_thread(_dot, one, other)

    async def _encoded(self, text: str) -> bytes:
        if (known := self._masked.get(text)) is not None:
            self._masked.move_to_end(text)
            return known
        [passages] = await self._embedder.encode([text])
        self._masked[text] = passages[0].vector
        if len(self._masked) > CACHED:
            self._masked.popitem(last=False)
        return passages[0].vector

    async def _supersede(self, newer: Memory, older: Memory, chance: float) -> None:
        reason = f"{BY_MEANING}: it replaces what {older.id} says ({chance:.2f})"

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            present = {each.id: each for each in memories}
            if not all(_as_it_was(each, present) for each in (newer, older)):
                return []
            if not (_may_take_part(present[newer.id]) and _may_be_replaced(present[older.id], present[newer.id])):
                return []
            standings = {
                newer.id: present[newer.id].standing,
                older.id: lifecycle.superseded(present[older.id], newer.holds_from),
            }
            relation = Relation(newer.id, older.id, SUPERSEDES, round(chance, 4), BY_MEANING)
            return [Decision("supersede", newer.id, reason, standings, [relation], once=True)]

        await self._standings.judge(newer.namespace, [newer.id, older.id], decide, "job", self._clock())


def _alike(older: Sequence[Memory], memory: Memory) -> list[tuple[Memory, "Likeness"]]:
    from ..truth.meaning import likeness

    found = ((each, likeness(each, memory)) for each in older)
    return [(each, like) for each, like in found if like is not None][:COMPARED]


def _dot(one: bytes, other: bytes) -> float:
    import numpy as np

    return float(np.frombuffer(one, dtype="<f4") @ np.frombuffer(other, dtype="<f4"))


def _as_it_was(memory: Memory, present: Mapping[str, Memory]) -> bool:
    now = present.get(memory.id)
    return now is not None and now.version == memory.version and now.slot == memory.slot


def _may_take_part(memory: Memory) -> bool:
    """Statements of record that hold: no turns of conversations, nothing that expires, is hidden or contested."""
    lasting = memory.session is None and memory.memory_type is not MemoryType.WORKING and memory.expires_at is None
    holds = memory.valid_to is None and memory.status not in HIDDEN and memory.status is not Status.CONTESTED
    return lasting and holds


def _may_be_replaced(older: Memory, newer: Memory) -> bool:
    """Whether the one was there before, holds, is of an earlier moment, and no better known than the newer one."""
    before = (older.created_at, older.id) < (newer.created_at, newer.id) and older.occurred_at < newer.occurred_at
    earlier = before and older.holds_from < newer.holds_from
    return earlier and _may_take_part(older) and lifecycle.may_supersede(newer, older)
