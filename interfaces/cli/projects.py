"""`agentos projects`: the projects that memory is kept for, and what to do when the folder of one has changed."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...modules.text.counting import counted, memories_counted
from .groups import ListingGroup
from .opened import with_store
from .options import Agent, AsJson, Home
from .outcome import CommandFailure, ExitCode
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.projects.assigning import Proposal
    from ...modules.sessions.models import Project

projects = typer.Typer(cls=ListingGroup, help="Projects that memory is kept for.")

SHOWN = ("id", "name", "folder")
EXAMPLES = 5
"""The memories of each group of proposals that are shown."""
Named = Annotated[str, typer.Argument(metavar="PROJECT", help="Its name, its id or its folder.")]
Because = Annotated[
    list[str] | None,
    typer.Option("--because", help="Only memories assigned because of a session, file or name; repeatable."),
]


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


@projects.command()
def rename(
    project: Named,
    name: Annotated[str, typer.Argument(help="What it is called from now on.")],
    home: Home = None,
    agent: Agent = None,
) -> None:
    """Give a project another name, which it keeps wherever its folder moves."""

    async def work(agentos: "AgentOS", own: str) -> "Project":
        return await agentos.projects.rename(agent or own, project, name)

    renamed = with_store(home, work)
    say(f"{renamed.id} is {one_line(renamed.name)} now")


@projects.command()
def merge(
    project: Named,
    into: Annotated[str, typer.Argument(help="The project that all of it goes to.")],
    home: Home = None,
    agent: Agent = None,
) -> None:
    """Give all that belongs to one project to another; the first one then ends."""

    async def work(agentos: "AgentOS", own: str) -> "tuple[Project, int]":
        return await agentos.projects.merge(agent or own, project, into)

    merged, count = with_store(home, work)
    say(f"merged into {one_line(merged.name)} ({merged.id}): {memories_counted(count)} changed")


@projects.command()
def assign(
    apply: Annotated[bool, typer.Option("--apply", help="Assign them; without this, they are only shown.")] = False,
    because: Because = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Find the projects of memories that have none, from their sessions and the files and projects that they name."""
    from ...modules.projects.assigning import Ground

    if {*(because or ())} - {*Ground}:
        raise CommandFailure("--because: must be session, file or name", ExitCode.WRONG_USE)

    async def work(agentos: "AgentOS", own: str) -> "tuple[list[Proposal], int]":
        found = await agentos.projects.proposals(agent or own)
        chosen = [one for one in found if not because or one.evidence in because]
        return chosen, await agentos.projects.assign(agent or own, chosen) if apply else 0

    proposals, changed = with_store(home, work)
    if as_json:
        rows = [
            {"memory_id": one.memory.id, "project": one.project.id, "name": one.project.name, "because": one.evidence}
            for one in proposals
        ]
        say_json({"proposals": rows, "changed": changed})
        return
    groups: dict[tuple[str, str], list[Proposal]] = {}
    for one in proposals:
        groups.setdefault((f"{one.project.name} ({one.project.id})", one.evidence.value), []).append(one)
    for (name, evidence), group in sorted(groups.items()):
        say(f"{one_line(name)}, by {evidence}: {len(group)}")
        for one in group[:EXAMPLES]:
            say(f"  {one.memory.id}  {one_line(one.memory.summary)[:90]}")
        if len(group) > EXAMPLES:
            say(f"  … {len(group) - EXAMPLES} more; --json has all")
    if apply:
        say(f"{memories_counted(changed)} assigned", err=True)
    else:
        say(
            counted(len(proposals), "proposal") + ("; agentos projects assign --apply does it" if proposals else ""),
            err=True,
        )
