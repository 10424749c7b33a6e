"""`agentos tenants`: the stores that share a PostgreSQL database, as who runs the server sees them."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import erasure, reader
from ...modules.tenants.models import KnownTenant, Quota
from ...modules.text.counting import memories_counted
from . import person, shown
from .groups import ListingGroup
from .opened import at_terminal, settings_here
from .options import AsJson, Home, expanded, path_of
from .outcome import CommandFailure, ExitCode
from .signing import moment, new_file, signed, signer
from .terminal import one_line, progress, say, say_json

if TYPE_CHECKING:
    from ...database import TenantOffice

tenants = typer.Typer(cls=ListingGroup, help="The stores of a PostgreSQL server: tenants.")

LONGEST_NAME = 100
"""Characters, as of AGENTOS_DATABASE_TENANT."""
NOT_SEARCHED = (
    "the database server: its log, its disk until VACUUM FULL, its replicas, archives and backups",
    "copies outside this home: exports, passports, backups, other machines",
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The tenant: the name of a store.")]
Memories = Annotated[int | None, typer.Option("--memories", min=0, help="The most memories; by default no limit.")]
Bytes = Annotated[int | None, typer.Option("--bytes", min=0, help="The most bytes of text; by default no limit.")]
Calls = Annotated[
    int | None, typer.Option("--calls", min=1, help="The most requests a minute to each process; by default no limit.")
]


@tenants.command("list")
def list_tenants(home: Home = None, as_json: AsJson = False) -> None:
    """List tenants: their state, what they hold and may hold, and how many keys they have."""
    found = asyncio.run(_office(home).known())
    if as_json:
        say_json([_facts(one) for one in found])
        return
    heads = ("tenant", "state", "memories", "bytes", "calls a minute", "keys", "logins")
    say(shown.rows(heads, [_row(one) for one in found]))


@tenants.command("create")
def create_tenant(
    name: Name,
    agent: Annotated[str, typer.Option("--agent", help="The namespace that its owner's key opens.")] = "default",
    login: Annotated[
        list[str] | None, typer.Option("--login", help="A database login to bind it to; repeatable.")
    ] = None,
    memories: Memories = None,
    size: Bytes = None,
    calls: Calls = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Create a tenant and its owner's key, at a terminal; the secret is shown only once."""
    person.required()
    from ... import database
    from ...modules.clock import system_clock
    from ...modules.principals.models import MOST_OF_A_ROLE, Role

    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise CommandFailure(
            "NAME: must be 1 to 100 printable characters; nothing was changed", ExitCode.WRONG_USE, "invalid_input"
        )
    settings = settings_here(home)
    asyncio.run(_office(home).create(name, login or (), Quota(memories, size, calls)))
    of_tenant = settings.model_copy(update={"database_tenant": name})

    async def first_key() -> str:
        async with database.opened(of_tenant, system_clock) as (agentos, _):
            given = {agent: MOST_OF_A_ROLE[Role.OWNER]}
            return (await agentos.principals.create_key(caller, "admin", Role.OWNER, given))[1]

    with at_terminal(settings) as caller:
        secret = asyncio.run(first_key())
    if as_json:
        say_json({"tenant": name, "key": secret})
    else:
        say(f"{name} is created; its owner's key, shown only once:\n{secret}")


