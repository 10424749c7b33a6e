"""The mirror service: passes that bring a folder of Markdown files and the memories of a namespace to the same state.

A pass looks, matches files with memories, takes what people changed into the store, and only then writes files. The
state of the last pass is kept at its end: one that is cut off anywhere is made again, and finds what was done already.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ...modules.errors import AgentOSError, Conflict, NotFound, StorageUnavailable
from ...modules.events.service import EventService
from ...modules.memory.lifecycle_service import LifecycleService
from ...modules.memory.models import HIDDEN, Memory, MemoryFilter, Status
from ...modules.memory.service import MemoryService
from ...modules.records import dataclass
from ...modules.store_request import StoreRequest
from . import notes
from .matching import Matching, match, settle
from .merging import merged
from .models import Damaged, Fields, MirrorEntry, MirrorState, NoteFile, Stamp, Synced, digest, fields_of
from .writing import Links, WriteOutcome, Writer

if TYPE_CHECKING:
    from .folder import MirrorFolder
    from .ledger import MirrorLedger

MAX_MEMORIES = 20_000
ALWAYS_ALLOWED, NEVER_ALLOWED = 5, 20
"""Changes of files at once that never pause the mirror, and beyond which it always pauses; between these a tenth."""
SETTLED_AFTER = 2
"""Further passes that must find a file as it is before it is read, or missing before it counts as deleted."""
SOURCE = "mirror"
CONFLICTING = "file: "
"""The source of a text that disagrees with the store: trusted so little that a person is asked."""


@dataclass
class Pass:
    """One pass: what it found and what it has done so far; memories in `taken` are as their files had it."""

    listing: Mapping[str, Stamp]
    memories: dict[str, Memory]
    looked: dict[str, NoteFile | Damaged]
    stamps: dict[str, Stamp]
    matching: Matching
    entries: dict[str, MirrorEntry]
    changes: int = 0
    taken: set[str] = field(default_factory=set)
    removable: dict[str, str] = field(default_factory=dict)
    pending: bool = False

    def note(self, name: str) -> NoteFile | None:
        """Return a file as it was read in this pass; None where it is as it was."""
        found = self.looked.get(name)
        return found if isinstance(found, NoteFile) else None

    def file_of(self, memory_id: str) -> str | None:
        """Return the file that is, or was, a memory's; None where it has none."""
        entry = self.entries.get(memory_id)
        held = "a file that cannot be read at present" if memory_id in self.matching.held else None
        return self.matching.owners.get(memory_id) or (entry.name if entry else held)

    def refuse(self, name: str, why: object, memory_id: str | None = None) -> None:
        """Leave a file alone, and say why."""
        self.matching.problems[name] = str(why)
        if memory_id is not None:
            self.matching.held.add(memory_id)
            self.matching.owners.pop(memory_id, None)


