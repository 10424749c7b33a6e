"""The domain types of portability."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[str, int, int], None]
"""Is told the progress of long work, from any thread: what is done, how much of it, of how much."""

CANDIDATE_CONFIDENCE = 0.35
"""Confidence of what rules found in files written for another purpose."""


def unheard(what: str, done: int, total: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True)
class GoalEntry:
    """A goal of another system; its `id` there keeps it from being imported twice."""

    id: str
    description: str
    priority: float
    urgency: float
    deadline: str | None
    status: str
    progress: float
    notes: str | None


@dataclass(frozen=True)
class Entry:
    """An entry of another system: a memory, or with `goal` the title of one.

    `agent` is its owner there. With a `confidence` below .5 it is imported as a candidate.
    """

    content: str
    memory_type: str = "semantic"
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    occurred_at: str | None = None
    confidence: float | None = None
    agent: str | None = None
    goal: GoalEntry | None = None


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

    A row is left out if it refers to something that does not exist, as the history of a memory whose text another one
    has. `ignored` are fields of the file that this AgentOS does not know, as `table.field`, with their counts.
    `redacted` are the rows of the bundle, by table, that held secrets, which were replaced by markers.
    """

    new: Mapping[str, int]
    known: Mapping[str, int]
    left_out: Mapping[str, int]
    ignored: Mapping[str, int] = field(default_factory=dict)
    redacted: Mapping[str, int] = field(default_factory=dict)
