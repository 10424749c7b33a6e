"""Every 5 minutes: writes the counters of the tools' use."""

from datetime import timedelta

from ...modules.agentos import AgentOS
from .job import StoreJob


async def write_usage(agentos: AgentOS) -> None:
    """Write the counters, and drop old ones."""
    await agentos.usage.tidy_up()


JOB = StoreJob("usage", timedelta(minutes=5), "writes how often the tools were called", write_usage)
