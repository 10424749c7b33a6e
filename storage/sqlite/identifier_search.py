"""Memories that contain exact terms as written: the index finds those with all their words, the text itself decides."""

import asyncio
from datetime import datetime

from ...modules.memory.models import MemoryFilter
from ..engine.exact_match import READ_AT_MOST, Matches, having, looked_up_by
from ..engine.ports import Row
from ..repositories import predicates
from .database import Sqlite


async def containing(
    sqlite: Sqlite, namespace: str, term: str, where: MemoryFilter, now: datetime, limit: int
) -> Matches:
    """Implement `repositories.searched_memories.IdentifierSearch`."""
    chosen = predicates.for_memories(namespace, where, now)
    before, conditions = await looked_up_by(term, sqlite.words.stems)
    others = "AND EXISTS (SELECT 1 FROM postings o WHERE o.shelf = w.shelf AND o.word = ? AND o.memory_seq = m.seq) "
    for condition, given in conditions:
        rows: list[Row] = []
        for aside in (False, True)[: 1 if where.without_aside else 2]:
            rows += await sqlite.read(
                "SELECT DISTINCT m.seq, m.id, m.content FROM postings w CROSS JOIN memories m ON m.seq = w.memory_seq "
                "WHERE w.shelf = (SELECT shelf FROM text_statistics WHERE namespace = ? AND aside = ?) "
                f"AND {condition} AND {chosen.sql} {others * len(before)}"
                "ORDER BY w.memory_seq DESC LIMIT ?",
                (namespace, int(aside), *given, *chosen.parameters, *before, READ_AT_MOST * limit),
            )
        rows.sort(key=lambda row: -row["seq"])
        found = await asyncio.to_thread(having, term, rows, limit)
        if found:
            return found
    return {}
