"""Questions that agents asked, with how many memories each was given and how many of these were used."""

import json
from collections.abc import Sequence
from datetime import datetime, tzinfo

from ...modules.usage.models import Answered, Asked, AskingKey, QuestionCounts
from ..engine.ports import Connection, Engine, Row
from ..engine.times import day_in, day_of, from_us, to_us

_OF = "q.namespace /*few*/ IN (SELECT value FROM json_texts(?))"
_ANSWERED = {
    Answered.NOTHING: "q.hits = 0",
    Answered.ANSWERED: "q.hits > 0 AND q.used = 0",
    Answered.USED: "q.used > 0",
}


class QuestionsRepository:
    """Storage of questions, whose texts are sealed; they are not fsynced, since they are statistics."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(self, asked: Sequence[Asked]) -> None:
        """Store questions; of one that is there, how many memories were used."""
        rows = [
            (one.id, one.namespace, to_us(one.at), one.client, one.tool, one.question, one.hits, one.used)
            for one in asked
        ]

        async def work(connection: Connection) -> None:
            await connection.execute_many(
                "INSERT INTO questions (id, namespace, asked_at, client, tool, question, hits, used) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET used = excluded.used",
                rows,
            )

        await self._engine.write(work, durable=False)

    async def used(self, asked: Sequence[Asked]) -> None:
        """Store of questions that are there how many memories were used."""
        rows = [(one.used, one.namespace, one.id) for one in asked]

        async def work(connection: Connection) -> None:
            await connection.execute_many("UPDATE questions SET used = ? WHERE namespace = ? AND id = ?", rows)

        await self._engine.write(work, durable=False)

    async def unanswered(self, namespaces: Sequence[str], most: int) -> list[Asked]:
        """Return the questions that were given nothing when they were asked last, each once, the last first."""
        rows = await self._engine.read(
            f"SELECT q.* FROM questions q WHERE {_OF} AND q.hits = 0 AND NOT EXISTS (SELECT 1 FROM questions l "
            "WHERE l.namespace = q.namespace AND l.question = q.question AND (l.asked_at > q.asked_at "
            "OR (l.asked_at = q.asked_at AND l.id > q.id)) /*alone*/) ORDER BY q.asked_at DESC, q.id DESC LIMIT ?",
            (json.dumps(list(namespaces)), most),
        )
        return [_asked(row) for row in rows]

    async def asked(
        self, namespaces: Sequence[str], since: datetime, until: datetime, answered: Answered | None, most: int
    ) -> tuple[list[Asked], int]:
        """Return the last questions of a time, all or those that were answered in a way, and how many there are."""
        how = f" AND {_ANSWERED[answered]}" if answered is not None else ""
        chosen = f"questions q WHERE {_OF} AND q.asked_at >= ? AND q.asked_at < ?{how}"
        given = (json.dumps(list(namespaces)), to_us(since), to_us(until))
        [counted] = await self._engine.read(f"SELECT count(*) FROM {chosen}", given)
        rows = await self._engine.read(
            f"SELECT q.* FROM {chosen} ORDER BY q.asked_at DESC, q.id DESC LIMIT ?", (*given, most)
        )
        return [_asked(row) for row in rows], int(counted[0])

    async def daily(
        self, namespaces: Sequence[str], since: datetime, until: datetime, zone: tzinfo
    ) -> dict[AskingKey, QuestionCounts]:
        """Return the questions of a time, counted by the days of a zone and by tool."""
        day = day_in(zone, "q.asked_at", since, until)
        chosen = f"{_OF} AND q.asked_at >= ? AND q.asked_at < ?"
        rows = await self._engine.read(
            f"SELECT {day} AS day, q.tool, count(*) AS asked, count(CASE WHEN q.hits = 0 THEN 1 END) AS unanswered, "
            "count(CASE WHEN q.used > 0 THEN 1 END) AS helpful, sum(q.hits) AS hits, sum(q.used) AS used "
            f"FROM questions q WHERE {chosen} GROUP BY {day}, q.tool",
            (json.dumps(list(namespaces)), to_us(since), to_us(until)),
        )
        counts = ("asked", "unanswered", "helpful", "hits", "used")
        return {
            AskingKey(day_of(row["day"]), row["tool"]): QuestionCounts(*(int(row[name]) for name in counts))
            for row in rows
        }

    async def texts(self, namespace: str) -> dict[str, str]:
        """Return the texts of the questions in a namespace, by id."""
        rows = await self._engine.read("SELECT q.id, q.question FROM questions q WHERE q.namespace = ?", (namespace,))
        return {row["id"]: row["question"] for row in rows}

    async def drop(self, namespace: str, ids: Sequence[str]) -> None:
        """Erase questions of a namespace."""

        async def work(connection: Connection) -> int:
            return await connection.execute(
                "DELETE FROM questions WHERE namespace = ? AND id IN (SELECT value FROM json_texts(?))",
                (namespace, json.dumps(list(ids))),
            )

        if ids:
            await self._engine.erase(work)

    async def drop_before_everywhere(self, moment: datetime) -> int:
        """Delete the questions of before; return how many."""
        before = (to_us(moment),)
        if not await self._engine.read("SELECT 1 FROM questions WHERE asked_at < ? LIMIT 1", before):
            return 0

        async def work(connection: Connection) -> int:
            return await connection.execute("DELETE FROM questions WHERE asked_at < ?", before)

        return await self._engine.write(work, durable=False)


def _asked(row: Row) -> Asked:
    return Asked(
        row["id"],
        row["namespace"],
        from_us(row["asked_at"]),
        row["client"],
        row["tool"],
        row["question"],
        row["hits"],
        row["used"],
    )
