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
from .database import Postgres

_SHELF = "(SELECT 2 * n.number + CAST(? AS integer) FROM namespaces n WHERE n.id = ?)"
_OF_WORD = "FROM memory_words o WHERE o.shelf = shelf.shelf AND o.word = given.word"
_GIVEN = f"""
WITH shelf AS MATERIALIZED (
    SELECT s.shelf, s.memories, 1.0::float8 * s.tokens / s.memories AS average FROM text_statistics s
    WHERE s.shelf = {_SHELF} AND s.memories > 0
), given AS MATERIALIZED (
    SELECT * FROM unnest(?::text[], ?::integer[], ?::boolean[]) AS given (word, times, leads)
), found AS MATERIALIZED (
    SELECT w.memory_seq AS seq, w.word, w.weight, w.tokens, given.times
    FROM given CROSS JOIN shelf CROSS JOIN LATERAL (
        SELECT o.memory_seq, o.word, o.weight, o.tokens {_OF_WORD} ORDER BY o.memory_seq DESC LIMIT {MOST_READ}
    ) w WHERE given.leads
"""
_LOOKED_UP = f"""
), places AS MATERIALIZED (
    SELECT * FROM found UNION ALL SELECT w.memory_seq, w.word, w.weight, w.tokens, given.times
    FROM given CROSS JOIN shelf CROSS JOIN (SELECT DISTINCT seq FROM found) any_of CROSS JOIN LATERAL (
        SELECT o.memory_seq, o.word, o.weight, o.tokens {_OF_WORD} AND o.memory_seq = any_of.seq OFFSET 0
    ) w WHERE NOT given.leads
"""
_RANKED = f"""
), rarity AS MATERIALIZED (
    SELECT word, greatest({LEAST}, ln(greatest(0.5, memories - frequency + 0.5) / (frequency + 0.5))::float8) AS value
    FROM (
        SELECT given.word, shelf.memories, few.count * CASE WHEN few.count < {MAX_FREQUENCY} THEN 1
            ELSE (newest.seq - few.first + 1)::float8 / (few.last - few.first + 1) END AS frequency
        FROM given CROSS JOIN shelf CROSS JOIN LATERAL (
            SELECT count(*) AS count, min(memory_seq) AS first, max(memory_seq) AS last
            FROM (SELECT o.memory_seq {_OF_WORD} ORDER BY o.memory_seq LIMIT {MAX_FREQUENCY}) begun
        ) few CROSS JOIN LATERAL (SELECT o.memory_seq AS seq {_OF_WORD} ORDER BY o.memory_seq DESC LIMIT 1) newest
    ) counted
), ranked AS (
    SELECT p.seq, sum(p.times * r.value * p.weight * {SATURATION + 1}::float8 / (p.weight + {SATURATION}::float8 * (
        {1 - LENGTH_SHARE}::float8 + {LENGTH_SHARE}::float8 * p.tokens / shelf.average))) AS score
    FROM {{places}} p JOIN rarity r ON r.word = p.word CROSS JOIN shelf GROUP BY p.seq
)
"""
"""Words that lead find memories, the newest MOST_READ of each; the others are only looked up in these.

How often a word occurs in more than MAX_FREQUENCY is estimated by how far its first ones reach. OFFSET and LIMIT keep
the planner from reading a whole shelf for a few words: it takes each for one of average size.
"""


