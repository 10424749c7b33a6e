"""The domain types of the queue."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ..records import dataclass


class TaskState(StrEnum):
    """The state of a task: waiting, leased to a worker, done, or given up after too many failures."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"


@dataclass(frozen=True)
class Task:
    """A task to be done once: the same `key` of a `type` in a namespace is the same task.

    `attempts` counts how often it was begun; it is not begun before `run_at`; `last_error` is why it failed.
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
    """The result of a worker's round: how many tasks it completed, and how many failed."""

    done: int = 0
    failed: int = 0

    def __add__(self, other: "Worked") -> "Worked":
        return Worked(self.done + other.done, self.failed + other.failed)


@dataclass(frozen=True)
class QueueStatus:
    """The number of tasks by type and state."""

    counts: Mapping[str, Mapping[TaskState, int]] = field(default_factory=dict)
