"""Traces of acts in memories: which verdicts name an act, and which versions it made."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..memory.bulk import edited_fields
from ..memory.lifecycle import TRANSITIONS, Verdict
from ..memory.models import Change, Memory, MemoryVersion, Status
from .models import EDITS, Left, Outcome, RequestedAct, What

if TYPE_CHECKING:
    from ...storage.repositories.archive import ArchiveRepository
    from ...storage.repositories.lifecycle import LifecycleRepository
    from ...storage.repositories.memories import MemoriesRepository

Named = Sequence[tuple[str, int]]


class Traces:
    """Reads what acts have done from the memories of one store."""

    def __init__(
        self, reading: "MemoriesRepository[Any]", archive: "ArchiveRepository", changes: "LifecycleRepository"
    ) -> None:
        self._reading = reading
        self._archive = archive
        self._changes = changes

    async def verdicts(self, namespace: str, act_id: str, named: Named) -> Mapping[str, Change]:
        """Return the verdicts of an act, by the memory that each is about."""
        found = await self._changes.with_reason(namespace, [one for one, _ in named], act_id)
        return {change.memory_id: change for change in found}

    async def edited(self, namespace: str, asked: RequestedAct, named: Named) -> list[tuple[Memory, MemoryVersion]]:
        """Return the memories that are as an act changed them, and how each was before it."""
        states = await self._states(namespace, named)
        found = []
        for memory_id, version in named:
            memory, earlier = states.get(memory_id, (None, {}))
            before = earlier.get(version)
            if memory is None or before is None or memory.version != version + 1:
                continue
            if edited_fields(memory) == edited_fields(before, asked.what.value, asked.value):
                found.append((memory, before))
        return found

    async def outcome(self, namespace: str, act_id: str, asked: RequestedAct, named: Named) -> Outcome:
        """Return what an act came to for some of its memories."""
        if asked.what in EDITS:
            return await self._outcome_of_edit(namespace, asked, named)
        found = {one.id: one for one in await self._reading.fetch(namespace, [one for one, _ in named])}
        if asked.what is What.ERASE:
            return _counted(len(named) - len(found), 0, [Left.REFUSED] * len(found))
        verdicts = await self.verdicts(namespace, act_id, named)
        passed = Verdict(asked.what.value)
        left = [_why_left(passed, found.get(one)) for one, _ in named if one not in verdicts]
        return _counted(len(verdicts), sum(change.reverted_by is not None for change in verdicts.values()), left)

    async def _outcome_of_edit(self, namespace: str, asked: RequestedAct, named: Named) -> Outcome:
        states = await self._states(namespace, named)
        changed = undone = 0
        left: list[Left] = []
        for memory_id, version in named:
            memory, earlier = states.get(memory_id, (None, {}))
            of_all: dict[int, Memory | MemoryVersion] = {**earlier, **({memory.version: memory} if memory else {})}
            before, after = of_all.get(version), of_all.get(version + 1)
            if memory is None or before is None or memory.status is Status.FORGOTTEN:
                left.append(Left.GONE)
                continue
            wanted = edited_fields(before, asked.what.value, asked.value)
            if after is not None and edited_fields(after) == wanted != edited_fields(before):
                changed += 1
                later = of_all.get(version + 2)
                undone += later is not None and edited_fields(later) == edited_fields(before)
            elif wanted == edited_fields(before):
                left.append(Left.SAME)
            else:
                left.append(Left.REFUSED if after is None else Left.CHANGED)
        return _counted(changed, undone, left)

    async def _states(self, namespace: str, named: Named) -> Mapping[str, tuple[Memory, Mapping[int, MemoryVersion]]]:
        """Return the memories with their earlier versions, of those that were changed since they were named."""
        planned = dict(named)
        found: dict[str, tuple[Memory, Mapping[int, MemoryVersion]]] = {}
        for memory in await self._reading.fetch(namespace, list(planned)):
            changed = memory.version > planned[memory.id]
            history = await self._archive.history(namespace, memory.id) if changed else []
            found[memory.id] = memory, {one.version: one for one in history}
        return found


def _counted(changed: int, undone: int, left: Sequence[Left]) -> Outcome:
    counts: dict[Any, int] = Counter(left)
    return Outcome(changed, undone, counts)


def _why_left(passed: Verdict, memory: Memory | None) -> Left:
    if memory is None or (memory.status is Status.FORGOTTEN and passed is not Verdict.FORGET):
        return Left.GONE
    return Left.SAME if TRANSITIONS[passed].get(memory.status) is memory.status else Left.REFUSED
