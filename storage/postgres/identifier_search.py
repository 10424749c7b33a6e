"""Memories that contain exact terms as written: the index finds those with all their words, the text itself decides."""

import asyncio
from datetime import datetime

from ...modules.memory.models import MemoryFilter
from ..engine.exact_match import READ_AT_MOST, Matches, having, looked_up_by
from ..repositories import predicates
from .database import Postgres

_SHELVES = (
    "(SELECT 2 * n.number + given.aside AS shelf FROM namespaces n, (VALUES (0), (1)) given (aside) WHERE n.id = ?)"
)
"""OFFSET in what is asked of each keeps the planner from reading all words of a store."""


async def containing(
    postgres: Postgres, namespace: str, term: str, where: MemoryFilter, now: datetime, limit: int
) -> Matches:
    """Implement `repositories.searched_memories.IdentifierSearch`."""
    chosen = predicates.for_memories(namespace, where, now)
    before, conditions = await looked_up_by(term, postgres.words.stems)
    for condition, given in conditions:
        others = (
            "AND EXISTS (SELECT 1 FROM memory_words o WHERE o.shelf = w.shelf AND o.word = ? AND o.memory_seq = m.seq) "
        )
        rows = await postgres.read(
            f"SELECT DISTINCT m.seq, m.id, m.content FROM {_SHELVES} s CROSS JOIN LATERAL "
            f"(SELECT w.memory_seq, w.shelf FROM memory_words w WHERE w.shelf = s.shelf AND {condition} OFFSET 0) w "
            f"JOIN memories m ON m.seq = w.memory_seq WHERE {chosen.sql} {others * len(before)} "
            "ORDER BY m.seq DESC LIMIT ?",
            (namespace, *given, *chosen.parameters, *before, READ_AT_MOST * limit),
        )
        found = await asyncio.to_thread(having, term, rows, limit)
        if found:
            return found
    return {}
