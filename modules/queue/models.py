"""The domain types of the queue."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class TaskState(StrEnum):
    """A task waits, is worked on by whoever has its lease, is done, or has failed so often that it is given up."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True)
class Task:
    """Work to be done once: the same `key` of a `type` in a namespace is the same work.

    `attempts` counts how often it was begun; `run_at` is before when it is not begun; `last_error` is why it failed.
    """

    id: str
    namespace: str
    type: str
    key: str
    payload: Mapping[str, Any]
    state: TaskState
    attempts: int
    run_at: datetime
    last_error: str | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True)
class Worked:
    """What a worker did: how many tasks it completed, and how many failed."""

    done: int = 0
    failed: int = 0

    def __add__(self, other: "Worked") -> "Worked":
        return Worked(self.done + other.done, self.failed + other.failed)


@dataclass(frozen=True)
class QueueStatus:
    """How many tasks of each type are in each state."""

    counts: Mapping[str, Mapping[TaskState, int]] = field(default_factory=dict)
