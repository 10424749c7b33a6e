"""Words by their stems, as the text index counts them (Porter): for counting a query's words in candidates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from .words import without_accents

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


LONGEST = 64
"""Longer words are no English: they are their own stems."""


def stem(word: str) -> str:
    """The stem of a lower-case English word by Porter's algorithm; other words come back much as they are."""
    return word if len(word) > LONGEST else _stemmed(word)


@lru_cache(maxsize=20_000)
def _stemmed(word: str) -> str:
    from snowballstemmer import stemmer

    # A stemmer holds the word that it works on, and searches count in several threads. A new one costs a microsecond.
    return str(stemmer("porter").stemWord(word))


class StemCounts:
    """Counts how often the stems of a query's words occur in texts; each stem once, in the order of the words."""

    def __init__(self, words: Sequence[str]) -> None:
        found: dict[str, str] = {}
        for word in words:
            found.setdefault(stem(without_accents(word)), word)
        self.words = tuple(found.values())
        self._column = {stem: column for column, stem in enumerate(found)}

    @cached_property
    def _likely(self) -> re.Pattern[str]:
        """Words that begin as a stem does: stemming changes the end of a word alone."""
        beginnings = "|".join(re.escape(beginning) for beginning in {stem[:3] for stem in self._column})
        return re.compile(rf"(?<![^\W_])(?:{beginnings})[^\W_]*" if beginnings else r"(?!)")

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts × stems) counts."""
        import numpy as np

        counts = np.zeros((len(texts), len(self._column)), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in self._likely.findall(without_accents(text.lower())):
                column = self._column.get(stem(word))
                if column is not None:
                    counts[row, column] += 1
        return counts

    def of_days(self, moments: Sequence[datetime]) -> NDArray[np.float32]:
        """1 where a stem names the day of a moment: its number, month, year or weekday, in English."""
        import numpy as np

        number = {day: row for row, day in enumerate(dict.fromkeys(moment.toordinal() for moment in moments))}
        days = [f"{day:%d %B %Y %A} {day.day}" for day in map(date.fromordinal, number)]
        named = np.minimum(self.of(days), 1.0)
        return named[[number[moment.toordinal()] for moment in moments]]
