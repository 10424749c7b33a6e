"""Memories that contain exact terms as written: the text index finds the words in a row, the text itself decides."""

from collections.abc import Sequence
from datetime import datetime

from ...modules.memory.exact_terms import ExactTerm
from ...modules.memory.models import Candidate, MemoryFilter
from ...modules.text.scripts import indexed_words, normal_form
from ..engine.exact_match import LOOKED_THROUGH, MIN_PREFIX, WEAK_WEIGHT, match
from ..repositories import predicates
from . import text_index
from .database import Sqlite


async def candidates(
    sqlite: Sqlite, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Implement `MemoryRepository.identifier_candidates`."""
    chosen = predicates.for_memories(namespace, where, now)
    indexes = text_index.indexes(with_aside=not where.without_aside)
    scores: dict[str, float] = {}
    places: dict[str, int] = {}
    weights = 0.0
    for identifier in identifiers:
        found = await _containing(sqlite, indexes, identifier.text, chosen, max(limit, LOOKED_THROUGH))
        weight = 1.0 if identifier.strong else WEAK_WEIGHT
        weights += weight if found else 0.0
        for memory_id, (seq, score) in found.items():
            scores[memory_id] = scores.get(memory_id, 0.0) + weight * score
            places[memory_id] = seq
    best = sorted(scores, key=lambda memory_id: (-scores[memory_id], -places[memory_id]))[:limit]
    return [Candidate(memory_id, scores[memory_id] / weights) for memory_id in best]


async def _containing(
    sqlite: Sqlite, indexes: Sequence[str], term: str, chosen: predicates.Predicates, limit: int
) -> dict[str, tuple[int, float]]:
    """Return the memories that contain a term in any case, each with its number and the match's score.

    Where no memory has the term's words in a row, the last word may be a prefix (`TokenBucketLimiter`).
    """
    inside, form = indexed_words(term), normal_form(term)
    if not inside:
        return {}
    phrase = f'"{" ".join(inside)}"'
    expressions = [phrase]
    if len(inside[-1]) >= MIN_PREFIX and form.endswith(inside[-1]):
        expressions.append(f"{phrase} *")
    for expression in expressions:
        found: dict[str, tuple[int, float]] = {}
        for index in indexes:
            some = await _matches(sqlite, index, expression, term, "form_of(m.content)", form, chosen, limit)
            if len(some) == limit:  # there may be older ones that have it as written
                some |= await _matches(sqlite, index, expression, term, "m.content", term, chosen, limit)
            found |= some
        if found:
            return found
    return {}


async def _matches(
    sqlite: Sqlite,
    index: str,
    expression: str,
    term: str,
    text: str,
    wanted: str,
    chosen: predicates.Predicates,
    limit: int,
) -> dict[str, tuple[int, float]]:
    rows = await sqlite.read(
        # CROSS keeps SQLite from asking the text index once for each memory that passes.
        f"SELECT m.seq, m.id, m.content FROM {index} CROSS JOIN memories m ON m.seq = {index}.rowid "
        f"WHERE {index} MATCH ? AND {chosen.sql} AND instr({text}, ?) ORDER BY {index}.rowid DESC LIMIT ?",
        (f"content : {expression}", *chosen.parameters, wanted, limit),
    )
    return {row["id"]: (row["seq"], match(term, row["content"])) for row in rows}
