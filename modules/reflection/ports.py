"""The ports of reflection: storage, and the listener."""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Protocol

from .models import ActionTally, DayTally, Pattern, PatternType, Reflection


class ReflectionRepository(Protocol):
    """Storage of the append-only log of actions, and of the patterns found in it."""

    async def add(self, reflection: Reflection, key: str | None) -> Reflection | None:
        """Append an action, and return it, or the one that the same request appended before.

        None if one with the same key exists. Raises NotFound for an unknown goal.
        """

    async def known_keys(self, namespace: str, keys: Sequence[str]) -> set[str]:
        """Those of the keys under which an action is there."""

    async def tallies(self, namespace: str, since: datetime, action: str | None = None) -> list[ActionTally]:
        """Return one tally per action, or only that of one action, since a moment, most frequent first."""

    async def elsewhere(self, namespace: str, project: str) -> set[str]:
        """Return the actions that were only logged in other projects than the one of this id."""

    async def daily(self, namespace: str, since: datetime, until: datetime, zone: tzinfo) -> list[DayTally]:
        """Return one tally per day of a zone with actions since a moment, the oldest first."""

    async def save_patterns(self, namespace: str, patterns: Sequence[Pattern], actions: Sequence[str]) -> None:
        """Insert patterns, or update the stored ones of the same identity.

        Other patterns of the `actions` that were looked at no longer hold, and are deleted.
        """

    async def patterns(self, namespace: str, pattern_type: PatternType | None, limit: int) -> list[Pattern]:
        """Return stored patterns, the last seen first."""


class ReflectionListener(Protocol):
    """Receives failures, and what recovers from them, as they happen."""

    async def action_failed(self, reflection: Reflection, failures_in_a_row: int) -> None:
        """Handle a failed action; `failures_in_a_row` counts its last failures within 24 hours, with this one."""

    async def action_recovered(self, reflection: Reflection) -> None:
        """Handle an action that failed within 24 hours, and has since succeeded several times in a row."""
