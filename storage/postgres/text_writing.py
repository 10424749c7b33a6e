"""The words of memories, written in the transaction that changes these: stemmed as SQLite's text index stems them."""

import asyncio
import json
from collections.abc import Sequence
from itertools import chain

from ...modules.records import dataclass
from ...modules.text import scripts
from ..engine.ports import Connection, Row
from ..engine.stemming import LONGEST_WORD, Stemmer, weights

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


def words_of(stemmer: Stemmer, summary: str, content: str, tags: str) -> Words:
    """Return the words of a memory; `tags` is a JSON array. Blocks."""
    texts = (
        " ".join(scripts.indexed_words(summary)),
        " ".join(scripts.indexed_words(content)),
        " ".join(scripts.indexed_words(" ".join(json.loads(tags)))),
        " ".join(chain.from_iterable(scripts.parts(content).values())),
    )
    columns = stemmer.stems(texts)
    longest = {word[:LONGEST_WORD] for word in scripts.compounds(content)}
    return Words(weights(columns), sum(map(len, columns)), sorted(longest))


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
        words = words_of(stemmer, row["summary"], row["content"], row["tags"])
        stems = sorted(words.weights)
        weighed = [words.weights[stem] for stem in stems]
        found.append((row["seq"], row["shelf"], words.tokens, stems, weighed, json.dumps(words.compounds)))
    return found
