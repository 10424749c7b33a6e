"""Segments within others' transactions: what a visit, an erased or a changed turn means for the segment of its page."""

import json
from collections.abc import Sequence
from datetime import datetime

import aiosqlite

from ...modules.tiers.formulas import is_hot
from ...modules.tiers.models import PROMOTION, Segment
from .memory_rows import as_json
from .queue import insert_task
from .sqlite import Row
from .times import from_us, maybe_from_us, to_us

_OWN = (
    "id, namespace, summary, keywords, visits, interactions, promotions, retrievals, last_visit_at, created_at, "
    "archived_at, (SELECT count(*) FROM pages WHERE segment = {}.seq) AS pages"
)
COLUMNS = ", ".join(f"g.{column}" if column[0] != "(" else column for column in _OWN.format("g").split(", "))
RETURNED = _OWN.format("segments")

_OF_TURNS = (  # CROSS JOIN keeps the order: from the ids to the rows that they name
    "SELECT p.segment FROM json_each(?) given CROSS JOIN memories m ON m.id = given.value "
    "CROSS JOIN turns t ON t.memory_seq = m.seq CROSS JOIN pages p ON p.seq = t.page"
)


async def visited(connection: aiosqlite.Connection, memory_ids: Sequence[str], at: datetime) -> None:
    """Count a visit of each segment that some memories are turns of; one that is hot by it is to be promoted."""
    rows = await connection.execute_fetchall(
        "UPDATE segments SET visits = visits + 1, retrievals = retrievals + 1, last_visit_at = max(last_visit_at, ?) "
        f"WHERE archived_at IS NULL AND seq IN ({_OF_TURNS}) RETURNING {RETURNED}",
        (to_us(at), as_json(list(memory_ids))),
    )
    for row in rows:
        await ask_if_hot(connection, to_segment(row), at)


async def ask_if_hot(connection: aiosqlite.Connection, segment: Segment, now: datetime) -> bool:
    """Ask for the promotion of a segment if it is hot; once, however often that is found. Whether it is new."""
    if not is_hot(segment, now):
        return False
    payload = {"segment": segment.id, "promotions": segment.promotions}
    key = f"{segment.id}/{segment.promotions}"
    return await insert_task(connection, segment.namespace, PROMOTION, key, payload, now, now)


async def unsettle(connection: aiosqlite.Connection, memory_ids: Sequence[str]) -> list[int]:
    """What was said of these turns is not to be repeated: their segments are described anew, and so are their chains.

    Called within whatever hides, shows, changes or erases them, before that. Returns the segments' numbers.
    """
    given = (as_json(list(memory_ids)),)
    await connection.execute(
        f"UPDATE pages SET gist = '' WHERE gist <> '' AND id IN ({_OF_TURNS.replace('p.segment', 'p.chain')})", given
    )
    return await _undescribe(connection, _OF_TURNS, given)


async def leave(connection: aiosqlite.Connection, session_id: str) -> list[int]:
    """Before a session is erased: its segments are described anew. Returns their numbers."""
    return await _undescribe(connection, "SELECT segment FROM pages WHERE session = ?", (session_id,))


async def _undescribe(connection: aiosqlite.Connection, chosen: str, parameters: tuple[str, ...]) -> list[int]:
    rows = await connection.execute_fetchall(
        f"UPDATE segments SET summary = '', keywords = '[]' WHERE seq IN ({chosen}) RETURNING seq", parameters
    )
    return [row["seq"] for row in rows]


async def drop_empty(connection: aiosqlite.Connection, numbers: Sequence[int]) -> None:
    """Delete those segments of which no turn is left."""
    if numbers:
        await connection.execute(
            "DELETE FROM segments WHERE seq IN (SELECT value FROM json_each(?)) AND NOT EXISTS "
            "(SELECT 1 FROM pages p CROSS JOIN turns t ON t.page = p.seq WHERE p.segment = segments.seq)",
            (as_json(list(numbers)),),
        )


def to_segment(row: Row) -> Segment:
    """The domain object of a row with COLUMNS."""
    return Segment(
        id=row["id"],
        namespace=row["namespace"],
        summary=row["summary"],
        keywords=tuple(json.loads(row["keywords"])),
        visits=row["visits"],
        interactions=row["interactions"],
        promotions=row["promotions"],
        retrievals=row["retrievals"],
        last_visit_at=from_us(row["last_visit_at"]),
        created_at=from_us(row["created_at"]),
        archived_at=maybe_from_us(row["archived_at"]),
        pages=row["pages"],
    )
