"""What the projects of memories need of storage."""

from datetime import datetime
from typing import Protocol

from ..memory.models import MemoryFilter


class ProjectRepository(Protocol):
    """Which projects memories belong to."""

    async def elsewhere(self, namespace: str, where: MemoryFilter, now: datetime) -> dict[str, int]:
        """Return how many memories pass a filter but for the project it works in, by the other project they are of."""

    async def named(self, namespace: str) -> list[str]:
        """Return the projects that memories say they belong to, by id or name."""
