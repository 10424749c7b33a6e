"""Memories that contain exact terms as written: the text index finds the words in a row, the text itself decides."""

from datetime import datetime

from ...modules.memory.models import MemoryFilter
from ...modules.text.scripts import indexed_words, normal_form
from ..engine.exact_match import MIN_PREFIX, match
from ..repositories import predicates
from ..repositories.memories import Matches
from . import text_index
from .database import Sqlite


async def containing(
    sqlite: Sqlite, namespace: str, term: str, where: MemoryFilter, now: datetime, limit: int
) -> Matches:
    """Implement `repositories.searched_memories.IdentifierSearch`."""
    chosen = predicates.for_memories(namespace, where, now)
    indexes = text_index.indexes(with_aside=not where.without_aside)
    inside, form = indexed_words(term), normal_form(term)
    if not inside:
        return {}
    phrase = f'"{" ".join(inside)}"'
    expressions = [phrase]
    if len(inside[-1]) >= MIN_PREFIX and form.endswith(inside[-1]):
        expressions.append(f"{phrase} *")
    for expression in expressions:
        found: Matches = {}
        for index in indexes:
            matches = await _matches(sqlite, index, expression, term, "form_of(m.content)", form, chosen, limit)
            if len(matches) == limit:  # there may be older ones that have it as written
                matches |= await _matches(sqlite, index, expression, term, "m.content", term, chosen, limit)
            found |= matches
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
) -> Matches:
    rows = await sqlite.read(
        # CROSS keeps SQLite from asking the text index once for each memory that passes.
        f"SELECT m.seq, m.id, m.content FROM {index} CROSS JOIN memories m ON m.seq = {index}.rowid "
        f"WHERE {index} MATCH ? AND {chosen.sql} AND instr({text}, ?) ORDER BY {index}.rowid DESC LIMIT ?",
        (f"content : {expression}", *chosen.parameters, wanted, limit),
    )
    return {row["id"]: (row["seq"], match(term, row["content"])) for row in rows}
