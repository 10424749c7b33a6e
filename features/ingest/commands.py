"""`agentos ingest`: passages of files as memories, which follow their file."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...interfaces.cli import shown
from ...interfaces.cli.opened import with_store
from ...interfaces.cli.options import Agent, AsJson, Home, expanded, path_of
from ...interfaces.cli.outcome import ExitCode
from ...interfaces.cli.terminal import progress, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from .models import Ingested

SHOWN = 10


def ingest(
    path: Annotated[
        Path, typer.Argument(help="A file, or a folder of files: text, Markdown, HTML, PDF, DOCX.", parser=path_of)
    ],
    forget: Annotated[
        bool, typer.Option("--forget", help="Erase the passages of this file or folder instead.")
    ] = False,
    keep_missing: Annotated[
        bool, typer.Option("--keep-missing", help="Keep the passages of files that are no longer in the folder.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would change.")] = False,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Store the passages of files; run it again to update what changed.

    Passages of files that are gone from the folder are erased, unless you say --keep-missing; --dry-run names them
    first. A folder without any file keeps all its passages. Exit code 3: something cannot be read, and is named.
    """
    from ...modules.system.files import composed_name
    from .service import IngestionService

    target = Path(composed_name(os.path.abspath(expanded(path))))
    if forget:

        async def erase(agentos: "AgentOS", default: str) -> int:
            service = IngestionService(agentos.memory, agentos.redactor)
            return await service.forget(agent or default, target, dry_run=dry_run)

        erased = with_store(home, erase)
        if as_json:
            say_json({"dry_run": dry_run, "erased": erased})
        else:
            say(f"{erased} passages of {target} {'would be' if dry_run else 'were'} erased")
        return

    async def bring(agentos: "AgentOS", default: str) -> "Ingested":
        service = IngestionService(agentos.memory, agentos.redactor)
        with progress(quiet=as_json) as report:
            return await service.ingest(
                agent or default, target, dry_run=dry_run, keep_missing=keep_missing, progress=report
            )

    done = with_store(home, bring)
    if as_json:
        say_json({"dry_run": dry_run, **asdict(done)})
    else:
        say(shown.rows(("files", "new passages", "unchanged", "gone"), [(done.files, done.new, done.kept, done.gone)]))
        keeps = keep_missing or not done.files
        fate = (
            "passages kept (--forget erases them)"
            if keeps
            else "passages would be erased"
            if dry_run
            else "passages erased"
        )
        for file in done.missing[:SHOWN]:
            say(f"{file}: no longer there, {fate}")
        if len(done.missing) > SHOWN:
            say(f"… and {len(done.missing) - SHOWN} more files; --json names all")
        for file, problem in done.unread.items():
            say(f"{file}: {problem}", err=True)
    if done.unread:
        raise typer.Exit(ExitCode.REFUSED)
