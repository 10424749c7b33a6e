"""The port of insights: storage."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Insight, InsightDraft, InsightKind, InsightStatus


class InsightRepository(Protocol):
    """Storage of insights: one row for each (namespace, kind, key)."""

    async def record(
        self, namespace: str, draft: InsightDraft, new_id: str, now: datetime, reopen_before: datetime
    ) -> Insight:
        """Insert a row, or update the one of the same key.

        A closed row opens again if it was closed before `reopen_before`, or if the draft is more severe than it was;
        otherwise it stays closed.
        """

    async def set_status(self, namespace: str, insight_id: str, status: InsightStatus, now: datetime) -> Insight | None:
        """Change the status of a row; None if there is no such row."""

    async def get(self, namespace: str, insight_id: str) -> Insight | None:
        """Return an insight or task."""

    async def open_ones(self, namespace: str, kind: InsightKind, limit: int) -> list[Insight]:
        """Return open and acknowledged rows: insights by severity, tasks by priority, then the newest first."""

    async def open_everywhere(self, job: str) -> list[str]:
        """Return the namespaces in which a job's findings are open, by name."""

    async def resolve_subject(self, namespace: str, subject: str, now: datetime) -> int:
        """Mark everything open about a subject as done; return how many."""

    async def resolve_others(self, namespace: str, job: str, rule: str, subjects: Sequence[str], now: datetime) -> int:
        """Mark as done what a rule of a job found open, except about `subjects`; return how many."""
