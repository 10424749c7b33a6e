"""Memories that contain exact terms as written: the index finds those with all their words, the text itself decides."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from ...modules.memory.exact_terms import ExactTerm
from ...modules.memory.models import Candidate, MemoryFilter
from ...modules.text.scripts import indexed_words, normal_form
from ..engine.exact_match import LOOKED_THROUGH, MIN_PREFIX, WEAK_WEIGHT, match
from ..engine.ports import Row
from ..repositories import predicates
from .database import Postgres

READ_AT_MOST = 4
"""How many memories with the words are read, as a multiple of those that are wanted."""
_SHELVES = (
    "(SELECT 2 * n.number + given.aside AS shelf FROM namespaces n, (VALUES (0), (1)) given (aside) WHERE n.id = ?)"
)
"""OFFSET in what is asked of each keeps the planner from reading all words of a store."""
_LAST = "\U0010ffff"


async def candidates(
    postgres: Postgres, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
) -> list[Candidate]:
    """Implement `MemoryRepository.identifier_candidates`."""
    chosen = predicates.for_memories(namespace, where, now)
    scores: dict[str, float] = {}
    places: dict[str, int] = {}
    weights = 0.0
    for identifier in identifiers:
        found = await _containing(postgres, namespace, identifier.text, chosen, max(limit, LOOKED_THROUGH))
        weight = 1.0 if identifier.strong else WEAK_WEIGHT
        weights += weight if found else 0.0
        for row in found:
            scores[row["id"]] = scores.get(row["id"], 0.0) + weight * match(identifier.text, row["content"])
            places[row["id"]] = row["seq"]
    best = sorted(scores, key=lambda memory_id: (-scores[memory_id], -places[memory_id]))[:limit]
    return [Candidate(memory_id, scores[memory_id] / weights) for memory_id in best]


async def _containing(
    postgres: Postgres, namespace: str, term: str, chosen: predicates.Predicates, limit: int
) -> list[Row]:
    """Return the newest memories that contain a term in any case.

    Where no memory has the term's words, the last word may be a prefix (`TokenBucketLimiter`).
    """
    inside, form = indexed_words(term), normal_form(term)
    if not inside:
        return []
    stems = await asyncio.to_thread(postgres.words.stems, [" ".join(inside)])
    words = list(dict.fromkeys(stems[0]))
    if not words:
        return []
    conditions = [("w.word = ?", [words[-1]])]
    if len(inside[-1]) >= MIN_PREFIX and form.endswith(inside[-1]):
        conditions.append(("w.word >= ? AND w.word < ?", [words[-1], words[-1] + _LAST]))
    for condition, given in conditions:
        others = (
            "AND EXISTS (SELECT 1 FROM memory_words o WHERE o.shelf = w.shelf AND o.word = ? AND o.memory_seq = m.seq) "
        )
        rows = await postgres.read(
            f"SELECT DISTINCT m.seq, m.id, m.content FROM {_SHELVES} s CROSS JOIN LATERAL "
            f"(SELECT w.memory_seq, w.shelf FROM memory_words w WHERE w.shelf = s.shelf AND {condition} OFFSET 0) w "
            f"JOIN memories m ON m.seq = w.memory_seq WHERE {chosen.sql} {others * (len(words) - 1)} "
            "ORDER BY m.seq DESC LIMIT ?",
            (namespace, *given, *chosen.parameters, *words[:-1], READ_AT_MOST * limit),
        )
        found = await asyncio.to_thread(_having, form, rows)
        if found:
            return found[:limit]
    return []


def _having(form: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if form in normal_form(row["content"])]
