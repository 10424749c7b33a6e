"""The identity of a store: the database has an id, and a file beside it holds the same one.

A database that was lost, emptied or exchanged is thus noticed instead of replaced by an empty one. The file is written
only once the database is durable: a first start that was cut off leaves nothing that blocks the next.
"""

import contextlib
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ...modules import foreign_files
from ...modules.errors import StorageRefused
from ...modules.records import dataclass
from .. import foreign_sqlite
from ..embedding.private_file import write_private
from . import driver, folder
from .backup_files import BackupFiles
from .driver import connect, sqlite3

MOST_BYTES = 1_000
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class StoreTrace:
    """The evidence that a store was here: its id as noted beside the database, and whether there is any evidence."""

    store_id: str | None
    exists: bool


def path_of(database: Path) -> Path:
    """Return the path of the file that holds the id."""
    return database.with_name(database.name + ".identity")


def evidence(database: Path, backups: BackupFiles) -> StoreTrace:
    """Return what is noted about the store that belongs here.

    Call it *before* looking at the database itself: another process may be creating that.
    """
    path = path_of(database)
    try:
        noted = foreign_files.text(path, MOST_BYTES).strip()
    except FileNotFoundError:
        return StoreTrace(None, backups.exist())
    except foreign_files.Unfit:
        noted = ""
    # A note that cannot be read still says that something was here; the database then tells its id.
    return StoreTrace(noted if _ID.fullmatch(noted) else None, exists=True)


def stored_identity(connection: sqlite3.Connection) -> str | None:
    """Return the id of the store in a database; None in one of a schema without ids, or an empty one."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'store_identity'").fetchone():
        return None
    row = connection.execute("SELECT store_id FROM store_identity").fetchone()
    return None if row is None else str(row[0])


def note(database: Path) -> None:
    """Write the id of a migrated database beside it, unless it is there already. Blocks."""
    with closing(connect(database.as_uri() + "?mode=rw", uri=True, timeout=30)) as connection:
        store_id = stored_identity(connection)
    if store_id is None:
        return
    path = path_of(database)
    with contextlib.suppress(OSError):
        if foreign_files.text(path, MOST_BYTES).strip() == store_id:
            return
    folder.sync(database.parent)
    write_private(path, (store_id + "\n").encode())
    folder.sync(database.parent)


def note_exchange(database: Path) -> None:
    """Note, before another store is put here, that there is some store, whichever it is. Blocks."""
    write_private(path_of(database), b"another store is being put here\n")
    folder.sync(database.parent)


def check_file(database: Path, known: StoreTrace, remedy: Callable[[], str]) -> None:
    """Raise StorageRefused when the file is no database, or when a store was here and its file is gone or empty."""
    if database.is_file() and database.stat().st_size > 0:
        if not foreign_sqlite.has_header(database) and not driver.is_under_key(database):
            raise StorageRefused(f"the database file is damaged: nothing was changed and the file is kept; {remedy()}")
    elif known.exists and not database.exists():
        raise StorageRefused(
            f"the database {database} is gone: nothing was changed; put it back, or {remedy()}\n"
            "(to start over, set AGENTOS_HOME to an empty folder)"
        )
    elif known.exists:
        raise StorageRefused(f"the database {database} is empty, 0 bytes: nothing was changed; {remedy()}")


def check_store(database: Path, connection: sqlite3.Connection, known: StoreTrace, remedy: Callable[[], str]) -> None:
    """Raise StorageRefused when a database is not the one that belongs here."""
    if known.store_id is None or stored_identity(connection) == known.store_id:
        return
    raise StorageRefused(
        f"the database {database} is not the one that belongs here: nothing was changed; put the right one back, or "
        f"{remedy()}\n(if it is the right one, delete {path_of(database).name})"
    )
