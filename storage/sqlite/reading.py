"""Reading a database where nothing can be written: a read-only home, or a disk without a free block.

SQLite needs its `-shm` file even to read. Where it cannot create one, a database without a log is opened as immutable;
one whose log holds writes (a killed process left it) is copied with its log into a private temporary folder and read
there.
"""

import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ...modules.records import dataclass
from ..engine.migration import Migration
from . import encryption, failures, folder, migrate
from .driver import connect, sqlite3
from .identity import StoreTrace, check_store

LOGS = ("-wal", "-journal")
"""Suffixes of the logs beside a database that SQLite needs to read it: a restored one has no `-wal` at first."""


@dataclass(frozen=True)
class DatabaseReading:
    """A way to read a database: its SQLite URI, and the folder of the copy, if it had to be copied."""

    uri: str
    folder: Path | None = None

    def close(self) -> None:
        """Remove the copy."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def find(database: Path, migrations: list[Migration], known: StoreTrace, remedy: Callable[[], str]) -> DatabaseReading:
    """Return a way to read a database without changing anything. Blocks.

    Raises StorageRefused for one that is newer, foreign or not the right one, sqlite3.Error for a damaged one.
    """
    reading = in_place(database)
    try:
        with closing(connect(reading.uri, uri=True)) as connection:
            outstanding = migrate.outstanding(connection, migrations, database)
            check_store(database, connection, known, remedy)
        if outstanding:  # an older schema: brought up to date in a copy
            if reading.folder is None:
                reading = copy(database)
            migrate.apply(Path(reading.folder or "") / database.name, outstanding)
    except BaseException:
        reading.close()
        raise
    return reading


def in_place(database: Path) -> DatabaseReading:
    """Return a way to read a database without checking it: in place, or else a copy. Blocks. Raises sqlite3.Error."""
    plain = database.as_uri() + "?mode=ro"
    # A read-only connection leaves its auxiliary files behind: take one that may write, if possible.
    for uri in (database.as_uri() + "?mode=rw", plain):
        try:
            with closing(connect(uri, uri=True)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return DatabaseReading(uri)
        except sqlite3.Error as error:
            if not failures.is_about_writing(error):
                raise
    logs = [database.with_name(database.name + suffix) for suffix in LOGS]
    if any(log.exists() and log.stat().st_size > 0 for log in logs):
        return copy(database)
    return DatabaseReading(plain + "&immutable=1")


def copy(database: Path) -> DatabaseReading:
    """Copy a database and its logs to a private temporary folder, and return the way to read it. Blocks."""
    temporary = Path(tempfile.mkdtemp(prefix="agentos-reading-"))
    try:
        encryption.accompany(database, temporary)
        for suffix in ("", *LOGS):
            source = database.with_name(database.name + suffix)
            if source.exists():
                target = temporary / source.name
                folder.make_private(target)
                folder.copy_apart(source, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return DatabaseReading((temporary / database.name).as_uri() + "?mode=rw", temporary)


def signature(database: Path) -> tuple[tuple[int, int, int], ...]:
    """Return inode, size and time of the file and its log, which differ once anybody has changed the database."""
    seen = []
    for suffix in ("", "-wal"):
        try:
            status = database.with_name(database.name + suffix).stat()
        except OSError:
            continue
        seen.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(seen)
