"""The error types, drawn as a tree; every message tells the caller what was wrong and what to do.

AgentOSError
├── InvalidInput        an argument is not acceptable: nothing was changed (names the field)
├── NotFound            no such thing under this id in this agent's namespace
├── Conflict            it changed meanwhile, or it would break a rule (a cycle, a wrong state)
├── PermissionDenied    the caller may not use that namespace, or a person alone may do that
│   └── Suspended       the whole store is suspended by who runs the server
├── Unauthenticated     the credential is not one that opens anything, or not any more
├── Overloaded          more is asked for than is worked off: the same call works in a few seconds
├── QuotaExceeded       the namespace may hold no more, by its own limits
├── WrongSettings       a setting is not acceptable: no call works until it is mended
└── StorageUnavailable  the store cannot be used now; the same call may work later
    └── StorageRefused  the store must not be used as it is (damaged, newer schema, unsafe folder)

Each type has a `code` for programs: it never changes, whatever becomes of the wording.
"""

import re
from typing import ClassVar


class AgentOSError(Exception):
    """The base of every error that callers see; `str(error)` is the message."""

    code: ClassVar[str] = "failed"


class InvalidInput(AgentOSError):
    """An argument is not acceptable; nothing was changed.

    `field` is the argument's name as the caller wrote it.
    """

    code = "invalid_input"

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotFound(AgentOSError):
    """There is no such record in this namespace."""

    code = "not_found"


class Conflict(AgentOSError):
    """The record changed meanwhile, or the change would break a rule."""

    code = "conflict"


class PermissionDenied(AgentOSError):
    """The caller may not use this namespace, or a person alone may do that."""

    code = "permission_denied"


class Suspended(PermissionDenied):
    """The store is suspended: nothing of it is read or changed until whoever runs the server resumes it."""

    code = "suspended"


class Unauthenticated(AgentOSError):
    """The credential opens nothing; the message does not say whether there ever was such a key."""

    code = "unauthenticated"


class Overloaded(AgentOSError):
    """More is written than is worked off just now; nothing was changed, and the same call works soon."""

    code = "overloaded"


class QuotaExceeded(AgentOSError):
    """The namespace holds as much as its policy allows; nothing was changed."""

    code = "quota_exceeded"


class WrongSettings(AgentOSError):
    """A setting is not acceptable; the message names it."""

    code = "wrong_settings"


class StorageUnavailable(AgentOSError):
    """The store cannot be read or written now; the same call may work later."""

    code = "storage_unavailable"


class StorageRefused(StorageUnavailable):
    """The store is unsafe to use; the message names the remedy."""

    code = "storage_refused"


_NUMBER = re.compile(r"\[Errno -?\d{1,6}\] ")
_NAMED_ALREADY = re.compile(r"[A-Z]\w{1,60}(?:Error|Exception|Warning|Exit): ")


def cause(error: BaseException) -> str:
    """Return why something cannot be reached: the error's words without the number, or its type if it has none."""
    return _NUMBER.sub("", " ".join(str(error).split())) or type(error).__name__


def described(error: BaseException) -> str:
    """Return any error as one line for people: in its own words, with the file or the type that they lack."""
    try:
        words = " ".join(str(error).split())
    except BaseException:  # noqa: BLE001 - an error of a plugin may fail to say anything
        return type(error).__name__
    if isinstance(error, AgentOSError) or _NAMED_ALREADY.match(words):
        return words
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def unforeseen(error: BaseException) -> str:
    """Return what is told of an error that no code foresaw: nothing of it, unless the code itself is gone."""
    if isinstance(error, ImportError):
        return "files of AgentOS were removed or replaced while it ran: run agentos restart, or install it again"
    return "internal error; the details are in the server's log"
