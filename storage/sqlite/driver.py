"""The SQLite that opens our files: SQLCipher's where the extra `encryption` is installed, else Python's own.

Both read plain files alike; only the first one reads those of an encrypted home, with the key that `encryption` finds
for the file's place. Everything here that opens a file of a store opens it by `connect`.
"""

from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from ...modules.errors import StorageRefused
from ...modules.installing import INSTALL_ENCRYPTION_EXTRA
from . import encryption

if TYPE_CHECKING:
    import sqlite3 as sqlite3

    IS_CIPHER = True
else:
    try:
        from sqlcipher3 import dbapi2 as sqlite3

        IS_CIPHER = True
    except ImportError:
        import sqlite3

        IS_CIPHER = False

_PLAIN = b"SQLite format 3\0"


def connect(target: str | Path, **how: Any) -> sqlite3.Connection:
    """Open a database as `sqlite3.connect` does, with its key where its home is encrypted.

    Which of the home's keys it is, or none, SQLite itself is asked: reading the file beside it would end the locks that
    this process has on it. Raises sqlite3.Error; StorageRefused where the key, or what could use it, is missing;
    StorageUnavailable where who keeps it does not answer.
    """
    path = _path(str(target), is_uri=bool(how.get("uri")))
    home = None if path is None else encryption.home_of(path)
    if home is None:
        plain: sqlite3.Connection = sqlite3.connect(target, **how)
        return plain
    if not IS_CIPHER:
        raise StorageRefused(f"this home is encrypted and cannot be read here: {INSTALL_ENCRYPTION_EXTRA}")
    first: bytes | None = None
    for key in chain(encryption.each_key_of(home), [None]):  # while a change is under way, or of a copy, it may be any
        first = first or key
        connection = keyed(sqlite3.connect(target, **how), key)
        if _fits(connection):
            return connection
        connection.close()
    return keyed(sqlite3.connect(target, **how), first)


def keyed(connection: sqlite3.Connection, key: bytes | None) -> sqlite3.Connection:
    """Give a connection its key, if any, before any other statement."""
    if key is not None:
        connection.execute("PRAGMA cipher_log_level = NONE")  # it writes to standard error
        connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
    return connection


def in_memory(beside: Path) -> sqlite3.Connection:
    """Return a database in memory into which a file can be copied: under its key, where it has one."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    return keyed(connection, next((key for key in encryption.keys_for(beside) if _opens(beside, key)), None))


def is_under_key(path: Path) -> bool:
    """Return whether a file is a database under a key of its home. Raises StorageRefused where that is missing."""
    return any(_opens(path, key) for key in encryption.keys_for(path))


def is_plain(path: Path) -> bool:
    """Return whether a file that nothing in this process has open is a database that is not encrypted."""
    try:
        with path.open("rb") as file:
            return file.read(len(_PLAIN)) == _PLAIN
    except OSError:
        return False


def _opens(path: Path, key: bytes) -> bool:
    if not IS_CIPHER:
        raise StorageRefused(f"this home is encrypted and cannot be read here: {INSTALL_ENCRYPTION_EXTRA}")
    uri = path.absolute().as_uri() + "?mode=ro&immutable=1"
    with closing(keyed(sqlite3.connect(uri, uri=True), key)) as connection:
        return path.stat().st_size > 0 and _fits(connection)


def _fits(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorname", "") != "SQLITE_NOTADB"
    return True


def _path(target: str, *, is_uri: bool) -> Path | None:
    """Return the file that a target names; None for a database in memory."""
    if is_uri and target.startswith("file:"):
        return Path(unquote(urlsplit(target).path))
    return None if target in ("", ":memory:") else Path(target)
