"""Memories that have the words of a query: the text index ranks them by BM25, and counts words."""

from collections.abc import Sequence
from datetime import datetime

from ...modules.memory.models import Candidate, MemoryFilter, WordFrequencies
from ..repositories import predicates
from ..repositories.memory_rows import as_json
from . import text_index
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
    for index in text_index.indexes(with_aside=not where.without_aside):
        best += await _best_in(sqlite, index, namespace, words, where, now, limit)
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


async def _expressions(sqlite: Sqlite, index: str, words: WordFrequencies, limit: int) -> list[str]:
    """Return FTS5 expressions for words, to be tried in order until there are enough matches; none for no words."""
    if not words.counts:
        return []
    if words.memories <= text_index.MAX_MATCHES:
        return [text_index.expression(list(words.counts))]
    plan = text_index.plan([(word, frequency) for word, frequency in words.counts.items() if frequency])
    return plan.expressions(await _counted(sqlite, index, plan.conjunctions), limit)


async def _counted(sqlite: Sqlite, index: str, expressions: Sequence[str]) -> dict[str, int]:
    """Return how many memories match each expression."""
    if not expressions:
        return {}
    rows = await sqlite.read(
        f"SELECT given.value, (SELECT count(*) FROM {index} WHERE {index} MATCH given.value) AS matches "
        "FROM json_each(?) given",
        (as_json(list(expressions)),),
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
    counted = " + ".join(
        f"(SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {index} MATCH {_QUOTED} LIMIT ?1))"
        for index in text_index.indexes(with_aside=with_aside)
    )
    aside = f"(SELECT count(*) FROM memories m WHERE {predicates.ASIDE})"
    left_out = 0 if with_aside else aside
    rows = await sqlite.read(
        # The outer join gives the number of memories even where there are no words.
        f"SELECT total.memories, given.value, min({counted}, ?1) AS frequency "
        f"FROM (SELECT count(*) - {left_out} AS memories FROM memories) total LEFT JOIN json_each(?2) given",
        (text_index.MAX_FREQUENCY, as_json(list(words))),
    )
    counts = {row["value"]: row["frequency"] for row in rows if row["value"] is not None}
    return WordFrequencies(counts, rows[0]["memories"], text_index.MAX_FREQUENCY, with_aside)


async def absent_words(sqlite: Sqlite, namespace: str, words: WordFrequencies) -> tuple[frozenset[str], int]:
    """Implement `MemoryRepository.absent_words`."""
    nowhere = [word for word, count in words.counts.items() if not count]
    seldom = [word for word, count in words.counts.items() if 0 < count < text_index.COMMON]
    aside = f"(SELECT count(*) FROM memories m WHERE {predicates.ASIDE} AND m.namespace = ?1)"
    left_out = 0 if words.with_aside else aside
    # CROSS JOIN keeps the order: from the matches to their rows, of which the index alone is read.
    occurs = " OR ".join(
        f"EXISTS (SELECT 1 FROM (SELECT rowid AS seq FROM {index} WHERE {index} MATCH {_QUOTED}) found "
        "CROSS JOIN memories m INDEXED BY memories_by_namespace ON m.namespace = ?1 AND m.seq = found.seq)"
        for index in text_index.indexes(with_aside=words.with_aside)
    )
    rows = await sqlite.read(
        f"SELECT counted.memories, given.value FROM (SELECT count(*) - {left_out} AS memories "
        f"FROM (SELECT 1 FROM memories WHERE namespace = ?1 LIMIT ?2 + {left_out})) counted "
        f"LEFT JOIN json_each(?3) given ON NOT ({occurs})",
        (namespace, text_index.MAX_FREQUENCY, as_json(seldom)),
    )
    elsewhere = [row["value"] for row in rows if row["value"] is not None]
    return frozenset([*nowhere, *elsewhere]), rows[0]["memories"]


async def longer_words(sqlite: Sqlite, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
    """Implement `MemoryRepository.longer_words`."""
    rows = await sqlite.read(
        "SELECT given.value AS word, long.word AS longer FROM (SELECT DISTINCT word FROM compounds) long "
        "JOIN json_each(?) given ON instr(long.word, given.value) OR instr(given.value, long.word) "
        "WHERE EXISTS (SELECT 1 FROM compounds c CROSS JOIN memories m ON m.seq = c.memory_seq "
        "WHERE c.word = long.word AND m.namespace = ?) ORDER BY length(long.word), long.word",
        (as_json(list(words)), namespace),
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["word"], []).append(row["longer"])
    return {word: longer[:limit] for word, longer in found.items()}
