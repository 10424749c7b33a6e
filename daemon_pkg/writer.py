"""Writing a job's findings: each once, updated while it holds, closed when it no longer does."""

from collections.abc import Sequence

from ..modules.insights.models import InsightDraft, InsightKey, InsightKind, InsightSeverity
from ..modules.insights.service import InsightService
from ..modules.records import dataclass


@dataclass(frozen=True)
class RuleFinding:
    """A rule's finding about a subject: an insight, and a task if there is something to do."""

    rule: str
    subject: str
    severity: InsightSeverity
    text: str
    task: str | None = None
    task_priority: float = 0.5


class InsightWriter:
    """Writes the findings of one job."""

    def __init__(self, job: str, insights: InsightService) -> None:
        self._job = job
        self._insights = insights

    async def write_up_to(self, namespace: str, rule: str, findings: Sequence[RuleFinding], limit: int) -> None:
        """Record findings of one rule until `limit` of them are open, passing over those the reader has closed."""
        shown: list[RuleFinding] = []
        for finding in findings:
            if len(shown) == limit:
                break
            recorded = await self._insights.record(namespace, self._drafts(finding))
            if recorded[0].status.is_open:
                shown.append(finding)
        subjects = [finding.subject for finding in findings]
        await self._insights.resolve_others(namespace, self._job, rule, subjects)

    def _drafts(self, finding: RuleFinding) -> list[InsightDraft]:
        """Return the insight of a finding, and its task if there is something to do."""
        key = InsightKey(self._job, finding.subject, finding.rule)
        drafts = [InsightDraft(InsightKind.INSIGHT, key, finding.severity, finding.text)]
        if finding.task is not None:
            drafts.append(InsightDraft(InsightKind.TASK, key, finding.severity, finding.task, finding.task_priority))
        return drafts

    async def write(self, namespace: str, rules: Sequence[str], findings: Sequence[RuleFinding]) -> None:
        """Record `findings`, and close what `rules` found earlier and do not find now."""
        await self._insights.record(namespace, [draft for finding in findings for draft in self._drafts(finding)])
        for rule in rules:
            subjects = [finding.subject for finding in findings if finding.rule == rule]
            await self._insights.resolve_others(namespace, self._job, rule, subjects)
