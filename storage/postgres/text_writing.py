"""The words of memories, written in the transaction that changes these: stemmed as SQLite's text index stems them."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from ...modules.text import scripts
from ..engine.ports import Connection, Row
from ..engine.text_ranking import COLUMN_WEIGHTS, TOKENIZER

LONGEST_WORD = 1_000
"""Characters of a word that are kept: an entry of an index has a bound."""
_DUE = (
    "WITH due AS (DELETE FROM text_outbox RETURNING memory_seq) "
    "SELECT m.seq, 2 * n.number + CAST(m.aside AS integer) AS shelf, m.summary, m.content, m.tags, "
    "EXISTS (SELECT 1 FROM memory_text t WHERE t.memory_seq = m.seq) AS has_words FROM due "
    "JOIN memories m ON m.seq = due.memory_seq JOIN namespaces n ON n.id = m.namespace ORDER BY m.seq"
)
_DROP = (
    "WITH seqs AS (SELECT value AS seq FROM json_numbers(?)), "
    "words AS (DELETE FROM memory_words w USING seqs WHERE w.memory_seq = seqs.seq), "
    "longs AS (DELETE FROM compounds c USING seqs WHERE c.memory_seq = seqs.seq) "
    "DELETE FROM memory_text t USING seqs WHERE t.memory_seq = seqs.seq"
)
_COUNT = (
    "INSERT INTO memory_text (memory_seq, shelf, tokens) SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::integer[])"
)
_PUT = (
    "WITH longs AS (INSERT INTO compounds (shelf, word, memory_seq) SELECT ?2, value, ?1 FROM json_texts(?6)) "
    "INSERT INTO memory_words (shelf, word, memory_seq, weight, tokens) "
    "SELECT ?2, given.word, ?1, given.weight, ?3 FROM unnest(?4::text[], ?5::real[]) AS given (word, weight)"
)


@dataclass(frozen=True)
class Words:
    """The words of a memory with the weight of each, how many words it has, and its long ones."""

    weights: dict[str, float]
    tokens: int
    compounds: list[str]


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

    def words(self, summary: str, content: str, tags: str) -> Words:
        """Return the words of a memory; `tags` is a JSON array. Blocks."""
        texts = (
            " ".join(scripts.indexed_words(summary)),
            " ".join(scripts.indexed_words(content)),
            " ".join(scripts.indexed_words(" ".join(json.loads(tags)))),
            " ".join(chain.from_iterable(scripts.parts(content).values())),
        )
        weights: dict[str, float] = {}
        tokens = 0
        for weight, stems in zip(COLUMN_WEIGHTS, self.stems(texts), strict=True):
            tokens += len(stems)
            for stem in stems:
                weights[stem] = weights.get(stem, 0.0) + weight
        return Words(weights, tokens, sorted({word[:LONGEST_WORD] for word in scripts.compounds(content)}))

    def close(self) -> None:
        """Let go of the tokenizer."""
        with self._lock:
            if self._memory is not None:
                self._memory.close()
                self._memory = None


async def write_words(connection: Connection, stemmer: Stemmer) -> None:
    """Write the words of all memories whose texts this transaction has changed."""
    due = await connection.fetch_all(_DUE)
    if not due:
        return
    changed = [row["seq"] for row in due if row["has_words"]]
    if changed:
        await connection.execute(_DROP, (json.dumps(changed),))
    found = await asyncio.to_thread(_words_of, stemmer, due)
    await connection.execute(_COUNT, [[row[place] for row in found] for place in range(3)])
    await connection.execute_many(_PUT, found)


def _words_of(stemmer: Stemmer, due: Sequence[Row]) -> list[tuple[object, ...]]:
    """Return what is written of each memory."""
    found: list[tuple[object, ...]] = []
    for row in due:
        words = stemmer.words(row["summary"], row["content"], row["tags"])
        stems = sorted(words.weights)
        weights = [words.weights[stem] for stem in stems]
        found.append((row["seq"], row["shelf"], words.tokens, stems, weights, json.dumps(words.compounds)))
    return found
