"""The job tools: what works in the background, and what may be done about it."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.principals.models import Role
from ..modules.views import jobs as views
from .tool import Tool

TOOLSET = "jobs"
TASK = "task_"
"""The beginning of the ids of tasks; any other id is a job's name."""

JobId = Annotated[str, Field(description="a job's name, or task_…")]


async def job_list(
    agentos: AgentOS, namespace: str, *, limit: Annotated[int, Field(description="of tasks, 1 to 200")] = 50
) -> views.Jobs:
    """List scheduled jobs and unfinished tasks."""
    return views.jobs(
        await agentos.jobs.runs(), await agentos.queue_control.page(namespace, limit=limit), agentos.clock()
    )


async def job_run(agentos: AgentOS, namespace: str, *, id: JobId) -> views.JobView:
    """Run a job now, or retry a failed task; the daemon starts within a minute."""
    if id.startswith(TASK):
        return views.task(await agentos.queue_control.retry(namespace, id))
    return views.job(await agentos.jobs.run_soon(id), agentos.clock())


async def job_cancel(agentos: AgentOS, namespace: str, *, id: JobId) -> views.JobView:
    """Stop a running job until it is due again, or abandon a task."""
    if id.startswith(TASK):
        return views.task(await agentos.queue_control.cancel(namespace, id))
    return views.job(await agentos.jobs.cancel(id), agentos.clock())


def _is_job(given: Mapping[str, Any]) -> bool:
    """Return whether a call is about a job, which works for the whole store, and not about one task."""
    return not str(given["id"]).startswith(TASK)


JOB_TOOLS = (
    Tool(job_list, "List background work", read_only=True, idempotent=True, toolset=TOOLSET, role=Role.OPERATOR),
    Tool(
        job_run,
        "Run or retry background work",
        idempotent=True,
        toolset=TOOLSET,
        role=Role.OPERATOR,
        reaches_all=_is_job,
    ),
    Tool(
        job_cancel, "Cancel background work", idempotent=True, toolset=TOOLSET, role=Role.OPERATOR, reaches_all=_is_job
    ),
)
