"""Every 24 hours: long unused memories become stale, then archived; forgotten ones are erased.

Each step is a change that can be undone, except for the erasing.
"""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.text.counting import counted
from .job import StoreJob

log = logging.getLogger(__name__)


async def age_memories(agentos: AgentOS) -> None:
    """Let memories age in every namespace; raise failures as an ExceptionGroup once all are done."""
    failures: list[Exception] = []
    for namespace in await agentos.jobs.namespaces():
        try:
            moved = await agentos.upkeep.age(namespace)
        except Exception as error:  # noqa: BLE001 - raised below, with those of the other namespaces
            failures.append(error)
            continue
        if moved:
            log.info("%d memories of %s were marked stale or archived", moved, namespace)
    erased = await agentos.upkeep.erase_forgotten()
    if erased:
        log.info("%d forgotten memories were erased", erased)
    if failures:
        raise ExceptionGroup(f"{JOB.name} failed in {counted(len(failures), 'namespace')}", failures)


JOB = StoreJob(
    "memory_lifecycle",
    timedelta(hours=24),
    "marks unused memories stale, archives them, and erases forgotten ones",
    age_memories,
    at_first_start=False,
)
