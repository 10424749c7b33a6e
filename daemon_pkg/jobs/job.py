"""What a job is: a name, an interval, and work that may be repeated or cut off at any point."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from ...modules.agentos import AgentOS


@dataclass(frozen=True)
class Job:
    """A scheduled job. `run(agentos, namespace)` looks at one namespace; running it twice changes nothing."""

    name: str
    interval: timedelta
    purpose: str
    run: Callable[[AgentOS, str], Awaitable[None]]
    at_first_start: bool = True

    async def run_everywhere(self, agentos: AgentOS) -> None:
        """Run it for every namespace."""
        for namespace in await agentos.jobs.namespaces():
            await self.run(agentos, namespace)
