"""Every 6 hours: archives what is older than a namespace's policy lets it stay."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import Job

log = logging.getLogger(__name__)


async def retain(agentos: AgentOS, namespace: str) -> None:
    """Archive the memories of a namespace that its policy keeps no longer; each can be reverted."""
    days = (await agentos.principals.limits(namespace)).retention_days
    archived = 0 if days is None else await agentos.upkeep.retain(namespace, days)
    if archived:
        log.info("%d memories of %s were archived: its policy keeps them for %d days", archived, namespace, days)


JOB = Job("retention", timedelta(hours=6), "archives memories older than their namespace's policy allows", retain)
