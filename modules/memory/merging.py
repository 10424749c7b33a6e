"""Merging: whether one memory may stand for another one, by itself or if a human says so. Pure."""

import re

from ..text.negation import denials
from .models import Memory, Status
from .near_duplicates import says_the_same
from .occurrences import is_another_time
from .words import content_stems

MAX_CHARS = 2_000
LEAST_WORDS = 3
"""The content words that tell enough to be recognised in another text."""
MORE_IMPORTANT = 0.05
"""More than white space alone makes of an importance."""
_TOKEN = re.compile(r"[\w.,:/-]+")


def says_no_less(one: Memory, other: Memory) -> bool:
    """Return whether archiving `other` loses nothing: `one` says the same, and is as well founded."""
    return (
        may_stand_for(one, other)
        and says_the_same(one.content, other.content)
        and _filed(one) == _filed(other)
        and one.metadata == other.metadata
        and _happened_together(one, other)
        and other.importance - one.importance < MORE_IMPORTANT
    )


def says_about_the_same(one: Memory, other: Memory) -> bool:
    """Return whether `one` may be taken for both: it has every word of `other` that says something, no other numbers,
    denies as much, and is as well founded. A person decides: a text that says something else can look like it.
    """
    if max(len(one.content), len(other.content)) > MAX_CHARS or not may_stand_for(one, other):
        return False
    theirs, numbers = content_stems(other.content), _numbers(other.content)
    return (
        len(theirs) >= LEAST_WORDS
        and theirs <= content_stems(one.content)
        and numbers in (frozenset(), _numbers(one.content))
        and denials(one.content) == denials(other.content)
    )


def may_stand_for(one: Memory, other: Memory) -> bool:
    """Return whether `one` is as well founded as `other`, filed alike, and of no other event."""
    settled = Status.CONTESTED not in (one.status, other.status) and one.status is not Status.CANDIDATE
    same_slot = other.slot is None or one.slot is None or one.slot == other.slot
    is_founded = settled and other.trust <= one.trust
    return is_founded and same_slot and set(one.tags) == set(other.tags) and not is_another_time(one, other)


def _filed(memory: Memory) -> tuple[object, ...]:
    """Return what searches and grants find a memory by, and when it holds."""
    where = memory.namespace, memory.session, memory.source, memory.memory_type, memory.kind, memory.slot
    return *where, memory.valid_from, memory.valid_to, memory.expires_at


def _happened_together(one: Memory, other: Memory) -> bool:
    """Return whether both are of the same moment, or the same day if no time is given."""
    is_dated = any(memory.occurred_at != memory.created_at for memory in (one, other))
    same_day = one.occurred_at.date() == other.occurred_at.date()
    return one.occurred_at == other.occurred_at or (not is_dated and same_day)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(token.strip(".,:/-") for token in _TOKEN.findall(text) if any(map(str.isdigit, token)))
