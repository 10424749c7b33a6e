"""Migrations: numbered SQL files with checksums, each applied in one transaction, after a backup."""

import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

from ...modules.errors import StorageRefused, StorageUnavailable
from ..engine.migration import Migration
from . import folder, sound_copy, text_functions
from .driver import connect, sqlite3

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_WAIT_S = 60.0

_NAME = re.compile(r"(\d{3})_(\w+)\.sql")
_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    checksum   TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (datetime('now'))
) STRICT
"""


@cache
def known() -> list[Migration]:
    """Return the migrations of this AgentOS as they were at the start: an update may take their files away."""
    return load(MIGRATIONS)


def load(directory: Path) -> list[Migration]:
    """Return the migrations in a folder, in order. Raises ValueError when their numbers have gaps."""
    found = []
    for path in sorted(directory.glob("*.sql")):
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise ValueError(f"{path.name} is not named NNN_name.sql")
        found.append(Migration(int(match[1]), match[2], path.read_text(encoding="utf-8").replace("\r\n", "\n")))
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"the migrations in {directory} are not numbered 1, 2, 3 …")
    return found


def migrate(database: Path, backups: Path, migrations: list[Migration]) -> None:
    """Migrate a database file to the newest schema; create it when it is missing. Blocks.

    First takes a verified backup when there is something to lose, and a lock, so that only one process migrates. Raises
    StorageRefused for a newer schema, a changed migration or a damaged file.
    """
    if database.exists() and database.stat().st_size > 0 and not _outstanding_in(database, migrations):
        return
    try:
        with FileLock(database.with_name("migrate.lock"), timeout=LOCK_WAIT_S, mode=folder.PRIVATE_FILE):
            folder.make_private(database)
            owed = _outstanding_in(database, migrations)
            if not owed:
                return
            if owed[0].version > 1:
                _keep_a_copy(database, backups, owed[0].version)
            apply(database, owed)
    except Timeout as error:
        raise StorageUnavailable("another process is migrating the database; try again in a minute") from error


def _outstanding_in(database: Path, migrations: list[Migration]) -> list[Migration]:
    with closing(connect(database, timeout=30)) as connection:
        return outstanding(connection, migrations, database)


def outstanding(connection: sqlite3.Connection, migrations: list[Migration], database: Path) -> list[Migration]:
    """Return the migrations that an open database, called `database` in errors, still needs. Raises StorageRefused."""
    tables = connection.execute(
        "SELECT count(*), sum(name = 'schema_migrations') FROM sqlite_master WHERE type = 'table'"
    ).fetchone()
    if tables[0] and not tables[1]:
        raise StorageRefused(f"{database} is not an AgentOS database; set AGENTOS_HOME to an empty folder")
    applied = {}
    if tables[1]:
        applied = dict(connection.execute("SELECT version, checksum FROM schema_migrations"))
    newest = max(applied, default=0)
    if newest > len(migrations):
        raise StorageRefused(f"the database has schema {newest}, this AgentOS knows {len(migrations)}; upgrade AgentOS")
    for migration in migrations[:newest]:
        if applied.get(migration.version) != migration.checksum:
            raise StorageRefused(
                f"migration {migration.version} of the database is not the one of this AgentOS; "
                "reinstall AgentOS, or restore a backup"
            )
    return migrations[newest:]


def _keep_a_copy(database: Path, backups: Path, version: int) -> None:
    """Keep a sound copy of the database as it is before a migration; it gets its name once it is checked."""
    backups.mkdir(mode=folder.PRIVATE_FOLDER, exist_ok=True)
    copy = backups / f"before-schema-{version:03}.db"
    partial = copy.with_name(copy.name + ".partial")
    try:
        with closing(connect(database, timeout=30, isolation_level=None)) as connection:
            sound_copy.make(connection, partial)
        partial.replace(copy)
    finally:
        sound_copy.remove(partial)
    folder.sync(backups)


def apply(database: Path, migrations: list[Migration]) -> None:
    """Apply migrations to a database file, each in one transaction. Blocks. The caller holds the lock or a copy."""
    with closing(connect(database, timeout=30, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        apply_to(connection, migrations)


def apply_to(connection: sqlite3.Connection, migrations: list[Migration]) -> None:
    """Apply migrations to an open database, each in one transaction."""
    text_functions.add_to(connection)
    for migration in migrations:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(_LEDGER)
            for statement in statements(migration.sql):
                connection.execute(statement)
            connection.execute(
                "INSERT INTO schema_migrations (version, name, checksum) VALUES (?, ?, ?)",
                (migration.version, migration.name, migration.checksum),
            )
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def statements(sql: str) -> Iterator[str]:
    """Yield the single statements of a script: sqlite3's own executescript would commit between them.

    Raises ValueError if the last statement is incomplete.
    """
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip() and not all(line.lstrip().startswith("--") or not line.strip() for line in pending.splitlines()):
        raise ValueError("a migration ends in the middle of a statement")
