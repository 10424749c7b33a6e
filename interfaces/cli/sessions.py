"""`agentos sessions`, `timeline`: sessions of agents, and what was done in them."""

from pathlib import Path
from typing import Annotated

import typer

from . import shown
from .calls import ToolAnswer, ask
from .groups import ListingGroup
from .options import Agent, AsJson, Home, Limit, Project, expanded, path_of

SHOWN = ("id", "state", "project", "last", "title")

sessions = typer.Typer(cls=ListingGroup, help="Agents' sessions and what happened in them.")

SessionId = Annotated[str, typer.Argument(metavar="ID", help="The id of a session (ses_…), or its beginning.")]


@sessions.command("list")
def list_sessions(
    project: Project = None,
    state: Annotated[str | None, typer.Option("--state", help="active, completed or failed.")] = None,
    limit: Limit = 20,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """List sessions with their state, most recently active first."""
    answer = _ask("session_list", home, agent, project=project, state=state, limit=limit)
    cells = [
        [shown.short_id(one["id"]), one["state"], one["project"], shown.local(one["last_at"]), one["title"]]
        for one in answer.data["results"]
    ]
    shown.tell(answer, as_json, shown.rows(SHOWN, cells) if cells else None)


@sessions.command("open")
def open_session(
    name: Annotated[str, typer.Argument(help="Your name for it; an existing session with this name is resumed.")],
    folder: Annotated[
        Path, typer.Option("--folder", help="The project's folder; by default the current one.", parser=path_of)
    ] = Path(),
    title: Annotated[str | None, typer.Option("--title", help="What it is about.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Create a session on a project, or resume it."""
    where = str(expanded(folder))
    shown.tell(_ask("session_open", home, agent, name=name, folder=where, title=title), as_json)


@sessions.command()
def rename(
    session_id: SessionId,
    title: Annotated[str, typer.Argument(help="The new title.")],
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Change a session's title."""
    shown.tell(_ask("session_update", home, agent, id=session_id, title=title), as_json)


@sessions.command()
def end(
    session_id: SessionId,
    failed: Annotated[bool, typer.Option("--failed", help="Mark it as failed instead of completed.")] = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """End a session; anything new in it makes it active again."""
    state = "failed" if failed else "completed"
    shown.tell(_ask("session_update", home, agent, id=session_id, state=state), as_json)


@sessions.command()
def resume(session_id: SessionId, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Make a session active again."""
    shown.tell(_ask("session_update", home, agent, id=session_id, state="active"), as_json)


@sessions.command("show")
def timeline(
    around: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a session (ses_…) or memory (mem_…), or its beginning.")
    ],
    before: Annotated[int | None, typer.Option("--before", help="How many to show before the memory.")] = None,
    after: Annotated[int | None, typer.Option("--after", help="How many to show after the memory.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Show what happened in a session, or around a memory."""
    answer = _ask("session_timeline", home, agent, id=around, before=before, after=after)
    found = [
        [shown.short_id(entry["id"]), entry["type"], shown.local(entry["at"]), entry["title"]]
        for entry in answer.data["results"]
    ]
    shown.tell(answer, as_json, shown.rows(("id", "type", "at", "title"), found) if found else None)


def _ask(tool: str, home: Path | None, agent: str | None, **arguments: str | int | None) -> ToolAnswer:
    return ask(tool, home, agent, ("sessions",), **arguments)
