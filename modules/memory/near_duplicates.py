"""Near duplicates: a memory with the text of an older one is linked as evidence, one like it as similar or the same.

Nothing is merged. It is done in the background, once a new memory has its vector and nothing else is left to embed.
"""

import asyncio
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..clock import Clock
from ..facts.models import EVIDENCE_OF, RELATES_TO, SAME_AS, Relation
from . import lifecycle
from .calibration import Calibrator
from .conflict_resolution import Decision
from .groups import joined
from .lifecycle import Verdict
from .models import HIDDEN, Candidate, Kind, Memory, MemoryFilter, MemoryType, Vector
from .occurrences import is_another_time
from .sameness import FAR, Wording
from .wordings import with_further

if TYPE_CHECKING:
    from ...storage.repositories.lifecycle import LifecycleRepository
    from ...storage.repositories.memories import MemoriesRepository
    from ...storage.repositories.surroundings import SurroundingsRepository

SIMILAR = 0.80
"""The cosine from which on two memories are about the same."""
NEIGHBOURS, MOST_LINKS = 12, 500
"""The most memories that one is compared with, and the most links between these that are read."""
FOUND_BY = "near duplicate"
ABOUT_THE_SAME, IN_OTHER_WORDS = "similar", "same meaning"


def says_the_same(one: str, other: str) -> bool:
    """Return whether two texts are the same, character by character.

    White space, how letters are composed, and a full stop at the very end do not matter. Nothing else is guessed.
    """
    return plain(one) == plain(other)


def plain(text: str) -> str:
    """Return the form that the same texts share."""
    return " ".join(unicodedata.normalize("NFC", text).split()).removesuffix(".")


class NearDuplicates:
    """Links new memories with the older ones that they repeat or resemble."""

    def __init__(
        self,
        repository: "MemoriesRepository[Any]",
        surroundings: "SurroundingsRepository",
        standings: "LifecycleRepository",
        clock: Clock,
        calibrator: Calibrator | None = None,
    ) -> None:
        """Prepare the looks; without a calibrator the model is the familiar one."""
        self._repository = repository
        self._surroundings = surroundings
        self._changes = standings
        self._clock = clock
        self._calibrator = calibrator

    async def look(self, memory_id: str, generation: int) -> None:
        """Look at one memory that has its vector; the second time changes nothing. Raises StorageUnavailable."""
        embedded = await self._repository.with_vector_everywhere(memory_id, generation)
        if embedded is None or not _may_repeat(embedded[0]):
            return
        memory, vector = embedded
        namespace = memory.namespace
        near = await self._repository.vector_candidates(
            namespace, Vector(generation, vector), MemoryFilter(), self._clock(), NEIGHBOURS
        )
        if self._calibrator is not None:
            near = (await self._calibrator.known()).told(memory.content).of_candidates(near)
        near = [candidate for candidate in near if candidate.id != memory.id and candidate.score >= FAR]
        known = {each.id: each for each in await self._repository.fetch(namespace, [each.id for each in near])}
        older = [(each, known[each.id]) for each in near if each.id in known and _is_older(known[each.id], memory)]
        same = [each for each in older if says_the_same(memory.content, each[1].content)]
        if same:  # the oldest of them is what is confirmed: the others have confirmed it before
            found_by, oldest = min(same, key=lambda each: (each[1].created_at, each[1].id))
            await self._confirm(memory, oldest, found_by)
        similar = [
            Relation(memory.id, other.id, RELATES_TO, round(candidate.score, 4), ABOUT_THE_SAME)
            for candidate, other in older
            if (candidate, other) not in same and candidate.score >= SIMILAR
        ]
        cosines = {other.id: round(candidate.score, 4) for candidate, other in older if (candidate, other) not in same}
        told = await self._told(memory, [other for _, other in older], cosines) if cosines else []
        compared = {each.id: each.content for each in (memory, *known.values())}
        await self._changes.relate(namespace, [*similar, *told], self._clock(), compared)

    async def _told(self, memory: Memory, older: Sequence[Memory], cosines: Mapping[str, float]) -> list[Relation]:
        """Return relations to those that tell the same, by what is known of groups of them."""
        ids = [each.id for each in older]
        links = await self._surroundings.related(memory.namespace, ids, (SAME_AS, EVIDENCE_OF), MOST_LINKS)
        texts = {each.id: Wording(each.content) for each in older}
        groups: dict[str, list[str]] = {}
        for name, first in joined(links, ids).items():
            groups.setdefault(first, []).append(name)
        found = await asyncio.to_thread(with_further, Wording(memory.content), list(groups.values()), texts, cosines)
        return [Relation(memory.id, each, SAME_AS, cosines[each], IN_OTHER_WORDS) for each in found if each in cosines]

    async def _confirm(self, memory: Memory, older: Memory, found: Candidate) -> None:
        relation = Relation(memory.id, older.id, EVIDENCE_OF, round(min(found.score, 1.0), 4), FOUND_BY)

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            present = {each.id: each for each in memories}
            as_it_was = all(
                each.id in present and present[each.id].version == each.version and _may_repeat(present[each.id])
                for each in (memory, older)
            )
            if not as_it_was:
                return []
            standing = present[older.id].standing
            if memory.trust >= lifecycle.TRUSTED:
                standing = replace(standing, confirmations=standing.confirmations + 1)
            return [Decision(Verdict.CONFIRM, older.id, FOUND_BY, {older.id: standing}, [relation], once=True)]

        await self._changes.judge(memory.namespace, [memory.id, older.id], decide, "job", self._clock())


def _may_repeat(memory: Memory) -> bool:
    """Return whether a memory may be evidence: no turn, no summary, nothing that expires, has ended or is hidden."""
    lasting = (
        memory.session is None and memory.memory_type is not MemoryType.WORKING and memory.kind is not Kind.SUMMARY
    )
    return lasting and memory.status not in HIDDEN and memory.valid_to is None


def _is_older(other: Memory, memory: Memory) -> bool:
    """Return whether another memory was told before, and not of another event in the same words."""
    is_older = (other.created_at, other.id) < (memory.created_at, memory.id) and _may_repeat(other)
    return is_older and not (says_the_same(other.content, memory.content) and is_another_time(other, memory))
