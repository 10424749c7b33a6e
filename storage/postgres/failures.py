"""PostgreSQL's errors in plain words: what happened, and what the user can do."""

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout

from ...modules.errors import AgentOSError, InvalidInput, StorageRefused, StorageUnavailable

_TRY_AGAIN = (errors.SerializationFailure, errors.DeadlockDetected)
_NOT_TEXT = (errors.UntranslatableCharacter, errors.CharacterNotInRepertoire)
_ENDED = ("57P01", "57P02", "57P03", "57P05", "25P03")
"""The states in which the server, or a pooler before it, has ended the connection or does not take any now."""
AWAY = "the PostgreSQL server cannot be reached; start it, or mend AGENTOS_DATABASE_URL"
_BUSY = (errors.LockNotAvailable, errors.QueryCanceled, errors.TooManyConnections, PoolTimeout)


def is_undone(error: psycopg.Error) -> bool:
    """Return whether the transaction was undone because of others, so that another try may succeed."""
    return isinstance(error, _TRY_AGAIN)


def is_lost(error: psycopg.Error) -> bool:
    """Return whether the server ended the connection, or could not be reached."""
    if error.sqlstate is not None:
        return error.sqlstate in _ENDED or error.sqlstate.startswith("08")
    return isinstance(error, psycopg.OperationalError) and not isinstance(error, PoolTimeout)


def translate(error: psycopg.Error) -> AgentOSError:
    """Return the typed error to raise in place of `error`; no SQL and no password is in it."""
    if isinstance(error, _BUSY):
        return StorageUnavailable("the database is busy: nothing was changed; try the same call again")
    if isinstance(error, _TRY_AGAIN):
        return StorageUnavailable("others change the same rows: nothing was changed; try the same call again")
    if isinstance(error, errors.InvalidPassword | errors.InvalidAuthorizationSpecification):
        return StorageUnavailable("PostgreSQL refuses the user or the password of AGENTOS_DATABASE_URL")
    if isinstance(error, errors.InsufficientPrivilege):
        said = error.diag.message_primary or "permission denied"
        return StorageRefused(f"the database user lacks a right: {said}; grant it, or name another user")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StorageUnavailable("the PostgreSQL server is read-only: nothing was changed; name the primary server")
    if isinstance(error, errors.DiskFull):
        return StorageUnavailable("the disk of the PostgreSQL server is full: nothing was changed")
    if isinstance(error, _NOT_TEXT) or (isinstance(error, psycopg.DataError) and "NUL" in str(error)):
        return InvalidInput("a text", "holds a NUL character, which PostgreSQL does not keep; leave it out")
    if is_lost(error):
        return StorageUnavailable(AWAY)
    return StorageUnavailable(f"the database refused the call ({error.sqlstate or type(error).__name__}); see the log")
