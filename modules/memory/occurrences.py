"""Occurrences: whether one text, told twice, is of two events. Pure."""

from datetime import timedelta

from .models import Memory, MemoryType

A_MOMENT = timedelta(hours=1)
"""What is told again within it, without a date, is told of the same event."""


def is_another_time(one: Memory, other: Memory) -> bool:
    """Return whether two memories of one text are of two events: of two moments if one has a date, else far apart.

    A turn of a conversation, and what holds at any time, is no event.
    """
    if any(each.memory_type is not MemoryType.EPISODIC or each.speaker is not None for each in (one, other)):
        return False
    is_dated = any(each.occurred_at != each.created_at for each in (one, other))
    return one.occurred_at != other.occurred_at if is_dated else abs(one.occurred_at - other.occurred_at) > A_MOMENT
