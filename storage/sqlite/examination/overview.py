"""The numbers of a store in SQLite, read without opening it: nothing is created, locked or written."""

from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from ....modules.health.overview import StoreOverview
from ...examination.overview import newest, read, size
from .. import dialect, identity
from ..backup_files import BackupFiles
from ..driver import sqlite3
from .index import NAME
from .reading import DatabaseReader

BYTES_OF = "length(CAST({} AS BLOB))"


class _Portable:
    """Implements `examination.overview.Reader`."""

    def __init__(self, reader: DatabaseReader) -> None:
        self._reader = reader
        self.has = reader.has

    def rows(self, sql: str, *parameters: Any) -> list[Any]:
        return self._reader.rows(dialect.spelled(sql), *parameters)

    def one(self, sql: str, *parameters: Any) -> Any:
        return self.rows(sql, *parameters)[0][0]


def overview(home: Path, database: Path, chroma: Path, now: datetime) -> StoreOverview:
    """Return what the store of a home holds now. Blocks; takes a moment longer for each 100,000 memories."""
    sizes = {
        "database": size(database),
        "log_of_writes": size(database.with_name(database.name + "-wal")),
        "index": size(chroma),
        "backups": size(home / "backups"),
        "models": size(home / "models"),
        "logs": size(home / "logs"),
    }
    backup = None
    try:
        backups = BackupFiles(home / "backups", database)
        backup = newest(backups.all())
        if not sizes["database"]:
            was_here = identity.evidence(database, backups).exists
            return StoreOverview(sizes, backup, "the database is gone or empty" if was_here else None)
        with closing(DatabaseReader(database)) as reader:
            return read(_Portable(reader), sizes, backup, now, bytes_of=BYTES_OF, index=NAME)
    except OSError as error:
        return StoreOverview(sizes, backup, f"the data folder cannot be read: {error.strerror or error}")
    except sqlite3.Error as error:
        return StoreOverview(sizes, backup, f"the database cannot be read: {error}")
