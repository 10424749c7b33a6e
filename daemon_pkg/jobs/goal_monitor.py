"""Every hour: watches deadlines, stalled goals, and the lesson task of each completed goal."""

import textwrap
from datetime import datetime, timedelta

from ...modules.agentos import AgentOS
from ...modules.goals.models import Goal
from ...modules.insights.models import InsightSeverity
from ...modules.insights.triggers import goal_subject, lesson_task
from ..writer import InsightWriter, RuleFinding
from .job import Job

DUE_SOON = timedelta(days=2)
STALLED_AFTER = timedelta(days=3)
IMPORTANT = 0.7
OVERDUE_BONUS = 0.3
MAX_TITLE_CHARS = 120
LESSONS_OF = timedelta(days=7)
RULES = ("overdue", "due_soon", "stalled")


async def monitor_goals(agentos: AgentOS, namespace: str) -> None:
    """Write insights and tasks about the goals of a namespace."""
    now = agentos.clock()
    findings = [
        finding
        for goal in await agentos.goals.active(namespace)
        for finding in (_deadline(goal, now), _stall(goal, now))
        if finding is not None
    ]
    await InsightWriter(JOB.name, agentos.insights).write(namespace, RULES, findings)
    # Completing a goal writes this task at once; this finds goals where a crash came between.
    completed = await agentos.goals.completed_since(namespace, now - LESSONS_OF)
    await agentos.insights.record(namespace, [lesson_task(goal.id, goal.title) for goal in completed])


def _title(goal: Goal) -> str:
    """Return the title in quotes, short enough that the text around it is never cut."""
    return f"'{textwrap.shorten(goal.title, MAX_TITLE_CHARS, placeholder='…')}'"


def _deadline(goal: Goal, now: datetime) -> RuleFinding | None:
    if goal.deadline is None or goal.deadline - now > DUE_SOON:
        return None
    when = f"{goal.deadline:%Y-%m-%d %H:%M} UTC"
    if goal.deadline <= now:
        return RuleFinding(
            "overdue",
            goal_subject(goal.id),
            InsightSeverity.CRITICAL,
            f"Goal {_title(goal)} is overdue: it was due {when}.",
            f"Finish {_title(goal)}, replace it with a new goal that has a later deadline, or abandon it.",
            min(1.0, goal.priority + OVERDUE_BONUS),
        )
    return RuleFinding(
        "due_soon", goal_subject(goal.id), InsightSeverity.WARNING, f"Goal {_title(goal)} is due soon: {when}."
    )


def _stall(goal: Goal, now: datetime) -> RuleFinding | None:
    if now - goal.updated_at < STALLED_AFTER:
        return None
    text = f"Goal {_title(goal)} has made no progress since {goal.updated_at:%Y-%m-%d} ({goal.progress:.0%} done)."
    if goal.priority < IMPORTANT:
        return RuleFinding("stalled", goal_subject(goal.id), InsightSeverity.INFO, text)
    task = f"Take the next step for {_title(goal)}, or pause it."
    return RuleFinding("stalled", goal_subject(goal.id), InsightSeverity.WARNING, text, task, goal.priority)


JOB = Job("goal_monitor", timedelta(minutes=60), "watches deadlines and stalled goals", monitor_goals)
