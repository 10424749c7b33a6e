"""`agentos goals`: an agent's goals: listed, shown as a tree, added, edited and closed."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import shown
from .calls import Server, ask, server
from .groups import ListingGroup
from .options import Agent, AsJson, Home
from .terminal import say, say_json

PAGE = 200
MOST_GOALS = 2_000
"""The most goals, newest first, that are fetched to be sorted or drawn as a tree."""

goals = typer.Typer(cls=ListingGroup, help="Goals that outlast a session.")

GoalId = Annotated[str, typer.Argument(metavar="ID", help="An id, or its beginning.")]
Notes = Annotated[str | None, typer.Option("--note", help="A note to add to the goal.")]
Status = Annotated[str, typer.Option("--status", help="active, paused, completed, abandoned or all.")]
Description = Annotated[str | None, typer.Option("--description", "-d", help="The outcome to reach.")]
Priority = Annotated[float | None, typer.Option("--priority", help="0 to 1.")]
Urgency = Annotated[float | None, typer.Option("--urgency", help="0 to 1.")]
MostGoals = Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_GOALS, help="The most to list.")]
Deadline = Annotated[str | None, typer.Option("--deadline", help="ISO 8601, or a word such as friday.")]


@goals.command("list")
def list_goals(
    status: Status = "active",
    project: Annotated[str | None, typer.Option("--project", help="Only goals with this tag.")] = None,
    limit: MostGoals = 20,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """List goals, most pressing first."""
    _show(_all(home, agent, status, project), limit, as_json, tree=False)


@goals.command()
def tree(
    status: Status = "all",
    limit: MostGoals = 200,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Show goals as a tree."""
    _show(_all(home, agent, status), limit, as_json, tree=True)


@goals.command()
def add(
    title: Annotated[str, typer.Argument(help="What is to be reached, in a few words.")],
    description: Description = None,
    priority: Priority = None,
    urgency: Urgency = None,
    deadline: Deadline = None,
    parent: Annotated[str | None, typer.Option("--parent", help="The parent goal.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Add a goal."""
    answer = ask(
        "goal_add",
        home,
        agent,
        title=title,
        description=description or title,
        priority=priority,
        urgency=urgency,
        deadline=deadline,
        parent_goal_id=parent,
    )
    shown.tell(answer, as_json)


@goals.command()
def edit(
    goal_id: GoalId,
    title: Annotated[str | None, typer.Option("--title", help="The new title.")] = None,
    description: Description = None,
    priority: Priority = None,
    urgency: Urgency = None,
    deadline: Annotated[
        str | None, typer.Option("--deadline", help="ISO 8601, or a word such as friday; none removes it.")
    ] = None,
    parent: Annotated[
        str | None, typer.Option("--parent", help="The parent goal; none makes it a top-level goal.")
    ] = None,
    note: Notes = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Edit a goal, or change its parent."""
    changed = {
        "title": title,
        "description": description,
        "priority": priority,
        "urgency": urgency,
        "deadline": deadline,
        "parent_goal_id": parent,
        "notes": note,
    }
    if all(value is None for value in changed.values()):
        raise typer.BadParameter("say what to change, such as --title or --parent")
    shown.tell(ask("goal_update", home, agent, ("editing",), goal_id=goal_id, **changed), as_json)


@goals.command()
def progress(
    goal_id: GoalId,
    done: Annotated[float, typer.Argument(metavar="PROGRESS", help="0 to 1; 1 completes.")],
    note: Notes = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Set a goal's progress."""
    shown.tell(ask("goal_update_progress", home, agent, goal_id=goal_id, progress=done, notes=note), as_json)


@goals.command(name="set")
def set_status(
    goal_id: GoalId,
    status: Annotated[str, typer.Argument(help="active, paused, completed or abandoned.")],
    note: Notes = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Pause, resume, complete or abandon a goal."""
    shown.tell(ask("goal_update_status", home, agent, goal_id=goal_id, status=status, notes=note), as_json)


def _all(home: Path | None, agent: str | None, status: str, project: str | None = None) -> dict[str, Any]:
    """Return the goals in a status, the most pressing first, and how many there are."""
    found: list[dict[str, Any]] = []
    with server(home, agent) as session:
        while True:
            page = _page(session, status, project, len(found))
            found += page["results"]
            if not page["results"] or len(found) >= min(page["total"], MOST_GOALS):
                return {"results": sorted(found, key=lambda goal: -goal["score"]), "total": page["total"]}


def _page(session: Server, status: str, project: str | None, offset: int) -> dict[str, Any]:
    return session.call("goal_list", status=status, project=project, limit=PAGE, offset=offset, detail="full").data


def _show(found: dict[str, Any], limit: int, as_json: bool, *, tree: bool) -> None:
    goals = found["results"][: max(limit, 1)]
    if as_json:
        say_json({"results": goals, "total": found["total"]})
        return
    if goals:
        say(shown.goal_tree(goals) if tree else shown.goals(goals))
    none = "there are no such goals; add one with agentos goals add TITLE"
    say(f"{len(goals)} of {found['total']} goals" if found["total"] else none, err=True)
