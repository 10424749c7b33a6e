"""Memories that contain exact terms as written: the index finds those with all their words, the text itself decides."""

import asyncio
from datetime import datetime

from ...modules.memory.models import MemoryFilter
from ...modules.text.scripts import indexed_words, normal_form
from ..engine.exact_match import MIN_PREFIX, READ_AT_MOST, Matches, having
from ..engine.ports import Row
from ..repositories import predicates
from .database import Sqlite

_LAST = "\U0010ffff"


async def containing(
    sqlite: Sqlite, namespace: str, term: str, where: MemoryFilter, now: datetime, limit: int
) -> Matches:
    """Implement `repositories.searched_memories.IdentifierSearch`."""
    chosen = predicates.for_memories(namespace, where, now)
    inside, form = indexed_words(term), normal_form(term)
    if not inside:
        return {}
    stems = await asyncio.to_thread(sqlite.words.stems, [" ".join(inside)])
    words = list(dict.fromkeys(stems[0]))
    if not words:
        return {}
    conditions = [("w.word = ?", [words[-1]])]
    if len(inside[-1]) >= MIN_PREFIX and form.endswith(inside[-1]):
        conditions.append(("w.word >= ? AND w.word < ?", [words[-1], words[-1] + _LAST]))
    others = "AND EXISTS (SELECT 1 FROM postings o WHERE o.shelf = w.shelf AND o.word = ? AND o.memory_seq = m.seq) "
    for condition, given in conditions:
        rows: list[Row] = []
        for aside in (False, True)[: 1 if where.without_aside else 2]:
            rows += await sqlite.read(
                "SELECT DISTINCT m.seq, m.id, m.content FROM postings w CROSS JOIN memories m ON m.seq = w.memory_seq "
                "WHERE w.shelf = (SELECT shelf FROM text_statistics WHERE namespace = ? AND aside = ?) "
                f"AND {condition} AND {chosen.sql} {others * (len(words) - 1)}"
                "ORDER BY w.memory_seq DESC LIMIT ?",
                (namespace, int(aside), *given, *chosen.parameters, *words[:-1], READ_AT_MOST * limit),
            )
        rows.sort(key=lambda row: -row["seq"])
        found = await asyncio.to_thread(having, term, form, rows, limit)
        if found:
            return found
    return {}
