"""`agentos scrub`: finds secrets that were stored before redaction, and removes them."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ...modules.text.counting import counted
from .opened import at_terminal, settings_here
from .options import AsJson, Home
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.redaction.models import Scrub


def scrub(
    home: Home = None,
    apply: Annotated[bool, typer.Option("--apply", help="Replace the secrets with markers; cannot be undone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look for secrets in stored data. Exit code 1: some were found. Their values are never shown."""
    from ... import database
    from ...modules.clock import system_clock

    settings = settings_here(home)
    with at_terminal(settings):
        found = asyncio.run(database.scrub(settings, system_clock, apply=apply))
    backups = len(asyncio.run(database.backups(settings, system_clock).all())) if found.rows else 0
    if as_json:
        say_json({**asdict(found), "backups": backups})
    else:
        _tell(found, backups)
    raise typer.Exit(1 if found.rows and not apply else 0)


def _tell(found: "Scrub", backups: int) -> None:
    if not found.rows:
        say("no secrets found")
        return
    rows = ", ".join(f"{count} {table.replace('_', ' ')}" for table, count in found.rows.items())
    kinds = ", ".join(f"{count} {kind}" for kind, count in found.kinds.items())
    if not found.applied:
        say(f"secrets in {rows}: {kinds}\nnothing was changed; agentos scrub --apply replaces them with markers")
        return
    say(f"redacted {rows}: {kinds}")
    if found.merged:
        say(f"{found.merged} became duplicates without their secrets and were removed")
    if backups:
        contain = "still contains" if backups == 1 else "still contain"
        say(f"{counted(backups, 'older backup')} {contain} them; agentos backups lists the files")
    say("treat them as exposed: change those that are still in use")
