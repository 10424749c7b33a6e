"""`agentos open`: the dashboard in a browser, signed in by a link that works once."""

import asyncio
import webbrowser
from typing import Annotated

import typer

from ...interfaces.cli import person
from ...interfaces.cli.background import can_serve, ended, started, state_of
from ...interfaces.cli.opened import settings_here
from ...interfaces.cli.options import AsJson, Home
from ...interfaces.cli.terminal import say, say_json


def open_(
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it, or only print the link.")] = True,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Open the dashboard in a browser, signed in by a one-time link. Starts the server if none runs."""
    # A daemon without HTTP is started anew with it; the sessions of agents go on. Where no address is set and another
    # program, or another home's daemon, has the usual one, any free port is taken.
    from ... import config, database
    from ...modules.clock import system_clock

    settings = settings_here(home)
    state = state_of(settings)
    if state is None or not state.get("http"):
        address = settings.http or config.HTTP_ADDRESS
        try:
            can_serve(settings, address)
        except OSError:
            if settings.http:
                raise
            address = f"{address.rpartition(':')[0]}:0"
        ended(settings)
        state = started(settings, address)
    is_person = person.is_there()
    link = asyncio.run(database.login_links(settings, system_clock).make(is_person=is_person))
    url = f"{state['http']}{settings.http_base_path}/dashboard/enter#{link}"
    if as_json:
        say_json({"url": url})
    else:
        say(url)
    if not is_person:
        say("without a terminal, this link opens a session that cannot decide approvals", err=True)
    if browser and not webbrowser.open(url):
        say("no browser could be opened; open this link within five minutes", err=True)
