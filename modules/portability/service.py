"""The portability service: export and import of a store, and imports from other systems."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import AgentOSError, InvalidInput
from ..goals.models import Goal
from ..goals.service import GoalService
from ..memory.models import Memory, MemoryFilter
from ..memory.service import MemoryService, Stored
from ..redactor import Redactor
from ..store_request import StoreRequest
from ..views.labels import Labels
from . import markdown
from .models import Entry, Exported, GoalEntry, Imported, Progress, Taken, Viewed, unheard
from .ports import ImportSource, PortableStore

SHOWN = 5
GOAL_STATUSES = ("active", "paused", "completed", "abandoned")
ENTRIES_AT_ONCE = 500
GOALS_AT_ONCE = 200
MEMORIES_AT_ONCE = 200


@dataclass
class _Tally:
    """Counts of the entries processed so far, of `total`, and the listener of the progress."""

    progress: Progress
    total: int
    new: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)

    def add(self, entry: Entry, *, is_known: bool) -> None:
        self.known += is_known
        self.new += not is_known
        if not is_known and len(self.examples) < SHOWN:
            self.examples.append(entry.content)
        self._tell()

    def refuse(self, error: AgentOSError) -> None:
        self.refused.append(str(error))
        self._tell()

    def _tell(self) -> None:
        self.progress("entries", self.new + self.known + len(self.refused), self.total)


class PortabilityService:
    """Export and import of one store; an import never changes existing data."""

    def __init__(
        self,
        store: PortableStore,
        imports: ImportSource,
        memory: MemoryService,
        goals: GoalService,
        redactor: Redactor,
        clock: Clock,
    ) -> None:
        self._store = store
        self._redactor = redactor
        self._clock = clock
        self._imports = imports
        self._memory = memory
        self._goals = goals

    async def export(self, path: Path, namespaces: Sequence[str] | None = None) -> Exported:
        """Export everything, or what belongs to some namespaces, to a new file that only its owner can read.

        Derived data (text index, vectors) are left out. Raises Conflict if the file exists.
        """
        await self._memory.settled()
        return await self._store.write_bundle(path, namespaces)

    async def view(self, path: Path, namespaces: Sequence[str]) -> Viewed:
        """Write the memories and goals of some agents to a new page of Markdown that only its owner can read.

        Hidden memories are left out. Raises Conflict if the file exists.
        """
        pages = []
        count = [0, 0]
        for namespace in namespaces:
            memories = await self._memories(namespace)
            goals = await self._all_goals(namespace)
            labels = Labels(self._clock())
            pages.append(await asyncio.to_thread(markdown.page, namespace, memories, goals, labels))
            count = [count[0] + len(memories), count[1] + len(goals)]
        await self._store.write_text(path, "\n".join(pages))
        return Viewed(str(path), *count)

    async def _memories(self, namespace: str) -> list[Memory]:
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            page = await self._memory.page(
                namespace, MemoryFilter(include_superseded=True), MEMORIES_AT_ONCE, 0, cursor
            )
            found += page.memories
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def import_bundle(self, path: Path, *, dry_run: bool = False, progress: Progress = unheard) -> Imported:
        """Import the rows of a bundle that the store lacks, without their secrets; a dry run only reports. Idempotent.

        Raises InvalidInput, naming the line, and then nothing was changed.
        """
        now = self._clock()
        return await self._store.read_bundle(path, self._redactor, now, dry_run=dry_run, progress=progress)

    async def canonical_hash(self, namespaces: Sequence[str] | None = None) -> str:
        """Return the SHA-256 of everything that an export would hold: equal memories have equal hashes."""
        await self._memory.settled()
        return await self._store.canonical_hash(namespaces)

    async def take(
        self,
        namespace: str | None,
        path: Path,
        name: str | None = None,
        *,
        default: str,
        dry_run: bool = False,
        progress: Progress = unheard,
    ) -> Taken:
        """Import the entries of another system, each text once; a dry run only reports.

        Into `namespace`, if given; else each entry into that of the agent that it names, others into `default`. Invalid
        entries are reported and left out. Raises InvalidInput if the path is of no known format.
        """
        kind, entries = await asyncio.to_thread(self._imports.entries, path, name)
        tally = _Tally(progress, len(entries))
        by_namespace: dict[str, list[Entry]] = {}
        acceptable = _acceptable(entries, tally)
        for entry in {(one.agent, one.content, one.goal and one.goal.id): one for one in acceptable}.values():
            by_namespace.setdefault(namespace or entry.agent or default, []).append(entry)
        for owner, owned in by_namespace.items():
            await self._take_memories(owner, [entry for entry in owned if entry.goal is None], tally, dry_run)
            await self._take_goals(owner, [entry for entry in owned if entry.goal is not None], tally, dry_run)
        return Taken(kind, tally.new, tally.known, tuple(tally.refused), tuple(tally.examples))

    async def _take_memories(self, namespace: str, entries: Sequence[Entry], tally: _Tally, dry_run: bool) -> None:
        for begin in range(0, len(entries), ENTRIES_AT_ONCE):
            some = [
                replace(entry, content=await self._redactor.text(entry.content))
                for entry in entries[begin : begin + ENTRIES_AT_ONCE]
            ]
            known = await self._memory.known(namespace, [entry.content for entry in some])
            for entry, is_known in zip(some, known, strict=True):
                try:
                    if not (dry_run or is_known):
                        is_known = (await self._store_entry(namespace, entry)).duplicate
                except AgentOSError as error:
                    tally.refuse(error)
                else:
                    tally.add(entry, is_known=is_known)

    async def _store_entry(self, namespace: str, entry: Entry) -> Stored:
        request = StoreRequest(
            entry.content,
            entry.memory_type,
            entry.importance,
            entry.tags,
            entry.metadata,
            entry.source,
            entry.occurred_at,
            confidence=entry.confidence,
        )
        return await self._memory.store(namespace, request)

    async def _take_goals(self, namespace: str, entries: Sequence[Entry], tally: _Tally, dry_run: bool) -> None:
        if not entries:
            return
        there = await self._goal_tags(namespace)
        for entry in entries:
            assert entry.goal is not None
            is_known = _mark(entry.goal) in there
            try:
                if not (dry_run or is_known):
                    await self._add_goal(namespace, entry, entry.goal)
            except AgentOSError as error:
                tally.refuse(error)
            else:
                tally.add(entry, is_known=is_known)

    async def _goal_tags(self, namespace: str) -> set[str]:
        return {tag for goal in await self._all_goals(namespace) for tag in goal.tags}

    async def _all_goals(self, namespace: str) -> list[Goal]:
        found: list[Goal] = []
        offset, total = 0, 1
        while offset < total:
            page = await self._goals.page(namespace, "all", GOALS_AT_ONCE, offset)
            found += page.goals
            offset, total = offset + GOALS_AT_ONCE, page.total
        return found

    async def _add_goal(self, namespace: str, entry: Entry, goal: GoalEntry) -> None:
        added = await self._goals.add(
            namespace,
            entry.content,
            goal.description,
            goal.priority,
            goal.urgency,
            goal.deadline,
            None,
            (*entry.tags, _mark(goal)),
        )
        if 0 < goal.progress < 1:
            await self._goals.update_progress(namespace, added.id, goal.progress, None)
        if goal.status in GOAL_STATUSES and goal.status != "active":
            await self._goals.update_status(namespace, added.id, goal.status, goal.notes)


def _mark(goal: GoalEntry) -> str:
    """Return the tag that keeps a goal from being imported twice."""
    return f"imported:{goal.id}"[:60]


def _acceptable(entries: Sequence[Entry], tally: _Tally) -> list[Entry]:
    """Return the entries with valid values; the others are refused: what was read may be anything."""
    found = []
    for entry in entries:
        try:
            _check(entry)
        except InvalidInput as error:
            tally.refuse(error)
        else:
            found.append(entry)
    return found


def _check(entry: Entry) -> None:
    """Raise InvalidInput if a value is not of its type. The length of texts is checked by what keeps them."""
    texts: dict[str, object] = {"content": entry.content, "memory_type": entry.memory_type, "source": entry.source}
    numbers: dict[str, object] = {"importance": entry.importance}
    optional: dict[str, object] = {"occurred_at": entry.occurred_at, "agent": entry.agent}
    if (goal := entry.goal) is not None:
        texts |= {"goal": goal.id, "description": goal.description, "status": goal.status}
        numbers |= {"priority": goal.priority, "urgency": goal.urgency, "progress": goal.progress}
        optional |= {"deadline": goal.deadline, "notes": goal.notes}
    given = {name: value for name, value in optional.items() if value is not None}
    for name, value in (*texts.items(), *given.items(), *(("tags", tag) for tag in entry.tags)):
        if not isinstance(value, str):
            raise InvalidInput(name, "is not a text")
    for name, value in numbers.items():
        if not isinstance(value, int | float):
            raise InvalidInput(name, "is not a number")
    inputs.text("content", entry.content, sys.maxsize)
    inputs.moment("occurred_at", entry.occurred_at)
    if entry.agent is not None:
        identifiers.agent("agent", entry.agent)
