"""`agentos jobs`: what works in the background, run now, cancelled, tried again."""

from pathlib import Path
from typing import Annotated

import typer

from . import shown
from .calls import ToolAnswer, ask
from .groups import ListingGroup
from .options import Agent, AsJson, Home

jobs = typer.Typer(cls=ListingGroup, help="Background work: scheduled jobs and unfinished tasks.")

JobId = Annotated[str, typer.Argument(metavar="ID", help="A job's name, or the id of a task (task_…).")]
Tasks = Annotated[int, typer.Option("--limit", "-n", help="The most tasks to list, besides all jobs.")]


@jobs.command("list")
def list_jobs(limit: Tasks = 50, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List scheduled jobs, and queued, running or abandoned tasks."""
    answer = _ask("job_list", home, agent, limit=limit)
    cells = [
        [one["id"], one.get("what", ""), one["state"], shown.local(one["due_at"]), one.get("error", "")]
        for one in answer.data["results"]
    ]
    shown.tell(answer, as_json, shown.rows(("id", "what", "state", "due", "error"), cells) if cells else None)


@jobs.command()
def run(job_id: JobId, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Run a job now, even if it is waiting after a failure; the daemon starts it within a minute."""
    shown.tell(_ask("job_run", home, agent, id=job_id), as_json)


@jobs.command()
def retry(job_id: JobId, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Retry an abandoned task or a failed job."""
    shown.tell(_ask("job_run", home, agent, id=job_id), as_json)


@jobs.command()
def cancel(job_id: JobId, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Stop a running job until it is due again, or abandon a task; nothing is left half done."""
    shown.tell(_ask("job_cancel", home, agent, id=job_id), as_json)


def _ask(tool: str, home: Path | None, agent: str | None, **arguments: str | int | None) -> ToolAnswer:
    return ask(tool, home, agent, ("jobs",), **arguments)
