"""SQLite's errors in plain words: what happened, and what the user can do."""

import errno

from ...modules.errors import AgentOSError, StorageRefused, StorageUnavailable
from .driver import sqlite3

BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
CANNOT_WRITE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR_SHM",
                "SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE")  # fmt: skip
CANNOT_WRITE_OS = (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT)
FULL_OS = (errno.ENOSPC, errno.EDQUOT)


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another connection holds the lock just now."""
    return _name(error).startswith(BUSY)


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file itself is damaged."""
    return _name(error).startswith(DAMAGED)


def is_about_writing(error: sqlite3.Error | OSError) -> bool:
    """Return whether the cause is that nothing can be written here just now; reading may still be possible."""
    if isinstance(error, OSError):
        return error.errno in CANNOT_WRITE_OS
    return _name(error).startswith(CANNOT_WRITE)


def why_not_writable(error: sqlite3.Error | OSError) -> str:
    """Return why nothing can be written, in words that go after "the data folder is"."""
    if isinstance(error, OSError):
        return "not writable (the disk is full)" if error.errno in FULL_OS else f"read-only ({error.strerror})"
    if _name(error).startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return "not writable (the disk is full)"
    return "read-only"


TEXT_INDEX_ERROR = "SQLITE_CORRUPT_VTAB"
"""SQLite's error for a damaged virtual table; the only ones here are text indexes of memories."""
TEXT_INDEX_MESSAGE = "fts5: corrupt"
"""The beginning of the message of newer versions."""


def translate(error: sqlite3.Error, remedy: str = "restore a backup: agentos restore") -> AgentOSError:
    """Return the typed error to raise in place of `error`; no SQL is in it. `remedy` is for a damaged file."""
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
    if name == TEXT_INDEX_ERROR or str(error).startswith(TEXT_INDEX_MESSAGE):
        return StorageRefused(
            "the text index is damaged, but the memories are not: agentos doctor --deep --repair rebuilds it"
        )
    if name.startswith(DAMAGED):
        return StorageRefused(f"the database file is damaged: nothing was changed and the file is kept; {remedy}")
    if name.startswith("SQLITE_INTERRUPT"):
        return StorageUnavailable(
            "the database took too long and was stopped: nothing was changed; agentos doctor says what is wrong with it"
        )
    return StorageUnavailable(f"the database refused the call ({name}); see the log")


def _name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", None) or type(error).__name__


def translate_os(error: OSError) -> AgentOSError:
    """Return the typed error for a file that cannot be created or opened."""
    return StorageUnavailable(
        f"the data folder cannot be used ({error.strerror or type(error).__name__}); "
        "make it writable or set AGENTOS_HOME"
    )
