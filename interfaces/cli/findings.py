"""`agentos reflect`, `patterns`, `insights`, `tasks`, `snapshot`: what was done, and what was found in it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import shown
from .calls import ask
from .groups import ListingGroup
from .options import Agent, AsJson, Home
from .terminal import say, say_json

OPEN = "open"
"""The status of an insight or a task where none is given."""
ENOUGH_TOKENS = 20_000
"""A budget so large that no insight or task is left out for its length."""

insights = typer.Typer(cls=ListingGroup, help="Insights found in the background.")
tasks = typer.Typer(cls=ListingGroup, help="Tasks suggested in the background.")


def reflect(
    action: Annotated[str, typer.Argument(help="What was done, in the same few words each time.")],
    outcome: Annotated[str, typer.Argument(help="How it ended.")],
    failed: Annotated[bool, typer.Option("--failed", help="The action failed.")] = False,
    goal: Annotated[str | None, typer.Option("--goal", help="The goal it served.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Log an action and its outcome, so that repeated patterns are found."""
    answer = ask("reflection_log", home, agent, action=action, outcome=outcome, success=not failed, goal_id=goal)
    shown.tell(answer, as_json)


def patterns(
    days: Annotated[int | None, typer.Option("--days", help="How many days to look back.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Show recent patterns: repeated failures, what works, what is inefficient."""
    shown.tell(ask("reflection_analyze", home, agent, lookback_days=days), as_json)


@insights.command("list")
def list_insights(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List open insights found in the background."""
    found = _found_in_background(home, agent)["proactive_insights"]
    _entries("insights", found, ("id", "severity", "status", "text"), as_json)


@tasks.command("list")
def list_tasks(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List open tasks suggested in the background."""
    found = _found_in_background(home, agent)["autonomous_tasks"]
    _entries("tasks", found, ("id", "status", "text"), as_json)


@insights.command()
@tasks.command()
def answer(
    insight_id: Annotated[str, typer.Argument(metavar="ID", help="The id of an insight or task, or its beginning.")],
    status: Annotated[str, typer.Argument(help="acknowledged, done, dismissed or open.")],
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Set the status of an insight or task."""
    shown.tell(ask("insight_update", home, agent, insight_id=insight_id, status=status), as_json)


def snapshot(
    query: Annotated[str | None, typer.Option("--query", help="What the session is about.")] = None,
    project: Annotated[str | None, typer.Option("--project", help="Only memories of this project.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="The most tokens it may use.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Show what an agent reads at the start of a session."""
    answer = ask("context_get_snapshot", home, agent, query=query, project=project, max_tokens=max_tokens)
    if as_json:
        say_json(answer.data)
    else:
        say(answer.text)


def _found_in_background(home: Path | None, agent: str | None) -> dict[str, Any]:
    nothing_else = dict.fromkeys(("include_memories", "include_goals", "include_patterns"), 0)
    return ask("context_get_snapshot", home, agent, max_tokens=ENOUGH_TOKENS, **nothing_else).data


def _entries(what: str, found: list[dict[str, Any]], names: tuple[str, ...], as_json: bool) -> None:
    if as_json:
        say_json(found)
    elif found:
        cells = [[entry.get(name, OPEN) for name in names[1:]] for entry in found]
        entries = [[shown.short_id(entry["id"]), *row] for entry, row in zip(found, cells, strict=True)]
        say(shown.rows(names, entries))
    else:
        say(f"no open {what}", err=True)
