"""Words as the text index has them: FTS5's own stemmer, which every engine uses."""

import sqlite3
import threading
from collections.abc import Iterable, Sequence

from .text_ranking import COLUMN_WEIGHTS, TOKENIZER

LONGEST_WORD = 1_000
"""Characters of a word that are kept: an entry of an index has a bound."""


class Stemmer:
    """Makes words those of the index. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory: sqlite3.Connection | None = None

    def stems(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of each text as the index has them, in order. Blocks."""
        with self._lock:
            memory = self._memory or self._opened()
            memory.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(texts))
            found: list[list[str]] = [[] for _ in texts]
            for term, doc in memory.execute('SELECT term, doc FROM v ORDER BY doc, "offset"'):
                found[doc].append(term[:LONGEST_WORD])
            memory.execute("DELETE FROM t")
            return found

    def _opened(self) -> sqlite3.Connection:
        self._memory = memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        memory.execute(f"CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = '{TOKENIZER}')")
        memory.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
        return memory

    def close(self) -> None:
        """Let go of the tokenizer."""
        with self._lock:
            if self._memory is not None:
                self._memory.close()
                self._memory = None


def weights(columns: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return the words of a memory with the weight of each, from the stems of each column of the text index."""
    found: dict[str, float] = {}
    for weight, stems in zip(COLUMN_WEIGHTS, columns, strict=True):
        for stem in stems:
            found[stem] = found.get(stem, 0.0) + weight
    return found
