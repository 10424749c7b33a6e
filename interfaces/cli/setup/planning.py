"""From clients to changes: the current entries, the wanted ones, and the differences. Reads, never writes."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from . import files
from .clients import NAME, Client, Machine, Scope, by_key
from .documents import NO_FACTS, Document, Edit, Facts, Unreadable, lacks
from .files import File
from .hook_entries import command_line
from .instructions import INSTRUCTIONS
from .launch import Launch, is_remote, starts_agentos, words_of
from .marked_block import MarkedBlock
from .receipts import Receipts

Purpose = Literal["server", "hooks", "instructions"]
_PURPOSES: Mapping[str, Purpose] = {"server": "server", "hooks": "hooks", "instructions": "instructions"}
_SHARED_FILE = 0o644
_PRIVATE_FILE = 0o600


class State(StrEnum):
    """The state of our entry in a client's file."""

    ABSENT = "absent"
    REGISTERED = "registered"
    OUTDATED = "outdated"
    FOREIGN = "foreign"
    ELSEWHERE = "elsewhere"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class Target:
    """One entry to write into one file for one client."""

    client: Client
    purpose: Purpose
    path: Path
    scope: Scope

    @property
    def document(self) -> Document:
        """The format, and the place of our entry in it."""
        if self.purpose == "server":
            return self.client.document
        if self.purpose == "hooks" and self.client.hooks is not None:
            return self.client.hooks.document
        known = self.client.instructions
        return MarkedBlock("" if known is None else known.header_of(self.path))

    def wanted(self, launch: Launch) -> Any:
        """Return the wanted entry."""
        if self.purpose == "hooks" and self.client.hooks is not None:
            return self.client.hooks.entries(launch)
        return self.client.entry(launch) if self.purpose == "server" else INSTRUCTIONS

    def read(self) -> File:
        """Return the file as it is. Raises Unreadable."""
        return files.read(self.path, new_mode=_SHARED_FILE if self.scope == "project" else _PRIVATE_FILE)


@dataclass(frozen=True)
class Change:
    """The change to a target: with `after` None the file is removed, and without `file` nothing can be done."""

    target: Target
    state: State
    file: File | None = None
    after: bytes | None = None
    facts: Facts = field(default_factory=dict)
    problem: str | None = None

    @property
    def is_needed(self) -> bool:
        """Return whether anything would be different."""
        return self.problem is None and self.file is not None and self.after != self.file.data

    @property
    def diff(self) -> str:
        """The difference, as `diff -u` shows it."""
        if not self.is_needed or self.file is None:
            return ""
        name = str(self.target.path)
        lines = difflib.unified_diff(
            _lines(self.file.data),
            _lines(self.after),
            "/dev/null" if self.file.data is None else name,
            "/dev/null" if self.after is None else name,
        )
        return "".join(lines)


def targets(
    clients: Iterable[Client], machine: Machine, scope: Scope, *, hooks: bool, instructions: bool
) -> Iterator[Target]:
    """Yield what to write to set clients up; each file once per purpose, though several clients may read it."""
    seen: set[tuple[Purpose, Path]] = set()
    for client in clients:
        wanted: list[tuple[Purpose, Path]] = [("server", path) for path in client.files(machine, scope)]
        wanted += [("hooks", path) for path in _hooks(client, machine, scope) if hooks]
        wanted += [("instructions", path) for path in _instructions(client, machine, scope) if instructions]
        for purpose, path in wanted:
            if (purpose, path) not in seen:
                seen.add((purpose, path))
                yield Target(client, purpose, path, scope)


def installed(clients: Sequence[Client], machine: Machine, scope: Scope, receipts: Receipts) -> Iterator[Target]:
    """Yield where something of ours may be: the places of these clients, and those in their receipts.

    The latest written come first, so that a file that holds both is restored exactly.
    """
    found: dict[tuple[Purpose, Path], Target] = {}
    for client in clients:
        places: list[tuple[Purpose, Path]] = [("hooks", path) for path in _hooks(client, machine, scope)]
        places += [("server", path) for path in client.all_files(machine, scope)]
        places += [("instructions", path) for path in _instructions(client, machine, scope)]
        for purpose, path in places:
            found.setdefault((purpose, path), Target(client, purpose, path, scope))
    keys = {client.key for client in clients}
    for receipt in reversed(list(receipts)):
        made_for = _PURPOSES[receipt.purpose]
        key = (made_for, Path(receipt.path))
        if receipt.client in keys:
            noted: Scope = "project" if receipt.scope == "project" else "user"
            found[key] = Target(by_key(receipt.client), made_for, Path(receipt.path), noted)
        else:
            found.pop(key, None)  # made for another client that reads the same file
    yield from found.values()


