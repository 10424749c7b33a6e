"""A daemon's work besides serving: the jobs, the heartbeat and the index, while the store is open."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from ..modules import own_actions
from ..modules.agentos import AgentOS
from ..modules.approvals.models import Approval
from ..modules.errors import StorageUnavailable
from ..modules.events.models import SUBJECTS, ChangeEvent
from ..modules.memory.ports import VectorIndex
from . import plugged, webhook
from .index_worker import IndexWorker
from .scheduler import Scheduler

STOP_WITHIN_S = 0.8
LOOK_AGAIN_S = 10.0
"""How often a store that can only be read is looked at again."""

WEBHOOK = "webhook"
"""The name of the handler that calls the webhook: its place in the log is kept under it."""


def call_webhook(agentos: AgentOS, url: str, secret: str) -> None:
    """Report every event to an address, each once, and again while that fails; from the first one after this on.

    What a human approved to be sent goes there too, at most once.
    """

    async def report(event: ChangeEvent) -> None:
        await webhook.post_event(url, secret, event, agentos.clock())

    async def deliver(approval: Approval) -> None:
        await webhook.post_approved(url, secret, approval, agentos.clock())

    agentos.events.subscribe(WEBHOOK, SUBJECTS, report)
    agentos.approvals.offer(own_actions.WEBHOOK, own_actions.webhook_action(deliver))


async def _begin(agentos: AgentOS, scheduler: Scheduler, version: str) -> None:
    await agentos.jobs.daemon_started(version)
    await scheduler.start()


async def _begin_when_writable(agentos: AgentOS, scheduler: Scheduler, version: str) -> None:
    """Load the model, and begin to work once the store can be written."""
    with suppress(StorageUnavailable):
        await agentos.embedding.warm_up()
    while agentos.memory.limits:
        await asyncio.sleep(LOOK_AGAIN_S)
        with suppress(StorageUnavailable):
            await agentos.jobs.daemon_status()  # a read looks whether more is possible by now
    await _begin(agentos, scheduler, version)


@asynccontextmanager
async def background_work(
    agentos: AgentOS, index: VectorIndex, version: str, make_way: Callable[[], None] = lambda: None
) -> AsyncIterator[IndexWorker]:
    """Work until the end of the context; what is under way then is cut off, and done again when it is due.

    Yields the index worker, whose `status` is for a status line. `make_way` is called where the store was migrated.
    Raises StorageRefused where this machine's clock is far from the database's.
    """
    worker = IndexWorker(agentos.embedding, index)
    jobs, observers = await asyncio.gather(asyncio.to_thread(plugged.jobs), asyncio.to_thread(plugged.observers))
    plugged.log_problems([*jobs.problems, *observers.problems])
    plugged.subscribe(agentos, observers)
    scheduler = Scheduler(agentos, plugged.all_jobs(jobs, agentos.features), worker, make_way)
    beginning: asyncio.Task[None] | None = None
    try:
        if agentos.memory.limits:  # what is there is served, though no job can change anything
            beginning = asyncio.create_task(_begin_when_writable(agentos, scheduler, version), name="beginning")
        else:
            await _begin(agentos, scheduler, version)
        yield worker
    finally:
        if beginning is not None:
            beginning.cancel()
        scheduler.stop()
        # Neither is needed for a clean start: the index is derived, the state shows in the heartbeat.
        for closing in (agentos.jobs.daemon_stopped(), worker.close()):
            with suppress(TimeoutError, StorageUnavailable):
                await asyncio.wait_for(closing, STOP_WITHIN_S)
