"""`agentos projects`: the projects that memory is kept for, and what to do when the folder of one has changed."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .groups import Listing
from .opened import with_store
from .options import Agent, AsJson, Home
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.sessions.models import Project

projects = typer.Typer(cls=Listing, help="Projects that memory is kept for.")

SHOWN = ("id", "name", "folder")


@projects.command("list")
def show_list(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List the projects, in order of arrival."""

    async def look(agentos: "AgentOS", own: str) -> "list[Project]":
        return await agentos.sessions.projects(agent or own)

    rows = [dict(zip(SHOWN, (one.id, one.name, one.location), strict=True)) for one in with_store(home, look)]
    if as_json:
        say_json({"projects": rows})
        return
    for row in rows:
        say("  ".join(row.values()))
    if not rows:
        say("there are no projects yet; the first session in a folder makes one", err=True)


@projects.command()
def move(
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Its old folder, its name or its id.")],
    folder: Annotated[Path, typer.Argument(help="The folder where it is now.")],
    home: Home = None,
    agent: Agent = None,
) -> None:
    """Keep a project's memory when its folder was moved or renamed."""

    there = Path(os.path.abspath(folder))

    async def work(agentos: "AgentOS", own: str) -> "Project":
        return await agentos.sessions.moved(agent or own, project, str(there))

    moved = with_store(home, work)
    say(f"{moved.id} is {moved.name} now, in {moved.location}")
