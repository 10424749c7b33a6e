"""The domain types of portability."""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from ..records import dataclass

Progress = Callable[[str, int, int], None]
"""Receives the progress of long work, from any thread: what is done, how much of it, of how much."""

CANDIDATE_CONFIDENCE = 0.35
"""Confidence of what rules found in files written for another purpose."""


def no_progress(what: str, done: int, total: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class Refused:
    """An entry that cannot be read as a record: its place (line, entry or id), and what is wrong with it."""

    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


@dataclass(frozen=True, kw_only=True)
class FoundRecord:
    """A record of another system: `where` it was found, and whose it is there."""

    where: str = ""
    agent: str | None = None


@dataclass(frozen=True)
class MemoryEntry(FoundRecord):
    """A memory. With a `confidence` below .5 it comes in as a candidate; without an importance it is computed."""

    content: str
    memory_type: str = "semantic"
    importance: float | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    occurred_at: str | None = None
    confidence: float | None = None
    kind: str | None = None


@dataclass(frozen=True)
class GoalEntry(FoundRecord):
    """A goal; its `id` there keeps it from coming in twice, `parent` is the id of the one that it belongs to."""

    id: str
    title: str
    description: str
    priority: float
    urgency: float
    deadline: str | None
    status: str
    progress: float
    notes: str | None
    parent: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class ActionEntry(FoundRecord):
    """An action and how it ended; `goal` is the id of the goal that it served."""

    id: str
    action: str
    outcome: str
    success: bool
    context: str
    occurred_at: str | None
    goal: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class FoundPattern(FoundRecord):
    """A pattern that the other system had found."""

    type: str
    description: str
    suggested_action: str
    frequency: int
    last_seen: str | None


@dataclass(frozen=True)
class NodeEntry(FoundRecord):
    """A node of a graph; `ref` is the id of the memory or goal that it stands for."""

    id: str
    type: str
    label: str
    description: str = ""
    ref: str | None = None


@dataclass(frozen=True)
class EdgeEntry(FoundRecord):
    """An edge between two nodes, by their ids."""

    source: str
    target: str
    type: str
    weight: float
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class TurnEntry(FoundRecord):
    """A turn of a conversation; its `key` prevents importing it twice into the `session` with that name.

    A key that `is_unique` is of the message itself, whatever session repeats it.
    """

    session: str
    role: str
    content: str
    key: str
    occurred_at: str | None = None
    source: str = ""
    project: str = ""
    is_unique: bool = False


@dataclass(frozen=True)
class RequestEntry(FoundRecord):
    """A request that waits for a human here too: decisions are not imported."""

    action: str
    subject: str
    reason: str
    risk: float


Record = (
    MemoryEntry | GoalEntry | ActionEntry | FoundPattern | NodeEntry | EdgeEntry | RequestEntry | TurnEntry | Refused
)
"""What an importer finds."""


@dataclass(frozen=True)
class Taken:
    """The result of an import from another system, or of its dry run: entries new, known, or `refused` and why."""

    format: str
    new: int
    known: int
    refused: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Exported:
    """An exported bundle: its file, rows by table, and the canonical hash of its contents (SHA-256)."""

    path: str
    rows: Mapping[str, int]
    canonical_hash: str


@dataclass(frozen=True)
class Viewed:
    """An exported page: its file, and how many memories and goals are on it."""

    path: str
    memories: int
    goals: int


@dataclass(frozen=True)
class Imported:
    """The result of an import, or of its dry run: rows by table that are new, known, or had to be left out.

    What is left out refers to something that is not there, as the history of a memory whose text another one has.
    `ignored` are fields of the file that this AgentOS does not know, as `table.field`, and how often they came.
    `redacted` are the rows of the bundle, by table, that held secrets; markers stand in their place. `contested` are
    the ids of memories that contradict what is known here: a human is asked. `signature` says what the file's signature
    is worth here: "signed by ann, whose key is trusted here".
    """

    new: Mapping[str, int]
    known: Mapping[str, int]
    left_out: Mapping[str, int]
    ignored: Mapping[str, int] = field(default_factory=dict)
    redacted: Mapping[str, int] = field(default_factory=dict)
    contested: tuple[str, ...] = ()
    signature: str = ""

    @property
    def memories(self) -> Mapping[str, int]:
        """Return how many memories are created, merged with an existing one, and in conflict with a known one."""
        conflicts = len(self.contested)
        create = self.new.get("memories", 0) - conflicts
        return {"create": create, "merge": self.known.get("memories", 0), "conflict": conflicts}


@dataclass(frozen=True)
class Moved:
    """A store that was moved to another engine: rows by table, and the state of the source that was copied.

    `is_behind` where the source was changed meanwhile: what came then is not in the copy.
    """

    rows: Mapping[str, int]
    mark: str
    is_behind: bool = False

    def behind(self) -> "Moved":
        """Return the same, of a source that has gone on."""
        return replace(self, is_behind=True)
