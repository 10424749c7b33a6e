"""Failures: one class for each stable code of the server, and those of the way to it."""

from collections.abc import Mapping
from typing import Any


class AgentOSError(Exception):
    """Base of every failure of this client; `str` says what was wrong and what to do."""


class WrongOption(AgentOSError, ValueError):
    """An option of the client, or an argument that is a part of a path, cannot be used; nothing was sent."""


class ConnectionFailed(AgentOSError):
    """The server could not be reached, or the connection broke; `__cause__` says how."""

    def __init__(self, message: str, *, was_sent: bool) -> None:
        super().__init__(message)
        self.was_sent = was_sent
        """Whether the request may have been received."""


class TimedOut(AgentOSError):
    """The server was silent for longer than `timeout` seconds; the request may have been done."""


class UnexpectedAnswer(AgentOSError):
    """What answered is not AgentOS, or not as this client knows it: a wrong address, or a proxy."""

    def __init__(self, message: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class ApiError(AgentOSError):
    """The server refused. `code` is stable, `request_id` finds the request in the server's log."""

    def __init__(self, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.code = str(problem["code"])
        self.detail = str(problem["detail"])
        self.status = int(problem["status"])
        self.field: str | None = problem.get("field")
        """The argument that is not acceptable, where it is one."""
        self.request_id = str(problem.get("request_id", ""))
        self.retry_after = retry_after
        """The seconds after which to come again, where the server said so."""
        super().__init__(f"{self.detail} ({self.code})")


class InvalidInput(ApiError):
    """An argument is not acceptable; `field` names it."""


class Unauthenticated(ApiError):
    """The key opens nothing, or not any more."""


class PermissionDenied(ApiError):
    """The key does not give this right, or a person alone may do that."""


class Suspended(PermissionDenied):
    """The store is suspended; whoever runs the server can resume it."""


class NotFound(ApiError):
    """There is no such thing in this namespace."""


class MethodNotAllowed(ApiError):
    """The path takes other methods: the server is of another version."""


class RequestTimeout(ApiError):
    """The body took too long to arrive."""


class Conflict(ApiError):
    """It changed meanwhile, or the change would break a rule."""


class PreconditionFailed(ApiError):
    """If-Match names another version."""


class TooLarge(ApiError):
    """The body is larger than the server takes."""


class UnsupportedMediaType(ApiError):
    """The body is of another media type."""


class Misdirected(ApiError):
    """The server does not know itself by this name: AGENTOS_HTTP_HOSTS lists what it answers to."""


class TooManyRequests(ApiError):
    """More requests than a key may make."""


class InternalError(ApiError):
    """Something failed inside the server; its log says what, under `request_id`."""


class Overloaded(ApiError):
    """The server has too much to do."""


class StorageUnavailable(ApiError):
    """The store cannot be used now; the same call may work later."""


class StorageRefused(StorageUnavailable):
    """The store is unsafe to use; the message names the remedy."""


class QuotaExceeded(ApiError):
    """The namespace holds as much as its limits allow."""


class LanguageModelFailed(ApiError):
    """The language model of the server failed, or there is none."""


class WrongSettings(ApiError):
    """A setting of the server is not acceptable."""


BY_CODE: Mapping[str, type[ApiError]] = {
    "conflict": Conflict,
    "internal_error": InternalError,
    "invalid_input": InvalidInput,
    "language_model_failed": LanguageModelFailed,
    "method_not_allowed": MethodNotAllowed,
    "misdirected": Misdirected,
    "not_found": NotFound,
    "overloaded": Overloaded,
    "permission_denied": PermissionDenied,
    "precondition_failed": PreconditionFailed,
    "quota_exceeded": QuotaExceeded,
    "storage_refused": StorageRefused,
    "storage_unavailable": StorageUnavailable,
    "suspended": Suspended,
    "timeout": RequestTimeout,
    "too_large": TooLarge,
    "too_many_requests": TooManyRequests,
    "unauthenticated": Unauthenticated,
    "unsupported_media_type": UnsupportedMediaType,
    "wrong_settings": WrongSettings,
}
"""The class of each code; a code of a newer server is an ApiError."""


def error_of(problem: Mapping[str, Any], retry_after: float | None = None) -> ApiError:
    """Return the error that a problem document stands for."""
    return BY_CODE.get(str(problem["code"]), ApiError)(problem, retry_after)
