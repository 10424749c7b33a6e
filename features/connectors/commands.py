"""`agentos connect`: notes of this machine's programs as candidates; a connector is off until it is named."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...interfaces.cli import shown
from ...interfaces.cli.groups import ListingGroup
from ...interfaces.cli.opened import settings_here, with_store
from ...interfaces.cli.options import Agent, AsJson, Home, Yes, expanded, path_of
from ...interfaces.cli.outcome import CommandFailure, ExitCode
from ...interfaces.cli.terminal import ask, can_ask, one_line, say, say_json
from ...modules.text.counting import memories_counted

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.connecting import Connected
    from .models import Connector, Offers

connect = typer.Typer(
    cls=ListingGroup, help="Notes of this machine's programs as candidates; each connector is off until you name it."
)

SHOWN = 20
Named = Annotated[str, typer.Argument(metavar="CONNECTOR", help="Its name; agentos connect list shows them.")]


@connect.command("list")
def show_list(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List the connectors: what each reads, whether it is on, how much it has brought, and when."""
    from .service import connectors_of

    on = settings_here(home).connectors

    async def look(agentos: "AgentOS", own: str) -> "Sequence[Connected]":
        return await connectors_of(agentos, on).status(agent or own)

    found = with_store(home, look)
    if as_json:
        say_json({"connectors": [{**asdict(one), "last_at": _iso(one.last_at)} for one in found]})
        return
    told = [
        (one.name, "on" if one.on else "off", one.brought, (_iso(one.last_at) or "")[:10], one.reads) for one in found
    ]
    say(shown.rows(("connector", "", "brought", "last", "reads"), told))


@connect.command()
def collect(
    name: Named,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="The files to read; without any, those found on this machine.", parser=path_of),
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How many days back.")] = 30,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be kept.")] = False,
    yes: Yes = False,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what a connector finds, and keep it as candidates once you agree.

    A candidate has little confidence until you or an agent confirms it: agentos feedback ID confirm. Secrets are
    replaced before anything is shown or kept. Exit code 3: a file cannot be read, and is named.
    """
    from .models import Kept
    from .service import connectors_of

    connector = _switched_on(name, home)
    read = [expanded(file) for file in files or ()] or list(connector.places())
    if not read:
        raise CommandFailure(
            f"{connector.name}: nothing to read was found on this machine; name a file", ExitCode.WRONG_USE
        )

    async def look(agentos: "AgentOS", own: str) -> "Offers":
        return await connectors_of(agentos).offers(agent or own, connector, read, timedelta(days=days))

    found = with_store(home, look)
    if not as_json:
        _show(found)
    kept = Kept(0, 0, {})
    agreed = (
        bool(found.offers) and not dry_run and _agreed(yes, f"Keep what is listed as candidates ({len(found.offers)})?")
    )
    if agreed:

        async def keep(agentos: "AgentOS", own: str) -> Kept:
            return await connectors_of(agentos).keep(agent or own, connector, found.offers)

        kept = with_store(home, keep)
    if as_json:
        offers = [
            {"content": one.text, "occurred_at": one.signal.at.isoformat(), "memory_id": one.memory_id}
            for one in found.offers
        ]
        counts = {"known": found.known, "earlier": found.earlier, "beyond": found.beyond, "unread": found.unread}
        done = {"kept": kept.new, "updated": kept.renewed, "refused": kept.refused}
        say_json({"dry_run": not agreed, "offers": offers, **done, **counts})
    elif agreed:
        counted = f"candidates kept: {kept.new}, updated: {kept.renewed}"
        say(f"{counted}; agentos connect remove {connector.name} erases them")
        for text, problem in kept.refused.items():
            say(f"{one_line(text)}: {problem}", err=True)
    if found.unread or kept.refused:
        raise typer.Exit(ExitCode.REFUSED)


@connect.command()
def remove(name: Named, yes: Yes = False, agent: Agent = None, home: Home = None, as_json: AsJson = False) -> None:
    """Erase all that a connector has brought, confirmed or not."""
    from ...modules.memory.lifecycle_service import HUMAN
    from .service import connectors_of

    connector = _known(name)

    async def count(agentos: "AgentOS", own: str) -> int:
        return len(await connectors_of(agentos).brought(agent or own, connector.name))

    async def erase(agentos: "AgentOS", own: str) -> int:
        return await connectors_of(agentos).remove(agent or own, connector.name, by=HUMAN)

    number = with_store(home, count)
    erased = 0
    if number and _agreed(yes, f"Erase all that {connector.name} has brought ({number})?"):
        erased = with_store(home, erase)
    if as_json:
        say_json({"erased": erased})
    else:
        say(f"{memories_counted(erased)} erased")


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _agreed(yes: bool, question: str) -> bool:
    """Return whether the person agrees. Raises CommandFailure where nobody can be asked."""
    if not yes and not can_ask():
        raise CommandFailure("nothing was changed; add --yes to confirm", ExitCode.REFUSED)
    return yes or ask(question)


def _known(name: str) -> "Connector":
    from .catalog import CONNECTORS

    if name not in CONNECTORS:
        raise CommandFailure(f"there is no connector {name!r}; there are: {', '.join(CONNECTORS)}", ExitCode.WRONG_USE)
    return CONNECTORS[name]


def _switched_on(name: str, home: Path | None) -> "Connector":
    """Return a connector that the settings name. Raises CommandFailure for any other."""
    connector, settings = _known(name), settings_here(home)
    if connector.name not in settings.connectors:
        named = ",".join([*settings.connectors, connector.name])
        raise CommandFailure(
            f"the connector {connector.name} is off: put AGENTOS_CONNECTORS={named} into {settings.home / '.env'}",
            ExitCode.REFUSED,
        )
    return connector


def _show(found: "Offers") -> None:
    for offer in found.offers[:SHOWN]:
        say(f"{'changed' if offer.memory_id else 'new':7}  {one_line(offer.text)}")
    if len(found.offers) > SHOWN:
        say(f"… and {len(found.offers) - SHOWN} more; --json shows all")
    rest: Sequence[tuple[int, str]] = (
        (found.known, "are known"),
        (found.earlier, "are older; --days looks further back"),
        (found.beyond, "are more than a day may bring; collect again tomorrow"),
    )
    say("; ".join([f"{len(found.offers)} to keep", *(f"{count} {why}" for count, why in rest if count)]), err=True)
    for file, problem in found.unread.items():
        say(f"{file}: {problem}", err=True)
