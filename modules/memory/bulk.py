"""One act on many memories, as a person asks for it: each can be undone, but for erasing."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .. import inputs
from ..clock import Clock
from ..errors import AgentOSError, Conflict, InvalidInput, NotFound, PermissionDenied
from ..records import dataclass
from ..text.scripts import key_form
from .lifecycle import Verdict
from .lifecycle_service import HUMAN, LifecycleService
from .models import Memory, MemoryType, MemoryVersion, Status
from .service import MemoryChanges, MemoryService

if TYPE_CHECKING:
    from ...storage.repositories.archive import ArchiveRepository
    from ...storage.repositories.memories import MemoriesRepository

ARCHIVE, FORGET, ERASE = "archive", "forget", "erase"
MODES = (ARCHIVE, FORGET, ERASE)
MOST_NAMED = 400
"""Ids in one selection: as many as a payload holds."""
MOST_AT_ONCE = 2_000
BELOW, UNUSED_DAYS = 0.2, 30
ERASED_AT_ONCE = EDITED_AT_ONCE = 200
_UNUSED = (Status.ACTIVE, Status.CANDIDATE, Status.STALE)
_VERDICTS = {
    verdict.value: verdict
    for verdict in (Verdict.ARCHIVE, Verdict.FORGET, Verdict.CONFIRM, Verdict.REJECT, Verdict.RESTORE)
}
TAG, UNTAG, RETYPE, WEIGH = "tag", "untag", "type", "importance"


@dataclass(frozen=True)
class Selection:
    """Which memories: those named, or those below an importance that nobody used for some days, but for how-tos."""

    mode: str
    memory_ids: tuple[str, ...] = ()
    below_importance: float = BELOW
    unused_days: int = UNUSED_DAYS

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Selection":
        """Read a payload. Raises InvalidInput."""
        unknown = set(payload) - {"mode", "memory_ids", "below_importance", "unused_days"}
        if unknown:
            raise InvalidInput("payload", f"has unknown fields: {', '.join(sorted(unknown))[:100]}")
        mode = payload.get("mode", ARCHIVE)
        if mode not in MODES:
            raise InvalidInput("payload", f"mode must be one of {', '.join(MODES)}")
        ids = payload.get("memory_ids", [])
        if not isinstance(ids, list) or not all(isinstance(one, str) and one for one in ids) or len(ids) > MOST_NAMED:
            raise InvalidInput("payload", f"memory_ids must be a list of at most {MOST_NAMED} ids")
        if "memory_ids" in payload and (not ids or len(payload) > len({"mode", "memory_ids"} & set(payload))):
            raise InvalidInput("payload", "give either memory_ids, at least one, or below_importance and unused_days")
        below, days = payload.get("below_importance", BELOW), payload.get("unused_days", UNUSED_DAYS)
        if isinstance(below, bool) or not isinstance(below, int | float) or not 0 < below <= 1:
            raise InvalidInput("payload", "below_importance must be a number above 0, at most 1")
        if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= 36_500:
            raise InvalidInput("payload", "unused_days must be a whole number of 1 or more")
        return cls(mode, tuple(dict.fromkeys(ids)), float(below), days)


@dataclass(frozen=True)
class BulkDone:
    """The result of a bulk action: how many memories it changed, the changes that undo it, and the skipped ids."""

    count: int
    changes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Bulk:
    """Acts on many memories over one store."""

    def __init__(
        self,
        memory: MemoryService,
        lifecycle: LifecycleService,
        reading: "MemoriesRepository[Any]",
        ageing: "ArchiveRepository",
        clock: Clock,
    ) -> None:
        self._memory = memory
        self._lifecycle = lifecycle
        self._reading = reading
        self._ageing = ageing
        self._clock = clock

    async def selected(self, namespace: str, selection: Selection) -> list[Memory]:
        """Return the memories that a selection means now, at most MOST_AT_ONCE."""
        ids: Sequence[str] = selection.memory_ids
        if not ids:
            before = self._clock() - timedelta(days=selection.unused_days)
            below = selection.below_importance
            ids = await self._ageing.idle(namespace, _UNUSED, before, before, below, MOST_AT_ONCE)
        found = await self._reading.fetch(namespace, ids)
        if selection.memory_ids:
            return list(found)
        return [memory for memory in found if memory.memory_type is not MemoryType.PROCEDURAL]

    async def carry_out(
        self, namespace: str, memory_ids: Sequence[str], act: str, by: str = HUMAN, note: str = ""
    ) -> BulkDone:
        """Confirm, reject, archive, forget, restore or erase memories; a `note` is kept as the reason.

        Done again, it changes nothing more, but for confirming and rejecting. What is gone, or what somebody else has
        to decide about, is left. Raises InvalidInput.
        """
        if len(memory_ids) > MOST_AT_ONCE:
            raise InvalidInput("memory_ids", f"has {len(memory_ids)} ids; the limit is {MOST_AT_ONCE}")
        for one in memory_ids:
            inputs.text("memory_id", one, 200)
        if act == ERASE:
            return await self._erase(namespace, list(dict.fromkeys(memory_ids)), by)
        if act not in _VERDICTS:
            raise InvalidInput("act", f"must be one of {', '.join((*_VERDICTS, ERASE))}")
        changes, left = await self._lifecycle.say_all(namespace, memory_ids, _VERDICTS[act], by, note)
        return BulkDone(len(changes), tuple(change.id for change in changes), tuple(left))

    async def _erase(self, namespace: str, memory_ids: Sequence[str], by: str) -> BulkDone:
        erased, left = 0, []
        for begin in range(0, len(memory_ids), ERASED_AT_ONCE):
            batch = memory_ids[begin : begin + ERASED_AT_ONCE]
            there = {memory.id for memory in await self._reading.fetch(namespace, batch)}
            left += [one for one in batch if one not in there]
            try:
                if there:
                    await self._memory.delete(namespace, *there, by=by)
                erased += len(there)
            except NotFound:
                left += there
            except PermissionDenied:  # one of them is a person's to erase: the others go all the same
                for one in sorted(there):
                    try:
                        await self._memory.delete(namespace, one, by=by)
                        erased += 1
                    except (NotFound, PermissionDenied):
                        left.append(one)
        return BulkDone(erased, (), tuple(left))

    async def edit(self, namespace: str, named: Sequence[tuple[str, int]], field: str, value: Any) -> BulkDone:
        """Change a field of memories that are still at the version named: TAG, UNTAG, RETYPE or WEIGH.

        What has changed since, is gone, or cannot be changed so is left. Done again, it changes nothing more.
        """
        changed, left = 0, []
        for begin in range(0, len(named), EDITED_AT_ONCE):
            batch = dict(named[begin : begin + EDITED_AT_ONCE])
            found = {memory.id: memory for memory in await self._reading.fetch(namespace, list(batch))}
            for name, version in batch.items():
                memory = found.get(name)
                if memory is None or memory.version != version:
                    left.append(name)
                    continue
                given = edited_fields(memory, field, value)
                if given == edited_fields(memory):
                    continue
                try:
                    await self._memory.update(namespace, name, _only(field, given), version)
                    changed += 1
                except (NotFound, Conflict, InvalidInput, PermissionDenied):
                    left.append(name)
        return BulkDone(changed, (), tuple(left))

    async def unedit(self, namespace: str, memory: Memory, before: MemoryVersion, field: str) -> bool:
        """Give a field of a memory its earlier value; return whether it did, which a change meanwhile prevents."""
        try:
            await self._memory.update(namespace, memory.id, _only(field, edited_fields(before)), memory.version)
        except (NotFound, Conflict, InvalidInput, PermissionDenied):
            return False
        return True

    async def undo(self, namespace: str, changes: Sequence[str], by: str = HUMAN) -> BulkDone:
        """Undo changes, the last first; what a later decision stands in the way of is left."""
        undone, left = [], []
        for change in reversed(changes):
            try:
                undone.append((await self._lifecycle.revert(namespace, change, by))[0].id)
            except AgentOSError:
                left.append(change)
        return BulkDone(len(undone), tuple(undone), tuple(left))


@dataclass(frozen=True)
class EditedFields:
    """The fields of a memory that an act on many may change."""

    memory_type: MemoryType
    tags: tuple[str, ...]
    importance: float


def edited_fields(memory: Memory | MemoryVersion, field: str = "", value: Any = None) -> EditedFields:
    """Return the fields of a memory that a person may edit; with a `field`, as they will be when it has the `value`."""
    kind, tags, importance = memory.memory_type, memory.tags, memory.importance
    if field == TAG:
        tags = tuple(dict.fromkeys((*tags, *value)))
    elif field == UNTAG:
        away = {key_form(one) for one in value}
        tags = tuple(tag for tag in tags if key_form(tag) not in away)
    elif field == RETYPE:
        kind = MemoryType(value)
    elif field == WEIGH:
        importance = float(value)
    return EditedFields(kind, tags, importance)


def _only(field: str, given: EditedFields) -> MemoryChanges:
    if field == RETYPE:
        return MemoryChanges(memory_type=given.memory_type.value)
    return MemoryChanges(importance=given.importance) if field == WEIGH else MemoryChanges(tags=given.tags)
