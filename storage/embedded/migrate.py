"""Migrations: numbered SQL files with checksums, each applied in one transaction, after a backup."""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ...modules.errors import StorageRefused, StorageUnavailable
from . import folder

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


@dataclass(frozen=True)
class Migration:
    """One step of the schema; `checksum` is the SHA-256 of the file, line ends unified."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode("utf-8")).hexdigest()


def load(directory: Path = MIGRATIONS) -> list[Migration]:
    """The migrations in a folder, in order. Raises ValueError when their numbers have gaps."""
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
    """Bring a database file up to the newest schema; make it when it is missing. Blocks.

    Takes a backup first when there is something to lose, and a lock, so that only one process does it.
    Raises StorageRefused for a newer schema, a changed migration or a damaged file.
    """
    if database.exists() and database.stat().st_size > 0 and not _outstanding(database, migrations):
        return
    try:
        with FileLock(database.with_name("migrate.lock"), timeout=LOCK_WAIT_S, mode=folder.PRIVATE_FILE):
            folder.make_private(database)
            outstanding = _outstanding(database, migrations)
            if outstanding:
                _apply(database, backups, outstanding)
    except Timeout as error:
        raise StorageUnavailable("another process is migrating the database; try again in a minute") from error


def _outstanding(database: Path, migrations: list[Migration]) -> list[Migration]:
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        tables = connection.execute(
            "SELECT count(*), sum(name = 'schema_migrations') FROM sqlite_master WHERE type = 'table'"
        ).fetchone()
        if tables[0] and not tables[1]:
            raise StorageRefused(f"{database} is not a database of this AgentOS; set AGENTOS_HOME to an empty folder")
        applied = {}
        if tables[1]:
            applied = dict(connection.execute("SELECT version, checksum FROM schema_migrations"))
    newest = max(applied, default=0)
    if newest > len(migrations):
        raise StorageRefused(
            f"the database has schema {newest}, this AgentOS knows {len(migrations)}; upgrade agentos-mcp"
        )
    for migration in migrations[:newest]:
        if applied.get(migration.version) != migration.checksum:
            raise StorageRefused(
                f"migration {migration.version} of the database is not the one of this AgentOS; "
                "reinstall agentos-mcp, or restore a backup"
            )
    return migrations[newest:]


def _apply(database: Path, backups: Path, outstanding: list[Migration]) -> None:
    with closing(sqlite3.connect(database, timeout=30, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        if outstanding[0].version > 1:
            backups.mkdir(mode=folder.PRIVATE_FOLDER, exist_ok=True)
            copy = backups / f"before-schema-{outstanding[0].version:03}.db"
            copy.unlink(missing_ok=True)
            connection.execute("VACUUM INTO ?", (str(copy),))
            folder.make_private(copy)
        for migration in outstanding:
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
    """The single statements of a script: sqlite3's own executescript would commit between them."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip() and not all(line.lstrip().startswith("--") or not line.strip() for line in pending.splitlines()):
        raise ValueError("a migration ends in the middle of a statement")
