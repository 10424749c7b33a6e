"""Events: the audit log, read behind a cursor; and how far each handler has been given them."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from ...modules.events.models import SUBJECTS, ChangeEvent, Delivered, EventPage
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us
from .queue import insert_task

PART = 5_000
"""Entries of the log that one call reads at most."""
_LATEST = "SELECT coalesce(newest('audit'), 0) AS latest"
_SUBJECT = "substr(action, 1, strpos(action, '.') - 1)"
_WITHIN = (
    "SELECT seq, at, namespace, action, subject, detail FROM audit WHERE seq > :after AND seq <= :until "
    f"AND ({_SUBJECT} IN (SELECT value FROM json_texts(:types)) OR action IN (SELECT value FROM json_texts(:types))) "
)


class EventsRepository:
    """The log of changes, written by each change in its own transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def after(
        self, cursor: int, namespaces: Collection[str], types: Collection[str] | None, limit: int
    ) -> EventPage:
        """Return the events behind a cursor, in order; of these types, or of all. Reads a bounded part of the log."""
        latest = await self.latest_everywhere()
        until = min(cursor + PART, latest)
        if until <= cursor:
            return EventPage((), cursor, False)
        rows = await self._engine.read(
            _WITHIN + "AND namespace IN (SELECT value FROM json_texts(:namespaces)) ORDER BY seq LIMIT :limit",
            _part(cursor, until, types) | {"namespaces": json.dumps([*namespaces]), "limit": limit},
        )
        reached = rows[-1]["seq"] if len(rows) == limit else until
        return EventPage(tuple(map(_event, rows)), reached, reached < latest)

    async def between_everywhere(self, cursor: int, until: int) -> Sequence[ChangeEvent]:
        """Return the events of every namespace behind one cursor and up to another, in order."""
        rows = await self._engine.read(_WITHIN + "ORDER BY seq", _part(cursor, until, None))
        return tuple(map(_event, rows))

    async def latest_everywhere(self) -> int:
        """Return the cursor of the newest change; 0 if there is none."""
        [row] = await self._engine.read(_LATEST)
        return int(row["latest"])

    async def store_everywhere(self) -> str:
        """Return the name of the store, which it keeps."""
        [row] = await self._engine.read("SELECT store_id FROM store_identity")
        return str(row["store_id"])

    async def deliver_everywhere(self, handler: str, task_type: str, types: Sequence[str], now: datetime) -> Delivered:
        """Queue a task of `task_type` for each event that a handler has not been given yet, and move its cursor on.

        One transaction, over a bounded part of the log; a new handler begins at its end.
        """
        known = await self._engine.read("SELECT cursor FROM event_handlers WHERE name = ?", (handler,))
        if known and known[0]["cursor"] >= await self.latest_everywhere():
            return Delivered(0, False)  # most often: nothing new costs no transaction

        async def work(connection: Connection) -> Delivered:
            await connection.lock(task_type)
            latest = int(await connection.fetch_value(_LATEST))
            await connection.execute(
                "INSERT INTO event_handlers (name, cursor) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
                (handler, latest),
            )
            cursor = await connection.fetch_value("SELECT cursor FROM event_handlers WHERE name = ?", (handler,))
            until = min(cursor + PART, latest)
            rows = await connection.fetch_all(_WITHIN + "ORDER BY seq", _part(cursor, until, types))
            for row in rows:
                key, payload = str(row["seq"]), _payload(_event(row))
                await insert_task(connection, row["namespace"], task_type, key, payload, now, now)
            await connection.execute("UPDATE event_handlers SET cursor = ? WHERE name = ?", (until, handler))
            return Delivered(len(rows), until < latest)

        return await self._engine.write(work)


def _part(after: int, until: int, types: Collection[str] | None) -> dict[str, Any]:
    return {"after": after, "until": until, "types": json.dumps([*(SUBJECTS if types is None else types)])}


def _payload(event: ChangeEvent) -> dict[str, Any]:
    return {
        "cursor": event.cursor,
        "at": event.at.isoformat(),
        "type": event.type,
        "subject": event.subject,
        "detail": dict(event.detail),
    }


def _event(row: Row) -> ChangeEvent:
    at, detail = from_us(row["at"]), json.loads(row["detail"])
    return ChangeEvent(row["seq"], at, row["namespace"], row["action"], row["subject"], detail)
