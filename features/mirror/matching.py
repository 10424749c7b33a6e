"""Matching: which file is which memory's, after people have edited, renamed, copied and removed files."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from ...modules.records import dataclass
from .models import Damaged, MirrorEntry, NoteFile, Stamp

Looked = Mapping[str, NoteFile | Damaged]
"""Files that are new or changed and at rest, as they read."""


@dataclass
class Matching:
    """Files by memory. What is `held` is left alone, in both directions; `new` files are nobody's yet."""

    owners: dict[str, str] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    new: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)
    claims: dict[str, list[str]] = field(default_factory=dict)


def match(
    entries: Mapping[str, MirrorEntry], listing: Mapping[str, Stamp], looked: Looked, restless: Collection[str]
) -> Matching:
    """Match what is certain by place; a file elsewhere that names a memory is a claim, which `settle` decides.

    `restless` files are being written just now.
    """
    found = Matching()
    by_name = {entry.name: memory_id for memory_id, entry in entries.items()}
    for name in listing:
        here = by_name.get(name)
        if name in restless:
            if here is not None:
                found.held.add(here)
            continue
        note = looked.get(name)
        if note is None:
            if here is not None:
                found.owners[here] = name
        elif isinstance(note, Damaged):
            found.problems[name] = str(note)
            if here is not None:
                found.held.add(here)
        elif here is not None and note.id in (None, here):
            found.owners[here] = name
        elif note.id is None:
            found.new.append(name)
        else:
            found.claims.setdefault(note.id, []).append(name)
    return found


def settle(found: Matching, entries: Mapping[str, MirrorEntry], known: Collection[str]) -> None:
    """Decide claims: a file that moved, a copy, an id that nobody knows. Then name the memories without a file."""
    by_name = {entry.name: memory_id for memory_id, entry in entries.items()}
    for memory_id, names in sorted(found.claims.items()):
        if memory_id in found.owners or memory_id in found.held:
            _refuse(found, names, by_name, f"is {found.owners.get(memory_id, 'another file')} by its id")
        elif memory_id not in known and memory_id not in entries:
            _unknown(found, memory_id, names, by_name)
        elif len(names) > 1:
            _refuse(found, names, by_name, f"has the same id as {_others(names)}")
            found.held.add(memory_id)
        else:
            found.owners[memory_id] = names[0]
    found.missing += [one for one in entries if one not in found.owners and one not in found.held]


def _refuse(found: Matching, names: Sequence[str], by_name: Mapping[str, str], why: str) -> None:
    for name in names:
        found.problems[name] = f"{why}; remove the id from the copy to make it a separate memory, or delete the copy"
        if name in by_name:
            found.held.add(by_name[name])


def _unknown(found: Matching, memory_id: str, names: Sequence[str], by_name: Mapping[str, str]) -> None:
    for name in names:
        if name in by_name:
            found.problems[name] = f"its id was changed to {memory_id[:60]}; it is {by_name[name]}"
            found.held.add(by_name[name])
        else:
            found.new.append(name)


def _others(names: Sequence[str]) -> str:
    return ", ".join(names[:3])
