"""Goals."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...modules.errors import Conflict, NotFound
from ...modules.goals.models import Goal, GoalNote, GoalStatistics, GoalStatus
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us
from .audit import done_before, record_change, register_namespace

_SELECT = (
    "SELECT g.*, (SELECT coalesce(json_arrayagg(json_array(n.at, n.text)), '[]') FROM "
    "(SELECT at, text FROM goal_notes WHERE goal_seq = g.seq ORDER BY seq) n) AS notes FROM goals g"
)

_PROGRESS = (
    "CASE WHEN ? = 'completed' THEN progress WHEN status <> 'completed' THEN ? "
    "WHEN progress < 1 THEN progress ELSE 0 END"
)
"""A completed goal keeps the progress that it had before, for when it is open again; it is told as done."""


class GoalsRepository:
    """Storage of goals and their notes; every change is one durable transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, goal: Goal) -> Goal:
        """Store a goal with its notes. Raises NotFound if its parent does not exist."""

        async def work(connection: Connection) -> Goal:
            await register_namespace(connection, goal.namespace, to_us(goal.created_at))
            if (before := await done_before(connection, "goal.add")) is not None:
                row = await connection.fetch_one(
                    f"{_SELECT} WHERE g.namespace = ? AND g.id = ?", (goal.namespace, before)
                )
                if row is None:
                    raise Conflict("this request added a goal that is gone; use another Idempotency-Key")
                return _goal(row)
            if goal.parent_goal_id is not None:
                await require_goal(connection, "parent_goal_id", goal.namespace, goal.parent_goal_id)
            [added] = await connection.fetch_all(
                "INSERT INTO goals (id, namespace, title, description, priority, urgency, deadline, progress, "
                "status, parent_goal_id, tags, created_at, updated_at, completed_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
                (
                    goal.id,
                    goal.namespace,
                    goal.title,
                    goal.description,
                    goal.priority,
                    goal.urgency,
                    maybe_to_us(goal.deadline),
                    goal.progress,
                    goal.status.value,
                    goal.parent_goal_id,
                    json.dumps(goal.tags, ensure_ascii=False),
                    to_us(goal.created_at),
                    to_us(goal.updated_at),
                    maybe_to_us(goal.completed_at),
                ),
            )
            for note in goal.notes:
                await _append(connection, added["seq"], note)
            await record_change(connection, goal.created_at, goal.namespace, "goal.add", goal.id)
            return goal

        return await self._engine.write(work)

    async def get(self, namespace: str, goal_id: str) -> Goal | None:
        """Return a goal with its notes, or None."""
        rows = await self._engine.read(f"{_SELECT} WHERE g.namespace = ? AND g.id = ?", (namespace, goal_id))
        return _goal(rows[0]) if rows else None

    async def save(self, goal: Goal, note: GoalNote | None) -> Goal:
        """Replace a goal and append a note; its version rises by one.

        Raises NotFound if its parent does not exist; Conflict if that is a part of the goal, or if the stored version
        is not the goal's: it changed meanwhile.
        """

        async def work(connection: Connection) -> Goal:
            await connection.lock(goal.namespace)
            if goal.parent_goal_id is not None:
                await _require_no_cycle(connection, goal)
            changed = await connection.fetch_all(
                "UPDATE goals SET title = ?, description = ?, priority = ?, urgency = ?, deadline = ?, "
                f"parent_goal_id = ?, tags = ?, progress = {_PROGRESS}, status = ?, completed_at = ?, updated_at = ?, "
                "version = version + 1 WHERE id = ? AND namespace = ? AND version = ? RETURNING seq",
                (
                    goal.title,
                    goal.description,
                    goal.priority,
                    goal.urgency,
                    maybe_to_us(goal.deadline),
                    goal.parent_goal_id,
                    json.dumps(goal.tags, ensure_ascii=False),
                    goal.status.value,
                    goal.progress,
                    goal.status.value,
                    maybe_to_us(goal.completed_at),
                    to_us(goal.updated_at),
                    goal.id,
                    goal.namespace,
                    goal.version,
                ),
            )
            if not changed:
                raise Conflict("goal_id: the goal has changed since you read it; read it again and repeat the call")
            if note is not None:
                await _append(connection, changed[0]["seq"], note)
            await record_change(
                connection, goal.updated_at, goal.namespace, "goal.update", goal.id, status=goal.status.value
            )
            [row] = await connection.fetch_all(f"{_SELECT} WHERE g.seq = ?", (changed[0]["seq"],))
            return _goal(row)

        return await self._engine.write(work)

    async def page(
        self, namespace: str, statuses: Sequence[GoalStatus], limit: int, offset: int, tags: Sequence[str] | None
    ) -> tuple[list[Goal], int]:
        """Return goals in any of these states, newest first, and how many there are; with `tags`, those with any."""
        condition = f"g.namespace = ? AND g.status IN ({','.join('?' * len(statuses))})"
        within: list[str] = [namespace, *(status.value for status in statuses)]
        if tags is not None:
            one_of = "SELECT tag_of(value) FROM json_texts(?)"
            condition += f" AND EXISTS (SELECT 1 FROM json_texts(g.tags) WHERE tag_of(value) IN ({one_of}))"
            within.append(json.dumps([*tags]))
        [counted] = await self._engine.read(f"SELECT count(*) FROM goals g WHERE {condition}", within)
        rows = await self._engine.read(
            f"{_SELECT} WHERE {condition} ORDER BY g.seq DESC LIMIT ? OFFSET ?", (*within, limit, offset)
        )
        return [_goal(row) for row in rows], counted[0]

    async def active(self, namespace: str) -> list[Goal]:
        """Return every active goal."""
        return await self._select("g.status = 'active'", namespace)

    async def completed_since(self, namespace: str, since: datetime) -> list[Goal]:
        """Return goals completed at or after a moment."""
        return await self._select("g.status = 'completed' AND g.completed_at >= ?", namespace, to_us(since))

    async def _select(self, condition: str, namespace: str, *parameters: Any) -> list[Goal]:
        rows = await self._engine.read(
            f"{_SELECT} WHERE g.namespace = ? AND {condition} ORDER BY g.seq", (namespace, *parameters)
        )
        return [_goal(row) for row in rows]

    async def statistics(self, namespace: str) -> GoalStatistics:
        """Count the goals of a namespace."""
        [row] = await self._engine.read(
            "SELECT count(*) AS total, count(*) FILTER (WHERE status = 'active') AS active, "
            "count(*) FILTER (WHERE status = 'completed') AS completed FROM goals WHERE namespace = ?",
            (namespace,),
        )
        return GoalStatistics(row["total"], row["active"], row["completed"])


