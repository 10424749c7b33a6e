"""What insights need of storage."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Insight, InsightDraft, InsightKey, InsightKind, InsightStatus


class InsightRepository(Protocol):
    """One row for each (namespace, kind, key)."""

    async def record(
        self, namespace: str, draft: InsightDraft, new_id: str, now: datetime, reopen_before: datetime
    ) -> Insight:
        """Insert, or bring the row of the same key up to date.

        A closed row opens again when it was closed before `reopen_before`, or when the draft is more
        severe than it was; otherwise it stays closed.
        """

    async def get(self, namespace: str, insight_id: str) -> Insight | None:
        """One insight or task, or None."""

    async def set_status(self, namespace: str, insight_id: str, status: InsightStatus, now: datetime) -> Insight | None:
        """Change the state of one; None when there is no such row."""

    async def open_ones(self, namespace: str, kind: InsightKind, limit: int) -> list[Insight]:
        """Open and acknowledged ones: insights by severity, tasks by priority, then the newest first."""

    async def resolve(self, namespace: str, keys: Sequence[InsightKey], subject: str | None, now: datetime) -> int:
        """Mark as done the open ones with these keys, or all about a subject; returns how many."""