def elsewhere(client: Client, machine: Machine) -> Path | None:
    """Return the other file of a client that brings AgentOS already, as by a plugin; or None. Raises Unreadable."""
    known = [(machine.path(other.file), other.pattern) for other in client.elsewhere]
    return next((path for path, pattern in known if re.search(pattern, files.read(path).text, re.M)), None)


def command_lines(target: Target) -> list[list[str]]:
    """Return the command lines that our entry starts, one per hook; none without an entry. Raises Unreadable."""
    entry = target.document.entry(target.read().text)
    if entry is None:
        return []
    if target.purpose == "hooks":
        return [command_line(stated.get("hook", stated)) for stated in entry.values()]
    return [words_of(entry)]


def plan_install(target: Target, launch: Launch, machine: Machine) -> Change:
    """Return the change that makes our entry as wanted, or why it cannot be made."""
    wanted = target.wanted(launch)
    try:
        file = target.read()
        entry = target.document.entry(file.text)
        if target.purpose == "server" and launch.url and target.client.remote is None:
            problem = "it would keep the key in its settings, which setup never writes; docs/http.md says how by hand"
            return Change(target, State.UNSUPPORTED, problem=problem)
        if target.purpose == "server" and entry is not None and not _is_of_the_kind(entry, launch):
            problem = f"it has an entry {NAME!r} for something else; rename or remove that one first"
            return Change(target, State.FOREIGN, problem=problem)
        other = None if target.purpose == "instructions" else elsewhere(target.client, machine)
        if other is not None:
            problem = f"{other} brings AgentOS already; remove that, or leave it at that: two would be one too many"
            return Change(target, State.ELSEWHERE, problem=problem)
        if entry is not None and not lacks(entry, wanted):
            return Change(target, State.REGISTERED, file, file.data)
        edit: Edit = target.document.put(file.text, wanted)
    except Unreadable as error:
        return Change(target, State.UNREADABLE, problem=str(error))
    state = State.ABSENT if entry is None else State.OUTDATED
    return Change(target, state, file, file.encoded(edit.text), edit.facts)


def plan_removal(target: Target, receipts: Receipts) -> Change:
    """Return the change that removes our entry, or why it cannot be made; an entry that is not ours stays."""
    receipt = receipts.of(target.purpose, target.path)
    try:
        file = target.read()
        entry = target.document.entry(file.text)
        if entry is None:
            return Change(target, State.ABSENT, file, file.data)
        if target.purpose == "server" and not (starts_agentos(entry) or is_remote(entry)):
            return Change(target, State.FOREIGN, file, file.data)
        left = target.document.remove(file.text, NO_FACTS if receipt is None else receipt.facts)
    except Unreadable as error:
        return Change(target, State.UNREADABLE, problem=str(error))
    gone = receipt is not None and receipt.created and not left.strip()
    return Change(target, State.REGISTERED, file, None if gone else file.encoded(left))


def _is_of_the_kind(entry: Any, launch: Launch) -> bool:
    """Return whether an entry is ours and of the kind that is wanted: one that starts, or one that calls a server."""
    return is_remote(entry) if launch.url else starts_agentos(entry)


def _hooks(client: Client, machine: Machine, scope: Scope) -> list[Path]:
    known = client.hooks
    return [] if known is None else [machine.path(known.project if scope == "project" else known.user)]


def _instructions(client: Client, machine: Machine, scope: Scope) -> list[Path]:
    known = client.instructions
    template = None if known is None else known.project if scope == "project" else known.user
    return [] if template is None else [machine.path(template)]


def _lines(data: bytes | None) -> list[str]:
    if data is None:
        return []
    text = data.decode(errors="replace")
    return [
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in text.splitlines(True)
    ]
