"""From clients to changes: the current entries, the wanted ones, and the differences. Reads, never writes."""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

from ....modules.installing import switched_off
from ....modules.records import dataclass
from . import files
from .clients import Client, Machine, by_key
from .documents import NO_FACTS, ConfigDocument, Edit, Facts, Unreadable, lacks
from .files import File
from .hook_entries import command_line
from .launch import Launch, words_of
from .parts import ClientPart, Purpose, Scope
from .receipts import Receipts

_PURPOSES: Mapping[str, Purpose] = {name: name for name in get_args(Purpose)}
WITH_THE_KEY = "it stores the key in its settings, which setup never writes; for setting it up by hand see docs/http.md"
WITHOUT_MCP = "it does not support MCP; for a gateway on another machine see docs/gateway.md"
_SHARED_FILE = 0o644
_PRIVATE_FILE = 0o600


class EntryState(StrEnum):
    """The state of our entry in a client's file."""

    ABSENT = "absent"
    REGISTERED = "registered"
    OUTDATED = "outdated"
    FOREIGN = "foreign"
    ELSEWHERE = "elsewhere"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True)
class EntryTarget:
    """One entry to write into one file for one client."""

    client: Client
    purpose: Purpose
    path: Path
    scope: Scope

    @property
    def document(self) -> ConfigDocument:
        """The format, and the place of our entry in it."""
        return self.client.document if self.purpose == "server" else self._part.document(self.path)

    @property
    def name(self) -> str:
        """The name of our entry."""
        return self.client.name if self.purpose == "server" else self._part.name

    def wanted(self, launch: Launch) -> Any:
        """Return the wanted entry."""
        return self.client.entry(launch) if self.purpose == "server" else self._part.wanted(launch, self.path)

    def is_ours(self, entry: Any, launch: Launch | None = None) -> bool:
        """Return whether an entry in our place is ours, and of the kind of a `launch`."""
        return self.client.is_ours(entry, launch) if self.purpose == "server" else self._part.is_ours(entry)

    @property
    def _part(self) -> ClientPart:
        return self.client.parts[self.purpose]

    def read(self) -> File:
        """Return the file as it is. Raises Unreadable."""
        return files.read(self.path, new_mode=_SHARED_FILE if self.scope == "project" else _PRIVATE_FILE)


@dataclass(frozen=True)
class FileChange:
    """The change to a target: with `after` None the file is removed, and without `file` nothing can be done."""

    target: EntryTarget
    state: EntryState
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
    clients: Iterable[Client], machine: Machine, scope: Scope, purposes: Collection[Purpose]
) -> Iterator[EntryTarget]:
    """Yield what to write to set clients up; each file once per purpose, though several clients may read it."""
    seen: set[tuple[Purpose, Path]] = set()
    for client in clients:
        for purpose, path in _places(client, machine, scope, client.files(machine, scope)):
            if purpose in purposes and (purpose, path) not in seen:
                seen.add((purpose, path))
                yield EntryTarget(client, purpose, path, scope)


def installed(clients: Sequence[Client], machine: Machine, scope: Scope, receipts: Receipts) -> Iterator[EntryTarget]:
    """Yield the places where AgentOS may be registered: those of these clients, and those in their receipts.

    The latest written come first, so that a file that holds both is restored exactly.
    """
    found: dict[tuple[Purpose, Path], EntryTarget] = {}
    for client in clients:
        for purpose, path in reversed(list(_places(client, machine, scope, client.all_files(machine, scope)))):
            found.setdefault((purpose, path), EntryTarget(client, purpose, path, scope))
    keys = {client.key for client in clients}
    for receipt in reversed(list(receipts)):
        made_for = _PURPOSES[receipt.purpose]
        key = (made_for, Path(receipt.path))
        if receipt.client in keys:
            noted: Scope = "project" if receipt.scope == "project" else "user"
            found[key] = EntryTarget(by_key(receipt.client), made_for, Path(receipt.path), noted)
        else:
            found.pop(key, None)  # made for another client that reads the same file
    yield from found.values()


