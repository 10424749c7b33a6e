"""Backups of the schema in PostgreSQL, by the server's own pg_dump and pg_restore: every store in it.

<folder>/agentos-<time>.dump         pg_dump's own format
<folder>/agentos-<time>.dump.json    what is in it; a dump without this was cut off, and is no backup
"""

import asyncio
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ...modules.backup.models import Backup, MigrationStep, Rehearsal, Restored
from ...modules.errors import NotFound, StorageRefused, StorageUnavailable
from ...modules.version import VERSION
from ..embedding.private_file import make_private_folder, write_private
from . import directions, failures, migrate
from .direct import NOW, connected, has_table, one
from .hinting import presence_of

T = TypeVar("T")
DUMP_S = 6 * 3600
MESSAGE_MAX = 300
SILENT_S = 150.0
"""How long a daemon that lives is silent at most: it shows itself each minute."""
FREE_WITHIN_S, ASK_AGAIN_S = 5.0, 0.1
"""How long a restore waits for what holds a table for a moment, as the server's own upkeep does."""
_NAME = "agentos-{:%Y%m%dT%H%M%SZ}{}.dump"
_SCHEMAS = re.compile(r"^\d+; \d+ \d+ SCHEMA - (\S+) ", re.MULTILINE)


class Dumps:
    """Implements `modules.backup.ports.BackupStorage` for a schema in PostgreSQL."""

    def __init__(self, home: Path, url: str, schema: str) -> None:
        self._folder = home / "backups"
        self._url = url
        self._schema = schema

    async def make(self, at: datetime, folder: Path | None) -> Backup:
        return await _in_thread(self._make, at.astimezone(UTC), folder or self._folder)

    async def found(self, folder: Path | None) -> list[Backup]:
        return await _in_thread(found, folder or self._folder)

    async def remove(self, backup: Backup) -> None:
        for path in (f"{backup.path}.json", backup.path):
            await _in_thread(Path(path).unlink, True)

    async def mark(self) -> str:
        return (await _in_thread(self._contents))[2]

    async def require(self, source: Path | None) -> None:
        await _in_thread(self._chosen, source)

    async def restore(self, source: Path | None, at: datetime) -> Restored:
        return await _in_thread(self._restore, await _in_thread(self._chosen, source), at.astimezone(UTC))

    async def rehearse(self) -> Rehearsal:
        version, memories, _ = await _in_thread(self._contents)
        steps = await _in_thread(migrate.rehearse, self._url, self._schema)
        return Rehearsal(version, tuple(MigrationStep(step.version, step.name) for step in steps), memories)

    async def holds_data(self) -> bool:
        def ask() -> bool:
            with connected(self._url) as connection:
                return has_table(connection, self._schema, "schema_migrations")

        return await _in_thread(ask)

    def keep_before_migration(self, at: datetime) -> None:
        """Make a backup that stays until somebody removes it. Blocks. Raises StorageRefused with the way out."""
        try:
            _translated(self._make, at.astimezone(UTC), self._folder, True)
        except (StorageRefused, StorageUnavailable) as error:
            raise StorageRefused(
                f"the schema must be migrated, and no backup can be made before: {error}; where the server has "
                "backups of its own, run: agentos migrate --no-backup"
            ) from error

    def _make(self, at: datetime, folder: Path, stays: bool = False) -> Backup:
        make_private_folder(folder)
        names = (_NAME.format(at, number) for number in ("", *(f"-{more}" for more in range(2, 1_000))))
        final = next(path for name in names if not (path := folder / name).exists())
        schema, memories, mark = self._contents()
        final.touch(mode=0o600)
        try:
            self._run("pg_dump", "--format=custom", "--schema", self._schema, "--file", str(final))
            _run("pg_restore", "--list", str(final))
            with final.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                os.fsync(file.fileno())
        except BaseException:
            final.unlink(missing_ok=True)
            raise
        size = final.stat().st_size
        created_at = at.replace(microsecond=0)
        made = Backup(
            final.name, str(final), created_at, size, schema, memories, VERSION, digest, None if stays else mark
        )
        return noted(made)

    def _restore(self, backup: Backup, at: datetime) -> Restored:
        """Put the schema aside under another name, and restore into its own; when that fails it comes back."""
        require_unchanged(backup)
        self._require_fitting(backup)
        aside = f"{self._schema}_replaced_{at:%Y%m%dt%H%M%S}"
        with connected(self._url) as connection:
            was_there = has_table(connection, self._schema, "schema_migrations")
            self._require_rights(connection)
            if was_there:
                self._refuse_while_in_use(connection)
                self._rename(connection, self._schema, aside)
            try:
                directions.extension(connection)  # which no dump of a schema holds, nor the roles of a server
                how = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges")
                self._run("pg_restore", *how, backup.path)
            except BaseException:
                if was_there:
                    self._rename(connection, aside, self._schema)
                raise
            migrate.make_role(connection, self._schema)
        return Restored(backup, f"the schema {self._schema}", f"the schema {aside}" if was_there else None)

    def _require_fitting(self, backup: Backup) -> None:
        """Raise StorageRefused where a backup is of another schema, or of a newer AgentOS."""
        newest = migrate.known_steps()[-1].version
        if (backup.schema or 0) > newest:
            found = f"{backup.name} has schema {backup.schema}, this AgentOS knows {newest}"
            raise StorageRefused(f"{found}; upgrade AgentOS")
        listed = _run("pg_restore", "--list", backup.path)
        names = {found[1] for found in _SCHEMAS.finditer(listed)}
        if self._schema not in names:
            name = " or ".join(sorted(names)) or "?"
            raise StorageRefused(f"{backup.name} is of the schema {name}, set AGENTOS_DATABASE_SCHEMA to restore it")

    def _require_rights(self, connection: psycopg.Connection[Any]) -> None:
        """Raise StorageRefused for a user who can neither put the schema aside nor make it."""
        owns = "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = $1"
        if one(connection, owns, self._schema) is False:
            raise StorageRefused(f"the database user does not own the schema {self._schema}: restore as its owner")
        if not one(connection, "SELECT has_database_privilege(current_database(), 'CREATE')"):
            raise StorageRefused(
                "the database user may not create a schema, which restoring a backup needs; as the database's owner "
                "run: "
                f"GRANT CREATE ON DATABASE {connection.info.dbname} TO {connection.info.user}"
            )

    def _refuse_while_in_use(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute(f"SET lock_timeout TO '{FREE_WITHIN_S:.0f}s'")
        for name, daemon, silent_s in self._daemons(connection):
            if abs(silent_s) < SILENT_S:
                raise StorageRefused(
                    f"the daemon {daemon} of the store {name!r} was at work {max(0.0, silent_s):.0f} s ago: end every "
                    f"daemon on this database; if it was killed, try again in {SILENT_S:.0f} s"
                )
        give_up = time.monotonic() + FREE_WITHIN_S
        alone = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"  # no clock's matter: daemons share this lock
        while not one(connection, alone, presence_of(self._schema)):
            if time.monotonic() > give_up:
                raise StorageRefused("a daemon still serves from this database: end every one, and try again")
            time.sleep(ASK_AGAIN_S)
        others = (
            "SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND l.pid <> pg_backend_pid() LIMIT 1"
        )
        while one(connection, others, self._schema):
            if time.monotonic() > give_up:
                raise StorageRefused("the store is in use; end every daemon on this database, and try again")
            time.sleep(ASK_AGAIN_S)

    def _daemons(self, connection: psycopg.Connection[Any]) -> list[tuple[str, str, float]]:
        """Return the daemons that have not said that they ended: their store, name, and how long they are silent.

        A schema of before knows no host.
        """
        record = sql.SQL(
            "SELECT pid || coalesce(' on ' || (to_jsonb(d) ->> 'host'), ''), heartbeat_at FROM {} d "
            "WHERE stopped_at IS NULL"
        )
        table = record.format(sql.Identifier(self._schema, "daemon_state"))
        found = []
        with connection.transaction():  # as whoever owns the tables is bound by their policies
            tenants = sql.SQL("SELECT id, name FROM {}").format(sql.Identifier(self._schema, "tenants"))
            for tenant, name in connection.execute(tenants).fetchall():
                connection.execute("SELECT set_config('agentos.tenant', $1, true)", (str(tenant),))
                now = one(connection, NOW)
                found += [(name, daemon, (now - beat) / 1e6) for daemon, beat in connection.execute(table)]
        return found

    @staticmethod
    def _rename(connection: psycopg.Connection[Any], name: str, other: str) -> None:
        connection.execute(sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(other)))

    def _chosen(self, source: Path | None) -> Backup:
        return chosen(self._folder, source)

    def _contents(self) -> tuple[int, int, str]:
        """Return the schema's version, how many memories all stores have, and the position of the whole schema."""
        with connected(self._url) as connection:
            if not has_table(connection, self._schema, "schema_migrations"):
                raise NotFound(f"there is no schema {self._schema}; AGENTOS_DATABASE_SCHEMA names another")
            connection.execute("SET row_security TO off")
            version = one(connection, f'SELECT max(version) FROM "{self._schema}".schema_migrations')
            memories = one(connection, f'SELECT count(*) FROM "{self._schema}".memories')
            numbers = (
                "SELECT string_agg(sequencename || '=' || coalesce(last_value, 0), ' ' ORDER BY sequencename) "
                "FROM pg_sequences WHERE schemaname = $1"
            )
            return int(version or 0), memories, str(one(connection, numbers, self._schema))

    def _run(self, program: str, *arguments: str) -> str:
        """Run one of PostgreSQL's programs on the database; it finds the password in a private file."""
        parts = conninfo_to_dict(self._url)
        password = parts.pop("password", None)
        if not password:  # the user's own ways hold: a file, a certificate, the socket
            return _run(program, "--dbname", self._url, *arguments)
        with tempfile.TemporaryDirectory(prefix="agentos-pg-") as folder:
            passfile = Path(folder) / "pgpass"
            escaped = str(password).replace("\\", "\\\\").replace(":", "\\:")
            write_private(passfile, f"*:*:*:*:{escaped}\n".encode())
            address = make_conninfo("", **parts, passfile=str(passfile))
            return _run(program, "--dbname", address, *arguments)


