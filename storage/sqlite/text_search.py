"""Memories that have the words of a query, ranked by BM25 with the statistics of their namespace alone."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from ...modules.memory.models import Candidate, MemoryFilter, WordFrequencies
from ..engine.ports import Row
from ..engine.text_ranking import (
    DEPTH,
    LEAST,
    LENGTH_SHARE,
    MAX_FREQUENCY,
    MOST_READ,
    SATURATION,
    OfShelf,
    best_by_words,
)
from ..repositories import predicates
from ..repositories.memory_rows import as_json
from .database import Sqlite

_OF_WORD = "FROM postings o WHERE o.shelf = given.shelf AND o.word = given.word ORDER BY o.memory_seq"
_SHARE = (
    f"sum(given.times * given.rarity * w.weight * {SATURATION + 1} / (w.weight + {SATURATION} * "
    f"({1 - LENGTH_SHARE} + {LENGTH_SHARE} * w.tokens / given.average)))"
)
_RANKED = f"""
WITH words AS MATERIALIZED (
    SELECT s.shelf, s.memories, 1.0 * s.tokens / s.memories AS average,
           given.value ->> 0 AS word, given.value ->> 1 AS times, given.value ->> 2 AS leads
    FROM text_statistics s CROSS JOIN json_each(?) given WHERE s.namespace = ? AND s.aside = ? AND s.memories > 0
), begun AS MATERIALIZED (
    SELECT *, (SELECT count(*) FROM (SELECT 1 {_OF_WORD} LIMIT {MAX_FREQUENCY})) AS begun FROM words given
), counted AS MATERIALIZED (
    SELECT *, begun * CASE WHEN begun < {MAX_FREQUENCY} THEN 1 ELSE
        ((SELECT o.memory_seq {_OF_WORD} DESC LIMIT 1) - (SELECT o.memory_seq {_OF_WORD} LIMIT 1) + 1.0) / (
        (SELECT o.memory_seq {_OF_WORD} LIMIT 1 OFFSET {MAX_FREQUENCY - 1}) -
        (SELECT o.memory_seq {_OF_WORD} LIMIT 1) + 1) END AS frequency,
        CASE WHEN begun < {MAX_FREQUENCY} THEN 0 ELSE
        coalesce((SELECT o.memory_seq {_OF_WORD} DESC LIMIT 1 OFFSET {MOST_READ - 1}), 0) END AS oldest
    FROM begun given
), weighed AS MATERIALIZED (
    SELECT *, max({LEAST}, natural_log(max(0.5, memories - frequency + 0.5) / (frequency + 0.5))) AS rarity FROM counted
), found AS MATERIALIZED (
    SELECT w.memory_seq AS seq, {_SHARE} AS score FROM weighed given CROSS JOIN postings w
    ON w.shelf = given.shelf AND w.word = given.word AND w.memory_seq >= given.oldest
    WHERE given.leads GROUP BY w.memory_seq
), ranked AS (
    SELECT found.seq, found.score + coalesce((SELECT {_SHARE} FROM weighed given CROSS JOIN postings w
    ON w.shelf = given.shelf AND w.word = given.word AND w.memory_seq = found.seq WHERE NOT given.leads), 0) AS score
    FROM found
)
"""
"""Words that lead find memories, the newest MOST_READ of each; the others are only looked up in these.

How often a word occurs in more than MAX_FREQUENCY is estimated by how far its first ones reach.
"""


async def candidates(
    sqlite: Sqlite, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Implement `MemoriesRepository.text_candidates`."""
    return await best_by_words(sqlite.words.stems, partial(_best_of, sqlite), namespace, words, where, now, limit)