async def require_goal(connection: Connection, field: str, namespace: str, goal_id: str) -> None:
    """Raise NotFound, naming the argument, when there is no such goal in the namespace."""
    found = await connection.fetch_all("SELECT 1 FROM goals WHERE id = ? AND namespace = ?", (goal_id, namespace))
    if not found:
        raise NotFound(f"{field}: there is no goal {goal_id[:60]!r}; goal_list gives valid ids")


async def _append(connection: Connection, goal_seq: int, note: GoalNote) -> None:
    await connection.execute(
        "INSERT INTO goal_notes (goal_seq, seq, at, text) VALUES (?, "
        "(SELECT coalesce(max(seq), 0) + 1 FROM goal_notes WHERE goal_seq = ?), ?, ?)",
        (goal_seq, goal_seq, to_us(note.at), note.text),
    )


async def _require_no_cycle(connection: Connection, goal: Goal) -> None:
    """Raise NotFound when there is no such parent, Conflict when the goal is the parent or one of its ancestors."""
    assert goal.parent_goal_id is not None
    await require_goal(connection, "parent_goal_id", goal.namespace, goal.parent_goal_id)
    above = await connection.fetch_all(
        "WITH RECURSIVE above (id) AS (SELECT id FROM goals WHERE id = ? AND namespace = ? UNION "
        "SELECT g.parent_goal_id FROM goals g JOIN above ON g.id = above.id "
        "WHERE g.namespace = ? AND g.parent_goal_id IS NOT NULL) SELECT 1 FROM above WHERE id = ?",
        (goal.parent_goal_id, goal.namespace, goal.namespace, goal.id),
    )
    if above:
        raise Conflict(
            f"parent_goal_id: {goal.parent_goal_id} is this goal or one of its sub-goals; choose a goal outside it"
        )


def _goal(row: Row) -> Goal:
    return Goal(
        id=row["id"],
        namespace=row["namespace"],
        title=row["title"],
        description=row["description"],
        priority=row["priority"],
        urgency=row["urgency"],
        deadline=maybe_from_us(row["deadline"]),
        progress=1.0 if row["status"] == "completed" else row["progress"],
        status=GoalStatus(row["status"]),
        parent_goal_id=row["parent_goal_id"],
        tags=tuple(json.loads(row["tags"])),
        notes=tuple(GoalNote(from_us(at), text) for at, text in json.loads(row["notes"])),
        created_at=from_us(row["created_at"]),
        updated_at=from_us(row["updated_at"]),
        completed_at=maybe_from_us(row["completed_at"]),
        version=row["version"],
    )
