"""Goals as results: lean, and whole."""

from collections.abc import Sequence
from datetime import datetime

from ..framing import quote
from ..goals.models import Goal, GoalStatus
from ..records import dataclass
from ..text.counting import counted
from .texts import Minute, facts


@dataclass(frozen=True)
class GoalView:
    """A goal in short form; `progress` is 0 to 1."""

    id: str
    title: str
    status: str = GoalStatus.ACTIVE.value
    progress: float = 0.0
    deadline: Minute | None = None
    parent_goal_id: str | None = None

    def as_text(self) -> str:
        """Return the goal as one line."""
        parent = f", part of {self.parent_goal_id}" if self.parent_goal_id else ""
        due = f", due {self.deadline:%Y-%m-%d %H:%M} UTC" if self.deadline else ""
        return f"{self.id} {quote(self.title, 200)} {self.status}, {self.progress:.0%}{due}{parent}"


@dataclass(frozen=True)
class Note:
    """A remark that came with a change of a goal."""

    at: Minute
    text: str


@dataclass(frozen=True, kw_only=True)
class FullGoal:
    """A goal whole, with its composite score: .5·priority + .3·urgency + .2·pressure of the deadline."""

    id: str
    agent_id: str
    title: str
    description: str
    status: str
    progress: float
    priority: float
    urgency: float
    score: float
    created_at: datetime
    updated_at: datetime
    deadline: datetime | None = None
    parent_goal_id: str | None = None
    tags: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    completed_at: datetime | None = None

    def as_text(self) -> str:
        """Return the goal as lines."""
        details = facts(self, ("id", "title", "description", "notes"))
        notes = [f"  {note.at:%Y-%m-%d %H:%M}: {quote(note.text)}" for note in self.notes]
        return "\n".join([f"{self.id} {quote(self.title)}: {quote(self.description)}; {details}", *notes])


@dataclass(frozen=True)
class GoalList:
    """Goals, and how many there are in all."""

    results: tuple[GoalView, ...] | tuple[FullGoal, ...]
    total: int

    def as_text(self) -> str:
        """Return the goals as lines."""
        lines = [f"- {goal.as_text()}" for goal in self.results]
        return "\n".join([*lines, f"{len(self.results)} of {counted(self.total, 'goal')}."])


@dataclass(frozen=True)
class TreeGoal:
    """A goal in a tree: how deep it is, and what it is a part of."""

    id: str
    title: str
    depth: int = 0
    parent_goal_id: str | None = None
    status: str = GoalStatus.ACTIVE.value
    progress: float = 0.0
    deadline: Minute | None = None

    def as_text(self) -> str:
        """Return the goal as one line, indented by its depth."""
        due = f", due {self.deadline:%Y-%m-%d}" if self.deadline else ""
        return f"{'  ' * self.depth}- {self.id} {quote(self.title, 200)} {self.status}, {self.progress:.0%}{due}"


@dataclass(frozen=True)
class GoalTree:
    """Goals, each below the one that it is a part of, and how many there are."""

    results: tuple[TreeGoal, ...]
    total: int

    def as_text(self) -> str:
        """Return the goals as lines."""
        lines = [goal.as_text() for goal in self.results]
        return "\n".join([*lines, f"{len(self.results)} of {counted(self.total, 'goal')}."])


def tree(ordered: Sequence[tuple[Goal, int]], limit: int) -> GoalTree:
    """Return the view of goals as a tree, at most `limit` of them, and at most 200."""
    shown = [
        TreeGoal(goal.id, goal.title, depth, goal.parent_goal_id, goal.status.value, goal.progress, goal.deadline)
        for goal, depth in ordered[: max(1, min(limit, 200))]
    ]
    return GoalTree(tuple(shown), len(ordered))


def goal_view(goal: Goal) -> GoalView:
    """Return the lean view of a goal."""
    return GoalView(goal.id, goal.title, goal.status.value, goal.progress, goal.deadline, goal.parent_goal_id)


def goals(lean: Sequence[Goal], total: int) -> GoalList:
    """Return the lean view of goals."""
    return GoalList(tuple(map(goal_view, lean)), total)


def full_goals(scored: Sequence[tuple[Goal, float]], total: int) -> GoalList:
    """Return the view of goals whole, each with its score."""
    return GoalList(tuple(_full_goal(goal, score) for goal, score in scored), total)


def _full_goal(goal: Goal, score: float) -> FullGoal:
    return FullGoal(
        id=goal.id,
        agent_id=goal.namespace,
        title=goal.title,
        description=goal.description,
        status=goal.status.value,
        progress=goal.progress,
        priority=goal.priority,
        urgency=goal.urgency,
        score=round(score, 6),
        created_at=goal.created_at,
        updated_at=goal.updated_at,
        deadline=goal.deadline,
        parent_goal_id=goal.parent_goal_id,
        tags=tuple(goal.tags),
        notes=tuple(Note(note.at, note.text) for note in goal.notes),
        completed_at=goal.completed_at,
    )
