"""`agentos backup`, `backups`, `restore` and `migrate`: copies of the memory, and the way back."""

import asyncio
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...modules.errors import InvalidInput
from ..stdio.front import hello
from ..stdio.front.place import socket_path
from . import shown
from .groups import ListingGroup
from .opened import settings_here
from .options import AsJson, Home, Yes, expanded, path_of
from .outcome import CommandFailure, ExitCode
from .terminal import ask, progress, say, say_json

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.backup.models import Backup
    from ...modules.backup.service import BackupService

LEAVES_WITHIN_S = 10.0
"""How long a daemon that serves nobody may take to close the memory."""

backups = typer.Typer(cls=ListingGroup, help="Backups that can be restored.")


def backup(
    home: Home = None,
    to: Annotated[Path | None, typer.Option("--to", help="A different folder for the backup.", parser=path_of)] = None,
    restore_into: Annotated[
        Path | None, typer.Option("--restore-into", help="Also restore it into this new data folder.", parser=path_of)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a verified backup of the memory; agents can keep working."""
    settings = _settings(home)
    target = None if restore_into is None else _empty_home(restore_into, settings)
    made = asyncio.run(_service(settings).make(None if to is None else expanded(to)))
    if target is not None:
        asyncio.run(_service(target).restore(Path(made.path)))
    if as_json:
        say_json({**_facts(made), "restored_into": None if target is None else str(target.home)})
        return
    say(f"{made.path}  {_about(made)}")
    if target is not None:
        say(f"restored into {target.home}")


@backups.command("list")
def list_backups(
    home: Home = None,
    to: Annotated[Path | None, typer.Option("--to", help="The folder to look in.", parser=path_of)] = None,
    as_json: AsJson = False,
) -> None:
    """List the backups, newest first."""
    found = asyncio.run(_service(_settings(home)).all(None if to is None else expanded(to)))
    if as_json:
        say_json([_facts(backup) for backup in found])
    elif found:
        say(shown.rows(("backup", "about"), [(entry.name, _about(entry)) for entry in found]))
    else:
        say("no backups yet; agentos backup makes one", err=True)


def restore(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[BACKUP]", help="A file, or a name from agentos backups; by default the newest.", parser=path_of
        ),
    ] = None,
    home: Home = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup. Stop all agents first; an idle daemon is stopped. The replaced database is kept."""
    settings = _settings(home)
    service = _service(settings)
    if not yes and asyncio.run(service.holds_data()):
        asyncio.run(service.require(source))
        question = (
            f"Replace the memory in {settings.home} with {source or 'the newest backup'}? (The current one is kept.)"
        )
        if not ask(question):
            raise CommandFailure(
                "nothing was changed: a memory already exists; add --yes to replace it", ExitCode.REFUSED
            )
    hello.ask_to_leave(socket_path(settings.home), LEAVES_WITHIN_S)  # one that serves nobody holds it open in vain
    done = asyncio.run(service.restore(source))
    if as_json:
        say_json({"backup": _facts(done.backup), "database": done.database, "kept_aside": done.replaced})
        return
    say(f"{done.database} is {done.backup.name} now: {_about(done.backup)}")
    if done.replaced is not None:
        say(f"the previous database is kept as {done.replaced}")


def migrate(
    home: Home = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only rehearse it on a copy.")] = False,
    to: Annotated[
        str | None, typer.Option("--to", help="Copy it to another engine: postgresql://… or sqlite:PATH.")
    ] = None,
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="On PostgreSQL: make no backup, because the server has its own.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Migrate the memory to this version's schema, after a backup, as any start does; or copy it to another engine.

    Run the same command again to resume an interrupted copy. This memory is not changed.
    """
    if to is not None:
        if dry_run:
            raise CommandFailure("--dry-run tries the schema only: leave out --dry-run or --to", ExitCode.WRONG_USE)
        _move(_settings(home), to, as_json=as_json)
        return
    from ... import database
    from ...modules.clock import system_clock

    settings = _settings(home)
    if no_backup and not settings.uses_postgres:
        raise CommandFailure(
            "--no-backup is only for PostgreSQL, whose server may have its own backups", ExitCode.WRONG_USE
        )
    found = asyncio.run(_service(settings).rehearse_migration())
    if found.steps and not dry_run:
        asyncio.run(database.migrate(settings, system_clock, backup=not no_backup))
    if as_json:
        say_json({**asdict(found), "dry_run": dry_run})
        return
    if not found.steps:
        say(f"schema {found.schema} is the newest; nothing to do")
    for step in found.steps:
        say(f"{step.version:03} {step.name}: {'works on a copy' if dry_run else 'done'}")


def _move(settings: "Settings", to: str, *, as_json: bool) -> None:
    from ... import database
    from ...modules.clock import system_clock
    from ...modules.errors import StorageUnavailable

    hello.ask_to_leave(socket_path(settings.home), LEAVES_WITHIN_S)
    with progress(quiet=as_json) as report:
        try:
            moved = asyncio.run(database.move(settings, to, system_clock, report))
        except StorageUnavailable as error:
            if settings.uses_postgres:
                raise
            raise type(error)(str(error).replace("AGENTOS_DATABASE_URL", "--to")) from error
    if as_json:
        say_json({"rows": moved.rows, "is_behind": moved.is_behind})
        return
    say(shown.rows(("what", "rows"), [(name, count) for name, count in moved.rows.items() if count]))
    say("all tables match, and the audit log is verified; this memory is unchanged")
    if moved.is_behind:
        say("it has changed during the copy: the new changes are not in the copy", err=True)
    say(f"to use the copy, set AGENTOS_DATABASE_URL to its address in {settings.home / '.env'}")


def _settings(home: Path | None) -> "Settings":
    return settings_here(home)


def _service(settings: "Settings") -> "BackupService":
    from ... import database
    from ...modules.clock import system_clock

    return database.backups(settings, system_clock)


def _empty_home(home: Path, source: "Settings") -> "Settings":
    """Return the settings of a data folder that a backup can be restored into without replacing anything.

    Raises InvalidInput where there is a memory already.
    """
    target = _settings(home)
    if target.database == source.database:
        raise InvalidInput("--restore-into", "is the same database; unset AGENTOS_DATABASE_URL or take another folder")
    if asyncio.run(_service(target).holds_data()):
        raise InvalidInput("--restore-into", f"{home} already holds a memory; agentos restore replaces it")
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
