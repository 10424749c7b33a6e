"""Every 15 minutes: judges lessons by the runs since; where there are none, nothing is read."""

import logging
from datetime import timedelta

from ...daemon_pkg.jobs.job import StoreJob
from ...modules.agentos import AgentOS

log = logging.getLogger(__name__)


async def prove_lessons(agentos: AgentOS) -> None:
    """Read the runs since the last time, and retire what does not help."""
    if retired := await agentos.lessons.prove():
        log.info("%d lessons do not help, and are told no longer", retired)


JOB = StoreJob(
    "lessons",
    timedelta(minutes=15),
    "judges lessons by the runs after they were told",
    prove_lessons,
)
