"""References without context: words alone, vectors alone, and the textbook fusion of the two."""

import re
import sqlite3
from collections import Counter
from itertools import pairwise

import numpy as np

from agentos.modules.memory.ranking import reciprocal_rank_fusion

from ..data import Store
from ..embeddings import Embeddings, Matrix
from .ranked_words import RankedWords

_WORD = re.compile(r"\w+")
_RUN = re.compile(r"[\w\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]+")
_STOP = frozenset(
    """
    a about after all am an and are as at be been before but by can could did do does for from had has have he her him
    his how i if in into is it its me my not of on or our she should so than that the their them then there these they
    this to us was we were what when where which who whom whose why will with would you your
    """.split()
)


class PlainText:
    """BM25 of the items' own text: SQLite's FTS5 with Porter stems, any word of the question, no stop words."""

    name = "bm25"

    def __init__(self) -> None:
        self._stores: dict[str, tuple[sqlite3.Connection, list[str]]] = {}
        self._current = ""

    def fill(self, store: Store) -> None:
        self._current = store.name
        if store.name in self._stores:
            return
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE VIRTUAL TABLE item USING fts5(content, tokenize = 'porter unicode61')")
        rows = [(place, item.content) for place, item in enumerate(store.items)]
        connection.executemany("INSERT INTO item(rowid, content) VALUES (?, ?)", rows)
        self._stores[store.name] = connection, [item.id for item in store.items]

    def search(self, question: str, depth: int) -> list[str]:
        connection, ids = self._stores[self._current]
        words = [word for word in _WORD.findall(question.lower()) if word not in _STOP]
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        rows = connection.execute("SELECT rowid FROM item WHERE item MATCH ? ORDER BY rank LIMIT ?", (query, depth))
        return [ids[place] for (place,) in rows]

    def close(self) -> None:
        for connection, _ in self._stores.values():
            connection.close()
        self._stores.clear()


class PlainPairs:
    """BM25 (b .75) over pairs of characters, for scripts without spaces; a single character is a term."""

    name = "pairs"
    b = 0.75

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._ranked = RankedWords([], self.b)

    def fill(self, store: Store) -> None:
        self._ids = [item.id for item in store.items]
        self._ranked = RankedWords([Counter(_pairs(item.content)) for item in store.items], self.b)

    def search(self, question: str, depth: int) -> list[str]:
        scores = self._ranked.scores(dict.fromkeys(_pairs(question)))
        return [self._ids[place] for place in sorted(scores, key=lambda place: -scores[place])[:depth]]

    def close(self) -> None:
        self._ids.clear()


def _pairs(text: str) -> list[str]:
    """Return the pairs of adjacent characters of each run of letters, including signs above and below them."""
    runs = _RUN.findall(text.casefold())
    return [pair for run in runs for pair in (map("".join, pairwise(run)) if len(run) > 1 else [run])]


class PlainVectors:
    """Exact cosine similarity to every item of the store."""

    name = "vectors"

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        self._stores: dict[str, tuple[Matrix, list[str]]] = {}
        self._current = ""

    def fill(self, store: Store) -> None:
        self._current = store.name
        if store.name not in self._stores:
            matrix = self._embeddings.vectors([item.content for item in store.items])
            self._stores[store.name] = matrix, [item.id for item in store.items]

    def search(self, question: str, depth: int) -> list[str]:
        matrix, ids = self._stores[self._current]
        similarity = matrix @ self._embeddings.query(question)
        return [ids[row] for row in np.argsort(-similarity, kind="stable")[:depth]]

    def close(self) -> None:
        self._stores.clear()


class PlainHybrid:
    """Reciprocal rank fusion (k = 60, equal weights) of the two above, with 100 candidates of each."""

    name = "hybrid"
    candidates = 100

    def __init__(self, embeddings: Embeddings) -> None:
        self._channels = (PlainText(), PlainVectors(embeddings))

    def fill(self, store: Store) -> None:
        for channel in self._channels:
            channel.fill(store)

    def search(self, question: str, depth: int) -> list[str]:
        named = [channel.search(question, max(self.candidates, depth)) for channel in self._channels]
        fused = reciprocal_rank_fusion(named)
        return sorted(fused, key=lambda id_: -fused[id_])[:depth]

    def close(self) -> None:
        for channel in self._channels:
            channel.close()
