"""Every 24 hours: finds important memories that are nearly forgotten.

Nothing is subtracted: strength is a pure function of stored times, so that a missed day changes nothing.
"""

from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.framing import quote
from ...modules.insights.models import InsightSeverity
from ...modules.memory.models import Memory
from ..writer import InsightWriter, RuleFinding
from .job import Job

IMPORTANT = 0.7
NEARLY_FORGOTTEN = 0.2
SHOWN_AT_ONCE = 3
LOOKED_AT = 1000
RULE = "nearly_forgotten"


async def find_fading_memories(agentos: AgentOS, namespace: str) -> None:
    """Write insights about important memories that have not been used for long, a few at a time."""
    fading = await agentos.memory.fading(namespace, IMPORTANT, NEARLY_FORGOTTEN, LOOKED_AT)
    findings = [_finding(memory) for memory in fading]
    await InsightWriter(JOB.name, agentos.insights).write_up_to(namespace, RULE, findings, SHOWN_AT_ONCE)


def _finding(memory: Memory) -> RuleFinding:
    return RuleFinding(
        RULE,
        f"memory:{memory.id}",
        InsightSeverity.INFO,
        f"Important but nearly forgotten since {memory.accessed_at:%Y-%m-%d}: {memory.id} {quote(memory.summary)}",
    )


JOB = Job(
    "memory_decay",
    timedelta(hours=24),
    "finds important memories that are nearly forgotten",
    find_fading_memories,
    at_first_start=False,
)
