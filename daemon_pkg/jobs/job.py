"""The definition of a job: a name, an interval, and work that may be repeated or cut off at any point."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.records import dataclass
from ...modules.text.counting import counted


@dataclass(frozen=True)
class Job:
    """A scheduled job. `run(agentos, namespace)` works on one namespace; running it twice changes nothing.

    With `rests`, a namespace in which nothing changed is left alone for that long, unless the last run there returned
    that it changed something itself. One of a `feature` is there where that is on.
    """

    name: str
    interval: timedelta
    purpose: str
    run: Callable[[AgentOS, str], Awaitable[bool | None]]
    at_first_start: bool = True
    rests: timedelta = timedelta(0)
    feature: str = ""

    async def run_everywhere(self, agentos: AgentOS) -> None:
        """Run it for every namespace; raise failures as an ExceptionGroup once all are done."""
        failures: list[Exception] = []
        round_ = await agentos.jobs.next_round(self.name, self.rests)
        for namespace in round_.namespaces:
            try:
                if not await self.run(agentos, namespace):
                    round_.again.discard(namespace)
            except Exception as error:  # noqa: BLE001 - raised below, with those of the other namespaces
                failures.append(error)
        if failures:
            raise ExceptionGroup(f"{self.name} failed in {counted(len(failures), 'namespace')}", failures)


@dataclass(frozen=True)
class StoreJob:
    """A scheduled job that works on the store as a whole, not on one namespace after the other.

    One of a `feature` is there where that is on.
    """

    name: str
    interval: timedelta
    purpose: str
    run: Callable[[AgentOS], Awaitable[None]]
    at_first_start: bool = True
    feature: str = ""

    async def run_everywhere(self, agentos: AgentOS) -> None:
        """Run it once."""
        await self.run(agentos)


AnyJob = Job | StoreJob
