"""What usage needs of storage."""

from collections.abc import Mapping
from datetime import date
from typing import Protocol

from .models import Usage, UsageKey


class UsageRepository(Protocol):
    """Counters; what is added is not fsynced, since it is a statistic."""

    async def add(self, counts: Mapping[UsageKey, Usage]) -> None:
        """Add to what is there."""

    async def since(self, day: date) -> dict[UsageKey, Usage]:
        """Every counter of that day and later ones."""

    async def drop_before(self, day: date) -> int:
        """Delete the counters of earlier days; returns how many."""
