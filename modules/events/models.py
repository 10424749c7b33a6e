"""The domain types of events."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ..records import dataclass

SUBJECTS = ("memory", "goal", "approval", "insight", "session")
"""What events are about: the first part of their types."""


@dataclass(frozen=True)
class ChangeEvent:
    """A change that was committed: `memory.store`, `goal.update`, … of the thing whose id is `subject`.

    `cursor` orders all changes of a store. `detail` never holds a text that somebody stored.
    """

    cursor: int
    at: datetime
    namespace: str
    type: str
    subject: str
    detail: Mapping[str, Any]

    def told(self) -> dict[str, Any]:
        """Return as JSON what others are told of it."""
        about = {"type": self.type, "subject": self.subject, "namespace": self.namespace}
        return {**about, "at": self.at.isoformat(), "detail": dict(self.detail)}


@dataclass(frozen=True)
class EventPage:
    """Events in order, and the cursor to read on from, which moves on even where no event matched."""

    events: tuple[ChangeEvent, ...]
    cursor: int
    has_more: bool


@dataclass(frozen=True)
class Delivered:
    """The outcome of one delivery to a handler: how many tasks were queued, and whether the log goes on."""

    queued: int
    more: bool
