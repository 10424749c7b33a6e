"""Every 2 minutes: turns what agents did into observations. The end of a turn does so at once; this finds the rest."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob

log = logging.getLogger(__name__)


async def observe_sessions(agentos: AgentOS) -> None:
    """Turn what happened in sessions since the last run into observations."""
    made = await agentos.sessions.observe()
    if made:
        log.info("%d observations were made", made)


JOB = StoreJob("session_observer", timedelta(minutes=2), "turns session events into observations", observe_sessions)
