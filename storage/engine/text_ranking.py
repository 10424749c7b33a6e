"""Rank a memory's words, the same on every engine: BM25 with weights by where a word occurs."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from ...modules.memory.models import Candidate, MemoryFilter, WordFrequencies
from ...modules.records import dataclass

TOKENIZER = "porter ascii"
"""FTS5's tokenizer, which says what a word of the index is."""
COLUMN_WEIGHTS = (2.0, 1.0, 1.5, 0.5)
"""BM25 weights of summary, content, tags, parts: a rare word in the headline outranks the same in the body."""
SATURATION, LENGTH_SHARE, LEAST = 1.2, 0.75, 1e-6
"""The constants k1 and b of FTS5's formula, and the rarity of words that half of the memories have."""
MAX_MATCHES = 3_000
MAX_FREQUENCY = 10_000
MIN_RAREST = 3
MOST_READ = 50_000
"""The most memories that a word finds, the newest ones: a namespace of a million is searched in bounded time."""
DEPTH = 4
"""How many of the best are looked up first, as a multiple of the limit; all where a filter may take most away."""
ENOUGH = 1_000
"""How many memories rare terms must find so that the common ones need find none."""


def rarest(frequencies: Sequence[tuple[str, int]]) -> list[str]:
    """Return the terms to search for in a large store: the rarest first, while they match few enough memories.

    `frequencies` gives the number of memories in which a term occurs. Scoring every match of a common word costs much
    and tells little; the MIN_RAREST rarest terms are always used.
    """
    chosen: list[str] = []
    matches = 0
    for term, frequency in sorted(frequencies, key=lambda pair: pair[1]):
        matches += frequency
        if len(chosen) >= MIN_RAREST and matches > MAX_MATCHES:
            break
        chosen.append(term)
    return chosen


def leaders(frequencies: Sequence[int]) -> int:
    """Return how many of some terms, the rarest first, find enough memories, but few: others alone rank low."""
    found = 0
    for count, frequency in enumerate(frequencies, 1):
        found += frequency
        if ENOUGH <= found < MAX_FREQUENCY:
            return count
    return len(frequencies)


def ranking_words(words: WordFrequencies) -> tuple[list[str], int]:
    """Return the words to rank by, the rarest first, and how many of them lead: these find memories, all score them.

    In a small store these are all of its words.
    """
    known = [(word, frequency) for word, frequency in words.counts.items() if frequency]
    if words.memories <= MAX_MATCHES:
        return [word for word, _ in known], len(known)
    best = rarest(known)
    return best, leaders([words.counts[word] for word in best])


@dataclass(frozen=True)
class OfShelf:
    """What is asked of one part of a namespace: the best by the stems of a query, of which some lead."""

    namespace: str
    aside: bool
    times: Counter[str]
    leads: Collection[str]
    where: MemoryFilter
    now: datetime
    limit: int

    @property
    def is_narrow(self) -> bool:
        """Return whether the filter may take most away."""
        return not replace(self.where, without_aside=False).is_empty


async def best_by_words(
    stems_of: Callable[[Sequence[str]], Sequence[Sequence[str]]],
    best_of: Callable[[OfShelf], Awaitable[list[Candidate]]],
    namespace: str,
    words: WordFrequencies,
    where: MemoryFilter,
    now: datetime,
    limit: int,
) -> list[Candidate]:
    """Return the best of both parts of a namespace, best first: of its ordinary memories, and of those left aside."""
    ranked_by, leading = ranking_words(words)
    if not ranked_by:
        return []
    stems = await asyncio.to_thread(stems_of, ranked_by)
    times = Counter(stem for of_word in stems for stem in of_word)
    leads = {stem for of_word in stems[:leading] for stem in of_word}
    best: list[Candidate] = []
    for aside in (False, True)[: 1 if where.without_aside else 2]:
        best += await best_of(OfShelf(namespace, aside, times, leads, where, now, limit))
    return sorted(best, key=lambda candidate: -candidate.score)