class MirrorService:
    """The mirror of one namespace in one folder."""

    def __init__(
        self,
        namespace: str,
        memory: MemoryService,
        lifecycle: LifecycleService,
        events: EventService,
        folder: "MirrorFolder",
        ledger: "MirrorLedger",
        settled_after: int = SETTLED_AFTER,
    ) -> None:
        self._namespace = namespace
        self._memory = memory
        self._lifecycle = lifecycle
        self._events = events
        self._folder = folder
        self._ledger = ledger
        self._settled_after = settled_after
        self._links = Links(namespace, lifecycle)
        self._state: MirrorState | None = None
        self._rest: dict[str, tuple[Stamp, int]] = {}
        self._gone: dict[str, int] = {}
        self._last: tuple[Mapping[str, Stamp], int] | None = None

    async def sync(self) -> Synced:
        """Make one pass; what people are writing just now is left for a later one.

        More changes of files at once than are allowed pause the mirror. Raises StorageUnavailable or StorageRefused
        where the store or the folder cannot be used, and OSError where a file cannot be written.
        """
        control = await asyncio.to_thread(self._ledger.control)
        if control.paused is not None:
            self._last = None
            return Synced(paused=control.paused)
        state = self._state
        if state is None:
            state = await asyncio.to_thread(self._ledger.load)
        await asyncio.to_thread(self._folder.prepare, state.owner, begun=bool(state.entries))
        listing = await asyncio.to_thread(self._folder.listing)
        cursor = await self._events.latest()
        if self._last == (listing, cursor):
            return Synced(problems=state.problems)
        work = await self._looked_at(state, listing)
        intents = await self._intents(work)
        counted = len(intents)
        if counted > max(self._allowed(len(work.entries)), control.allowed):
            reason = _reason(counted, intents)
            await asyncio.to_thread(self._ledger.pause, reason, counted)
            self._last = None
            return Synced(paused=reason)
        for intent in intents:
            await self._do(work, intent)
        if work.changes:
            work.memories = await self._visible()
        outcome = await self._written(work)
        await self._save_state(state, work, outcome)
        if control.allowed and not work.pending:
            await asyncio.to_thread(self._ledger.used)
        pending = work.pending or outcome.pending
        self._last = None if pending or work.changes or outcome.written else (listing, cursor)
        return Synced(work.changes, outcome.written, pending, work.matching.problems)

    @staticmethod
    def _allowed(files: int) -> int:
        return max(ALWAYS_ALLOWED, min(NEVER_ALLOWED, files // 10))

    async def _looked_at(self, state: MirrorState, listing: Mapping[str, Stamp]) -> Pass:
        memories = await self._visible()
        entries = dict(state.entries)
        as_it_was = {entry.name: entry.stamp for entry in entries.values()}
        other = {name: stamp for name, stamp in listing.items() if as_it_was.get(name) != stamp}
        restless = self._restless(other)
        looked, stamps = await asyncio.to_thread(self._read, sorted(set(other) - restless))
        for name, stamp in stamps.items():
            if stamp != listing[name]:
                restless.add(name)
        matching = match(entries, listing, {n: v for n, v in looked.items() if n not in restless}, restless)
        known = set(memories)
        for memory_id in matching.claims:
            if memory_id not in known and await self._is_archived(memory_id):
                known.add(memory_id)
        settle(matching, entries, known)
        work = Pass(listing, memories, looked, {**as_it_was, **stamps}, matching, entries, pending=bool(restless))
        self._wait_for_missing(work, is_moving=any(name not in as_it_was for name in restless))
        return work

    def _restless(self, other: Mapping[str, Stamp]) -> set[str]:
        """Return the files that were not found as they are in enough passes yet."""
        rest = {}
        for name, stamp in other.items():
            before, times = self._rest.get(name, (None, 0))
            rest[name] = (stamp, times + 1 if before == stamp else 0)
        self._rest = rest
        return {name for name, (_, times) in rest.items() if times < self._settled_after}

    def _wait_for_missing(self, work: Pass, *, is_moving: bool) -> None:
        """Hold the memories whose file is not missing for long, or may be one that is being written elsewhere."""
        missing = work.matching.missing
        self._gone = {one: self._gone.get(one, -1) + 1 for one in missing}
        waiting = {one for one in missing if is_moving or self._gone[one] < self._settled_after}
        work.matching.held |= waiting
        work.matching.missing = [one for one in missing if one not in waiting]
        work.pending = work.pending or bool(waiting)

    def _read(self, names: list[str]) -> tuple[dict[str, NoteFile | Damaged], dict[str, Stamp]]:
        looked: dict[str, NoteFile | Damaged] = {}
        stamps: dict[str, Stamp] = {}
        for name in names:
            try:
                text, stamps[name] = self._folder.read(name)
                looked[name] = notes.parsed(text)
                notes.fields_in(notes.parsed(text), Fields("", "", 0.0, ()))
            except Damaged as damaged:
                looked[name] = damaged
            except OSError as error:
                looked[name] = Damaged(f"it cannot be read: {error.strerror or error}")
        return looked, stamps

    async def _visible(self) -> dict[str, Memory]:
        """Return the memories that have a file: all that are not hidden. Raises StorageUnavailable for too many."""
        found: dict[str, Memory] = {}
        async for memory in self._memory.walk(self._namespace, MemoryFilter(include_superseded=True)):
            if memory.status not in HIDDEN:
                found[memory.id] = memory
            if len(found) > MAX_MEMORIES:
                raise StorageUnavailable(f"more than {MAX_MEMORIES} memories are too many for a folder of files")
        return found

    async def _is_archived(self, memory_id: str) -> bool:
        try:
            memory, _ = await self._memory.get(self._namespace, memory_id)
        except AgentOSError:
            return False
        return memory.status is Status.ARCHIVED

    async def _intents(self, work: Pass) -> list[tuple[str, str]]:
        """Return what the folder's side wants, as pairs of a verb and a file's name or a memory's id."""
        intents: list[tuple[str, str]] = []
        for memory_id, name in list(work.matching.owners.items()):
            note, memory, entry = work.note(name), work.memories.get(memory_id), work.entries.get(memory_id)
            if memory is None:
                if entry is None:
                    intents.append(("restore", memory_id))
                elif note is None or digest(note.body) == entry.agreed.content:
                    work.removable[memory_id] = name
                else:  # its memory went while it was edited: the text is one of its own from now on
                    del work.matching.owners[memory_id]
                    work.entries.pop(memory_id)
                    work.matching.new.append(name)
            elif note is not None:
                base = None if entry is None else entry.agreed
                change = merged(notes.fields_in(note, fields_of(memory)), fields_of(memory), base)
                if change.is_contested or not change.changes.is_empty:
                    intents.append(("change", memory_id))
        for memory_id in work.matching.missing:
            entry, memory = work.entries[memory_id], work.memories.get(memory_id)
            if memory is None:
                del work.entries[memory_id]
            elif fields_of(memory).agreed == entry.agreed:
                intents.append(("archive", memory_id))
            # Else the store changed what was deleted here: it is written again, for a person to see.
        return [*intents, *(("add", name) for name in work.matching.new if _has_text(work.note(name)))]

    async def _do(self, work: Pass, intent: tuple[str, str]) -> None:
        verb, subject = intent
        name = subject if verb == "add" else work.matching.owners.get(subject) or work.entries[subject].name
        held = None if verb == "add" else subject
        try:
            if verb == "add":
                await self._add(work, name)
            elif verb == "restore":
                await self._lifecycle.restore(self._namespace, subject)
                work.matching.held.add(subject)  # the next pass compares it
                work.pending = True
            elif verb == "archive":
                await self._lifecycle.archive(self._namespace, subject)
                del work.entries[subject]
            else:
                await self._change(work, subject, name)
            work.changes += 1
        except StorageUnavailable:
            raise
        except (AgentOSError, Damaged) as error:
            work.refuse(name, error, None if verb == "archive" else held)

    async def _add(self, work: Pass, name: str) -> None:
        note = work.note(name)
        assert note is not None
        importance = notes.importance(note)
        request = StoreRequest(
            note.body,
            memory_type=notes.property_text(note, "type") or "semantic",
            importance=importance,
            tags=notes.tags(note),
            source=SOURCE,
            occurred_at=notes.property_text(note, "occurred"),
            subject=notes.property_text(note, "subject"),
            attribute=notes.property_text(note, "attribute"),
            value=notes.property_text(note, "value"),
        )
        [known] = await self._memory.known(self._namespace, [note.body])
        if known is not None and (other := work.file_of(known)) is not None:
            raise Damaged(f"has the same text as {other}; delete one of them")
        stored = (await self._memory.store(self._namespace, request)).memory
        if (other := work.file_of(stored.id)) is not None:
            raise Damaged(f"has the same text as {other}; delete one of them")
        work.matching.owners[stored.id] = name
        work.taken.add(stored.id)

    async def _change(self, work: Pass, memory_id: str, name: str) -> None:
        note, memory, entry = work.note(name), work.memories[memory_id], work.entries.get(memory_id)
        assert note is not None
        file, stored = notes.fields_in(note, fields_of(memory)), fields_of(memory)
        change = merged(file, stored, None if entry is None else entry.agreed)
        if change.is_contested:
            await self._contest(memory_id, name, file)
        if not change.changes.is_empty:
            await self._memory.update(self._namespace, memory_id, change.changes, memory.version)
        if not change.is_contested:
            work.taken.add(memory_id)

    async def _contest(self, memory_id: str, name: str, file: Fields) -> None:
        """Keep a text that disagrees with the store's as a contested memory: a person decides."""
        request = StoreRequest(
            file.content,
            memory_type=file.memory_type,
            tags=file.tags,
            source=f"{CONFLICTING}{name}"[:200],
            supersedes=[memory_id],
        )
        try:
            await self._memory.store(self._namespace, request)
        except Conflict:  # this very text is there already
            [known] = await self._memory.known(self._namespace, [file.content])
            if known is None or known not in await self._visible():
                raise
        except NotFound:  # what it was about has gone meanwhile
            await self._memory.store(self._namespace, replace(request, supersedes=()))

    async def _written(self, work: Pass) -> WriteOutcome:
        """Bring the files to what the store says now."""
        links = await self._links.of(work.memories)
        writer = Writer(self._folder, work.listing, work.stamps, work.matching, work.looked, work.taken)
        return await asyncio.to_thread(writer.write, work.memories, work.entries, links, work.removable)

    async def _save_state(self, state: MirrorState, work: Pass, outcome: WriteOutcome) -> None:
        new = MirrorState(state.owner, outcome.entries, dict(sorted(work.matching.problems.items())))
        if new != state:
            await asyncio.to_thread(self._ledger.save, new)
        self._state = new


def _has_text(note: NoteFile | None) -> bool:
    return note is not None and bool(note.body)


def _reason(counted: int, intents: list[tuple[str, str]]) -> str:
    verbs = {"add": "new", "change": "edited", "archive": "deleted", "restore": "put back"}
    counts = {word: sum(verb == one for one, _ in intents) for verb, word in verbs.items()}
    summary = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"{counted} files changed at once ({summary})"
