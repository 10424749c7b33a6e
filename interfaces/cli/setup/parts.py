"""The parts of a client besides its entry: hooks, standing instructions, a status line, each in its own files."""

import shlex
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from ....modules.records import dataclass
from ...hooks.registration import hooks_of
from .documents import ConfigDocument
from .hook_entries import HookEntries, command_line, stated
from .instructions import INSTRUCTIONS
from .jsonc import JsonMember
from .launch import Launch
from .marked_block import MarkedBlock
from .yaml_item import YamlItem

NAME = "agentos"
Scope = Literal["user", "project"]
Purpose = Literal["server", "hooks", "status-line", "instructions", "reading", "profile"]
COMMAND = "status-line"
_OPTIONS = {"--home": "AGENTOS_HOME", "--agent": "AGENTOS_AGENT_ID"}


class ClientPart(Protocol):
    """One part: its files, and our entry in them."""

    @property
    def name(self) -> str:
        """The name of our entry, as problems call it."""

    @property
    def user(self) -> str | None:
        """The template of the user's file; None where there is none."""

    @property
    def project(self) -> str | None:
        """The template of the project's file; None where there is none."""

    def document(self, path: Path) -> ConfigDocument:
        """Return the format of a file, and the place of our entry in it."""

    def wanted(self, launch: Launch, path: Path) -> Any:
        """Return the wanted entry of a file."""

    def is_ours(self, entry: Any) -> bool:
        """Return whether an entry in our place is ours."""


@dataclass(frozen=True)
class Instructions:
    """The files of a client's standing instructions, of user and project; `header` begins a file of our own."""

    user: str | None
    project: str | None
    header: str = ""
    text: str = INSTRUCTIONS
    name: ClassVar[str] = NAME

    def document(self, path: Path) -> ConfigDocument:
        return MarkedBlock(self.header if path.stem == NAME else "")

    def wanted(self, launch: Launch, path: Path) -> Any:
        return self.text

    def is_ours(self, entry: Any) -> bool:
        return True  # it is between our marks


@dataclass(frozen=True)
class ReadAtStart:
    """The files in which a client lists what it reads at the start; the instructions lie beside them."""

    user: str | None
    project: str | None
    name: ClassVar[str] = "read"
    file: ClassVar[str] = ".aider.agentos.md"

    def document(self, path: Path) -> ConfigDocument:
        return YamlItem(self.name, self.file)

    def wanted(self, launch: Launch, path: Path) -> Any:
        return str(path.with_name(self.file))

    def is_ours(self, entry: Any) -> bool:
        return True  # it is known by its name


@dataclass(frozen=True)
class HookFiles:
    """The files of a client's hooks, of user and project, and the name of the client in `agentos hook`."""

    client: str
    user: str
    project: str
    beside: Mapping[str, Any] = field(default_factory=dict)
    name: ClassVar[str] = "hooks"

    def document(self, path: Path) -> ConfigDocument:
        return HookEntries(self.beside)

    def wanted(self, launch: Launch, path: Path) -> Any:
        """Return our entry at each event."""
        given = {option: launch.environment.get(variable) for option, variable in _OPTIONS.items()}
        options = [word for option, value in given.items() if value for word in (option, value)]
        by_event = hooks_of(self.client, launch.commands, options)
        return {event: stated(entries[0]) for event, entries in by_event.items()}

    def is_ours(self, entry: Any) -> bool:
        return True  # only ours are found


@dataclass(frozen=True)
class StatusLine:
    """The files in which a client names the command that draws its status line."""

    user: str
    project: str | None = None
    name: ClassVar[str] = "statusLine"

    def document(self, path: Path) -> ConfigDocument:
        return JsonMember((self.name,))

    def wanted(self, launch: Launch, path: Path) -> Any:
        home = launch.environment.get("AGENTOS_HOME")
        words = [*launch.commands, COMMAND, *(("--home", home) if home else ())]
        return {"type": "command", "command": shlex.join(words)}

    def is_ours(self, entry: Any) -> bool:
        words = command_line(entry)
        return COMMAND in words and any(NAME in word for word in words[: words.index(COMMAND)])
