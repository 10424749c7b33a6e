"""The ports of events: storage, and the delivery of an event to a handler."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from .models import ChangeEvent, Delivered, EventPage


class EventRepository(Protocol):
    """The log of changes, written by each change in its own transaction."""

    async def after(
        self, cursor: int, namespaces: Collection[str], types: Collection[str] | None, limit: int
    ) -> EventPage:
        """Return the events behind a cursor, in order; of these types, or of all. Reads a bounded part of the log."""

    async def between_everywhere(self, cursor: int, until: int) -> Sequence[ChangeEvent]:
        """Return the events of every namespace behind one cursor and up to another, in order."""

    async def latest_everywhere(self) -> int:
        """Return the cursor of the newest change; 0 if there is none."""

    async def store_everywhere(self) -> str:
        """Return the name of the store, which it keeps."""

    async def deliver_everywhere(self, handler: str, task_type: str, types: Sequence[str], now: datetime) -> Delivered:
        """Queue a task of `task_type` for each event that a handler has not been given yet, and move its cursor on.

        One transaction, over a bounded part of the log; a new handler begins at its end.
        """


class Delivery(Protocol):
    """A queued task that gives one event to one handler."""

    @property
    def namespace(self) -> str: ...
    @property
    def payload(self) -> Mapping[str, Any]: ...


class HomeSecret(Protocol):
    """The random key of a home, which nobody is shown."""

    def read(self) -> bytes:
        """Return it, made at the first call. Blocks. Raises StorageUnavailable."""
