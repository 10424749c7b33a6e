"""Connectors as other parts of AgentOS see them: what each has brought, and how all of that is removed."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Protocol

from .memory.models import MemoryFilter, Status
from .records import dataclass

TAG = "connector"
"""The tag of whatever a connector has brought."""


def ever(tag: str) -> MemoryFilter:
    """Return what finds all that was brought with a tag, whatever became of it."""
    return MemoryFilter(tags=(tag,), statuses=tuple(Status), include_superseded=True)


@dataclass(frozen=True)
class Connected:
    """A connector: what it reads, whether the settings name it, and how much it has brought to a namespace, and when.

    `last_at` is when the newest of that came.
    """

    name: str
    reads: str
    on: bool
    brought: int
    last_at: datetime | None


class Connections(Protocol):
    """The connectors of one store."""

    async def status(self, namespace: str) -> Sequence[Connected]:
        """Return how each connector stands in a namespace."""

    async def remove(self, namespace: str, name: str, by: str) -> int:
        """Erase all that a connector has brought; return how many memories that were."""


OpensConnections = Callable[[str], Awaitable[Connections | None]]


async def no_connections(namespace: str) -> None:
    """Return that no connector is on, and none has brought anything to a namespace."""