async def candidates(
    postgres: Postgres, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Implement `MemoriesRepository.text_candidates`."""
    return await best_by_words(postgres.words.stems, partial(_best_of, postgres), namespace, words, where, now, limit)


async def _best_of(postgres: Postgres, asked: OfShelf) -> list[Candidate]:
    times, leads, limit = asked.times, asked.leads, asked.limit
    passing = predicates.for_memories(asked.namespace, asked.where, asked.now)
    found: list[Candidate] = []
    given = (int(asked.aside), asked.namespace, list(times), list(times.values()), [word in leads for word in times])
    is_led = len(leads) < len(times)
    ranked = _GIVEN + (_LOOKED_UP if is_led else "") + _RANKED.format(places="places" if is_led else "found")
    for depth in (None,) if asked.is_narrow else (DEPTH * limit, None):
        within = "" if depth is None else "ORDER BY score DESC, seq DESC LIMIT ?"
        rows = await postgres.read(
            f"{ranked}, best AS MATERIALIZED (SELECT seq, score FROM ranked {within}) "
            "SELECT m.id, best.score, (SELECT count(*) FROM best) AS looked_up FROM best "
            "JOIN memories m ON m.seq = best.seq "
            f"WHERE {passing.sql} ORDER BY best.score DESC, best.seq DESC LIMIT ?",
            (*given, *([] if depth is None else [depth]), *passing.parameters, limit),
        )
        found = [Candidate(row["id"], row["score"]) for row in rows]
        if len(found) == limit or (rows and depth is not None and rows[0]["looked_up"] < depth):
            break
    return found


async def frequencies(postgres: Postgres, namespace: str, words: Sequence[str], *, with_aside: bool) -> WordFrequencies:
    """Implement `MemoriesRepository.frequencies`."""
    stems = await asyncio.to_thread(postgres.words.stems, words)
    flat = [(word, stem) for word, of_word in zip(words, stems, strict=True) for stem in of_word[:1]]
    rows = await postgres.read(
        "WITH shelves AS MATERIALIZED (SELECT 2 * n.number + aside.value AS shelf FROM namespaces n "
        "CROSS JOIN (VALUES (0), (1)) AS aside (value) WHERE n.id = ?1 AND aside.value <= ?2), "
        "total AS (SELECT coalesce(sum(s.memories), 0) AS memories FROM text_statistics s "
        "WHERE s.shelf IN (SELECT shelf FROM shelves)) "
        "SELECT total.memories, given.word, (SELECT count(*) FROM (SELECT 1 FROM shelves JOIN memory_words w "
        "ON w.shelf = shelves.shelf AND w.word = given.stem LIMIT ?3) found) AS frequency "
        "FROM total LEFT JOIN unnest(?4::text[], ?5::text[]) AS given (word, stem) ON TRUE",
        (namespace, int(with_aside), MAX_FREQUENCY, [word for word, _ in flat], [stem for _, stem in flat]),
    )
    counts = dict.fromkeys(words, 0) | {row["word"]: row["frequency"] for row in rows if row["word"] is not None}
    return WordFrequencies(counts, rows[0]["memories"], MAX_FREQUENCY, with_aside)


async def words_beginning(postgres: Postgres, namespace: str, beginning: str, limit: int) -> list[str]:
    """Implement `repositories.memories.TextSearch`."""
    rows = await postgres.read(
        "SELECT DISTINCT near.word FROM (SELECT w.word FROM memory_words w JOIN namespaces n ON n.id = ? "
        "AND w.shelf = 2 * n.number WHERE w.word >= ? AND w.word < ? LIMIT ?) near ORDER BY near.word",
        (namespace, beginning, beginning + chr(0x10FFFF), limit),
    )
    return [row["word"] for row in rows]


async def longer_words(postgres: Postgres, namespace: str, words: Sequence[str]) -> list[Row]:
    """Implement `repositories.searched_memories.TextSearch`."""
    return await postgres.read(
        "SELECT given.value AS word, long.word AS longer FROM (SELECT DISTINCT c.word FROM compounds c "
        "JOIN namespaces n ON n.id = ? AND c.shelf IN (2 * n.number, 2 * n.number + 1)) long "
        "JOIN json_texts(?) given ON strpos(long.word, given.value) > 0 OR strpos(given.value, long.word) > 0 "
        "ORDER BY length(long.word), long.word",
        (namespace, as_json(list(words))),
    )
