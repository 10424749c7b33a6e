"""Segments in others' transactions: how visits, erased turns and changed turns affect the segment of a page."""

import json
from collections.abc import Sequence
from datetime import datetime

from ...modules.tiers.formulas import is_hot
from ...modules.tiers.models import PROMOTION, Segment
from ..engine.ports import Connection, Row
from ..engine.times import from_us, maybe_from_us, to_us
from .memory_rows import as_json
from .queue import insert_task

_OWN = (
    "id, namespace, summary, keywords, visits, interactions, promotions, retrievals, last_visit_at, created_at, "
    "archived_at, (SELECT count(*) FROM pages WHERE segment = {}.seq) AS pages"
)
COLUMNS = ", ".join(f"g.{column}" if column[0] != "(" else column for column in _OWN.format("g").split(", "))
RETURNED = _OWN.format("segments")

_OF_TURNS = (
    "SELECT p.segment FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
    "/*then*/ JOIN turns t ON t.memory_seq = m.seq /*then*/ JOIN pages p ON p.seq = t.page"
)


async def visited(connection: Connection, namespaces: Sequence[str], memory_ids: Sequence[str], at: datetime) -> None:
    """Count a visit of each segment that has some of the memories as turns; ask to promote those that are hot now."""
    rows = await connection.fetch_all(
        "UPDATE segments SET visits = visits + 1, retrievals = retrievals + 1, "
        "last_visit_at = greatest(last_visit_at, ?) "
        f"WHERE archived_at IS NULL AND seq IN ({_OF_TURNS}) "
        f"AND namespace IN (SELECT value FROM json_texts(?)) RETURNING {RETURNED}",
        (to_us(at), as_json(list(memory_ids)), as_json(list(namespaces))),
    )
    for row in rows:
        await ask_if_hot(connection, to_segment(row), at)


async def ask_if_hot(connection: Connection, segment: Segment, now: datetime) -> bool:
    """Add the task of promoting a segment if it is hot, once per promotion; return whether the task is new."""
    if not is_hot(segment, now):
        return False
    payload = {"segment": segment.id, "promotions": segment.promotions}
    key = f"{segment.id}/{segment.promotions}"
    return await insert_task(connection, segment.namespace, PROMOTION, key, payload, now, now)


async def undescribe(connection: Connection, turns: str, *values: object) -> None:
    """Clear the descriptions of the segments of some turns (a query of their numbers), to be described anew."""
    await connection.execute(
        "UPDATE segments SET summary = '', keywords = '[]' WHERE seq IN "
        f"(SELECT p.segment FROM turns t JOIN pages p ON p.seq = t.page WHERE t.memory_seq IN ({turns}))",
        values,
    )


async def drop_if_empty(connection: Connection, number: int | None) -> None:
    """Delete a segment that has no page left."""
    await connection.execute(
        "DELETE FROM segments WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM pages WHERE segment = segments.seq)",
        (number,),
    )


async def drop_empty(connection: Connection) -> None:
    """Delete every segment that has no page."""
    await connection.execute("DELETE FROM segments WHERE NOT EXISTS (SELECT 1 FROM pages WHERE segment = segments.seq)")


def to_segment(row: Row) -> Segment:
    """Return the domain object of a row with COLUMNS."""
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
