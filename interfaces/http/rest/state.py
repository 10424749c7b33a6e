"""Routes about the state of the server: its components, its jobs, and what its tools are used for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from ....modules.errors import NotFound
from ....modules.version import VERSION
from .operations import Asked


@dataclass(frozen=True)
class Health:
    """The state of each component; `ok` where each of them works."""

    ok: bool
    version: str
    components: Mapping[str, str]


@dataclass(frozen=True)
class Job:
    """A job of the daemon: when it ran, how that went, and when it is due."""

    name: str
    interval_seconds: float
    next_due_at: datetime
    last_started_at: datetime | None
    last_finished_at: datetime | None
    last_status: str | None
    runs: int
    failures: int


@dataclass(frozen=True)
class Jobs:
    """All jobs."""

    results: tuple[Job, ...]


@dataclass(frozen=True)
class Ran:
    """The outcome of a request to run a job: false where somebody else runs it now."""

    name: str
    ran: bool


@dataclass(frozen=True)
class UsageRow:
    """Calls of a tool on a day, and how much of what it gave was used."""

    day: date
    namespace: str
    client: str
    tool: str
    calls: int
    failures: int
    characters: int
    hits: int
    used: int


@dataclass(frozen=True)
class UsageReport:
    """The counts of the namespaces that the caller may read."""

    results: tuple[UsageRow, ...]


async def health(asked: Asked) -> Health:
    """Tell the state of each component."""
    components = await asked.behind.components()
    return Health(all(state == "ok" for state in components.values()), VERSION, components)


async def list_jobs(asked: Asked) -> Jobs:
    """List the daemon's jobs, with their last and next runs."""
    runs = await (await asked.agentos()).jobs.runs()
    return Jobs(
        tuple(
            Job(
                run.name,
                run.interval.total_seconds(),
                run.next_due_at,
                run.last_started_at,
                run.last_finished_at,
                run.last_status,
                run.runs,
                run.failures,
            )
            for run in runs
        )
    )


async def run_job(asked: Asked, *, name: str) -> Ran:
    """Run a job now, unless somebody runs it."""
    known = [run.name for run in await (await asked.agentos()).jobs.runs()]
    if name not in known:
        raise NotFound(f"there is no job {name[:60]!r}; there are: {', '.join(known)}")
    return Ran(name, await asked.behind.run_job(name))


async def usage(
    asked: Asked, *, days: Annotated[int, Field(ge=1, le=365)] = 30, namespace: str | None = None
) -> UsageReport:
    """Tell what the tools are used for, day by day, in the namespaces that the caller may read."""
    wanted = None if namespace is None else asked.caller.reading(namespace, "namespace")
    counts = await (await asked.agentos()).usage.since(days)
    rows = [
        UsageRow(
            key.day, key.namespace, key.client, key.tool, one.calls, one.failures, one.characters, one.hits, one.used
        )
        for key, one in counts.items()
        if asked.caller.right_over(key.namespace) is not None and wanted in (None, key.namespace)
    ]
    return UsageReport(tuple(sorted(rows, key=lambda row: (row.day, row.namespace, row.client, row.tool))))
