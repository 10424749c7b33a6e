"""The words of a small namespace in a store that others fill: an index of its own, made for one question.

The text index spans the store, so that a word of it costs what all namespaces have of it. What a small one has is read
by its memories instead, as the text index keeps it, and ranked by FTS5 itself.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from ..engine.ports import Row
from ..repositories.predicates import Predicates
from . import text_index
from .database import Sqlite
from .driver import connect

OWN_UP_TO, WORDS_UP_TO = 2_000, 100_000
"""The most memories of a namespace, and words in them, that are read for a question: some 30 ms."""
_COLUMNS = "summary, content, tags, parts"


async def suffice(sqlite: Sqlite, namespace: str, *, with_aside: bool) -> bool:
    """Return whether a namespace is so small that its own words are soon read."""
    [[is_small]] = await sqlite.read(
        "SELECT coalesce(sum(memories), 0) <= ? AND coalesce(sum(tokens), 0) <= ? FROM text_statistics "
        "WHERE namespace = ? AND aside <= ?",
        (OWN_UP_TO, WORDS_UP_TO, namespace, int(with_aside)),
    )
    return bool(is_small)


async def texts(sqlite: Sqlite, index: str, chosen: Predicates) -> list[Row]:
    """Return number, id and indexed texts of a namespace's memories in an index, and whether each `passes`."""
    return await sqlite.read(
        f"SELECT t.rowid AS seq, m.id, {', '.join(f't.{one}' for one in _COLUMNS.split(', '))}, "
        f"({chosen.sql}) AS passes FROM memories m INDEXED BY memories_by_namespace CROSS JOIN {index} t "
        "ON t.rowid = m.seq WHERE m.namespace = ?",
        (*chosen.parameters, chosen.parameters[0]),
    )


def ranked(rows: Sequence[Row], expression: str) -> list[tuple[str, float]]:
    """Return the ids of the texts that pass and match, each with its score, best first. Blocks."""
    ids = {row["seq"]: row["id"] for row in rows if row["passes"]}
    score = text_index.score("own")
    with closing(_index(rows)) as memory:
        found = memory.execute(
            f"SELECT rowid, {score} AS score FROM own(?) ORDER BY score DESC, rowid DESC", (expression,)
        )
        return [(ids[seq], score) for seq, score in found if seq in ids]


def counts(rows: Sequence[Row], words: Sequence[str]) -> dict[str, int]:
    """Return how many of the texts have each word. Blocks."""
    with closing(_index(rows)) as memory:
        query = "SELECT count(*) FROM own(?)"
        return {word: memory.execute(query, (text_index.expression([word]),)).fetchone()[0] for word in words}


def _index(rows: Sequence[Row]) -> sqlite3.Connection:
    memory = connect(":memory:")
    memory.execute(f"CREATE VIRTUAL TABLE own USING fts5 ({_COLUMNS}, tokenize = '{text_index.TOKENIZER}')")
    names = ("seq", *_COLUMNS.split(", "))
    memory.executemany(
        f"INSERT INTO own (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?)", [[row[name] for name in names] for row in rows]
    )
    return memory
