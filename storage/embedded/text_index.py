"""Text-index queries from user text: every token quoted, so that nothing in it is ever syntax."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, combinations

from ...modules.memory.models import WordFrequencies

MAIN, ASIDE = "memory_text", "memory_text_aside"
"""The text index, and that of what a search leaves aside unless it is asked for: BM25 counts each by itself."""
MAX_MATCHES = 3_000
MAX_FREQUENCY = 10_000
MIN_RAREST = 3
COMMON = 2_000
"""A word that so many memories have, of whatever namespace, tells nothing by its absence from one."""
COLUMN_WEIGHTS = (2.0, 1.0, 1.5)
"""BM25 weights of summary, content, tags: a rare word in the headline outranks the same in the body."""


def indexes(*, with_aside: bool) -> tuple[str, ...]:
    """The tables that a search looks into."""
    return (MAIN, ASIDE) if with_aside else (MAIN,)


def score(index: str) -> str:
    """The SQL expression of BM25, higher is better."""
    return f"-bm25({index}, {', '.join(map(str, COLUMN_WEIGHTS))})"


def rarest(frequencies: Sequence[tuple[str, int]]) -> list[str]:
    """The terms to search for in a large store: the rarest first, while they match few enough memories.

    `frequencies` says in how many memories a term occurs. Scoring every match of a common word costs much
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


def expressions_for(words: WordFrequencies) -> list[str]:
    """FTS5 expressions for words, to be asked in order until there are enough matches; none for no words."""
    if not words.counts or words.memories <= MAX_MATCHES:
        return [expression(list(words.counts))] if words.counts else []
    return expressions([(word, frequency) for word, frequency in words.counts.items() if frequency])


def expressions(frequencies: Sequence[tuple[str, int]]) -> list[str]:
    """FTS5 expressions for a large store, to be asked in order until there are enough matches.

    Scoring every memory that has just one common word costs much and tells little. So first come the memories with a
    rare word, or with all the common ones; then those with a rare word, or with two of the common ones; then those
    with any of the words.
    """
    words = rarest(frequencies)
    if not words:
        return []
    frequency = dict(frequencies)
    matches = list(accumulate(frequency[word] for word in words))
    rare = [word for word, count in zip(words, matches, strict=True) if count <= MAX_MATCHES]
    common = words[len(rare) :]
    others = [word for word in frequency if word not in rare]
    together = [all_of(others)] if len(others) > 1 else []
    pairs = [all_of(pair) for pair in combinations(common, 2)]
    steps = (expression(rare, together), expression(rare, pairs), expression(words))
    return list(dict.fromkeys(filter(None, steps)))


def all_of(words: Iterable[str]) -> str:
    """An FTS5 expression for what has all of these words."""
    return f"({' AND '.join(map(_quoted, words))})"


def expression(words: Sequence[str], others: Sequence[str] = ()) -> str:
    """An FTS5 expression for what has any of the words, each quoted, or matches any of the other expressions."""
    return " OR ".join([*map(_quoted, words), *others])


def _quoted(word: str) -> str:
    return f'"{word}"'
