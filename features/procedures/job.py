"""Every 30 minutes: mines habits and lessons from new turns and actions; where there are none, nothing is read."""

import logging
from datetime import timedelta

from ...daemon_pkg.jobs.job import Job
from ...modules.agentos import AgentOS
from .wiring import procedure_service

log = logging.getLogger(__name__)


async def mine_procedures(agentos: AgentOS, namespace: str) -> None:
    """Update the procedures of a namespace."""
    mined = await procedure_service(agentos).mine_what_is_new(namespace)
    if mined is not None and mined.made:
        log.info("%d procedures and lessons found", mined.made)


JOB = Job("procedure_miner", timedelta(minutes=30), "finds habits and lessons from repeated failures", mine_procedures)
