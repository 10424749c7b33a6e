"""Once a day: deletes the events of sessions at rest for long, if the settings ask for it, and old request keys."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob

log = logging.getLogger(__name__)


async def purge_events(agentos: AgentOS) -> None:
    """Delete events older than the retention; those that a memory was made of stay. Forget requests a day old."""
    await agentos.requests.purge()
    deleted = await agentos.sessions.purge()
    if deleted:
        log.info("%d events of old sessions were deleted", deleted)


JOB = StoreJob("event_retention", timedelta(days=1), "deletes events of old sessions, if configured", purge_events)
