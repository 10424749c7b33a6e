"""What reflection needs of storage, and whom it tells."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import ActionTally, Pattern, PatternType, Reflection


class ReflectionRepository(Protocol):
    """The append-only log of actions, and the patterns found in it."""

    async def add(self, reflection: Reflection, key: str | None) -> bool:
        """Append one action; False when one with the same key is there. Raises NotFound for an unknown goal."""

    async def known_keys(self, namespace: str, keys: Sequence[str]) -> set[str]:
        """Those of the keys under which an action is there."""

    async def tallies(self, namespace: str, since: datetime) -> list[ActionTally]:
        """One tally per action since a moment, most frequent first."""

    async def save_patterns(self, namespace: str, patterns: Sequence[Pattern], actions: Sequence[str]) -> None:
        """Insert patterns, or bring the stored ones of the same identity up to date.

        Of the `actions` that were looked at, other patterns than these no longer hold and are deleted.
        """

    async def patterns(self, namespace: str, pattern_type: PatternType | None, limit: int) -> list[Pattern]:
        """Stored patterns, the last seen first."""

    async def last_at(self, namespace: str) -> datetime | None:
        """When the last action was logged."""


class ReflectionListener(Protocol):
    """Whoever wants to know about failures as they happen."""

    async def action_failed(self, reflection: Reflection, failures_in_a_day: int) -> None:
        """An action failed; so many times within 24 hours, this one included."""
