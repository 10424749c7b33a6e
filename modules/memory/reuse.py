"""Reuse: whether an answer was built on a memory that its agent was told unasked. Pure, and sparing."""

from collections.abc import Iterable

from .models import Memory
from .words import content_stems

LEAST, SHARE = 2, 0.5
"""The content words of a memory that an answer built on it repeats: at least so many, and this share of all."""


def used(answer: str, memories: Iterable[Memory]) -> list[Memory]:
    """Return those of some memories on whose words an answer draws."""
    said = content_stems(answer)
    return [memory for memory in memories if _is_drawn_on(said, content_stems(memory.content))]


def _is_drawn_on(said: frozenset[str], words: frozenset[str]) -> bool:
    return len(words & said) >= max(min(LEAST, len(words)), SHARE * len(words)) > 0
