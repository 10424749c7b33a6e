"""`agentos goals`, `reflect`, `patterns`, `insights`, `tasks`, `sessions`, `snapshot`: an agent's work by hand."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import shown
from .calls import Answer, ask, server
from .memory import Agent, AsJson, Home, Limit

goals = typer.Typer(help="Goals that outlive a session.", no_args_is_help=False)

GoalId = Annotated[str, typer.Argument(metavar="ID")]
Notes = Annotated[str | None, typer.Option("--note", help="Added to the goal's notes.")]
OPEN = "open"
"""How an insight or a task stands that says nothing else."""
ENOUGH_TOKENS = 20_000
"""That no insight or task is left out for its length."""


@goals.callback(invoke_without_command=True)
def list_goals(
    context: typer.Context,
    status: Annotated[str, typer.Option("--status", help="active, paused, completed, abandoned or all.")] = "active",
    limit: Limit = 20,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """List goals, or change them by a command."""
    if context.invoked_subcommand is None:
        answer = ask("goal_list", home, agent, status=status, limit=limit, detail="full")
        _tell(answer, as_json, lambda data: shown.goals(data["results"]) if data["results"] else None)


@goals.command()
def add(
    title: str,
    description: Annotated[str, typer.Option("--description", "-d", help="What is to be reached.")] = "",
    priority: Annotated[float | None, typer.Option("--priority", help="0 to 1.")] = None,
    urgency: Annotated[float | None, typer.Option("--urgency", help="0 to 1.")] = None,
    deadline: Annotated[str | None, typer.Option("--deadline", help="ISO 8601.")] = None,
    parent: Annotated[str | None, typer.Option("--parent", help="The goal that it is a part of.")] = None,
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
    _tell(answer, as_json)


@goals.command()
def progress(
    goal_id: GoalId,
    done: Annotated[float, typer.Argument(help="0 to 1; 1 completes.")],
    note: Notes = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Say how far a goal has got."""
    _tell(ask("goal_update_progress", home, agent, goal_id=goal_id, progress=done, notes=note), as_json)


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
    _tell(ask("goal_update_status", home, agent, goal_id=goal_id, status=status, notes=note), as_json)


def reflect(
    action: Annotated[str, typer.Argument(help="What was done: short, and the same each time.")],
    outcome: Annotated[str, typer.Argument(help="How it ended.")],
    failed: Annotated[bool, typer.Option("--failed", help="It did not succeed.")] = False,
    goal: Annotated[str | None, typer.Option("--goal", help="The goal that it was for.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Log what was done and how it ended, so that what repeats is found."""
    answer = ask("reflection_log", home, agent, action=action, outcome=outcome, success=not failed, goal_id=goal)
    _tell(answer, as_json)


def patterns(
    days: Annotated[int | None, typer.Option("--days", help="How far to look back.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Show what repeats in the last days: failures, what works, what is inefficient."""
    _tell(ask("reflection_analyze", home, agent, lookback_days=days), as_json)


def insights(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show what was found in the background and is not answered yet."""
    found = _found_in_background(home, agent)["proactive_insights"]
    _entries(found, ("id", "severity", "status", "text"), as_json)


def tasks(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show what was suggested in the background and is not done yet."""
    found = _found_in_background(home, agent)["autonomous_tasks"]
    _entries(found, ("id", "status", "text"), as_json)


def answer(
    insight_id: Annotated[str, typer.Argument(metavar="ID", help="Of an insight or a task.")],
    status: Annotated[str, typer.Argument(help="acknowledged, done, dismissed or open.")],
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Say what became of an insight or a task."""
    _tell(ask("insight_update", home, agent, insight_id=insight_id, status=status), as_json)


def sessions(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show the last sessions of agents, the last active first."""
    _happened(home, agent, None, as_json)


def timeline(
    around: Annotated[str, typer.Argument(metavar="ID", help="Of a session (ses_…) or a memory (mem_…).")],
    before: Annotated[int | None, typer.Option("--before", help="So many before a memory.")] = None,
    after: Annotated[int | None, typer.Option("--after", help="So many after a memory.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Show what was done in a session, or around a memory."""
    _happened(home, agent, around, as_json, before=before, after=after)


def _happened(home: Path | None, agent: str | None, around: str | None, as_json: bool, **more: int | None) -> None:
    with server(home, agent, ("sessions",)) as session:
        answer = session.call("session_timeline", id=around, **more)
    names = ("id", "type", "at", "title")

    def table(data: dict[str, Any]) -> Any:
        found = [{**entry, "at": shown.local(entry["at"])} for entry in data["results"]]
        return shown.rows(names, [[entry[name] for name in names] for entry in found]) if found else None

    _tell(answer, as_json, table)


def snapshot(
    query: Annotated[str | None, typer.Option("--query", help="What the session is about.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="The most that it may cost.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Show what an agent is told at the start of a session, as it is told."""
    _tell(ask("context_get_snapshot", home, agent, query=query, max_tokens=max_tokens), as_json)


def _found_in_background(home: Path | None, agent: str | None) -> dict[str, Any]:
    nothing_else = dict.fromkeys(("include_memories", "include_goals", "include_patterns"), 0)
    return ask("context_get_snapshot", home, agent, max_tokens=ENOUGH_TOKENS, **nothing_else).data


def _entries(found: list[dict[str, Any]], names: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        shown.as_json(found)
    elif found:
        shown.console().print(shown.rows(names, [[entry.get(name, OPEN) for name in names] for entry in found]))
    else:
        typer.echo("none", err=True)


def _tell(answer: Answer, as_json: bool, table: Any = None) -> None:
    if as_json:
        shown.as_json(answer.data)
        return
    drawn = None if table is None else table(answer.data)
    if drawn is None:
        typer.echo(answer.text)
    else:
        shown.console().print(drawn)
