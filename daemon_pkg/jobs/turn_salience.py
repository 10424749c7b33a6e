"""Every 5 minutes: how salient new turns are, which pages go on with what came before, and what chains are about."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob

log = logging.getLogger(__name__)


async def mature_turns(agentos: AgentOS) -> None:
    """Work out what is not known yet of new turns."""
    weighed = await agentos.turns.mature()
    if weighed:
        log.info("%d turns were weighed", weighed)


JOB = StoreJob("turn_salience", timedelta(minutes=5), "weighs new turns, and links their pages", mature_turns)
