"""What insights need of storage."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Insight, InsightDraft, InsightKind, InsightStatus


class InsightRepository(Protocol):
    """One row for each (namespace, kind, key)."""

    async def record(
        self, namespace: str, draft: InsightDraft, new_id: str, now: datetime, reopen_before: datetime
    ) -> Insight:
        """Insert, or bring the row of the same key up to date.

        A closed row opens again when it was closed before `reopen_before`, or when the draft is more
        severe than it was; otherwise it stays closed.
        """

    async def set_status(self, namespace: str, insight_id: str, status: InsightStatus, now: datetime) -> Insight | None:
        """Change the state of one; None when there is no such row."""

    async def open_ones(self, namespace: str, kind: InsightKind, limit: int) -> list[Insight]:
        """Open and acknowledged ones: insights by severity, tasks by priority, then the newest first."""

    async def resolve_subject(self, namespace: str, subject: str, now: datetime) -> int:
        """Mark everything open about a subject as done; returns how many."""

    async def resolve_others(self, namespace: str, job: str, rule: str, subjects: Sequence[str], now: datetime) -> int:
        """Mark as done what a rule of a job found open, except about `subjects`; returns how many."""
