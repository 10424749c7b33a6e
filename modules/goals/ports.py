"""What goals need of storage, and whom they tell."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Goal, GoalNote, GoalStatistics, GoalStatus


class GoalRepository(Protocol):
    """Rows of goals and their notes; every change is one durable transaction."""

    async def add(self, goal: Goal) -> Goal:
        """Store a goal. Raises NotFound when its parent does not exist."""

    async def get(self, namespace: str, goal_id: str) -> Goal | None:
        """One goal with its notes, or None."""

    async def save(self, goal: Goal, note: GoalNote | None) -> Goal:
        """Replace a goal and append a note; its version rises by one.

        Raises NotFound when its parent does not exist; Conflict when that is a part of the goal, or when the stored
        version is not the goal's: it changed meanwhile.
        """

    async def page(
        self, namespace: str, statuses: Sequence[GoalStatus], limit: int, offset: int
    ) -> tuple[list[Goal], int]:
        """Goals in any of these states, newest first, and how many there are."""

    async def active(self, namespace: str) -> list[Goal]:
        """Every active goal."""

    async def completed_since(self, namespace: str, since: datetime) -> list[Goal]:
        """Goals that were completed at or after a moment."""

    async def statistics(self, namespace: str) -> GoalStatistics:
        """Counts over a namespace."""


class GoalListener(Protocol):
    """Whoever wants to know what happens to goals."""

    async def goal_added(self, goal: Goal) -> None:
        """A goal was added."""

    async def goal_progressed(self, goal: Goal) -> None:
        """A goal's progress changed and it is still open."""

    async def goal_closed(self, goal: Goal) -> None:
        """A goal was completed or abandoned."""
