"""The ports of goals: storage, and the listener."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Goal, GoalNote, GoalStatistics, GoalStatus


class GoalRepository(Protocol):
    """Storage of goals and their notes; every change is one durable transaction."""

    async def add(self, goal: Goal) -> Goal:
        """Store a goal with its notes. Raises NotFound if its parent does not exist."""

    async def get(self, namespace: str, goal_id: str) -> Goal | None:
        """Return a goal with its notes, or None."""

    async def save(self, goal: Goal, note: GoalNote | None) -> Goal:
        """Replace a goal and append a note; its version rises by one.

        Raises NotFound if its parent does not exist; Conflict if that is a part of the goal, or if the stored version
        is not the goal's: it changed meanwhile.
        """

    async def page(
        self, namespace: str, statuses: Sequence[GoalStatus], limit: int, offset: int, tags: Sequence[str] | None
    ) -> tuple[list[Goal], int]:
        """Return goals in any of these states, newest first, and how many there are; with `tags`, those with any."""

    async def active(self, namespace: str) -> list[Goal]:
        """Return every active goal."""

    async def completed_since(self, namespace: str, since: datetime) -> list[Goal]:
        """Return goals completed at or after a moment."""

    async def statistics(self, namespace: str) -> GoalStatistics:
        """Count the goals of a namespace."""


class GoalListener(Protocol):
    """Receives what happens to goals."""

    async def goal_added(self, goal: Goal) -> None:
        """Handle a goal that was added."""

    async def goal_progressed(self, goal: Goal) -> None:
        """Handle a goal whose progress changed and that is still open."""

    async def goal_closed(self, goal: Goal) -> None:
        """Handle a goal that was completed or abandoned."""
