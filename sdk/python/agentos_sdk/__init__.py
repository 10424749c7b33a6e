"""A light client of AgentOS, the long-term memory of AI agents, over its REST API."""

from .async_client import AsyncClient
from .client import Client
from .errors import (
    AgentOSError,
    ApiError,
    Conflict,
    ConnectionFailed,
    InternalError,
    InvalidInput,
    MethodNotAllowed,
    Misdirected,
    NotFound,
    Overloaded,
    PermissionDenied,
    PreconditionFailed,
    RequestTimeout,
    StorageRefused,
    StorageUnavailable,
    TimedOut,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    UnexpectedAnswer,
    UnsupportedMediaType,
    WrongOption,
    WrongSettings,
)
from .events import ChangeEvent
from .generated import types
from .generated.operations import VERSION as __version__

__all__ = [
    "AgentOSError",
    "ApiError",
    "AsyncClient",
    "ChangeEvent",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "InternalError",
    "InvalidInput",
    "MethodNotAllowed",
    "Misdirected",
    "NotFound",
    "Overloaded",
    "PermissionDenied",
    "PreconditionFailed",
    "RequestTimeout",
    "StorageRefused",
    "StorageUnavailable",
    "TimedOut",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
    "UnexpectedAnswer",
    "UnsupportedMediaType",
    "WrongOption",
    "WrongSettings",
    "__version__",
    "types",
]
