"""SQLite files that somebody else may have made."""

import errno
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path


def distrust(connection: sqlite3.Connection) -> None:
    """Let a connection read alone, and run nothing that the file's schema asks for. Raises sqlite3.Error.

    The schema is read first: its checks may call json_valid, which SQLite refuses where it does not trust them.
    """
    connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON"):
        connection.execute(f"PRAGMA {pragma}")


def has_header(file: Path) -> bool:
    """Return whether a file begins with SQLite's header; SQLite reads it, without its log and without a lock.

    SQLite must not open one that does not to write: at closing it might write a log beside it into the damaged file.
    Nor may anything else open one: closing any descriptor drops the locks that this process has on the file, whereupon
    another process takes itself for the last one, and deletes the log that this one goes on writing. SQLite itself
    keeps such a descriptor until the locks are released. Raises OSError, sqlite3.Error where it cannot be read.
    """
    if not stat.S_ISREG(file.stat().st_mode):
        raise OSError(None, "it is not a regular file", str(file))
    if not os.access(file, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
    try:
        with closing(sqlite3.connect(file.absolute().as_uri() + "?mode=ro&immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR")):
            raise
        return not name.startswith("SQLITE_NOTADB")
    return True
