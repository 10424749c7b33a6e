"""`agentos tiers`: how the tiers of memory stand, what was evicted from them, and bringing it back."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import shown
from .calls import Answer, server
from .memory import Agent, AsJson, Home, Limit

tiers = typer.Typer(help="Tiers of memory: how they stand, and what was evicted.", no_args_is_help=False)


@tiers.callback(invoke_without_command=True)
def status(context: typer.Context, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show what each tier holds, or list and restore what was evicted by a command."""
    if context.invoked_subcommand is None:
        _tell(_ask(home, agent, "tiers_status"), as_json)


@tiers.command()
def evicted(limit: Limit = 20, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List the segments that made room for others, the last one first. Their turns are still found by a search."""
    found = _ask(home, agent, "tiers_status", evicted=limit).data.get("evicted", [])
    if as_json:
        shown.as_json(found)
    elif found:
        cells = [
            [one["id"], shown.local(one["evicted_at"]), str(one["pages"]), ", ".join(one["keywords"]), one["summary"]]
            for one in found
        ]
        shown.console().print(shown.rows(("id", "evicted", "pages", "keywords", "about"), cells))
    else:
        typer.echo("none", err=True)


@tiers.command()
def restore(
    segment: Annotated[str, typer.Argument(metavar="ID", help="Of an evicted segment (seg_…).")],
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Bring an evicted segment back; where mid-term memory is full, the least retrieved of the others goes."""
    _tell(_ask(home, agent, "tiers_restore", segment=segment), as_json)


def _ask(home: Path | None, agent: str | None, tool: str, **arguments: Any) -> Answer:
    with server(home, agent, ("tiers",)) as session:
        return session.call(tool, **arguments)


def _tell(answer: Answer, as_json: bool) -> None:
    if as_json:
        shown.as_json(answer.data)
    else:
        typer.echo(answer.text)
