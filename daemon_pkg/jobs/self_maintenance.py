"""Every 6 hours: checks the memory's health. Erases expired memories; asks about what only the user may decide."""

from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.approvals.models import ApprovalRequest
from ...modules.approvals.risk import RiskInputs
from ...modules.insights.models import InsightSeverity
from ...modules.memory.upkeep import ARCHIVE_FADED
from ..writer import InsightWriter, RuleFinding
from .job import Job

MANY_MEMORIES = 5000
ASK_AGAIN_AFTER = timedelta(days=30)
LOOKED_AT = 200
RISK = RiskInputs(impact=0.9, reversibility=0.3, sensitivity=0.5)
"""Much at once: never without a human, although each memory can be brought back."""
RULES = ("many_memories", "low_importance", "no_reflections", "no_goals")
"""The rules whose findings are closed where they hold no longer; all but the first are only that: they find nothing."""


async def maintain(agentos: AgentOS, namespace: str) -> None:
    """Erase expired memories, and write insights about the state of a namespace."""
    now = agentos.clock()
    await agentos.archive.erase_expired_everywhere(now)
    memories = await agentos.archive.statistics(namespace, now)
    findings: list[RuleFinding] = []
    if memories.total > MANY_MEMORIES and memories.low_importance:
        findings.append(
            RuleFinding(
                "many_memories",
                "agent",
                InsightSeverity.WARNING,
                f"There are {memories.total} memories, {memories.low_importance} of them of low importance.",
                "Ask the user whether old memories of low importance may be deleted, and delete them then.",
                0.6,
            )
        )
        await _ask(agentos, namespace, memories.low_importance)
    await InsightWriter(JOB.name, agentos.insights).write(namespace, RULES, findings)


async def _ask(agentos: AgentOS, namespace: str, count: int) -> None:
    """Ask a human once whether what nobody looks at may be archived; a no is not asked again for ASK_AGAIN_AFTER."""
    since = agentos.clock() - ASK_AGAIN_AFTER
    past = await agentos.approvals.history(namespace, LOOKED_AT)
    if any(one.action == ARCHIVE_FADED and one.updated_at > since for one in past):
        return
    reason = f"archive memories below importance .2 that were not used for 30 days; {count} have low importance"
    asked = ApprovalRequest(namespace, "memories", ARCHIVE_FADED, {}, RISK, reason, f"job:{JOB.name}")
    await agentos.approvals.request(asked)


JOB = Job("self_maintenance", timedelta(hours=6), "cleans up and reports problems", maintain)
