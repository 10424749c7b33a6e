"""`agentos audit`: who changed what, and whether the log of it is as it was written."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...modules.text.counting import counted
from . import shown
from .opened import with_caller
from .options import AsJson, Home, Limit
from .outcome import ExitCode
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.audit.models import AuditEntry

audit = typer.Typer(help="Show who changed what, and verify the audit log.", no_args_is_help=True)
COLUMNS = ("number", "at", "principal", "door", "namespace", "action", "subject")


@audit.command()
def show(
    agent: Annotated[str | None, typer.Option("--agent", help="Only this namespace; by default all.")] = None,
    subject: Annotated[str | None, typer.Option("--subject", metavar="ID", help="Only changes of this record.")] = None,
    before: Annotated[int | None, typer.Option("--before", help="Only entries before this number.")] = None,
    limit: Limit = 50,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show the newest entries; they contain no texts."""
    found = with_caller(home, lambda agentos, caller: agentos.audit.show(caller, agent, subject, before, limit))
    entries = [_entry(one) for one in found]
    if as_json:
        say_json({"results": entries})
        return
    if entries:
        rows = [{**one, "at": shown.local(one["at"])} for one in entries]
        say(shown.rows(COLUMNS, [[str(one[column]) for column in COLUMNS] for one in rows]))
    say(counted(len(entries), "entry", "entries"), err=True)


@audit.command()
def verify(
    anchor: Annotated[
        str | None, typer.Option("--anchor", metavar="NUMBER:HASH", help="An end of the log that you noted earlier.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Check that no entry was changed. Exit code 0: intact; 3: changed."""
    noted = None if anchor is None else _noted(anchor)
    found = with_caller(home, lambda agentos, caller: agentos.audit.verify(caller, noted))
    head = f"{found.head.number}:{found.head.hash}"
    if as_json:
        say_json({"sound": not found.faults, "faults": list(found.faults), "entries": found.head.entries, "head": head})
    else:
        for fault in found.faults:
            say(fault)
        say(f"{found.head.entries} entries; the log ends with {head}", err=True)
    if found.faults:
        raise typer.Exit(ExitCode.REFUSED)


def _noted(anchor: str) -> tuple[int, str]:
    number, _, digest = anchor.partition(":")
    if not (number.isascii() and number.isdigit() and len(number) < 19 and digest):
        raise typer.BadParameter("must be NUMBER:HASH, as verify prints it", param_hint="--anchor")
    return int(number), digest.lower()


def _entry(entry: "AuditEntry") -> dict[str, Any]:
    return {
        "number": entry.number,
        "at": entry.at.isoformat(),
        "principal": entry.principal,
        "door": entry.door,
        "request_id": entry.request_id,
        "namespace": entry.namespace,
        "action": entry.action,
        "subject": entry.subject,
        "detail": dict(entry.detail),
    }