@tenants.command("limit")
def limit_tenant(
    name: Name,
    memories: Memories = None,
    size: Bytes = None,
    calls: Calls = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Replace a tenant's limits, at a terminal: what is not named has none."""
    person.required()
    asyncio.run(_office(home).limit(name, Quota(memories, size, calls)))
    _done(as_json, name, "limited")


@tenants.command("suspend")
def suspend_tenant(name: Name, home: Home = None, as_json: AsJson = False) -> None:
    """Refuse all of a tenant's keys and calls at once, in every process; nothing is deleted."""
    asyncio.run(_office(home).suspend(name))
    _done(as_json, name, "suspended")


@tenants.command("resume")
def resume_tenant(name: Name, home: Home = None, as_json: AsJson = False) -> None:
    """End a suspension, at a terminal."""
    person.required()
    asyncio.run(_office(home).resume(name))
    _done(as_json, name, "resumed")


@tenants.command("remove")
def remove_tenant(
    name: Name,
    certificate: Annotated[
        Path, typer.Option("--certificate", help="The file to create, signed by this home's key.", parser=path_of)
    ],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Delete all of a tenant for good, at a terminal, and write a signed certificate of it.

    The answer and the certificate list what still names it: backups of this home, schemas that restores put aside.
    Exit code 1: something is left. Run it again to finish an interrupted removal.
    """
    person.required()
    settings = settings_here(home)
    if name == settings.database_tenant:
        raise CommandFailure("this is the store of this home itself; nothing was changed", ExitCode.REFUSED)
    key, author = signer(settings.home)  # before anything is gone
    known = [one for one in asyncio.run(_office(home).known()) if one.name == name]
    if not known:
        raise CommandFailure(
            f"there is no store {one_line(name)}, so nothing was changed; agentos tenants lists them",
            ExitCode.NOT_FOUND,
        )
    if not as_json:
        say(f"{one_line(name)}: {known[0].memories:,} memories, {known[0].keys} keys")
    person.typed_yes("Type yes to delete all of it for good: ")
    with new_file(expanded(certificate)) as file:  # where there can be none, nothing is deleted
        removed = asyncio.run(_office(home).remove(name))
        now = datetime.now(UTC)
        remains = {"tables": removed.tables, "files": [str(path) for path in removed.copies]}
        facts = erasure.certificate("*", f"tenant {name}", removed.memories, moment(now), author, remains, NOT_SEARCHED)
        facts["rows"] = dict(removed.rows)
        file.write(reader.canonical(signed(facts, key, author, now)) + b"\n")
    asyncio.run(_office(home).forget(name))  # what is cut off before gives another certificate when run again
    if as_json:
        say_json({"certificate": str(certificate), **facts})
    else:
        say(f"{one_line(name)} is removed: {memories_counted(len(removed.memories))}; certificate: {certificate}")
        for where, places in remains.items():
            if places:
                say(f"{where} that may hold it still: {', '.join(map(one_line, places))}")
        say(f"not searched: {'; '.join(NOT_SEARCHED)}")
    raise typer.Exit(ExitCode.NOT_FOUND if any(remains.values()) else ExitCode.DONE)


@tenants.command("backup")
def back_up_tenant(
    name: Name,
    to: Annotated[Path | None, typer.Option("--to", help="A different folder for the backup.", parser=path_of)] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Copy one tenant to a file, a SQLite database; its agents keep working. Its database login is enough for that."""
    now = datetime.now(UTC)
    made = asyncio.run(_office(home).copies(name).make(now, None if to is None else expanded(to)))
    if as_json:
        say_json({"tenant": name, "path": made.path, "memories": made.memories, "bytes": made.bytes})
    else:
        say(f"{made.path}  {made.memories:,} memories, schema {made.schema}, {made.bytes / 2**20:.1f} MiB")


@tenants.command("restore")
def restore_tenant(
    name: Name,
    source: Annotated[
        Path | None, typer.Argument(metavar="[BACKUP]", help="A file; by default the newest.", parser=path_of)
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Replace one tenant by its backup, at a terminal; others are not touched, and daemons keep running.

    Its calls are refused meanwhile. What it held is copied before. Keys and rights are those of the backup.
    """
    person.required()
    copies = _office(home).copies(name)
    asyncio.run(copies.require(source))
    person.typed_yes(f"Type yes to replace {one_line(name)} by {source or 'its newest backup'}: ")
    done = asyncio.run(copies.restore(source, datetime.now(UTC)))
    if as_json:
        say_json({"tenant": name, "backup": done.backup.path, "kept_aside": done.replaced})
        return
    say(f"{one_line(name)} is {done.backup.name} now; revoke again the keys that were revoked since")
    if done.replaced is not None:
        say(f"what it held is kept in {done.replaced}")


@tenants.command("move")
def move_tenant(
    name: Name,
    to: Annotated[str, typer.Option("--to", help="The other server: postgresql://….")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Move one tenant to another server, at a terminal; its calls are refused meanwhile. Run it again to resume.

    Here it stays, suspended, until you remove it. The daemons there need a copy of this home's server.key.
    """
    person.required()
    if not to.startswith(("postgresql://", "postgres://")):
        raise CommandFailure("--to: names no postgresql://…; nothing was changed", ExitCode.WRONG_USE, "invalid_input")
    office = _office(home)
    with progress(quiet=as_json) as report:
        moved = asyncio.run(office.move(name, to, report))
    if as_json:
        say_json({"tenant": name, "rows": moved.rows})
        return
    say(shown.rows(("what", "rows"), [(what, count) for what, count in moved.rows.items() if count]))
    say(f"all tables match; {one_line(name)} is suspended here: agentos tenants remove deletes it")


def _office(home: Path | None) -> "TenantOffice":
    from ... import database
    from ...modules.clock import system_clock

    return database.tenants(settings_here(home), system_clock)


def _done(as_json: bool, name: str, what: str) -> None:
    if as_json:
        say_json({"tenant": name, "done": what})
    else:
        say(f"{one_line(name)} is {what}")


def _facts(one: KnownTenant) -> dict[str, Any]:
    return {
        "tenant": one.name,
        "state": one.state,
        "created_at": one.created_at.isoformat(),
        "memories": one.memories,
        "bytes": one.bytes,
        "max_memories": one.quota.memories,
        "max_bytes": one.quota.bytes,
        "calls_per_minute": one.quota.calls_per_minute,
        "keys": one.keys,
        "logins": None if one.logins is None else list(one.logins),
    }


def _row(one: KnownTenant) -> tuple[str, ...]:
    quota = one.quota
    held = [
        f"{count:,}" + ("" if most is None else f" of {most:,}")
        for count, most in ((one.memories, quota.memories), (one.bytes, quota.bytes))
    ]
    calls = "-" if quota.calls_per_minute is None else f"{quota.calls_per_minute:,}"
    return (one.name, one.state, *held, calls, str(one.keys), ", ".join(one.logins or ()) or "-")
