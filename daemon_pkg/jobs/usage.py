"""Every 5 minutes: writes the tool usage counters, and deletes old gateway blocks."""

from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob


async def write_usage(agentos: AgentOS) -> None:
    """Write the counters, and drop old ones, with the blocks of old conversations."""
    await agentos.usage.tidy_up()
    await agentos.recalls.tidy_up()
    await agentos.deeds.tidy_up()
    await agentos.gateway().tidy_up()


JOB = StoreJob("usage", timedelta(minutes=5), "records tool usage", write_usage)