def _run(program: str, *arguments: str) -> str:
    """Run a program, and return what it prints. Raises StorageRefused, StorageUnavailable."""
    found = shutil.which(program)
    if found is None:
        raise StorageRefused(f"{program} is not in PATH; install the client programs of PostgreSQL")
    try:
        done = subprocess.run([found, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=DUMP_S)
    except subprocess.TimeoutExpired:
        raise StorageUnavailable(f"{program} did not end within {DUMP_S // 3600} hours") from None
    if done.returncode:
        output = done.stderr.decode("utf-8", "replace").strip()
        if "row-level security" in output:
            raise StorageRefused(
                "the database user may not read every store: a backup is of all of them and needs BYPASSRLS; "
                "agentos tenants backup saves this one"
            )
        if "permission denied" in output:
            raise StorageRefused(f"the database user lacks a right: {output[:MESSAGE_MAX]}")
        raise StorageUnavailable(f"{program} failed: {output[:MESSAGE_MAX]}")
    return done.stdout.decode("utf-8", "replace")


def found(folder: Path, kind: str = "dump") -> list[Backup]:
    """Return the backups of a kind in a folder, newest first: those of all stores, or of one. Blocks."""
    backups = [_read(note) for note in folder.glob(f"agentos-*.{kind}.json")] if folder.is_dir() else []
    return sorted(backups, key=lambda backup: backup.created_at, reverse=True)


def noted(made: Backup) -> Backup:
    """Write beside a backup what is in it; only then it is one. Blocks."""
    facts = asdict(made) | {"created_at": made.created_at.isoformat()}
    write_private(Path(f"{made.path}.json"), json.dumps(facts).encode())
    return made


def chosen(folder: Path, source: Path | None, kind: str = "dump") -> Backup:
    """Return the intact backup of a name or path; without one, the newest in a folder. Blocks.

    Raises NotFound, StorageRefused.
    """
    if source is not None and source == Path(source.name) and not source.exists():
        source = folder / source  # a name, as backups are listed
    folder = folder if source is None else source.parent
    for backup in found(folder, kind):
        if backup.problem is None and (source is None or backup.name == source.name):
            return backup
        if source is not None and backup.name == source.name:
            raise StorageRefused(f"{backup.path} is not an intact backup: {backup.problem}")
    if source is None:
        raise NotFound(f"there is no intact backup in {folder}: nothing was changed; name the file to restore")
    raise NotFound(f"there is no backup {source}: nothing was changed; agentos backups lists them")


def require_unchanged(backup: Backup) -> None:
    """Raise StorageRefused where a file is not as it was written. Blocks."""
    with Path(backup.path).open("rb") as file:
        if backup.digest != hashlib.file_digest(file, "sha256").hexdigest():
            raise StorageRefused(f"{backup.path} has changed since it was written; name another backup")


def _read(note: Path) -> Backup:
    path = note.with_suffix("")
    try:
        written = json.loads(note.read_text(encoding="utf-8"))
        backup = Backup(**written | {"created_at": datetime.fromisoformat(written["created_at"]), "path": str(path)})
        if path.stat().st_size != backup.bytes:
            return replace(backup, problem="its size is not as it was written")
        return backup
    except (OSError, ValueError, TypeError, KeyError) as error:
        return Backup(path.name, str(path), datetime.fromtimestamp(0, UTC), 0, None, None, problem=str(error))


async def _in_thread(work: Callable[..., T], *given: Any) -> T:
    return await asyncio.to_thread(_translated, work, *given)


def _translated(work: Callable[..., T], *given: Any) -> T:
    try:
        return work(*given)
    except psycopg.errors.InsufficientPrivilege as error:
        raise StorageRefused(
            "the database user may not read every store: a backup is of all and needs their owner, or BYPASSRLS; "
            "agentos tenants backup saves this one"
        ) from error
    except psycopg.Error as error:
        raise failures.translate(error) from error
    except OSError as error:
        raise StorageUnavailable(f"{error.filename or 'a file'}: {error.strerror or error}") from error
