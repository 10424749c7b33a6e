"""The doors of the daemon for requests of one line, such as those of hooks."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ...modules.records import dataclass


@dataclass(frozen=True)
class HostAnswer:
    """The answer to one request, and what to do once it has been delivered."""

    content: dict[str, Any]
    delivered: Callable[[], Awaitable[None]] | None = None


class HostDoor(Protocol):
    """Answers requests of one line, each on a connection of its own."""

    async def answer(self, fields: dict[str, Any]) -> HostAnswer:
        """Return the answer to a request."""
