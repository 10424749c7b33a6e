"""The domain types of goals."""

from datetime import datetime
from enum import StrEnum

from ..records import dataclass


class GoalStatus(StrEnum):
    """The status of a goal: active ⇄ paused → completed | abandoned."""

    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    ABANDONED = "abandoned"

    @property
    def is_open(self) -> bool:
        """Return whether the goal can still be worked on."""
        return self in (GoalStatus.ACTIVE, GoalStatus.PAUSED)


@dataclass(frozen=True)
class GoalNote:
    """A note that came with a change of a goal."""

    at: datetime
    text: str


@dataclass(frozen=True)
class Goal:
    """A goal of an agent. `priority`, `urgency` and `progress` are 0..1; times are aware, in UTC."""

    id: str
    namespace: str
    title: str
    description: str
    priority: float
    urgency: float
    deadline: datetime | None
    progress: float
    status: GoalStatus
    parent_goal_id: str | None
    tags: tuple[str, ...]
    notes: tuple[GoalNote, ...]
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None = None
    version: int = 1


@dataclass(frozen=True)
class RankedGoal:
    """A goal and its composite score at a moment."""

    goal: Goal
    score: float


@dataclass(frozen=True)
class GoalStatistics:
    """Counts over one namespace."""

    total: int = 0
    active: int = 0
    completed: int = 0
