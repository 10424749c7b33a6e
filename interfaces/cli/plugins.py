"""`agentos plugins`: what other distributions bring to AgentOS."""

import typer

from . import shown
from .options import AsJson
from .outcome import ExitCode
from .terminal import say, say_json

COLUMNS = ("plugin", "kind", "name")


def plugins(as_json: AsJson = False) -> None:
    """Show what plugins add. New processes use them. Exit code 3: one cannot be used."""
    from ... import plugins as contract

    brought, problems = contract.found()
    if as_json:
        say_json(
            {
                "plugins": [dict(zip(COLUMNS, one, strict=True)) for one in brought],
                "problems": [{"plugin": one.plugin, "group": one.group, "message": one.message} for one in problems],
            }
        )
    else:
        if brought:
            say(shown.rows(COLUMNS, [list(one) for one in brought]))
        for problem in problems:
            say(str(problem), err=True)
        if not brought and not problems:
            say("no plugins are installed", err=True)
    if problems:
        raise typer.Exit(ExitCode.REFUSED)
