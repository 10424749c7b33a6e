"""Reflections and patterns."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from ...modules.identifiers import PROJECT_PREFIX
from ...modules.reflection.models import ActionTally, DayTally, Pattern, PatternType, Reflection
from ..engine.ports import Connection, Engine
from ..engine.times import day_in, day_of, from_us, to_us
from .audit import done_before, record_change, register_namespace
from .goals import require_goal


class ReflectionsRepository:
    """Storage of the append-only log of actions, and of the patterns found in it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, reflection: Reflection, key: str | None) -> Reflection | None:
        """Append an action, and return it, or the one that the same request appended before.

        None if one with the same key exists. Raises NotFound for an unknown goal.
        """

        async def work(connection: Connection) -> Reflection | None:
            await register_namespace(connection, reflection.namespace, to_us(reflection.occurred_at))
            if (before := await done_before(connection, "reflection.log")) is not None:
                return replace(reflection, id=before)
            if reflection.goal_id is not None:
                await require_goal(connection, "goal_id", reflection.namespace, reflection.goal_id)
            added = await connection.fetch_all(
                "INSERT INTO events (id, namespace, type, action, outcome, success, context, goal_id, tags, "
                "occurred_at, idempotency_key) VALUES (?, ?, 'reflection', ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (namespace, idempotency_key) DO NOTHING RETURNING 1",
                (
                    reflection.id,
                    reflection.namespace,
                    reflection.action,
                    reflection.outcome,
                    reflection.success,
                    reflection.context,
                    reflection.goal_id,
                    json.dumps(reflection.tags, ensure_ascii=False),
                    to_us(reflection.occurred_at),
                    key,
                ),
            )
            if not added:
                return None
            await record_change(
                connection, reflection.occurred_at, reflection.namespace, "reflection.log", reflection.id
            )
            return reflection

        return await self._engine.write(work)

    async def known_keys(self, namespace: str, keys: Sequence[str]) -> set[str]:
        """Those of the keys under which an action is there."""
        rows = await self._engine.read(
            "SELECT idempotency_key FROM events WHERE namespace = ? "
            "AND idempotency_key IN (SELECT value FROM json_texts(?))",
            (namespace, json.dumps(list(keys), ensure_ascii=False)),
        )
        return {row["idempotency_key"] for row in rows}

    async def tallies(self, namespace: str, since: datetime, action: str | None = None) -> list[ActionTally]:
        """Return one tally per action, or only that of one action, since a moment, most frequent first."""
        of_one = "" if action is None else "AND action = ? "
        rows = await self._engine.read(
            "WITH run AS (SELECT seq, action, success, occurred_at, "
            "coalesce(max(CASE WHEN NOT success THEN seq END) OVER (PARTITION BY action), 0) AS failed_seq, "
            "coalesce(max(CASE WHEN success THEN seq END) OVER (PARTITION BY action), 0) AS passed_seq FROM events "
            f"WHERE namespace = ? AND type = 'reflection' AND occurred_at >= ? {of_one}), "
            "t AS (SELECT action, count(*) AS total, count(*) FILTER (WHERE NOT success) AS failures, "
            "max(occurred_at) AS last_at, max(failed_seq) AS failed_seq, "
            "count(*) FILTER (WHERE seq > passed_seq) AS failing, "
            "count(*) FILTER (WHERE seq > failed_seq) AS recovered, "
            "min(CASE WHEN failed_seq > 0 AND seq > failed_seq THEN seq END) AS cured_seq FROM run GROUP BY action) "
            "SELECT t.*, f.outcome AS last_failure, c.outcome AS cure FROM t "
            "LEFT JOIN events f ON f.seq = t.failed_seq "
            "LEFT JOIN events c ON c.seq = t.cured_seq ORDER BY t.total DESC, t.action",
            (namespace, to_us(since), *(() if action is None else (action,))),
        )
        return [
            ActionTally(
                row["action"],
                row["total"],
                row["failures"],
                from_us(row["last_at"]),
                row["last_failure"],
                row["failing"],
                row["recovered"],
                row["cure"],
            )
            for row in rows
        ]

    async def elsewhere(self, namespace: str, project: str) -> set[str]:
        """Return the actions that were only logged in other projects than the one of this id."""
        rows = await self._engine.read(
            "WITH logged AS (SELECT action, EXISTS (SELECT 1 FROM json_texts(e.tags) WHERE substr(value, 1, 4) = ?) "
            "AND NOT EXISTS (SELECT 1 FROM json_texts(e.tags) WHERE value = ?) AS is_away "
            "FROM events e WHERE e.namespace = ? AND e.type = 'reflection') "
            "SELECT action FROM logged GROUP BY action HAVING count(*) = count(*) FILTER (WHERE is_away)",
            (PROJECT_PREFIX, project, namespace),
        )
        return {row["action"] for row in rows}

    async def daily(self, namespace: str, since: datetime, until: datetime, zone: tzinfo = UTC) -> list[DayTally]:
        """Return one tally per day of a zone with actions since a moment, the oldest first."""
        day = day_in(zone, "occurred_at", since, until)
        rows = await self._engine.read(
            f"SELECT {day} AS day, count(*) AS total, "
            "count(*) FILTER (WHERE NOT success) AS failures FROM events "
            "WHERE namespace = ? AND type = 'reflection' AND occurred_at >= ? "
            f"GROUP BY {day} ORDER BY day",
            (namespace, to_us(since)),
        )
        return [DayTally(day_of(row["day"]), row["total"], row["failures"]) for row in rows]

    async def save_patterns(self, namespace: str, patterns: Sequence[Pattern], actions: Sequence[str]) -> None:
        """Insert patterns, or update the stored ones of the same identity.

        Other patterns of the `actions` that were looked at no longer hold, and are deleted.
        """
        if not actions:
            return
        holding = [[pattern.pattern_type.value, pattern.action] for pattern in patterns]

        async def work(connection: Connection) -> None:
            await connection.execute(
                "DELETE FROM patterns WHERE namespace = ? AND action IN (SELECT value FROM json_texts(?)) "
                "AND NOT EXISTS (SELECT 1 FROM json_rows(?) held WHERE held.value ->> 0 = patterns.pattern_type "
                "AND held.value ->> 1 = patterns.action)",
                (namespace, json.dumps(list(actions), ensure_ascii=False), json.dumps(holding, ensure_ascii=False)),
            )
            await connection.execute_many(
                "INSERT INTO patterns (namespace, pattern_type, action, description, suggested_action, "
                "frequency, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (namespace, pattern_type, action) DO UPDATE SET description = excluded.description, "
                "suggested_action = excluded.suggested_action, frequency = excluded.frequency, "
                "last_seen = greatest(patterns.last_seen, excluded.last_seen)",
                [
                    (
                        namespace,
                        pattern.pattern_type.value,
                        pattern.action,
                        pattern.description,
                        pattern.suggested_action,
                        pattern.frequency,
                        to_us(pattern.last_seen),
                    )
                    for pattern in patterns
                ],
            )

        await self._engine.write(work)

    async def patterns(self, namespace: str, pattern_type: PatternType | None, limit: int) -> list[Pattern]:
        """Return stored patterns, the last seen first."""
        rows = await self._engine.read(
            "SELECT * FROM patterns WHERE namespace = ? AND pattern_type = coalesce(?, pattern_type) "
            "ORDER BY last_seen DESC, pattern_type, action LIMIT ?",
            (namespace, pattern_type, limit),
        )
        return [
            Pattern(
                PatternType(row["pattern_type"]),
                row["action"],
                row["description"],
                row["suggested_action"],
                row["frequency"],
                from_us(row["last_seen"]),
            )
            for row in rows
        ]
