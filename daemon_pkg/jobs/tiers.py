"""Every minute: pages beyond short-term memory move into segments, and what is hot is asked to be promoted.

What is read of pages is right without it: tiers are views. Where nothing is new it costs a few look-ups.
"""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import Job

log = logging.getLogger(__name__)


async def mature(agentos: AgentOS, namespace: str) -> None:
    """Let the tiers of a namespace mature."""
    moved = await agentos.tiers.mature(namespace)
    if moved:
        log.info("%d pages of %s moved into mid-term memory", moved, namespace)


JOB = Job("tiers", timedelta(minutes=1), "moves pages from short-term into mid-term memory", mature)
