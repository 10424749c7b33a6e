"""Every 5 minutes: summarises conversations that fill their window, the least salient turns first.

Until a session is due it reads only token counts; what was kept before a crash is not done again.
"""

import logging
from datetime import timedelta

from ...daemon_pkg.jobs.job import Job
from ...modules.agentos import AgentOS
from .wiring import consolidation_service

log = logging.getLogger(__name__)


async def consolidate_sessions(agentos: AgentOS, namespace: str) -> bool:
    """Consolidate the sessions that are due in one namespace; return whether any was."""
    done = await consolidation_service(agentos).consolidate_due(namespace)
    for made in done:
        log.info(
            "session %s of %s: %d turns, %d -> %d tokens (%s)",
            made.session,
            namespace,
            made.sources,
            made.tokens_before,
            made.tokens_after,
            made.method,
        )
    return bool(done)


JOB = Job(
    "consolidation",
    timedelta(minutes=5),
    "summarises conversations that fill their window",
    consolidate_sessions,
    rests=timedelta(hours=1),
)
