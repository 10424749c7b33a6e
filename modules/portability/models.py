"""The domain types of portability."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[str, int, int], None]
"""Hears now and then, from any thread, how far long work is: what is done, how much of it, of how much."""

CANDIDATE_CONFIDENCE = 0.35
"""Of what was found by rules in files that somebody wrote for another purpose."""


def unheard(what: str, done: int, total: int) -> None:
    """The progress that nobody wants to hear of."""


@dataclass(frozen=True)
class GoalEntry:
    """A goal of another system; its `id` there keeps it from coming in twice."""

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
    """Something that another system keeps: a memory, or with `goal` the title of one.

    `agent` is whose it was there. With a `confidence` below .5 it comes in as a candidate.
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
    """What became of another system's entries, or would: how many came in, were known, were `refused`, and why."""

    format: str
    new: int
    known: int
    refused: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Exported:
    """A bundle that was written: its file, rows by table, and the canonical hash of what it holds (SHA-256)."""

    path: str
    rows: Mapping[str, int]
    canonical_hash: str


@dataclass(frozen=True)
class Viewed:
    """A page that was written for people: its file, and how many memories and goals are on it."""

    path: str
    memories: int
    goals: int


@dataclass(frozen=True)
class Imported:
    """What an import brought in, or would: rows by table that are new, were there already, or had to be left out.

    What is left out refers to something that is not there, as the history of a memory whose text another one has.
    `ignored` are fields of the file that this AgentOS does not know, as `table.field`, and how often they came.
    `redacted` are the rows of the bundle, by table, that held secrets; markers stand in their place.
    """

    new: Mapping[str, int]
    known: Mapping[str, int]
    left_out: Mapping[str, int]
    ignored: Mapping[str, int] = field(default_factory=dict)
    redacted: Mapping[str, int] = field(default_factory=dict)
