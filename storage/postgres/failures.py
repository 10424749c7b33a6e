"""PostgreSQL's errors in plain words: what happened, and what the user can do."""

import re
from collections.abc import Callable

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout

from ...modules.errors import (
    AgentOSError,
    InvalidInput,
    QuotaExceeded,
    StorageRefused,
    StorageUnavailable,
    Suspended,
)

_TRY_AGAIN = (errors.SerializationFailure, errors.DeadlockDetected)
_NOT_TEXT = (errors.UntranslatableCharacter, errors.CharacterNotInRepertoire)
_ENDED = ("57P01", "57P02", "57P03", "57P05", "25P03", "25P04")
"""The states in which the server, or a pooler before it, has ended the connection or does not take any now."""
AWAY = "the PostgreSQL server cannot be reached; start it, or mend AGENTOS_DATABASE_URL"
_BUSY = (errors.LockNotAvailable, errors.QueryCanceled, PoolTimeout)
_FULL = "PostgreSQL takes no more connections; try again, or raise max_connections or the user's own limit"
_SSL = "PostgreSQL and sslmode in AGENTOS_DATABASE_URL do not fit: {}"
_LET_IN = (
    ("no encryption", _SSL),
    ("pg_hba", "PostgreSQL lets nobody in that way; change its pg_hba.conf: {}"),
    ("(?i:ssl|tls)|certificate|encryption", _SSL),
    ("password|authentication|role ", "PostgreSQL refuses the user or the password of AGENTOS_DATABASE_URL: {}"),
    ("database ", "PostgreSQL lacks the database, or this user a right to it; create it, or name another: {}"),
)
"""Messages of a server that answers but refuses the connection: libpq gives no SQLSTATE then."""
_STARTING_OR_ENDING = "the database system is|unexpected eof|SYSCALL"
"""Messages of a server that starts or stops, also during the TLS handshake."""
_MESSAGE_PREFIX = re.compile(r" (?:failed|bad): (?:FATAL: +)?")


SUSPENDED = "this store is suspended: nothing of it was read or changed; ask who runs this server"
PAUSED = "nothing was read or changed; try again in a few minutes"
_MORE = "nothing was changed; delete some memories, or ask who runs this server for more"
_OF_STORES: dict[str, Callable[[str], AgentOSError]] = {
    "AG001": lambda _: Suspended(SUSPENDED),
    "AG002": lambda why: StorageUnavailable(f"{why}: {PAUSED}"),
    "AG003": lambda limit: QuotaExceeded(f"{limit}: {_MORE}"),
}
"""What our own functions raise, by SQLSTATE, with their message."""


def is_of_one_store(error: psycopg.Error) -> bool:
    """Return whether one store refuses, and not the server: it is suspended, say."""
    return error.sqlstate in _OF_STORES


def is_undone(error: psycopg.Error) -> bool:
    """Return whether the transaction was undone because of others, so that another try may succeed."""
    return isinstance(error, _TRY_AGAIN)


def is_lost(error: psycopg.Error) -> bool:
    """Return whether the server ended the connection, or could not be reached."""
    if error.sqlstate is not None:
        return error.sqlstate in _ENDED or error.sqlstate.startswith("08")
    is_of_connection = isinstance(error, psycopg.OperationalError) and not isinstance(error, PoolTimeout)
    return is_of_connection and _refusal(error) is None


def _refusal(error: psycopg.Error) -> str | None:
    """Return why a server that answers refuses the connection; None where it does not answer, or not yet."""
    message = _server_message(str(error)) if error.pgconn is not None else ""
    if not message or re.search(_STARTING_OR_ENDING, message):
        return None
    if re.search("too many (?:connections|clients)|connection slots", message):
        return _FULL
    return next((text.format(message) for pattern, text in _LET_IN if re.search(pattern, message)), None)


def _server_message(message: str) -> str:
    """Return the server's own message, from the first line that has one; empty where none has."""
    ends = ((line, [one.end() for one in _MESSAGE_PREFIX.finditer(line)]) for line in message.splitlines())
    return next((line[found[-1] :] for line, found in ends if found), "")


def translate(error: psycopg.Error) -> AgentOSError:
    """Return the typed error to raise in place of `error`; no SQL and no password is in it."""
    if own := _OF_STORES.get(error.sqlstate or ""):
        return own(error.diag.message_primary or "")
    if isinstance(error, _BUSY):
        return StorageUnavailable("the database is busy: nothing was changed; try the same call again")
    if isinstance(error, _TRY_AGAIN):
        return StorageUnavailable("others are changing the same rows: nothing was changed; try the same call again")
    if isinstance(error, errors.InsufficientPrivilege):
        reason = error.diag.message_primary or "permission denied"
        return StorageRefused(f"the database user lacks a right: {reason}; grant it, or name another user")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StorageUnavailable("the PostgreSQL server is read-only: nothing was changed; name the primary server")
    if isinstance(error, errors.DiskFull):
        return StorageUnavailable("the disk of the PostgreSQL server is full: nothing was changed")
    if isinstance(error, _NOT_TEXT) or (isinstance(error, psycopg.DataError) and "NUL" in str(error)):
        return InvalidInput("a text", "contains a NUL character, which PostgreSQL cannot store; leave it out")
    if isinstance(error, errors.TooManyConnections):
        return StorageUnavailable(_FULL)
    if is_lost(error):
        return StorageUnavailable(AWAY)
    if refusal := _refusal(error):
        return StorageUnavailable(refusal)
    if error.sqlstate is None and isinstance(error, psycopg.ProgrammingError):
        return StorageRefused("AGENTOS_DATABASE_URL is not the address of a PostgreSQL database; check its options")
    return StorageUnavailable(f"the database refused the call ({error.sqlstate or type(error).__name__}); see the log")
