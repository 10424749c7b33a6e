"""A sound copy of a database: of one moment, fsynced, and checked."""

from contextlib import closing
from pathlib import Path

from ...modules import private_files
from ...modules.errors import StorageRefused
from . import folder
from .driver import connect, sqlite3


def make(source: sqlite3.Connection, target: Path) -> None:
    """Write what `source` holds at this moment into a new private file, and check it. Blocks.

    Others may go on writing. Raises StorageRefused when the copy is not sound, sqlite3.Error, OSError.
    """
    remove(target)
    private_files.create(target).close()
    # One read transaction; deleted content is not in the copy.
    source.execute("VACUUM INTO ?", (str(target),))
    check(target)
    folder.sync(target)


def remove(path: Path) -> None:
    """Delete a copy and any logs that a killed process left beside it, which SQLite would apply to the next one."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def check(path: Path) -> None:
    """Check every page, reference and text index of a file that nobody else uses. Blocks.

    Raises StorageRefused, naming what is wrong.
    """
    try:
        with closing(connect(path.as_uri() + "?mode=rw", uri=True, isolation_level=None)) as connection:
            problem = _problem(connection)
    except sqlite3.DatabaseError as error:
        problem = str(error)
    if problem is not None:
        raise StorageRefused(f"{path.name} is damaged and cannot be used: {problem[:200]}")


def _problem(connection: sqlite3.Connection) -> str | None:
    [found] = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return str(found)
    dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
    if dangling is not None:
        return f"a row of {dangling[0]} refers to nothing"
    # SQLite before 3.44 does not check text indexes by itself.
    texts = connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5 (%'")
    for [table] in texts.fetchall():
        name = '"' + table.replace('"', '""') + '"'
        connection.execute(f"INSERT INTO {name} ({name}) VALUES ('integrity-check')")
    return None
