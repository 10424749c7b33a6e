"""Background work as results: scheduled jobs, and queued tasks that are not done."""

from collections.abc import Sequence
from datetime import datetime

from ..context.tokens import cut
from ..framing import quote
from ..jobs.models import JobRun
from ..queue.models import Task, TaskState
from ..records import dataclass
from .texts import Minute

ERROR_TOKENS = 60
_STATES = {TaskState.LEASED: "running", TaskState.DEAD: "failed"}


@dataclass(frozen=True)
class JobView:
    """A scheduled job, by its name, or a task (`task_…`).

    `state` is waiting, running, failed or cancelled, of a task also queued or done; `failures` are those in a row.
    """

    id: str
    state: str
    due_at: Minute
    what: str = ""
    failures: int = 0
    error: str = ""

    def line(self) -> str:
        """Return the job as one line."""
        what = f" {self.what}" if self.what else ""
        failed = f", {self.failures} failures" if self.failures else ""
        why = f": {quote(self.error)}" if self.error else ""
        return f"- {self.id}{what} {self.state}, due {self.due_at:%Y-%m-%d %H:%M}{failed}{why}"

    def as_text(self) -> str:
        """Return the job as one line."""
        return self.line()


@dataclass(frozen=True)
class Jobs:
    """The scheduled jobs of a store, and the tasks of a namespace that are not done."""

    results: tuple[JobView, ...]

    def as_text(self) -> str:
        """Return the jobs as lines."""
        return "\n".join(one.line() for one in self.results) or "No jobs before the first daemon."


def job(run: JobRun, now: datetime) -> JobView:
    """Return the view of a scheduled job."""
    running = run.lease_until is not None and run.lease_until > now
    state = "running" if running else "waiting" if run.last_status in (None, "ok") else str(run.last_status)
    return JobView(run.name, state, run.next_due_at, "", run.failures, cut(run.last_error or "", ERROR_TOKENS))


def task(found: Task) -> JobView:
    """Return the view of a task."""
    state, error = _STATES.get(found.state, found.state.value), cut(found.last_error or "", ERROR_TOKENS)
    return JobView(found.id, state, found.run_at, found.type, found.attempts if error else 0, error)


def jobs(runs: Sequence[JobRun], tasks: Sequence[Task], now: datetime) -> Jobs:
    """Return the view of all background work."""
    return Jobs((*(job(run, now) for run in runs), *map(task, tasks)))
