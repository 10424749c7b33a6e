"""The port of usage: storage."""

from collections.abc import Mapping
from datetime import date
from typing import Protocol

from .models import Spending, SpendingKey, Usage, UsageKey


class UsageRepository(Protocol):
    """Storage of counters; additions are not fsynced, since they are statistics."""

    async def add(self, counts: Mapping[UsageKey, Usage]) -> None:
        """Add to the counters."""

    async def since_everywhere(self, day: date) -> dict[UsageKey, Usage]:
        """Return every counter of that day and later ones."""

    async def add_spending(self, counts: Mapping[SpendingKey, Spending]) -> None:
        """Add to what was spent."""

    async def spending_since_everywhere(self, day: date) -> dict[SpendingKey, Spending]:
        """Return what was spent on that day and later ones."""

    async def drop_before_everywhere(self, day: date) -> int:
        """Delete the counters of earlier days; return how many."""
