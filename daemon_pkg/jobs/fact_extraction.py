"""Every 10 minutes: finds facts, with their evidence, in users' turns that have not been read yet."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob

log = logging.getLogger(__name__)


async def extract_facts(agentos: AgentOS) -> None:
    """Read a bounded number of new turns; the rest is left for the next run."""
    new = await agentos.extraction.read_new()
    if new:
        log.info("%d facts were found in conversations", new)


JOB = StoreJob("fact_extraction", timedelta(minutes=10), "finds facts in what users said", extract_facts)
