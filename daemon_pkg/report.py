"""The daemon's report for people: whether it is alive, its jobs, their last and next runs."""

import asyncio
from datetime import datetime

from ..modules.agentos import AgentOS
from ..modules.jobs.models import DaemonState, DaemonStatus, JobRun
from . import plugged


async def status_text(agentos: AgentOS) -> str:
    """Return the daemon's state and a table of its jobs."""
    jobs = plugged.all_jobs(await asyncio.to_thread(plugged.jobs), agentos.features)
    daemon = await agentos.jobs.daemon_status()
    runs = {run.name: run for run in await agentos.jobs.runs()}
    rows = [("job", "every", "last run", "next run", "purpose")]
    rows += [
        (
            job.name,
            _interval(job.interval.total_seconds()),
            _last(runs.get(job.name)),
            _next(runs.get(job.name)),
            job.purpose,
        )
        for job in jobs
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join([*(row[i].ljust(widths[i]) for i in range(4)), row[4]]) for row in rows]
    return "\n".join([_daemon(daemon), "", *lines])


def _daemon(status: DaemonStatus) -> str:
    if status.state is DaemonState.NEVER_STARTED:
        return "daemon: never started"
    return f"daemon: {status.state} (pid {status.pid}), last seen {_time(status.last_seen)}"


def _interval(seconds: float) -> str:
    minutes = int(seconds // 60)
    return f"{minutes // 60} h" if minutes >= 60 else f"{minutes} min"


def _last(run: JobRun | None) -> str:
    if run is None or run.last_finished_at is None:
        return "never"
    status = "" if run.last_status == "ok" else f" ({run.last_status}: {run.last_error})"
    return _time(run.last_finished_at) + status


def _next(run: JobRun | None) -> str:
    return "at start" if run is None else _time(run.next_due_at)


def _time(moment: datetime | None) -> str:
    return "never" if moment is None else f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
