"""Every 6 hours: checks the memory's health. Erases expired memories; asks about what only the user may decide."""

from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.insights.models import Severity
from ..writer import Finding, InsightWriter
from .job import Job

MANY_MEMORIES = 5000
LOW_IMPORTANCE_SHARE = 0.4
SILENT_AFTER = timedelta(days=3)
ENOUGH_MEMORIES = 10
RULES = ("many_memories", "low_importance", "no_reflections", "no_goals")


async def maintain(agentos: AgentOS, namespace: str) -> None:
    """Erase expired memories, and write insights about the state of a namespace."""
    now = agentos.clock()
    await agentos.archive.erase_expired(now)
    memories = await agentos.archive.statistics(namespace, now)
    goals = await agentos.goals.statistics(namespace)
    last_reflection = await agentos.reflection.last_at(namespace)
    findings: list[Finding] = []
    if memories.total > MANY_MEMORIES:
        findings.append(
            Finding(
                "many_memories",
                "agent",
                Severity.WARNING,
                f"There are {memories.total} memories, {memories.low_importance} of them of low importance.",
                "Ask the user whether old memories of low importance may be deleted, then use memory_delete.",
                0.6,
            )
        )
    if memories.total and memories.low_importance / memories.total > LOW_IMPORTANCE_SHARE:
        findings.append(
            Finding(
                "low_importance",
                "agent",
                Severity.INFO,
                f"{memories.low_importance / memories.total:.0%} of the memories are of low importance.",
                "Store fewer, weightier memories, or raise the importance of those that matter.",
                0.4,
            )
        )
    silent = last_reflection is not None and now - last_reflection > SILENT_AFTER
    if silent or (last_reflection is None and memories.total > ENOUGH_MEMORIES):
        findings.append(
            Finding(
                "no_reflections",
                "agent",
                Severity.WARNING,
                "No actions were logged in the last 3 days: nothing can be learned from them.",
            )
        )
    if not goals.active and memories.total > ENOUGH_MEMORIES:
        findings.append(
            Finding(
                "no_goals",
                "agent",
                Severity.INFO,
                "There are memories but no active goals.",
                "Ask the user what this is all for, and add it with goal_add.",
                0.5,
            )
        )
    await InsightWriter(JOB.name, agentos.insights).write(namespace, RULES, findings)


JOB = Job("self_maintenance", timedelta(hours=6), "cleans up, and says what is unhealthy", maintain)
