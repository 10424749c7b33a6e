"""Words as the text index has them: FTS5's own stemmer, which every engine uses."""

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from functools import partial

from .text_ranking import COLUMN_WEIGHTS, TOKENIZER

LONGEST_WORD = 600
"""Characters of a word that are kept, of four bytes at most: an entry of PostgreSQL's index has 2,704 bytes."""


class Stemmer:
    """Makes words those of the index. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory: sqlite3.Connection | None = None

    def stems(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of each text as the index has them, in order. Blocks."""
        with self._lock:
            try:
                return self._read(self._memory or self._opened(), texts)
            except BaseException:
                self._close()  # what it holds of these texts would be in the way of the next ones
                raise

    @staticmethod
    def _read(memory: sqlite3.Connection, texts: Sequence[str]) -> list[list[str]]:
        memory.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(texts))
        found: list[list[str]] = [[] for _ in texts]
        for term, doc in memory.execute('SELECT term, doc FROM v ORDER BY doc, "offset"'):
            found[doc].append(term[:LONGEST_WORD])
        memory.execute("DELETE FROM t")
        return found

    def _opened(self) -> sqlite3.Connection:
        self._memory = memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        memory.text_factory = partial(str, encoding="utf-8", errors="ignore")  # FTS5 cuts long words inside a character
        memory.execute(f"CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = '{TOKENIZER}')")
        memory.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
        return memory

    def close(self) -> None:
        """Let go of the tokenizer."""
        with self._lock:
            self._close()

    def _close(self) -> None:
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
