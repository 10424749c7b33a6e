"""`agentos mirror`: the state of the Markdown mirror, and a person's control of it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ...interfaces.cli import shown
from ...interfaces.cli.opened import settings_here
from ...interfaces.cli.options import AsJson, Home
from ...interfaces.cli.outcome import CommandFailure, ExitCode
from ...interfaces.cli.terminal import say, say_json
from ...modules.text.counting import counted

if TYPE_CHECKING:
    from ...config import Settings
    from .ledger import MirrorLedger

BY_HAND = "by hand"
mirror = typer.Typer(help="The Markdown mirror: each memory as an editable file.", no_args_is_help=True)


@mirror.command()
def status(home: Home = None, as_json: AsJson = False) -> None:
    """Show the mirror's folder and state, and which files are ignored and why."""
    settings = settings_here(home)
    ledger = _ledger(settings)
    state, control = ledger.load(), ledger.control()
    if as_json:
        facts = {"folder": settings.mirror, "namespace": settings.mirror_namespace, "files": len(state.entries)}
        say_json({**facts, **asdict(control), "problems": dict(state.problems)})
        return
    say(f"{settings.mirror}: {counted(len(state.entries), 'file')} of {settings.mirror_namespace}")
    if control.paused is not None:
        say(f"paused: {control.paused}; agentos mirror resume continues")
    if state.problems:
        say(shown.rows(("file", "left alone because"), list(state.problems.items())))


@mirror.command()
def pause(home: Home = None) -> None:
    """Stop the mirror: neither side changes the other until it is resumed."""
    _ledger(settings_here(home)).pause(BY_HAND)
    say("paused")


@mirror.command()
def resume(home: Home = None) -> None:
    """Resume the mirror and accept all the changes that it paused for."""
    ledger = _ledger(settings_here(home))
    control = ledger.control()
    if control.paused is None:
        say("the mirror is not paused")
        return
    ledger.resume(control.waiting)
    say("resumed" + (f": {control.waiting} changed files are being imported" if control.waiting else ""))


def _ledger(settings: "Settings") -> "MirrorLedger":
    from .wiring import ledger_of

    ledger = ledger_of(settings)
    if ledger is None:
        where = Path(settings.home) / ".env"
        raise CommandFailure(
            f"nothing is mirrored: set AGENTOS_MIRROR in {where} to a folder, and restart the daemon", ExitCode.REFUSED
        )
    return ledger
