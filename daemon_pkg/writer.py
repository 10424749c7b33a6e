"""Writing what a job finds: each finding once, brought up to date while it holds, closed when it does not."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..modules.insights.models import InsightDraft, InsightKey, InsightKind, Severity
from ..modules.insights.service import InsightService


@dataclass(frozen=True)
class Finding:
    """What a rule finds about a subject: an insight, and what to do about it if there is something to do."""

    rule: str
    subject: str
    severity: Severity
    text: str
    task: str | None = None
    task_priority: float = 0.5


class InsightWriter:
    """Writes the findings of one job."""

    def __init__(self, job: str, insights: InsightService) -> None:
        self._job = job
        self._insights = insights

    async def write(
        self, namespace: str, rules: Sequence[str], findings: Sequence[Finding], still_true: Sequence[Finding] = ()
    ) -> None:
        """Record `findings`, and close what `rules` found earlier and neither finds nor holds true now.

        `still_true` are findings that hold but are not written again: there would be too many at once.
        """
        drafts: list[InsightDraft] = []
        for finding in findings:
            key = InsightKey(self._job, finding.subject, finding.rule)
            drafts.append(InsightDraft(InsightKind.INSIGHT, key, finding.severity, finding.text))
            if finding.task is not None:
                drafts.append(
                    InsightDraft(InsightKind.TASK, key, finding.severity, finding.task, finding.task_priority)
                )
        await self._insights.record(namespace, drafts)
        for rule in rules:
            subjects = [finding.subject for finding in (*findings, *still_true) if finding.rule == rule]
            await self._insights.resolve_others(namespace, self._job, rule, subjects)
