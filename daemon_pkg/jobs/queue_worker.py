"""Every minute: queues new events for their handlers, runs the due tasks; those finished a week ago are deleted."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob

log = logging.getLogger(__name__)


async def work_queue(agentos: AgentOS) -> None:
    """Run the due tasks, and those of new events; one that fails is tried again when it is due again."""
    await agentos.events.deliver()
    worked = await agentos.queue.work_all(agentos.handlers)
    if worked.done or worked.failed:
        log.info("%d tasks done, %d failed", worked.done, worked.failed)
    await agentos.queue.purge()


JOB = StoreJob("queue_worker", timedelta(minutes=1), "does the tasks of the queue", work_queue)
