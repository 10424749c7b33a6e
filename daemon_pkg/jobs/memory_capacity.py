"""Every 15 minutes: archives the weakest memories beyond the capacity of a namespace, and says so."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.insights.models import InsightSeverity
from ..writer import InsightWriter, RuleFinding
from .job import Job

RULE = "at_capacity"

log = logging.getLogger(__name__)


async def make_room(agentos: AgentOS, namespace: str) -> None:
    """Keep a namespace within its capacity."""
    made = await agentos.upkeep.make_room(namespace)
    if not made:
        return
    log.info("%d memories of %s were archived: they were beyond its capacity", made, namespace)
    finding = RuleFinding(
        RULE,
        "agent",
        InsightSeverity.WARNING,
        f"{made} of the weakest memories were archived, as AGENTOS_MEMORIES_PER_NAMESPACE allows no more. "
        "Each can be restored.",
    )
    await InsightWriter(JOB.name, agentos.insights).write(namespace, (RULE,), [finding])


JOB = Job(
    "memory_capacity",
    timedelta(minutes=15),
    "archives the weakest memories beyond the capacity of a namespace",
    make_room,
)
