"""AgentOS: long-term memory, goals, reflection and context for AI agents, local-first and offline.

`from agentos import AgentOS` is the library; nothing of it is loaded before it is asked for.
"""

__all__ = ["AgentOS", "AgentOSError", "Conflict", "InvalidInput", "NotFound", "PermissionDenied", "StorageUnavailable"]

TYPE_CHECKING = False  # the standard library's would cost an import
if TYPE_CHECKING:
    from .library import (
        AgentOS,
        AgentOSError,
        Conflict,
        InvalidInput,
        NotFound,
        PermissionDenied,
        StorageUnavailable,
    )


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import library

    return getattr(library, name)
