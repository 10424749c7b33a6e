"""Merging: whether one memory says at least what another one says, in whatever words. Pure."""

import re

from .models import Memory, Status
from .near_duplicates import MAX_CHARS, says_the_same
from .words import content_stems

LEAST_WORDS = 3
"""The content words that tell enough to be recognised in another text."""
_NEGATIONS = frozenset("not no never none nobody nothing neither nor without cannot hardly".split())
_NEGATED = re.compile(r"n['\u2019]t\b")
_TOKEN = re.compile(r"[\w.,:/-]+")


def says_no_less(one: Memory, other: Memory) -> bool:
    """Return whether nothing is lost if `other` is put away: `one` says it word for word, as surely, from as good a
    source.
    """
    return _may_stand_for(one, other) and says_the_same(other.content, one.content)


def says_about_the_same(one: Memory, other: Memory) -> bool:
    """Return whether `one` may be taken for both: it has every word of `other` that says something, no other numbers,
    denies as much, and is as well founded. A person decides: a text that says something else can look like it.
    """
    if max(len(one.content), len(other.content)) > MAX_CHARS or not _may_stand_for(one, other):
        return False
    theirs, numbers = content_stems(other.content), _numbers(other.content)
    return (
        len(theirs) >= LEAST_WORDS
        and theirs <= content_stems(one.content)
        and numbers in (frozenset(), _numbers(one.content))
        and _denied(one.content) == _denied(other.content)
    )


def _may_stand_for(one: Memory, other: Memory) -> bool:
    settled = Status.CONTESTED not in (one.status, other.status) and one.status is not Status.CANDIDATE
    return settled and other.trust <= one.trust and (other.slot is None or one.slot is None or one.slot == other.slot)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(token.strip(".,:/-") for token in _TOKEN.findall(text) if any(map(str.isdigit, token)))


def _denied(text: str) -> int:
    lower = text.lower()
    return len(_NEGATED.findall(lower)) + sum(word in _NEGATIONS for word in re.findall(r"[a-z]+", lower))
