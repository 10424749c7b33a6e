"""The domain types of the mirror: files, what a person may change in one, and what both sides last agreed on."""

import hashlib
from collections.abc import Mapping
from dataclasses import field

from ...modules.memory.models import Memory
from ...modules.records import dataclass

Value = str | tuple[str, ...]
"""A value of front matter: a text, or a list of texts."""
IMPORTANCE_DIGITS = 4


@dataclass(frozen=True)
class Stamp:
    """The signs of a file by which a change is noticed: when it was modified, in ns, and its size in bytes.

    `changed_ns` is when the file system itself saw a change last, which no editor sets back; 0 where nobody looked.
    """

    modified_ns: int
    size: int
    changed_ns: int = 0


class Damaged(Exception):
    """Raised for a file that cannot be read as a note; the message says why, for a person."""


@dataclass(frozen=True)
class NoteFile:
    """A file as it reads: its text, the properties that AgentOS knows, and the lines of those that it does not.

    `has_front_matter` is False where the file is text alone.
    """

    body: str
    known: Mapping[str, Value] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    has_front_matter: bool = False

    @property
    def id(self) -> str | None:
        """The id of the memory that the file says it is."""
        value = self.known.get("id")
        return value if isinstance(value, str) and value else None


@dataclass(frozen=True)
class Fields:
    """The editable fields of a memory; `content` has only line feeds and no white space at the ends."""

    content: str
    memory_type: str
    importance: float
    tags: tuple[str, ...]

    @property
    def agreed(self) -> "Agreed":
        """These fields as they are kept once both sides have them."""
        return Agreed(digest(self.content), self.memory_type, self.importance, self.tags)


@dataclass(frozen=True)
class Agreed:
    """The fields of a memory and its file when both were last the same; of the content only its digest."""

    content: str
    memory_type: str
    importance: float
    tags: tuple[str, ...]


@dataclass(frozen=True)
class MirrorEntry:
    """The state of one memory's file after the last pass; `wanted` is the digest of what AgentOS had in it."""

    name: str
    stamp: Stamp
    agreed: Agreed
    wanted: str


@dataclass(frozen=True)
class MirrorState:
    """All that the home keeps of the mirror: who owns the folder, the files by memory, and what is wrong with some."""

    owner: str
    entries: Mapping[str, MirrorEntry] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Control:
    """A person's control of the mirror: why it is paused (None: it runs), and how many changes at once are allowed.

    `waiting` is how many files had changed at once when it paused itself; 0 where a person paused it.
    """

    paused: str | None = None
    waiting: int = 0
    allowed: int = 0


@dataclass(frozen=True)
class Synced:
    """The outcome of a pass: counts of changes in both directions, and whether something still waits for a later one.

    `problems` says by file what is wrong; `paused` why nothing was done.
    """

    from_folder: int = 0
    to_folder: int = 0
    pending: bool = False
    problems: Mapping[str, str] = field(default_factory=dict)
    paused: str | None = None


def digest(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def canonical(text: str) -> str:
    """Return a text as editors leave it: line feeds alone, no white space around."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def fields_of(memory: Memory) -> Fields:
    """Return what a person may change of a memory."""
    return Fields(
        canonical(memory.content), memory.memory_type.value, round(memory.importance, IMPORTANCE_DIGITS), memory.tags
    )
