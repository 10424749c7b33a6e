"""Every 5 minutes: computes the salience of new turns, links pages into chains, and describes the chains."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob

log = logging.getLogger(__name__)


async def mature_turns(agentos: AgentOS) -> None:
    """Compute the missing values of new turns."""
    weighed = await agentos.turns.mature()
    if weighed:
        log.info("the salience of %d turns was computed", weighed)


JOB = StoreJob(
    "turn_salience", timedelta(minutes=5), "computes the salience of new turns and links their pages", mature_turns
)
