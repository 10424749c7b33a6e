"""`agentos backup`, `backups`, `restore` and `migrate`: copies of the memory, and the way back."""

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...modules.errors import AgentOSError, Conflict, InvalidInput

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.backup.models import Backup
    from ...modules.backup.service import BackupService

Home = Annotated[Path | None, typer.Option("--home", help="The data folder; by default AGENTOS_HOME.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def backup(
    home: Home = None,
    to: Annotated[Path | None, typer.Option("--to", help="Another folder for the backup.")] = None,
    restore_into: Annotated[
        Path | None, typer.Option("--restore-into", help="Also restore it into this new data folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a verified backup of the memory; agents may go on working."""
    with _failures():
        settings = _settings(home)
        target = None if restore_into is None else _empty_home(restore_into, settings)
        made = asyncio.run(_service(settings).make(None if to is None else to.expanduser().absolute()))
        if target is not None:
            asyncio.run(_service(target).restore(Path(made.path)))
    if as_json:
        _say_json({**_facts(made), "restored_into": None if target is None else str(target.home)})
        return
    typer.echo(f"{made.path}  {_about(made)}")
    if target is not None:
        typer.echo(f"restored into {target.home}")


def backups(
    home: Home = None,
    to: Annotated[Path | None, typer.Option("--to", help="The folder to look into.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the backups, newest first."""
    with _failures():
        found = asyncio.run(_service(_settings(home)).all(None if to is None else to.expanduser().absolute()))
    if as_json:
        _say_json([_facts(backup) for backup in found])
        return
    for entry in found:
        typer.echo(f"{entry.name}  {_about(entry)}")
    if not found:
        typer.echo("no backups yet; agentos backup makes one")


def restore(
    source: Annotated[
        Path | None, typer.Argument(metavar="[BACKUP]", help="A file, or a name from agentos backups; else the newest.")
    ] = None,
    home: Home = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring a backup back. Every agent and the daemon must have ended; what is replaced is kept aside."""
    with _failures():
        settings = _settings(home)
        service = _service(settings)
        if not yes and asyncio.run(service.holds_data()):
            question = f"Replace the memory in {settings.home} by {source or 'the newest backup'}? (It is kept aside.)"
            if not sys.stdin.isatty():
                raise Conflict("nothing was changed: there is a memory already; add --yes to replace it")
            if not typer.confirm(question, err=True):
                raise Conflict("nothing was changed")
        done = asyncio.run(service.restore(source))
    if as_json:
        _say_json({"backup": _facts(done.backup), "database": done.database, "kept_aside": done.kept_aside})
        return
    typer.echo(f"{done.database} is {done.backup.name} now: {_about(done.backup)}")
    if done.kept_aside is not None:
        typer.echo(f"what was there before is kept as {done.kept_aside}")


def migrate(
    home: Home = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only try it, on a copy.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring the memory to the schema of this version, after a backup; any start of AgentOS does the same."""
    from ... import database
    from ...modules.clock import system_clock

    async def open_once(settings: "Settings") -> None:
        store = await database.open_store(settings, system_clock)
        await store.close()

    with _failures():
        settings = _settings(home)
        found = asyncio.run(_service(settings).rehearse_migration())
        if found.steps and not dry_run:
            asyncio.run(open_once(settings))
    if as_json:
        _say_json({**asdict(found), "dry_run": dry_run})
        return
    if not found.steps:
        typer.echo(f"schema {found.schema} is the newest: nothing to do")
    for step in found.steps:
        typer.echo(f"{step.version:03} {step.name}: {'works on a copy' if dry_run else 'done'}")


@contextmanager
def _failures() -> Iterator[None]:
    """Tell what went wrong in plain words, and end with 1."""
    from ...config import SettingsError

    try:
        yield
    except (AgentOSError, SettingsError) as error:
        typer.echo(f"agentos: {error}", err=True)
        raise typer.Exit(1) from error


def _settings(home: Path | None) -> "Settings":
    from ... import config

    return config.of_home(home)


def _service(settings: "Settings") -> "BackupService":
    from ... import database
    from ...modules.clock import system_clock

    return database.backups(settings, system_clock)


def _empty_home(home: Path, source: "Settings") -> "Settings":
    """The settings of a data folder that a backup may be restored into without replacing anything."""
    target = _settings(home)
    if target.database == source.database:
        raise InvalidInput("--restore-into", "is the same database; unset AGENTOS_DATABASE_URL or take another folder")
    if asyncio.run(_service(target).holds_data()):
        raise InvalidInput("--restore-into", f"{home} holds a memory already; agentos restore replaces one")
    return target


def _facts(backup: "Backup") -> dict[str, Any]:
    facts = asdict(backup)
    del facts["mark"]
    return {**facts, "created_at": backup.created_at.isoformat()}


def _about(backup: "Backup") -> str:
    if backup.problem is not None:
        return f"cannot be used: {backup.problem}"
    memories = "?" if backup.memories is None else backup.memories
    made = _local(backup.created_at)
    return f"{made}  {memories} memories, schema {backup.schema}, {backup.bytes / 2**20:.1f} MiB"


def _local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"


def _say_json(value: object) -> None:
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False))
