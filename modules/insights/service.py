"""The insight service: record without repeats, show without changing, let the reader decide."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import NotFound
from .models import Insight, InsightDraft, InsightKind, InsightStatus

if TYPE_CHECKING:
    from ...storage.repositories.insights import InsightsRepository

REOPEN_AFTER = timedelta(days=7)
"""The time for which a closed finding stays silent, unless it gets more severe."""


class InsightService:
    """The rules of insights and tasks over one store."""

    def __init__(self, repository: "InsightsRepository", clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def record(self, namespace: str, drafts: Sequence[InsightDraft]) -> list[Insight]:
        """Record findings; a known one is updated in place."""
        now = self._clock()
        return [
            await self._repository.record(
                namespace,
                draft,
                identifiers.new_id("task" if draft.kind is InsightKind.TASK else "ins"),
                now,
                now - REOPEN_AFTER,
            )
            for draft in drafts
        ]

    async def update(self, namespace: str, insight_id: str, status: str) -> Insight:
        """Acknowledge, finish, dismiss or reopen an insight or task. Raises NotFound or InvalidInput."""
        inputs.text("insight_id", insight_id, 200)
        target = inputs.choice("status", status, InsightStatus)
        changed = await self._repository.set_status(namespace, insight_id, target, self._clock())
        if changed is None:
            raise NotFound(
                f"insight_id: there is no insight or task {insight_id[:60]!r}; context_get_snapshot gives valid ids"
            )
        return changed

    async def get(self, namespace: str, insight_id: str) -> Insight:
        """Return an insight or task. Raises NotFound."""
        found = await self._repository.get(namespace, insight_id)
        if found is None:
            raise NotFound(f"insight_id: there is no insight or task {insight_id[:60]!r}")
        return found

    async def insights(self, namespace: str, limit: int) -> list[Insight]:
        """Return open insights, critical first; reading changes nothing."""
        return await self._repository.open_ones(namespace, InsightKind.INSIGHT, limit)

    async def tasks(self, namespace: str, limit: int) -> list[Insight]:
        """Return open tasks by priority; reading changes nothing."""
        return await self._repository.open_ones(namespace, InsightKind.TASK, limit)

    async def open_everywhere(self, job: str) -> list[str]:
        """Return the namespaces in which a job's findings are open, by name."""
        return await self._repository.open_everywhere(job)

    async def resolve_subject(self, namespace: str, subject: str) -> int:
        """Close the findings about a subject that no longer needs attention; return how many."""
        return await self._repository.resolve_subject(namespace, subject, self._clock())

    async def resolve_others(self, namespace: str, job: str, rule: str, subjects: Sequence[str]) -> int:
        """Close what a rule found earlier and no longer finds, on all but `subjects`; return how many."""
        return await self._repository.resolve_others(namespace, job, rule, subjects, self._clock())
