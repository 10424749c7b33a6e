"""`agentos tiers`: the state of the memory tiers, the segments evicted from them, and their restoration."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ...interfaces.cli import shown
from ...interfaces.cli.calls import ToolAnswer, ask
from ...interfaces.cli.groups import ListingGroup
from ...interfaces.cli.options import Agent, AsJson, Home
from ...interfaces.cli.terminal import say, say_json

tiers = typer.Typer(cls=ListingGroup, help="Memory tiers: their state and evicted segments.")


@tiers.command("list")
def status(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show what each tier holds."""
    shown.tell(_ask(home, agent, "tiers_status"), as_json)


Most = Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="The most to list.")]


@tiers.command()
def evicted(limit: Most = 20, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List evicted segments, latest first. Searches still find their turns."""
    found = _ask(home, agent, "tiers_status", evicted=limit).data.get("evicted", [])
    if as_json:
        say_json(found)
    elif found:
        cells = [
            [
                shown.short_id(one["id"]),
                shown.local(one["evicted_at"]),
                str(one["pages"]),
                ", ".join(one["keywords"]),
                one["summary"],
            ]
            for one in found
        ]
        say(shown.rows(("id", "evicted", "pages", "keywords", "about"), cells))
    else:
        say("no segment is evicted", err=True)


@tiers.command()
def restore(
    segment: Annotated[str, typer.Argument(metavar="ID", help="The id of an evicted segment (seg_…).")],
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Restore an evicted segment; if mid-term memory is full, the least retrieved segment is evicted."""
    shown.tell(_ask(home, agent, "tiers_restore", segment=segment), as_json)


def _ask(home: Path | None, agent: str | None, tool: str, **arguments: Any) -> ToolAnswer:
    return ask(tool, home, agent, ("tiers",), **arguments)
