"""Checks what was read of another system: in files of others any value may be anything."""

import math
import sys
from collections.abc import Iterable

from .. import identifiers, inputs
from ..errors import InvalidInput
from .models import (
    ActionEntry,
    EdgeEntry,
    FoundPattern,
    GoalEntry,
    MemoryEntry,
    NodeEntry,
    Record,
    Refused,
    RequestEntry,
    TurnEntry,
)

_TEXTS = {
    MemoryEntry: ("content", "memory_type", "source"),
    GoalEntry: ("id", "title", "description", "status"),
    ActionEntry: ("id", "action", "outcome", "context"),
    FoundPattern: ("type", "description", "suggested_action"),
    NodeEntry: ("id", "type", "label", "description"),
    EdgeEntry: ("source", "target", "type", "description"),
    RequestEntry: ("action", "subject", "reason"),
    TurnEntry: ("session", "role", "content", "key", "source", "project"),
}
_OPTIONAL = {
    MemoryEntry: ("occurred_at", "kind"),
    GoalEntry: ("deadline", "notes", "parent"),
    ActionEntry: ("occurred_at", "goal"),
    FoundPattern: ("last_seen",),
    NodeEntry: ("ref",),
    TurnEntry: ("occurred_at",),
}
_NUMBERS = {
    MemoryEntry: ("importance",),
    GoalEntry: ("priority", "urgency", "progress"),
    FoundPattern: ("frequency",),
    EdgeEntry: ("weight",),
    RequestEntry: ("risk",),
}


def check(record: Record) -> None:
    """Raises InvalidInput. How long texts may be is the affair of what keeps them."""
    if isinstance(record, Refused):
        raise InvalidInput(record.where, record.problem)
    kind = type(record)
    named = [(name, getattr(record, name)) for name in _TEXTS[kind]]
    named += [(name, value) for name in _OPTIONAL.get(kind, ()) if (value := getattr(record, name)) is not None]
    tags: Iterable[object] = getattr(record, "tags", ())
    for name, value in (*named, *(("tags", tag) for tag in tags)):
        if not isinstance(value, str):
            raise InvalidInput(name, "is not a string")
    for name in _NUMBERS.get(kind, ()):
        number = getattr(record, name)
        if number is None and (kind, name) == (MemoryEntry, "importance"):
            continue  # nobody rated it
        if not isinstance(number, int | float) or not math.isfinite(number):
            raise InvalidInput(name, "is not a number")
    if isinstance(record, MemoryEntry):
        inputs.text("content", record.content, sys.maxsize)
        inputs.moment("occurred_at", record.occurred_at)
    if record.agent is not None:
        if not isinstance(record.agent, str):
            raise InvalidInput("agent", "is not a string")
        identifiers.agent("agent", record.agent)