def elsewhere(client: Client, machine: Machine) -> Path | None:
    """Return the other file of a client that brings AgentOS already, as by a plugin; or None. Raises Unreadable."""
    known = [(machine.path(other.file), other.pattern) for other in client.elsewhere]
    return next((path for path, pattern in known if re.search(pattern, files.read(path).text, re.M)), None)


def command_lines(target: EntryTarget) -> list[list[str]]:
    """Return the command lines that our entry starts, one per hook; none without an entry. Raises Unreadable."""
    entry = target.document.entry(target.read().text)
    if entry is None:
        return []
    if target.purpose == "hooks":
        return [command_line(stated.get("hook", stated)) for stated in entry.values()]
    if target.purpose == "status-line":
        return [command_line(entry)] if target.is_ours(entry) else []
    return [words_of(entry)] if isinstance(entry, dict) else []


def plan_install(target: EntryTarget, launch: Launch, machine: Machine) -> FileChange:
    """Return the change that makes our entry as wanted, or why it cannot be made."""
    try:
        wanted = target.wanted(launch)
        file = target.read()
        entry = target.document.entry(file.text)
        if target.purpose == "server" and target.client.through_gateway and not launch.gateway:
            return FileChange(target, EntryState.UNSUPPORTED, problem=switched_off("gateway"))
        if target.purpose == "server" and launch.url and target.client.remote is None:
            problem = WITHOUT_MCP if target.client.through_gateway else WITH_THE_KEY
            return FileChange(target, EntryState.UNSUPPORTED, problem=problem)
        if entry is not None and not target.is_ours(entry, launch):
            problem = f"it has an entry {target.name!r} for something else; rename or remove that one first"
            return FileChange(target, EntryState.FOREIGN, problem=problem)
        other = elsewhere(target.client, machine) if target.purpose in ("server", "hooks") else None
        if other is not None:
            problem = f"{other} already provides AgentOS; remove that first, or keep only that"
            return FileChange(target, EntryState.ELSEWHERE, problem=problem)
        if entry is not None and not lacks(entry, wanted):
            return FileChange(target, EntryState.REGISTERED, file, file.data)
        edit: Edit = target.document.put(file.text, wanted)
    except Unreadable as error:
        return FileChange(target, EntryState.UNREADABLE, problem=str(error))
    state = EntryState.ABSENT if entry is None else EntryState.OUTDATED
    return FileChange(target, state, file, file.encoded(edit.text), edit.facts)


def plan_removal(target: EntryTarget, receipts: Receipts) -> FileChange:
    """Return the change that removes our entry, or why it cannot be made; an entry that is not ours stays."""
    receipt = receipts.of(target.purpose, target.path)
    try:
        file = target.read()
        entry = target.document.entry(file.text)
        if entry is None:
            return FileChange(target, EntryState.ABSENT, file, file.data)
        if not target.is_ours(entry):
            return FileChange(target, EntryState.FOREIGN, file, file.data)
        left = target.document.remove(file.text, NO_FACTS if receipt is None else receipt.facts)
    except Unreadable as error:
        return FileChange(target, EntryState.UNREADABLE, problem=str(error))
    gone = receipt is not None and receipt.created and not left.strip()
    return FileChange(target, EntryState.REGISTERED, file, None if gone else file.encoded(left))


def _places(client: Client, machine: Machine, scope: Scope, own: Iterable[Path]) -> Iterator[tuple[Purpose, Path]]:
    """Yield the files of a client, those of its entry first, in the order in which they are written."""
    for path in own:
        yield "server", path
    for purpose, part in client.parts.items():
        template = part.project if scope == "project" else part.user
        if template is not None:
            yield purpose, machine.path(template)


def _lines(data: bytes | None) -> list[str]:
    if data is None:
        return []
    text = data.decode(errors="replace")
    return [
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in text.splitlines(True)
    ]
