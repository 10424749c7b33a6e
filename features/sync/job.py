"""Every 5 minutes: exchanges with the devices that keep the same memory; nothing without `agentos sync`."""

import logging
from datetime import timedelta

from ...daemon_pkg.jobs.job import StoreJob
from ...modules.agentos import AgentOS
from ...modules.errors import Conflict

log = logging.getLogger(__name__)


async def exchange(agentos: AgentOS) -> None:
    """Tell other devices what changed here, and take what they told. Raises StorageUnavailable."""
    sync = await agentos.sync()
    if sync is None:
        return
    try:
        done = await sync.now()
    except Conflict as conflict:  # a person exchanges at the moment, or has to decide
        log.warning("sync: %s", conflict)
        return
    if done.told or done.taken:
        log.info("sync: told %d changes, took %d segments", done.told, done.taken)
    for device, why in done.words.items():
        log.warning("sync: %s: %s", device, why)


JOB = StoreJob(
    "sync",
    timedelta(minutes=5),
    "exchanges with your other devices, if agentos sync is set up",
    exchange,
)
