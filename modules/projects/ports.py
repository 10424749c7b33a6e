"""What the projects of memories need of storage."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from ..memory.models import MemoryFilter
from ..sessions.models import Project


class ProjectRepository(Protocol):
    """Which projects memories belong to."""

    async def elsewhere(self, namespace: str, where: MemoryFilter, now: datetime) -> dict[str, int]:
        """Return how many memories pass a filter but for the project it works in, by the other project they are of."""

    async def named(self, namespace: str) -> list[str]:
        """Return the projects that memories say they belong to, by id or name."""

    async def of_sessions(self, namespace: str) -> dict[str, str]:
        """Return the id of the project of each session that has a folder, by the session's id and by its key."""

    async def assign(self, namespace: str, projects: Mapping[str, Project], now: datetime) -> int:
        """Give memories, by their ids, to projects; those that belong to one stay there. Return how many changed."""

    async def rewrite(self, namespace: str, names: Sequence[str], into: Project, now: datetime) -> int:
        """Give all memories of a project, by its id and further names, to a project; return how many changed.

        In several transactions: what was interrupted is done by doing it again.
        """

    async def merge(self, namespace: str, old: str, into: Project, now: datetime) -> None:
        """Give the sessions, goals and logged actions of a project to another one, and delete it."""
