"""Every hour: archives what is the same text, and asks about memories that say about the same in other words."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.approvals.models import ApprovalRequest
from ...modules.approvals.risk import RiskInputs
from ...modules.memory.lifecycle_service import JOB as BY_JOB
from ...modules.memory.upkeep import MERGE_SIMILAR
from .job import Job

ASK_AGAIN_AFTER = timedelta(days=30)
LOOKED_AT = 200
RISK = RiskInputs(impact=0.9, reversibility=0.3, sensitivity=0.5)
"""What looks alike may differ: never without a human, although each memory can be brought back."""

log = logging.getLogger(__name__)


async def merge_near_duplicates(agentos: AgentOS, namespace: str) -> None:
    """Archive what is the same text as an older memory; ask a human once about what is only similar."""
    while done := await agentos.upkeep.consolidate(namespace, BY_JOB):
        log.info("%d near duplicates of %s were archived", len(done), namespace)
    similar = await agentos.upkeep.consolidation(namespace, similar=True)
    if not similar:
        return
    since = agentos.clock() - ASK_AGAIN_AFTER
    past = await agentos.approvals.history(namespace, LOOKED_AT)
    if any(one.action == MERGE_SIMILAR and one.updated_at > since for one in past):
        return
    reason = (
        f"archive {len(similar)} memories that similar ones make redundant; agentos consolidate --similar shows them"
    )
    asked = ApprovalRequest(namespace, "memories", MERGE_SIMILAR, {}, RISK, reason, f"job:{JOB.name}")
    await agentos.approvals.request(asked)


JOB = Job(
    "near_duplicates",
    timedelta(hours=1),
    "archives near duplicates and reports similar memories",
    merge_near_duplicates,
)
