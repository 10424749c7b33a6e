"""Memories that contain exact terms as written: the index finds those with all their words, the text itself decides."""

import asyncio
from datetime import datetime

from ...modules.memory.models import MemoryFilter
from ...modules.text.scripts import indexed_words, normal_form
from ..engine.exact_match import MIN_PREFIX, READ_AT_MOST, Matches, having
from ..repositories import predicates
from .database import Postgres

_SHELVES = (
    "(SELECT 2 * n.number + given.aside AS shelf FROM namespaces n, (VALUES (0), (1)) given (aside) WHERE n.id = ?)"
)
"""OFFSET in what is asked of each keeps the planner from reading all words of a store."""
_LAST = "\U0010ffff"


async def containing(
    postgres: Postgres, namespace: str, term: str, where: MemoryFilter, now: datetime, limit: int
) -> Matches:
    """Implement `repositories.searched_memories.IdentifierSearch`."""
    chosen = predicates.for_memories(namespace, where, now)
    inside, form = indexed_words(term), normal_form(term)
    if not inside:
        return {}
    stems = await asyncio.to_thread(postgres.words.stems, [" ".join(inside)])
    words = list(dict.fromkeys(stems[0]))
    if not words:
        return {}
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
        found = await asyncio.to_thread(having, term, form, rows, limit)
        if found:
            return found
    return {}
