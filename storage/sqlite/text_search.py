"""Memories that have the words of a query: the text index ranks them by BM25, and counts words."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from ...modules.memory.models import Candidate, MemoryFilter, WordFrequencies
from ..engine.ports import Row
from ..repositories import predicates
from ..repositories.memory_rows import as_json
from . import namespace_scores, own_words, text_index
from .database import Sqlite

_QUOTED = "'\"' || replace(coalesce(given.value, ''), '\"', '\"\"') || '\"'"
"""The FTS5 expression for a given word."""
LOOKED_UP = 4
"""The first look-up's depth as a multiple of the limit, as filters and other namespaces take matches away."""
FEW = 10_000
"""If at most so many memories pass a filter, only they are searched, which takes about 20 ms."""


async def candidates(
    sqlite: Sqlite, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Implement `MemoryRepository.text_candidates`."""
    best: list[Candidate] = []
    best_in = _best_in
    if not words.is_alone:
        is_small = await own_words.suffice(sqlite, namespace, with_aside=not where.without_aside)
        best_in = _best_of_own if is_small else _best_among_others
    for index in text_index.indexes(with_aside=not where.without_aside):
        best += await best_in(sqlite, index, namespace, words, where, now, limit)
    return sorted(best, key=lambda candidate: -candidate.score)


async def _best_in(
    sqlite: Sqlite, index: str, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    if words.counts and not where.is_empty:
        of_few = await _matches_of_few(sqlite, index, namespace, words, where, now, limit)
        if of_few is not None:
            return of_few
    found: list[Candidate] = []
    for expression in await _expressions(sqlite, index, words, limit):
        found = await _matches(sqlite, index, namespace, expression, where, now, limit)
        if len(found) == limit:
            break
    return found


async def _best_of_own(
    sqlite: Sqlite, index: str, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Return what `_best_among_others` would, by reading the namespace instead of what all have of the words."""
    if not words.counts:
        return []
    rows = await own_words.texts(sqlite, index, _passing(index, namespace, where, now))
    best = await asyncio.to_thread(own_words.ranked, rows, text_index.expression(list(words.counts)))
    return [Candidate(*one) for one in best[:limit]]


async def _best_among_others(
    sqlite: Sqlite, index: str, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Return what `_best_in` would if the index held nothing of other namespaces."""
    expressions: list[str] = []
    if words.counts and not where.is_empty:
        chosen = _passing(index, namespace, where, now, tags_lead=True)
        sample = f"SELECT 1 FROM memories m WHERE {chosen.sql} LIMIT ?"
        [passing] = await sqlite.read(f"SELECT count(*) FROM ({sample})", (*chosen.parameters, FEW + 1))
        if passing[0] <= FEW:
            expressions = [text_index.expression(list(words.counts))]
    found: list[Candidate] = []
    for expression in expressions or await _expressions(sqlite, index, words, limit, namespace):
        found = await _matches_among_others(sqlite, index, namespace, expression, where, now, limit)
        if len(found) == limit:
            break
    return found


async def _matches_among_others(
    sqlite: Sqlite, index: str, namespace: str, expression: str, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    words = await asyncio.to_thread(namespace_scores.as_indexed, text_index.words_in(expression))
    chosen = _passing(index, namespace, where, now)
    matching = (
        f"SELECT m.seq FROM (SELECT rowid AS seq FROM {index} WHERE {index} MATCH ?) matching "
        f"CROSS JOIN memories m ON m.seq = matching.seq WHERE {chosen.sql}"
    )
    rows = await sqlite.read(
        f"SELECT m.id, best.score FROM ({namespace_scores.scored(index, matching)} "
        "ORDER BY score DESC, found.seq DESC LIMIT ?) best JOIN memories m ON m.seq = best.seq "
        "ORDER BY best.score DESC, best.seq DESC",
        (namespace, int(index == text_index.ASIDE), words, namespace, expression, *chosen.parameters, limit),
    )
    return [Candidate(row["id"], row["score"]) for row in rows]


async def _expressions(
    sqlite: Sqlite, index: str, words: WordFrequencies, limit: int, namespace: str | None = None
) -> list[str]:
    """Return FTS5 expressions for words, to be tried in order until there are enough matches; none for no words.

    With a `namespace`, matches are counted in that one; else in the whole index.
    """
    if not words.counts:
        return []
    if words.memories <= text_index.MAX_MATCHES:
        return [text_index.expression(list(words.counts))]
    plan = text_index.plan([(word, frequency) for word, frequency in words.counts.items() if frequency])
    return plan.expressions(await _counted(sqlite, index, plan.conjunctions, namespace), limit)


async def _counted(sqlite: Sqlite, index: str, expressions: Sequence[str], namespace: str | None) -> dict[str, int]:
    """Return how many memories match each expression."""
    if not expressions:
        return {}
    within = "" if namespace is None else "CROSS JOIN memories m ON m.seq = found.seq AND m.namespace = ?"
    rows = await sqlite.read(
        f"SELECT given.value, (SELECT count(*) FROM (SELECT rowid AS seq FROM {index} WHERE {index} MATCH given.value) "
        f"found {within}) AS matches FROM json_each(?) given",
        (*([] if namespace is None else [namespace]), as_json(list(expressions))),
    )
    return {row["value"]: row["matches"] for row in rows}


async def _matches_of_few(
    sqlite: Sqlite, index: str, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate] | None:
    """Return the best matches of any word among the memories that pass a filter; None if more than FEW pass."""
    chosen = _passing(index, namespace, where, now, tags_lead=True)
    rows = await sqlite.read(
        # The + keeps FTS5 from being asked once for each memory that passes.
        f"WITH passing (seq) AS MATERIALIZED (SELECT m.seq FROM memories m WHERE {chosen.sql} LIMIT ?) "
        "SELECT m.id, best.score, counted.passing FROM (SELECT count(*) AS passing FROM passing) counted "
        f"LEFT JOIN (SELECT rowid AS seq, {text_index.score(index)} AS score FROM {index} "
        f"WHERE {index} MATCH ? AND (SELECT count(*) FROM passing) <= ? AND +rowid IN (SELECT seq FROM passing) "
        "ORDER BY score DESC, rowid DESC LIMIT ?) best LEFT JOIN memories m ON m.seq = best.seq "
        "ORDER BY best.score DESC, best.seq DESC",
        (*chosen.parameters, FEW + 1, text_index.expression(list(words.counts)), FEW, limit),
    )
    if rows[0]["passing"] > FEW:
        return None
    return [Candidate(row["id"], row["score"]) for row in rows if row["id"] is not None]


async def _matches(
    sqlite: Sqlite, index: str, namespace: str, expression: str, where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Return the best matches of an expression: the text index alone ranks, then the best rows are looked up.

    Where a filter leaves too few of those, only what passes it is ranked, which costs more.
    """
    chosen = _passing(index, namespace, where, now)
    ranked = f"SELECT rowid AS seq, {text_index.score(index)} AS score FROM {index} WHERE {index} MATCH ?"
    depth = LOOKED_UP * limit
    best = await sqlite.read(
        f"SELECT (SELECT m.id FROM memories m WHERE m.seq = best.seq AND {chosen.sql}) AS id, best.score FROM "
        f"({ranked} ORDER BY score DESC, rowid DESC LIMIT ?) best ORDER BY best.score DESC, best.seq DESC",
        (*chosen.parameters, expression, depth),
    )
    passing = [Candidate(row["id"], row["score"]) for row in best if row["id"] is not None]
    if len(passing) >= limit or len(best) < depth:
        return passing[:limit]
    # The + keeps FTS5 from being asked once for each memory that passes.
    rows = await sqlite.read(
        f"SELECT m.id, best.score FROM ({ranked} AND +rowid IN "
        f"(SELECT m.seq FROM memories m WHERE {chosen.sql}) ORDER BY score DESC, rowid DESC LIMIT ?) best "
        "JOIN memories m ON m.seq = best.seq ORDER BY best.score DESC, best.seq DESC",
        (expression, *chosen.parameters, limit),
    )
    return [Candidate(row["id"], row["score"]) for row in rows]


def _passing(
    index: str, namespace: str, where: MemoryFilter, now: datetime, *, tags_lead: bool = False
) -> predicates.Predicates:
    """Return the predicates of a filter for one of the text indexes; for ASIDE, limited to the memories in it."""
    chosen = predicates.for_memories(namespace, where, now, tags_lead=tags_lead)
    if index == text_index.ASIDE:
        chosen.add(predicates.ASIDE)
    return chosen


async def frequencies(sqlite: Sqlite, namespace: str, words: Sequence[str], *, with_aside: bool) -> WordFrequencies:
    """Implement `MemoryRepository.frequencies`."""
    indexes = text_index.indexes(with_aside=with_aside)
    [[held, is_alone]] = await sqlite.read(
        "SELECT coalesce(sum(memories) FILTER (WHERE namespace = ?1 AND aside <= ?2), 0), "
        "coalesce(sum(memories) FILTER (WHERE namespace <> ?1), 0) = 0 FROM text_statistics",
        (namespace, int(with_aside)),
    )
    if not is_alone and await own_words.suffice(sqlite, namespace, with_aside=with_aside):
        everything = predicates.Predicates(["m.namespace = ?"], [namespace])
        own = [row for index in indexes for row in await own_words.texts(sqlite, index, everything)]
        found = await asyncio.to_thread(own_words.counts, own, words) if words else {}
        return WordFrequencies(found, held, text_index.MAX_FREQUENCY, with_aside, is_alone=False)
    anywhere = " + ".join(
        f"(SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {index} MATCH {_QUOTED} LIMIT ?1))" for index in indexes
    )
    within = " + ".join(
        f"(SELECT count(*) FROM (SELECT 1 FROM (SELECT rowid AS seq FROM {index} WHERE {index} MATCH {_QUOTED}) found "
        "CROSS JOIN memories m INDEXED BY memories_by_namespace ON m.namespace = ?3 AND m.seq = found.seq LIMIT ?1))"
        for index in indexes
    )
    rows = await sqlite.read(
        # The outer join gives the number of memories even where there are no words.
        "SELECT total.memories, total.is_alone, given.value, "
        f"min(CASE WHEN total.is_alone THEN {anywhere} ELSE {within} END, ?1) AS frequency FROM ("
        "SELECT coalesce(sum(memories) FILTER (WHERE namespace = ?3 AND aside <= ?4), 0) AS memories, "
        "coalesce(sum(memories) FILTER (WHERE namespace <> ?3), 0) = 0 AS is_alone FROM text_statistics) total "
        "LEFT JOIN json_each(?2) given",
        (text_index.MAX_FREQUENCY, as_json(list(words)), namespace, int(with_aside)),
    )
    counts = {row["value"]: row["frequency"] for row in rows if row["value"] is not None}
    alone = bool(rows[0]["is_alone"])
    return WordFrequencies(counts, rows[0]["memories"], text_index.MAX_FREQUENCY, with_aside, alone)


async def words_beginning(sqlite: Sqlite, namespace: str, beginning: str, limit: int) -> list[str]:
    """Implement `repositories.memories.TextSearch`."""
    rows = await sqlite.read(
        "SELECT DISTINCT m.term FROM (SELECT v.term, v.doc FROM memory_text_words v "
        "WHERE v.term >= ?1 AND v.term < ?1 || char(1114111) LIMIT ?2) m "
        "JOIN memories ON memories.seq = m.doc AND memories.namespace = ?3 ORDER BY m.term",
        (beginning, limit, namespace),
    )
    return [row["term"] for row in rows]


async def longer_words(sqlite: Sqlite, namespace: str, words: Sequence[str]) -> list[Row]:
    """Implement `repositories.searched_memories.TextSearch`."""
    return await sqlite.read(
        # From one word to the next, however many memories have it.
        "WITH RECURSIVE long (word) AS (SELECT min(word) FROM compounds UNION ALL SELECT "
        "(SELECT min(c.word) FROM compounds c WHERE c.word > long.word) FROM long WHERE long.word IS NOT NULL) "
        "SELECT given.value AS word, long.word AS longer FROM long "
        "JOIN json_each(?) given ON instr(long.word, given.value) OR instr(given.value, long.word) "
        "WHERE EXISTS (SELECT 1 FROM compounds c CROSS JOIN memories m ON m.seq = c.memory_seq "
        "WHERE c.word = long.word AND m.namespace = ?) ORDER BY length(long.word), long.word",
        (as_json(list(words)), namespace),
    )
