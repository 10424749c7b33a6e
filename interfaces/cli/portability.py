"""`agentos export` and `agentos import`: a memory carried away whole, and brought in again."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from . import shown
from .calls import REFUSED, ended
from .memory import AsJson, Home, Yes

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.portability.models import Imported

T = TypeVar("T")


def export(
    file: Annotated[Path, typer.Argument(help="A new file, by custom *.jsonl.")],
    agents: Annotated[list[str] | None, typer.Option("--agent", help="Only of these; else of all.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write everything that the memory holds to one file of JSON lines."""
    target = file.expanduser().absolute()
    made = _with_store(home, lambda agentos: agentos.portability.export(target, agents or None))
    if as_json:
        shown.as_json(asdict(made))
        return
    shown.console().print(shown.rows(("what", "rows"), list(made.rows.items())))
    typer.echo(f"{made.path}\ncanonical hash {made.canonical_hash}")


def import_(
    file: Annotated[Path, typer.Argument(help="What agentos export made.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would come in.")] = False,
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Bring in what a file holds and the memory does not; what is there stays as it is, and twice is once."""
    source = file.expanduser().absolute()
    if not (yes or dry_run):
        found = _with_store(home, lambda agentos: agentos.portability.import_bundle(source, dry_run=True))
        if not sys.stdin.isatty():
            raise ended("nothing was changed; add --yes to import, or --dry-run to look", REFUSED)
        _show(found)
        typer.confirm("Bring this in?", abort=True, err=True)
    done = _with_store(home, lambda agentos: agentos.portability.import_bundle(source, dry_run=dry_run))
    if as_json:
        shown.as_json({"dry_run": dry_run, **asdict(done)})
    else:
        _show(done)


def _show(found: "Imported") -> None:
    names = list(dict.fromkeys([*found.new, *found.known, *found.left_out]))
    entries = [[name, found.new.get(name, 0), found.known.get(name, 0), found.left_out.get(name, 0)] for name in names]
    shown.console().print(shown.rows(("what", "new", "there already", "left out"), entries))


def _with_store(home: Path | None, work: "Callable[[AgentOS], Awaitable[T]]") -> T:
    """The result of work over the open store; a failure is told, and ends the command."""
    from ... import config, database
    from ...modules.clock import system_clock
    from ...modules.errors import AgentOSError

    async def opened(settings: config.Settings) -> T:
        async with database.opened(settings, system_clock) as (agentos, _):
            return await work(agentos)

    try:
        return asyncio.run(opened(config.load() if home is None else config.load(home=home.expanduser().absolute())))
    except (AgentOSError, config.SettingsError) as error:
        raise ended(str(error), REFUSED) from error
