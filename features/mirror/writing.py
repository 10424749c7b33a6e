"""Writing: brings the files of a folder to what the store says, each whole, and none that a person has just changed."""

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ...modules.facts.models import CONTRADICTS, RELATES_TO
from ...modules.memory.lifecycle_service import LifecycleService
from ...modules.memory.models import Memory
from ...modules.records import dataclass
from . import notes
from .matching import Looked, Matching
from .models import Damaged, MirrorEntry, NoteFile, Stamp, fields_of
from .names import file_name, link_name

if TYPE_CHECKING:
    from .folder import MirrorFolder

MAX_RELATED = 8


@dataclass(frozen=True)
class LinksOf:
    """The memories that a note links to, by id."""

    successors: Mapping[str, str] = field(default_factory=dict)
    related: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Links:
    """Reads what memories have to do with each other."""

    def __init__(self, namespace: str, lifecycle: LifecycleService) -> None:
        self._namespace = namespace
        self._lifecycle = lifecycle

    async def of(self, memories: Mapping[str, Memory]) -> LinksOf:
        """Return what superseded each memory, and which contradict or resemble it."""
        successors = await self._lifecycle.successors(self._namespace, list(memories.values()))
        related: dict[str, set[str]] = {}
        for kind in (CONTRADICTS, RELATES_TO):
            for relation in await self._lifecycle.links(self._namespace, kind):
                if relation.from_id in memories and relation.to_id in memories:
                    related.setdefault(relation.from_id, set()).add(relation.to_id)
                    related.setdefault(relation.to_id, set()).add(relation.from_id)
        return LinksOf(successors, {one: tuple(sorted(others)[:MAX_RELATED]) for one, others in related.items()})


@dataclass
class WriteOutcome:
    """The entries after a pass, how many files were written or removed, and whether some must be looked at again."""

    entries: dict[str, MirrorEntry] = field(default_factory=dict)
    written: int = 0
    pending: bool = False


class Writer:
    """Writes the files of one pass. Blocks."""

    def __init__(
        self,
        folder: "MirrorFolder",
        listing: Mapping[str, Stamp],
        stamps: Mapping[str, Stamp],
        matching: Matching,
        looked: Looked,
        taken: Collection[str],
    ) -> None:
        self._folder = folder
        self._listing = listing
        self._stamps = stamps
        self._matching = matching
        self._looked = looked
        self._taken = taken

    def write(
        self,
        memories: Mapping[str, Memory],
        entries: Mapping[str, MirrorEntry],
        links: LinksOf,
        removable: Mapping[str, str],
    ) -> WriteOutcome:
        """Write each memory's file, and remove the files of memories that have gone. Raises OSError."""
        outcome = WriteOutcome()
        names = self._names(memories, entries)
        for memory_id, memory in memories.items():
            if memory_id in self._matching.held:
                continue
            note = notes.note_of(memory, *_linked(memory_id, names, links))
            self._one(outcome, memory, names[memory_id], note, entries.get(memory_id))
        for memory_id in self._matching.held & set(entries):
            outcome.entries[memory_id] = entries[memory_id]
        for memory_id, name in removable.items():
            if memory_id not in memories and self._folder.remove(name, self._stamps[name]):
                outcome.written += 1
            else:
                outcome.entries[memory_id] = entries[memory_id]
                outcome.pending = True
        return outcome

    def _names(self, memories: Mapping[str, Memory], entries: Mapping[str, MirrorEntry]) -> dict[str, str]:
        """Return each memory's file: the one that it has, the one that it had, or a new one."""
        names = dict(self._matching.owners)
        names |= {one: entries[one].name for one in self._matching.held if one in entries and one not in names}
        used = {name.lower() for name in (*self._listing, *names.values())}
        for memory_id, memory in memories.items():
            if memory_id in names:
                continue
            had = entries[memory_id].name if memory_id in entries else None
            is_free = had is not None and had.lower() not in used and self._folder.has_place(had)
            names[memory_id] = had if had is not None and is_free else file_name(memory_id, memory.content, used)
            used.add(names[memory_id].lower())
        return names

    def _one(
        self, outcome: WriteOutcome, memory: Memory, name: str, wanted: NoteFile, entry: MirrorEntry | None
    ) -> None:
        digest = notes.digest_of(wanted)
        is_there = self._matching.owners.get(memory.id) == name
        found = self._looked.get(name) if is_there else None
        stamp = self._stamps.get(name) if is_there else None
        if is_there and stamp is not None:
            if found is None and entry is not None and entry.wanted == digest:
                outcome.entries[memory.id] = entry
                return
            if isinstance(found, NoteFile) and notes.says_the_same(found, wanted):
                outcome.entries[memory.id] = MirrorEntry(name, stamp, fields_of(memory).agreed, digest)
                return
        others = found.others if isinstance(found, NoteFile) else self._others(name) if is_there else ()
        made = self._folder.write(name, notes.rendered(replace(wanted, others=others)), stamp)
        if made is None:  # somebody was faster: the next pass looks at it
            outcome.pending = True
            if memory.id in self._taken and stamp is not None:
                outcome.entries[memory.id] = MirrorEntry(name, stamp, fields_of(memory).agreed, "")
            elif entry is not None:
                outcome.entries[memory.id] = entry
            return
        outcome.written += 1
        outcome.entries[memory.id] = MirrorEntry(name, made, fields_of(memory).agreed, digest)

    def _others(self, name: str) -> tuple[str, ...]:
        """Return the properties of a file that is as it was which are not ours."""
        try:
            return notes.parsed(self._folder.read(name)[0]).others
        except Damaged:
            return ()


def _linked(memory_id: str, names: Mapping[str, str], links: LinksOf) -> tuple[str | None, list[str]]:
    successor = names.get(links.successors.get(memory_id, ""))
    related = [link_name(names[one]) for one in links.related.get(memory_id, ()) if one in names]
    return None if successor is None else link_name(successor), sorted(related)
