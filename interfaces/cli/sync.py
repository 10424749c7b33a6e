"""`agentos sync`: one memory on several devices, through a folder that something else carries, or a WebDAV server."""

import asyncio
import platform
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ...modules.text.counting import counted
from . import shown
from .opened import at_terminal, settings_here
from .options import AsJson, Home, Yes, expanded, path_of
from .outcome import CommandFailure, ExitCode
from .terminal import ask, can_ask, one_line, say, say_json

if TYPE_CHECKING:
    from ...config import Settings
    from ...features.sync.service import SyncService
    from ...modules.clock import Clock

T = TypeVar("T")

sync = typer.Typer(help="One memory on several devices, end-to-end encrypted.", no_args_is_help=True)

Where = Annotated[
    str,
    typer.Argument(metavar="FOLDER", help="A synced folder, git checkout, mounted share, or address (WebDAV)."),
]
Name = Annotated[str | None, typer.Option("--name", help="What to call this device; by default its host name.")]
Phrase = Annotated[str | None, typer.Option("--phrase", help="The group's phrase; without it you are asked.")]


@sync.command()
def init(folder: Where, name: Name = None, home: Home = None, as_json: AsJson = False) -> None:
    """Make a group in a folder, with this device as its first, and show the phrase for the others."""

    async def made(service: "SyncService") -> str:
        phrase = await service.init(_absolute(folder), name or platform.node())
        await service.now()
        return phrase

    phrase = _with(home, made)
    if as_json:
        say_json({"phrase": phrase})
        return
    say(f"on the other device: agentos sync join FOLDER, with this phrase:\n\n  {phrase}\n")
    say("Whoever has it and the folder can read everything: keep it as you keep a password.")


@sync.command()
def join(folder: Where, phrase: Phrase = None, name: Name = None, home: Home = None, as_json: AsJson = False) -> None:
    """Join the group in a folder; what both devices have is merged."""
    given = phrase or _asked()

    async def joined(service: "SyncService") -> dict[str, object]:
        await service.join(_absolute(folder), name or platform.node(), given)
        return asdict(await service.now())

    _tell(_with(home, joined), as_json)


@sync.command()
def now(home: Home = None, as_json: AsJson = False) -> None:
    """Exchange now. The daemon does that every 5 minutes; exit code 1: something could not be taken."""

    async def done(service: "SyncService") -> dict[str, object]:
        return asdict(await service.now())

    found = _with(home, done)
    _tell(found, as_json)
    raise typer.Exit(1 if found["words"] else 0)


@sync.command()
def status(
    phrase: Annotated[bool, typer.Option("--phrase", help="Show the phrase by which devices join.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show the devices, and how far each has been read."""
    if phrase:
        said = _with(home, lambda service: service.phrase())
        say_json({"phrase": said}) if as_json else say(said)
        return
    found = _with(home, lambda service: service.status())
    if as_json:
        say_json(asdict(found))
        return
    say(found.folder + (f"\n{found.problem}" if found.problem else ""))
    say(
        shown.rows(
            ("device", "name", "segments", "read here", ""),
            [
                [
                    one.id[:8],
                    one.name,
                    str(one.told),
                    str(one.taken),
                    "; ".join(filter(None, ("this device" if one.is_this else "", one.state, one.waits))),
                ]
                for one in found.devices
            ],
        )
    )
    say(", ".join(counted(count, f"{kind} record") for kind, count in found.records.items()) or "nothing exchanged yet")


@sync.command()
def revoke(
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="Its name, or the beginning of its id.")],
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Shut out a lost or stolen device: what it writes from now on is refused, and it can read nothing new."""
    if not yes and not ask(f"Shut out {one_line(device)} for good?"):
        raise CommandFailure("nothing was changed", ExitCode.WRONG_USE)
    name, phrase = _with(home, lambda service: service.revoke(device))
    if as_json:
        say_json({"revoked": name, "phrase": phrase})
        return
    say(f"{name} is shut out; the other devices learn it at their next exchange.\nThe phrase for new devices: {phrase}")
    say("What it had read is still on it: change the passwords it knew.")


@sync.command()
def leave(yes: Yes = False, home: Home = None, as_json: AsJson = False) -> None:
    """End sync on this device. Its memories stay, here and on the others."""
    if not yes and not ask("End sync on this device?"):
        raise CommandFailure("nothing was changed", ExitCode.WRONG_USE)
    problem = _with(home, lambda service: service.leave())
    if as_json:
        say_json({"left": True, "problem": problem})
        return
    say("left" + (f"; the others could not be told: {problem}" if problem else ""))


def _absolute(where: str) -> str:
    """Return a folder by its whole path, an address as it is."""
    from ...features.sync.carriers import is_address

    return where if is_address(where) else str(expanded(path_of(where)))


def _asked() -> str:
    if not can_ask():
        raise CommandFailure("give the phrase with --phrase", ExitCode.WRONG_USE)
    answer: str = typer.prompt("Phrase")
    return answer


def _tell(found: dict[str, object], as_json: bool) -> None:
    if as_json:
        say_json(found)
        return
    say(f"changes told: {found['told']}, segments taken: {found['taken']}")
    words = found["words"]
    assert isinstance(words, dict)
    for device, why in words.items():
        say(f"{one_line(device)}: {why}")


def _with(home: Path | None, work: "Callable[[SyncService], Awaitable[T]]") -> T:
    from ...modules.clock import system_clock

    settings = settings_here(home)

    async def done() -> T:
        async with opened_sync(settings, system_clock) as service:
            return await work(service)

    with at_terminal(settings):
        return asyncio.run(done())


@asynccontextmanager
async def opened_sync(settings: "Settings", clock: "Clock") -> "AsyncIterator[SyncService]":
    """Yield the sync of a home, which may be in no group yet."""
    from ... import database
    from ...features.sync.service import SyncService
    from ...modules.redaction.redactor import SecretRedactor

    redacts, emails = settings.redact_secrets, settings.redact_emails
    redactor = SecretRedactor(enabled=redacts, emails=emails, own=settings.own_secrets())
    store = await database.open_store(settings, clock)
    try:
        yield SyncService.over(store.engine, redactor, clock, settings.home, settings.sync_login)
    finally:
        await store.close()
