"""The words of a text as the text index holds them, for it and for ranking: which say something, and their stems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from ..stop_words import STOP_WORDS
from ..text.scripts import (
    foreign_stem,
    indexed_words,
    is_foreign,
    is_piece,
    normal_form,
    parts,
    snowball_stem,
    spaced_words,
)
from ..text.scripts import words as written_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_TERMS = 48
MOST_MISSING = 5
BEGINNING = 2
"""The characters at which an English word and its stem begin alike: stemming changes the end alone."""
SHORTEST, LONGEST = 3, 64
"""The shortest and the longest word that is stemmed, as in the text index; any other is its own stem."""
PART_WEIGHT = 0.5
"""The weight of a word that is only part of a name in code, as in the text index."""


def tokens(text: str) -> list[str]:
    """Return the words of a text as the text index holds them, in order, with repetitions."""
    return indexed_words(text)


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without those that say nothing."""
    return frozenset(stem(word) for word in tokens(text) if word not in STOP_WORDS)


def token(word: str) -> str:
    """Return a single word as the text index holds it."""
    return foreign_stem(normal_form(word))


def terms(query: str) -> list[str]:
    """Return the content words of a query, each once. Words that say nothing are left out unless there are no others.

    At most MAX_TERMS are used: the longest, which are the rarest as a rule.
    """
    found: dict[str, str] = {}
    for word in written_words(query):
        found.setdefault(foreign_stem(word), word)
    telling = [held for held, word in found.items() if _tells(word)] or list(found)
    return telling if len(telling) <= MAX_TERMS else sorted(telling, key=len, reverse=True)[:MAX_TERMS]


def missing(query: str, text: str) -> list[str]:
    """Return the first content words of a query that a text does not have in any form."""
    held = content_stems(text)
    return [word for word in terms(query) if stem(word) not in held][:MOST_MISSING]


def _tells(word: str) -> bool:
    """Return whether a word says by itself what a text is about; of other alphabets one of two letters does not."""
    return word not in STOP_WORDS and (word.isascii() or len(word) > 2 or is_piece(word) or not is_foreign(word))


def first_name(name: str) -> str:
    """Return the first word of a name, in the form in which a query's words are compared with it."""
    return token(name.split()[0])


def stem(word: str) -> str:
    """Return the stem of a lower-case English word by Porter's algorithm; other words come back much as they are."""
    return snowball_stem(word, "porter") if SHORTEST <= len(word) <= LONGEST else word


def _stem_of_asked(word: str) -> str:
    """Return the stem of a word of a query: words of other alphabets come as stems already."""
    return stem(word) if word.isascii() else word


class StemCounts:
    """Counts how often the stems of a query's words occur in texts; each stem once, in the order of the words."""

    def __init__(self, words: Sequence[str]) -> None:
        found: dict[str, str] = {}
        for word in words:
            found.setdefault(_stem_of_asked(normal_form(word)), word)
        self.words = tuple(found.values())
        self._column = {stem: column for column, stem in enumerate(found)}
        self._pieces = [(piece, column) for piece, column in self._column.items() if is_piece(piece)]
        self._beginnings = {stem[:BEGINNING] for stem in self._column}
        self._column_of: dict[str, int | None] = {}  # of words that were met: texts have most words in common

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (texts × stems) counts."""
        import numpy as np

        return np.array(list(map(self._counts, texts)), dtype=np.float32).reshape(len(texts), len(self._column))

    def _counts(self, text: str) -> list[float]:
        form, column_of = normal_form(text), self._column_of
        counts = [0.0] * len(self.words)
        for word in spaced_words(form):
            if word not in column_of:
                column_of[word] = self._column_of_stem(word)
            if (column := column_of[word]) is not None:
                counts[column] += 1
        if not form.isascii():
            for piece, column in self._pieces:
                counts[column] = form.count(piece)
        # Nowhere as words of their own; names in code are looked through once, whichever words may be in them.
        inside = [column for column, word in enumerate(self.words) if not counts[column] and word in form]
        if inside:
            in_names = Counter(part for parts_of_name in parts(text).values() for part in parts_of_name)
            for column in inside:
                counts[column] = PART_WEIGHT * in_names[self.words[column]]
        return counts

    def _column_of_stem(self, word: str) -> int | None:
        if word.isascii():
            return self._column.get(stem(word)) if word[:BEGINNING] in self._beginnings else None
        return self._column.get(foreign_stem(word))

    def of_days(self, moments: Sequence[datetime]) -> NDArray[np.float32]:
        """Return (moments × stems) 1 where a stem names the moment's day, month, year or weekday in English, else 0."""
        import numpy as np

        number = {day: row for row, day in enumerate(dict.fromkeys(moment.toordinal() for moment in moments))}
        days = [f"{day:%d %B %Y %A} {day.day}" for day in map(date.fromordinal, number)]
        named = np.minimum(self.of(days), 1.0)
        return named[[number[moment.toordinal()] for moment in moments]]
