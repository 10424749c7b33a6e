"""The ports of goals: storage, and the listener."""

from typing import Protocol

from .models import Goal


class GoalListener(Protocol):
    """Receives what happens to goals."""

    async def goal_added(self, goal: Goal) -> None:
        """Handle a goal that was added."""

    async def goal_progressed(self, goal: Goal) -> None:
        """Handle a goal whose progress changed and that is still open."""

    async def goal_closed(self, goal: Goal) -> None:
        """Handle a goal that was completed or abandoned."""
