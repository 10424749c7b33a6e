"""Upkeep: what happens to memories though nobody asked. All of it can be undone, but for the erasing.

What nobody uses goes stale and into the archive, what is beyond a limit into the archive, and so does what repeats.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .. import offload
from ..clock import Clock
from ..facts.models import EVIDENCE_OF, RELATES_TO, SAME_AS, Relation
from ..records import dataclass
from ..text.counting import counted
from . import lifecycle
from .conflict_resolution import Decision
from .groups import Alike, grouped
from .lifecycle import Verdict
from .lifecycle_service import HUMAN, JOB, LifecycleService
from .merging import may_stand_for, says_about_the_same, says_no_less
from .models import Memory, MemoryType, Status
from .words import content_stems

if TYPE_CHECKING:
    from ...storage.repositories.archive import ArchiveRepository
    from ...storage.repositories.lifecycle import LifecycleRepository
    from ...storage.repositories.memories import MemoriesRepository

CONSOLIDATE = "consolidate"
ARCHIVE_FADED, MERGE_SIMILAR = "archive_faded", "merge_similar"
"""Actions that a human is asked about."""
FADED_BELOW, FADED_DAYS, MOST_FADED = 0.2, 30, 2_000
IGNORED_SHARE = 1 / 3
"""The share of the days until it is stale after which a memory is that sessions were shown in vain."""
LEAST, SHARE = 2, 0.5
"""The content words of a memory that an answer built on it repeats: at least so many, and this share of all."""
AT_ONCE = 200
"""Memories that are changed in one transaction."""
LINKS_AT_ONCE, MOST_LINKS = 1_000, 20_000
"""Links between memories that are about the same, as they are read for a person who looks at groups."""
_AGEING = (Status.ACTIVE, Status.CANDIDATE, Status.STALE)


@dataclass(frozen=True)
class UpkeepSettings:
    """Days until an unused memory goes stale and is archived, and until a forgotten one is erased; 0: never.

    A memory of at least `exempt_importance` never ages. A namespace has at most `capacity` memories; 0: any number.
    """

    stale_days: float = 90.0
    archive_days: float = 180.0
    forgotten_days: float = 30.0
    exempt_importance: float = 0.7
    capacity: int = 0
    decay_rate: float = 0.01


@dataclass(frozen=True)
class ConsolidationStep:
    """One step of a consolidation: `retained` says what `archived` says; `similarity` is their cosine.

    `change` undoes it, None in a preview.
    """

    archived: Memory
    retained: Memory
    similarity: float
    change: str | None = None


Steps = Sequence[ConsolidationStep]


class Upkeep:
    """Keeps the memories of a store in order; every step is a change that can be reverted."""

    def __init__(
        self,
        repository: "MemoriesRepository[Any]",
        ageing: "ArchiveRepository",
        changes: "LifecycleRepository",
        lifecycle: LifecycleService,
        settings: UpkeepSettings,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._ageing = ageing
        self._changes = changes
        self._lifecycle = lifecycle
        self._settings = settings
        self._clock = clock

    async def used(self, namespace: str, shown_ids: Sequence[str], answer: str) -> list[str]:
        """Return the memories shown to an agent that its answer draws on; stale ones and candidates become active."""
        memories = await self._repository.fetch(namespace, shown_ids)
        chars = len(answer) + offload.length(memory.content for memory in memories)
        found = await offload.read(chars, _drawn_on, answer, memories)
        for memory in found:
            if memory.status in (Status.CANDIDATE, Status.STALE):
                await self._lifecycle.reused(namespace, memory.id)
        return [memory.id for memory in found]

    async def age(self, namespace: str) -> int:
        """Mark memories that nobody has used for long as stale, and archive stale ones; return how many moved.

        What sessions were shown again and again, and none of their answers drew on, goes stale sooner. In two steps:
        whatever is archived was stale after an earlier call. Important ones stay as they are.
        """
        moved = 0
        settings = self._settings
        for statuses, days, ignored in (
            ((Status.STALE,), settings.archive_days, settings.archive_days),
            ((Status.ACTIVE, Status.CANDIDATE), settings.stale_days, IGNORED_SHARE * settings.stale_days),
        ):
            if days <= 0:
                continue
            now = self._clock()
            before, ignored_before = now - timedelta(days=days), now - timedelta(days=ignored)
            while True:
                ids = await self._ageing.idle(
                    namespace, statuses, before, ignored_before, settings.exempt_importance, AT_ONCE
                )
                moving = _aged(ignored_before)
                changes = await self._changes.judge(namespace, ids, moving, JOB, now) if ids else []
                moved += len(changes)
                if not changes or len(ids) < AT_ONCE:
                    break
        return moved

    async def make_room(self, namespace: str) -> int:
        """Archive the weakest memories beyond the namespace's capacity; return how many.

        Superseded ones go first, then what has the least importance times strength, the oldest of equals. Turns of
        conversations neither count nor go; what a person confirmed, and what is contested, stays.
        """
        settings, made = self._settings, 0
        while settings.capacity:
            now = self._clock()
            ids = await self._ageing.weakest(namespace, settings.capacity, settings.decay_rate, now, AT_ONCE)
            reason = f"beyond the {settings.capacity} memories of a namespace"
            changes = await self._changes.judge(namespace, ids, _archived(reason), JOB, now) if ids else []
            made += len(changes)
            if not changes:
                break
        return made

    async def retain(self, namespace: str, days: int) -> int:
        """Archive what nobody wrote for so many days, but for what is contested; return how many."""
        now, archived = self._clock(), 0
        while ids := await self._ageing.unchanged_since(namespace, now - timedelta(days=days), AT_ONCE):
            decide = _archived(f"the namespace keeps memories for {counted(days, 'day')}")
            changes = await self._changes.judge(namespace, ids, decide, JOB, now)
            archived += len(changes)
            if not changes:
                break
        return archived

    async def faded(self, namespace: str) -> list[Memory]:
        """Return what is of low importance and nobody has used for FADED_DAYS, but for how-tos; at most MOST_FADED."""
        before = self._clock() - timedelta(days=FADED_DAYS)
        ids = await self._ageing.idle(namespace, _AGEING, before, before, FADED_BELOW, MOST_FADED)
        found = [
            memory
            for begin in range(0, len(ids), AT_ONCE)
            for memory in await self._repository.fetch(namespace, ids[begin : begin + AT_ONCE])
        ]
        return [memory for memory in found if memory.memory_type is not MemoryType.PROCEDURAL]

    async def erase_forgotten(self) -> int:
        """Erase for good, in every namespace, what was forgotten long enough ago; return how many."""
        if self._settings.forgotten_days <= 0:
            return 0
        now = self._clock()
        return await self._ageing.erase_forgotten_everywhere(now - timedelta(days=self._settings.forgotten_days), now)

    async def consolidation(
        self,
        namespace: str,
        limit: int = AT_ONCE,
        *,
        similar: bool = False,
        reworded: bool = False,
        least: float = 0.0,
    ) -> list[ConsolidationStep]:
        """Return what a consolidation would archive now: the newer of two that are the same text.

        With `similar`, instead of memories about the same in other words the one that says less; with `reworded`, also
        the newer of two that tell the same in other words; of any only those that are `least` as similar.
        """
        if similar:
            return _each_once(await self._steps(namespace, RELATES_TO, limit, _of_similar, least))
        steps = await self._steps(namespace, EVIDENCE_OF, limit, _of_one_text, least)
        if reworded:
            steps += await self._steps(namespace, SAME_AS, limit - len(steps), _of_one_meaning, least)
        return _each_once(steps)

    async def _steps(
        self, namespace: str, kind: str, limit: int, step: Callable[[Memory, Memory, float], Steps], least: float
    ) -> list[ConsolidationStep]:
        """Return at most `limit` steps for memories that are linked in one way, by the `step` for two of them."""
        steps: list[ConsolidationStep] = []
        seen = 0
        while len(steps) < limit:  # most links may be between memories that say different things
            links = await self._changes.links(namespace, kind, AT_ONCE, seen)
            seen += len(links)
            ids = list({name for link in links for name in (link.from_id, link.to_id)})
            found = {memory.id: memory for memory in await self._repository.fetch(namespace, ids)}
            for link in links:
                if link.from_id in found and link.to_id in found and link.weight >= least:
                    steps += step(found[link.from_id], found[link.to_id], link.weight)
            if len(links) < AT_ONCE:
                break
        return steps[:limit]

    async def alike(self, namespace: str, least: float, most: int) -> list[Alike]:
        """Return groups of memories that are at least so alike, the largest first; of `most` memories or some more."""
        close: list[Relation] = []
        seen, named = 0, set[str]()
        while len(named) < most and seen < MOST_LINKS:
            links = await self._changes.links(namespace, RELATES_TO, LINKS_AT_ONCE, seen)
            seen += len(links)
            close += [link for link in links if link.weight >= least]
            named = {name for link in close for name in (link.from_id, link.to_id)}
            if len(links) < LINKS_AT_ONCE:
                break
        found = await self._repository.fetch(namespace, sorted(named))
        return grouped(close, {memory.id: memory for memory in found})

    async def consolidate(
        self,
        namespace: str,
        by: str = HUMAN,
        limit: int = AT_ONCE,
        *,
        similar: bool = False,
        reworded: bool = False,
        least: float = 0.0,
    ) -> list[ConsolidationStep]:
        """Carry out what `consolidation` shows, each step a change of its own that can be reverted.

        A job does not do again what somebody has undone.
        """
        planned = await self.consolidation(namespace, limit, similar=similar, reworded=reworded, least=least)
        if by == JOB:
            planned = [step for step in planned if not await self._is_undone(namespace, step.archived.id)]
        steps = {step.archived.id: step for step in planned}

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            present = {memory.id: memory for memory in memories}
            return [
                Decision(
                    CONSOLIDATE,
                    step.archived.id,
                    f"duplicates {step.retained.id}",
                    {step.archived.id: lifecycle.after(Verdict.ARCHIVE, step.archived)},
                )
                for step in planned
                if all(_stands(each, present) for each in (step.archived, step.retained))
            ]

        ids = [memory.id for step in planned for memory in (step.archived, step.retained)]
        changes = await self._changes.judge(namespace, ids, decide, by, self._clock())
        return [replace(steps[change.memory_id], change=change.id) for change in changes]

    async def _is_undone(self, namespace: str, memory_id: str) -> bool:
        judged = await self._lifecycle.changes(namespace, memory_id)
        return any(change.action == CONSOLIDATE and change.reverted_by is not None for change in judged)


def _of_one_text(newer: Memory, older: Memory, similarity: float) -> Steps:
    return [ConsolidationStep(newer, older, similarity)] if says_no_less(older, newer) else []


def _of_one_meaning(newer: Memory, older: Memory, similarity: float) -> Steps:
    return [ConsolidationStep(newer, older, similarity)] if may_stand_for(older, newer) else []


def _of_similar(newer: Memory, older: Memory, similarity: float) -> Steps:
    for retained, archived in ((older, newer), (newer, older)):
        if says_about_the_same(retained, archived):
            return [ConsolidationStep(archived, retained, similarity)]
    return []


def _stands(memory: Memory, present: dict[str, Memory]) -> bool:
    """Return whether a memory is still as a plan saw it."""
    now = present.get(memory.id)
    return now is not None and now.status is memory.status and now.version == memory.version


def _each_once(steps: Sequence[ConsolidationStep]) -> list[ConsolidationStep]:
    """Return the steps that can be carried out together: none archives the memory that another one keeps."""
    archived: set[str] = set()
    retained: set[str] = set()
    chosen = []
    for step in steps:
        if step.archived.id not in archived | retained and step.retained.id not in archived:
            archived.add(step.archived.id)
            retained.add(step.retained.id)
            chosen.append(step)
    return chosen


Decide = Callable[[Sequence[Memory]], list[Decision]]


def _archived(reason: str) -> Decide:
    """Return a function that decides to archive memories."""

    def decide(memories: Sequence[Memory]) -> list[Decision]:
        return [
            Decision(Verdict.ARCHIVE, memory.id, reason, {memory.id: lifecycle.after(Verdict.ARCHIVE, memory)})
            for memory in memories
            if memory.status in _AGEING
        ]

    return decide


def _aged(before: datetime) -> Decide:
    """Return a function that decides to age the memories that were last used before a moment, and no others."""

    def decide(memories: Sequence[Memory]) -> list[Decision]:
        return [
            Decision(
                Verdict.AGE,
                memory.id,
                "nobody used it for long",
                {memory.id: lifecycle.after(Verdict.AGE, memory)},
            )
            for memory in memories
            if memory.accessed_at < before and memory.status in lifecycle.TRANSITIONS[Verdict.AGE]
        ]

    return decide


def _drawn_on(answer: str, memories: Iterable[Memory]) -> list[Memory]:
    """Return those of some memories on whose words an answer draws."""
    answer_stems = content_stems(answer)
    return [memory for memory in memories if _is_drawn_on(answer_stems, content_stems(memory.content))]


def _is_drawn_on(answer_stems: frozenset[str], words: frozenset[str]) -> bool:
    return len(words & answer_stems) >= max(min(LEAST, len(words)), SHARE * len(words)) > 0
