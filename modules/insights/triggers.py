"""Triggers: insights recorded the moment something happens, rather than at the next round of a job.

Goals, reflection and approvals call them; recording is idempotent by key, so that a job may find the same again.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from .models import InsightDraft, InsightKey, InsightKind, InsightSeverity
from .service import InsightService

if TYPE_CHECKING:
    from ..approvals.models import Approval
    from ..goals.models import Goal
    from ..reflection.models import Reflection

FAILING_TODAY = InsightKey("reflection_events", "", "failing_today")
"""The key of insights about failures within a day, without its subject."""

MIN_FAILURES = 2
FAILURES_CRITICAL = 3
HIGH_PRIORITY = 0.8
LESSON_PRIORITY = 0.4


def goal_subject(goal_id: str) -> str:
    """Return the subject of findings about a goal that end with the goal."""
    return f"goal:{goal_id}"


def action_subject(action: str) -> str:
    """Return the subject of findings about an action."""
    return f"action:{action}"


def lesson_task(goal_id: str, title: str) -> InsightDraft:
    """Return the task that a completed goal leaves behind."""
    return InsightDraft(
        InsightKind.TASK,
        InsightKey("goal_events", f"lesson:{goal_id}", "write_lesson"),
        InsightSeverity.INFO,
        f"Goal completed: '{title}'. Store what it taught as a procedural memory.",
        LESSON_PRIORITY,
    )


class Triggers:
    """Listens to goals, to reflection and to approvals."""

    def __init__(self, insights: InsightService) -> None:
        self._insights = insights

    async def goal_added(self, goal: "Goal") -> None:
        """Record a hint if a high-priority goal has no deadline."""
        if goal.priority >= HIGH_PRIORITY and goal.deadline is None:
            await self._record(goal, "no_deadline", f"Goal '{goal.title}' has a high priority but no deadline.")

    async def goal_progressed(self, goal: "Goal") -> None:
        """Record a milestone if the goal is half done."""
        if 0.48 <= goal.progress <= 0.52:
            await self._record(goal, "half_way", f"Goal '{goal.title}' is half done.")

    async def goal_closed(self, goal: "Goal") -> None:
        """Close what was found about the goal; if it was completed, record the task to write down its lesson."""
        await self._insights.resolve_subject(goal.namespace, goal_subject(goal.id))
        if goal.status == "completed":
            await self._insights.record(goal.namespace, [lesson_task(goal.id, goal.title)])

    async def action_failed(self, reflection: "Reflection", failures_in_a_row: int) -> None:
        """Warn at the second failure in a row of an action within a day; from the third it is critical, with a task."""
        if failures_in_a_row < MIN_FAILURES:
            return
        key = replace(FAILING_TODAY, subject=action_subject(reflection.action))
        critical = failures_in_a_row >= FAILURES_CRITICAL
        text = f"'{reflection.action}' has failed {failures_in_a_row} times in a row within a day."
        drafts = [
            InsightDraft(
                InsightKind.INSIGHT, key, InsightSeverity.CRITICAL if critical else InsightSeverity.WARNING, text
            )
        ]
        if critical:
            task = f"Find out why '{reflection.action}' keeps failing before trying it again."
            drafts.append(InsightDraft(InsightKind.TASK, key, InsightSeverity.CRITICAL, task, 0.9))
        await self._insights.record(reflection.namespace, drafts)

    async def action_recovered(self, reflection: "Reflection") -> None:
        """Close what was found about the failures of an action that works again."""
        await self._insights.resolve_subject(reflection.namespace, action_subject(reflection.action))

    async def approval_executed(self, approval: "Approval") -> None:
        """Record an insight about what was done without asking, although not without risk."""
        key = InsightKey("approval_events", f"approval:{approval.id}", "not_asked")
        what = f"{approval.action} ({approval.subject})"
        text = f"{what} is {approval.status}, without asking: its risk is {approval.risk:.2f}."
        await self._insights.record(
            approval.namespace, [InsightDraft(InsightKind.INSIGHT, key, InsightSeverity.INFO, text)]
        )

    async def _record(self, goal: "Goal", rule: str, text: str) -> None:
        key = InsightKey("goal_events", goal_subject(goal.id), rule)
        await self._insights.record(
            goal.namespace, [InsightDraft(InsightKind.INSIGHT, key, InsightSeverity.INFO, text)]
        )
