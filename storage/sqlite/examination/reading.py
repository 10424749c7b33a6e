"""Reads a database file as it is, without creating, changing or locking anything beside it.

SQLite creates a `-wal` and a `-shm` file even for a reader. So: with both there, as a plain reader; without a log, as
an immutable file; with a log alone (after a killed process, or in a copied folder), from a copy elsewhere.
"""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import encryption, folder, text_functions
from ..driver import connect, in_memory, sqlite3

BUSY_TIMEOUT_S = 5.0


class DatabaseReader:
    """One connection for a whole examination, opened at the first query, and reopened once a writer has come."""

    def __init__(self, database: Path) -> None:
        self.path = database
        self._connection: sqlite3.Connection | None = None
        self._never_changes = False
        self._copy: Path | None = None

    def rows(self, sql: str, *parameters: Any) -> list[Any]:
        """Return all rows of one query. Raises sqlite3.Error."""
        if self._connection is not None and self._never_changes and _size(self._log) > 0:
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        return self._connection.execute(sql, parameters).fetchall()

    def one(self, sql: str, *parameters: Any) -> Any:
        """Return the first column of the first row. Raises sqlite3.Error."""
        return self.rows(sql, *parameters)[0][0]

    def has(self, table: str) -> bool:
        """Return whether there is such a table."""
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table))

    def copied_to_memory(self) -> sqlite3.Connection:
        """Return a private copy in memory, for checks that SQLite counts as writing."""
        self.rows("SELECT 1")
        assert self._connection is not None
        copy = in_memory(self.path)
        self._connection.backup(copy)
        return copy

    def close(self) -> None:
        """Close the connection and remove the copy; the next query opens it again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        copy, self._copy = self._copy, None
        if copy is not None:
            shutil.rmtree(copy, ignore_errors=True)

    @property
    def _log(self) -> Path:
        return self.path.with_name(self.path.name + "-wal")

    def _connect(self) -> sqlite3.Connection:
        self._never_changes = _size(self._log) <= 0
        if self._never_changes:
            return self._opened(self.path, "mode=ro&immutable=1")
        if _size(self.path.with_name(self.path.name + "-shm")) >= 0:
            connection = self._opened(self.path, "mode=ro")
            if _can_read(connection):
                return connection
            connection.close()
        self._copy = Path(tempfile.mkdtemp(prefix="agentos-doctor-"))
        encryption.accompany(self.path, self._copy)
        for source in (self.path, self._log):
            folder.copy_apart(source, self._copy / source.name)
        return self._opened(self._copy / self.path.name, "mode=rw")

    def _opened(self, path: Path, options: str) -> sqlite3.Connection:
        connection = connect(f"{path.absolute().as_uri()}?{options}", uri=True, timeout=BUSY_TIMEOUT_S)
        text_functions.add_to(connection)
        with suppress(sqlite3.Error):  # a damaged file says so at its first query
            connection.execute("PRAGMA query_only=ON")
        return connection


def _can_read(connection: sqlite3.Connection) -> bool:
    """Return whether the log can be read in place; where nothing can be written, only while somebody has it open."""
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return not getattr(error, "sqlite_errorname", "").startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN"))
    return True


def _size(path: Path) -> int:
    """Return the size in bytes; -1 when there is no such file."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
