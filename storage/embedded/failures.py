"""SQLite's errors in our words: what happened, and what the user can do."""

import sqlite3

from ...modules.errors import AgentOSError, StorageRefused, StorageUnavailable

BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")


def is_busy(error: sqlite3.Error) -> bool:
    """Whether somebody else holds the lock just now."""
    return _name(error).startswith(BUSY)


def translate(error: sqlite3.Error) -> AgentOSError:
    """The typed error to raise in place of `error`; its message shows no SQL and no path."""
    name = _name(error)
    if name.startswith(BUSY):
        return StorageUnavailable("the database is busy: another process is writing; try the same call again")
    if name.startswith("SQLITE_FULL"):
        return StorageUnavailable("the disk is full: nothing was changed; free some space and try again")
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM", "SQLITE_CANTOPEN")):
        return StorageUnavailable(
            "the data folder is not writable: nothing was changed; give yourself write access and try again"
        )
    if name.startswith("SQLITE_IOERR"):
        return StorageUnavailable("the disk reported an error: nothing was changed; check it and try again")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StorageRefused(
            "the database file is damaged: nothing was changed and the file is kept; restore a backup"
        )
    return StorageUnavailable(f"the database refused the call ({name}); see the log")


def _name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", None) or type(error).__name__


def translate_os(error: OSError) -> AgentOSError:
    """The typed error for a file that cannot be made or opened."""
    return StorageUnavailable(
        f"the data folder cannot be used ({error.strerror or type(error).__name__}); "
        "make it writable or set AGENTOS_HOME"
    )