async def _best_of(sqlite: Sqlite, asked: OfShelf) -> list[Candidate]:
    times, leads, limit = asked.times, asked.leads, asked.limit
    passing = predicates.for_memories(asked.namespace, asked.where, asked.now)
    words = [[word, count, int(word in leads)] for word, count in times.items()]
    given = (as_json(words), asked.namespace, int(asked.aside))
    found: list[Candidate] = []
    for depth in (-1,) if asked.is_narrow else (DEPTH * limit, -1):
        rows = await sqlite.read(
            f"{_RANKED}, best AS MATERIALIZED (SELECT seq, score FROM ranked ORDER BY score DESC, seq DESC LIMIT ?) "
            "SELECT m.id, best.score, (SELECT count(*) FROM best) AS looked_up FROM best "
            f"CROSS JOIN memories m ON m.seq = best.seq WHERE {passing.sql} LIMIT ?",
            (*given, depth, *passing.parameters, limit),
        )
        found = [Candidate(row["id"], row["score"]) for row in rows]
        if len(found) == limit or (rows and rows[0]["looked_up"] < depth):
            break
    return found


async def frequencies(sqlite: Sqlite, namespace: str, words: Sequence[str], *, with_aside: bool) -> WordFrequencies:
    """Implement `MemoriesRepository.frequencies`."""
    stems = await asyncio.to_thread(sqlite.words.stems, words)
    given = [(word, *of_word[:1]) for word, of_word in zip(words, stems, strict=True) if of_word]
    rows = await sqlite.read(
        # The outer join gives the number of memories even where there are no words.
        "WITH shelves AS MATERIALIZED (SELECT shelf, memories FROM text_statistics WHERE namespace = ? AND aside <= ?) "
        "SELECT (SELECT coalesce(sum(memories), 0) FROM shelves) AS memories, given.value ->> 0 AS word, "
        "(SELECT count(*) FROM (SELECT 1 FROM shelves CROSS JOIN postings w ON w.shelf = shelves.shelf "
        "AND w.word = given.value ->> 1 LIMIT ?)) AS frequency FROM (SELECT 1) LEFT JOIN json_each(?) given",
        (namespace, int(with_aside), MAX_FREQUENCY, as_json(given)),
    )
    counts = dict.fromkeys(words, 0) | {row["word"]: row["frequency"] for row in rows if row["word"] is not None}
    return WordFrequencies(counts, rows[0]["memories"], MAX_FREQUENCY, with_aside)


async def words_beginning(sqlite: Sqlite, namespace: str, beginning: str, limit: int) -> list[str]:
    """Implement `repositories.memories.TextSearch`."""
    rows = await sqlite.read(
        "SELECT DISTINCT near.word FROM (SELECT w.word FROM text_statistics s CROSS JOIN postings w "
        "ON w.shelf = s.shelf AND w.word >= ?1 AND w.word < ?1 || char(1114111) "
        "WHERE s.namespace = ?3 AND s.aside = 0 LIMIT ?2) near ORDER BY near.word",
        (beginning, limit, namespace),
    )
    return [row["word"] for row in rows]


async def longer_words(sqlite: Sqlite, namespace: str, words: Sequence[str]) -> list[Row]:
    """Implement `repositories.searched_memories.TextSearch`."""
    return await sqlite.read(
        # From one word of a shelf to the next, however many memories have it.
        "WITH RECURSIVE long (shelf, word) AS ("
        "SELECT s.shelf, (SELECT min(c.word) FROM compounds c WHERE c.shelf = s.shelf) "
        "FROM text_statistics s WHERE s.namespace = ? UNION ALL SELECT long.shelf, "
        "(SELECT min(c.word) FROM compounds c WHERE c.shelf = long.shelf AND c.word > long.word) "
        "FROM long WHERE long.word IS NOT NULL) "
        "SELECT given.value AS word, long.word AS longer FROM (SELECT DISTINCT word FROM long) long "
        "JOIN json_each(?) given ON instr(long.word, given.value) OR instr(given.value, long.word) "
        "ORDER BY length(long.word), long.word",
        (namespace, as_json(list(words))),
    )
