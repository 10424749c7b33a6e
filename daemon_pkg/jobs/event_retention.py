"""Once a day: the events of sessions that have rested for long go, where that was asked for."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob

log = logging.getLogger(__name__)


async def purge_events(agentos: AgentOS) -> None:
    """Delete what is older than events are kept; what a memory was made of stays."""
    deleted = await agentos.sessions.purge()
    if deleted:
        log.info("%d events of old sessions were deleted", deleted)


JOB = StoreJob("event_retention", timedelta(days=1), "deletes events of old sessions, if asked to", purge_events)
