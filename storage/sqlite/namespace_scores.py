"""BM25 with the statistics of one namespace, for stores that hold several: what others write changes no score.

FTS5's own `bm25` counts over the whole index. This computes the same formula over the rows of one namespace, from the
index's words (fts5vocab), the lengths that it keeps, and the totals that triggers keep (`text_statistics`). Where a
namespace is the only one in an index both give the same scores, and FTS5's own is faster.
"""

from collections.abc import Sequence
from contextlib import closing

from ..engine.text_ranking import LEAST, LENGTH_SHARE, SATURATION
from ..repositories.memory_rows import as_json
from . import text_index
from .driver import connect

_WEIGHTS = " ".join(
    f"WHEN '{column}' THEN {weight}"
    for column, weight in zip(("summary", "content", "tags", "parts"), text_index.COLUMN_WEIGHTS, strict=True)
)


def scored(index: str, found: str) -> str:
    """Return SQL for (seq, score) of the rows that `found` selects as (seq), by the words of one namespace.

    Its parameters are the namespace, whether the index is that of what is aside, a JSON array of words as the index has
    them (one that is there twice counts twice), the namespace again, and those of `found`.
    """
    return (
        "WITH totals (memories, average) AS (SELECT memories, 1.0 * tokens / memories FROM text_statistics "
        "WHERE namespace = ? AND aside = ? AND memories > 0), "
        # CROSS JOIN keeps the order: from a word to its places, and then to the rows.
        "places (seq, word, weight) AS MATERIALIZED ("
        f"SELECT v.doc, given.key, sum(CASE v.col {_WEIGHTS} END) FROM json_each(?) given "
        f"CROSS JOIN {index}_words v ON v.term = given.value CROSS JOIN memories m INDEXED BY memories_by_namespace "
        "ON m.namespace = ? AND m.seq = v.doc GROUP BY given.key, v.doc), "
        "rarity (word, value) AS MATERIALIZED ("
        f"SELECT p.word, max({LEAST}, natural_log((t.memories - count(*) + 0.5) / (count(*) + 0.5))) "
        "FROM places p CROSS JOIN totals t GROUP BY p.word) "
        f"SELECT found.seq, sum(r.value * p.weight * {SATURATION + 1} / (p.weight + {SATURATION} * "
        f"({1 - LENGTH_SHARE} + {LENGTH_SHARE} * tokens_of(d.sz) / t.average))) AS score "
        f"FROM ({found}) found CROSS JOIN totals t JOIN {index}_docsize d ON d.id = found.seq "
        "JOIN places p ON p.seq = found.seq JOIN rarity r ON r.word = p.word GROUP BY found.seq"
    )


def as_indexed(words: Sequence[str]) -> str:
    """Return words as the text index has them, as a JSON array: stemmed by FTS5 itself."""
    with closing(connect(":memory:")) as memory:
        memory.execute(f"CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = '{text_index.TOKENIZER}')")
        memory.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
        memory.executemany("INSERT INTO t (x) VALUES (?)", [(word,) for word in words])
        return as_json([term for (term,) in memory.execute("SELECT term FROM v ORDER BY doc")])
