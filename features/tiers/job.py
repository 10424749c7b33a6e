"""Every minute: moves pages beyond short-term memory into segments, and asks to promote hot segments.

Reading pages is correct without it: tiers are views. Where nothing is new it costs a few look-ups.
"""

import logging
from datetime import timedelta

from ...daemon_pkg.jobs.job import Job
from ...modules.agentos import AgentOS
from .wiring import tier_service

log = logging.getLogger(__name__)


async def mature(agentos: AgentOS, namespace: str) -> bool:
    """Move pages between the tiers of a namespace, and ask for promotions; return whether any moved."""
    moved = await tier_service(agentos).mature(namespace)
    if moved:
        log.info("%d pages of %s moved into mid-term memory", moved, namespace)
    return bool(moved)


JOB = Job(
    "tiers",
    timedelta(minutes=1),
    "moves pages from short-term into mid-term memory",
    mature,
    rests=timedelta(minutes=15),  # by then segments are hot by being found, which is no change
)
