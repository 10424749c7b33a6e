"""Every minute: queues new events for their handlers, runs the due tasks; those finished a week ago are deleted."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.queue.service import AT_ONCE
from .job import StoreJob

log = logging.getLogger(__name__)


async def work_queue(agentos: AgentOS) -> None:
    """Run the due tasks, and those of new events; one that fails is tried again when it is due again."""
    await agentos.events.deliver()
    worked = await agentos.queue.work_all(agentos.handlers)
    if worked.done or worked.failed:
        log.info("%d tasks done, %d failed", worked.done, worked.failed)
    await agentos.queue.purge()


async def work_at_once(agentos: AgentOS) -> None:
    """Do what is due now, until nothing is left: each task is leased, so that many daemons may do this at once."""
    await agentos.events.deliver()
    while True:
        worked = await agentos.queue.work_all(agentos.handlers)
        if worked.done + worked.failed < AT_ONCE:
            return


JOB = StoreJob("queue_worker", timedelta(minutes=1), "runs queued tasks", work_queue)
