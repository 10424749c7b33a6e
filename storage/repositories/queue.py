"""The queue: a task is claimed in one statement, so that two workers never have the same."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ...modules import identifiers
from ...modules.queue.models import QueueStatus, Task, TaskState
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_from_us, to_us
from .audit import register_namespace

GIVEN_UP = "its worker ended while at it, each time"
_OWN = "id = ? AND state = 'leased' AND lease_owner = ? AND attempts = ?"
_DUE = (  # the first two conditions are those of the index of unfinished tasks: finished ones are not read
    "state IN ('queued', 'leased') AND run_at <= :now AND (state = 'queued' OR lease_until <= :now) "
    "AND type IN (SELECT value FROM json_texts(:types))"
)


class QueueRows:
    """The queue: tasks as they are added, looked at and cancelled, and as workers take and end them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(
        self, namespace: str, type_: str, key: str, payload: Mapping[str, Any], run_at: datetime, now: datetime
    ) -> bool:
        """Add a task; False if it already exists, done or not."""

        async def work(connection: Connection) -> bool:
            await register_namespace(connection, namespace, to_us(now))
            return await insert_task(connection, namespace, type_, key, payload, run_at, now)

        return await self._engine.write(work)

    async def claim(
        self, types: Sequence[str], owner: str, now: datetime, lease_until: datetime, max_attempts: int
    ) -> Task | None:
        """Lease the task of these types that is due longest, if any, in one statement.

        A task whose lease has run out is due again, unless it was begun `max_attempts` times: that one is given up.
        """
        given = {
            "types": json.dumps(list(types)),
            "now": to_us(now),
            "owner": owner,
            "until": to_us(lease_until),
            "most": max_attempts,
            "why": GIVEN_UP,
        }
        if not await self._engine.read(f"SELECT 1 FROM queue WHERE {_DUE} LIMIT 1", given):
            return None  # most often: an empty queue costs no transaction

        async def work(connection: Connection) -> Task | None:
            await connection.execute(
                "UPDATE queue SET state = 'dead', lease_owner = NULL, lease_until = NULL, finished_at = :now, "
                f"last_error = coalesce(last_error, :why) WHERE {_DUE} AND state = 'leased' AND attempts >= :most",
                given,
            )
            rows = await connection.fetch_all(
                "UPDATE queue SET state = 'leased', attempts = attempts + 1, lease_owner = :owner, "
                "lease_until = :until WHERE seq = "
                f"(SELECT seq FROM queue WHERE {_DUE} ORDER BY run_at, seq LIMIT 1 /*claim*/) RETURNING *",
                given,
            )
            return next((_task(row) for row in rows), None)

        return await self._engine.write(work)

    async def renew(self, task: Task, owner: str, lease_until: datetime) -> bool:
        """Extend the lease; False if it is lost."""
        return await self._change("lease_until = ?", (to_us(lease_until),), task, owner)

    async def complete(self, task: Task, owner: str, now: datetime) -> bool:
        """Mark the task as done; False if the lease is lost."""
        finished = "state = 'done', finished_at = ?, lease_owner = NULL, lease_until = NULL, last_error = NULL"
        return await self._change(finished, (to_us(now),), task, owner)

    async def fail(self, task: Task, owner: str, error: str, again_at: datetime | None, now: datetime) -> bool:
        """Store why the task failed, and when it is retried (None: never); False if the lease is lost."""
        failed = "lease_owner = NULL, lease_until = NULL, last_error = ?, "
        if again_at is None:
            return await self._change(failed + "state = 'dead', finished_at = ?", (error, to_us(now)), task, owner)
        return await self._change(failed + "state = 'queued', run_at = ?", (error, to_us(again_at)), task, owner)

    async def release(self, task: Task, owner: str) -> None:
        """Release an interrupted task: it is due at once, and this attempt does not count."""
        returned = "state = 'queued', attempts = attempts - 1, lease_owner = NULL, lease_until = NULL"
        await self._change(returned, (), task, owner)

    async def _change(self, assignments: str, values: tuple[Any, ...], task: Task, owner: str) -> bool:
        async def work(connection: Connection) -> bool:
            changed = await connection.execute(
                f"UPDATE queue SET {assignments} WHERE {_OWN}", (*values, task.id, owner, task.attempts)
            )
            return changed > 0

        return await self._engine.write(work)

    async def purge(self, finished_before: datetime) -> int:
        """Delete tasks finished before a moment; return how many."""
        old = "finished_at IS NOT NULL AND finished_at < ?"
        if not await self._engine.read(f"SELECT 1 FROM queue WHERE {old} LIMIT 1", (to_us(finished_before),)):
            return 0

        async def work(connection: Connection) -> int:
            return await connection.execute(f"DELETE FROM queue WHERE {old}", (to_us(finished_before),))

        return await self._engine.write(work)

    async def find(self, namespace: str, type_: str, key: str) -> Task | None:
        """Return a task; None if there is none."""
        rows = await self._engine.read(
            "SELECT * FROM queue WHERE namespace = ? AND type = ? AND key = ?", (namespace, type_, key)
        )
        return _task(rows[0]) if rows else None

    async def keyed(self, namespace: str, type_: str, prefix: str, limit: int) -> list[Task]:
        """Return the tasks of a type whose key is a prefix and a slash and more, in no order."""
        rows = await self._engine.read(
            # "0" is the character after "/".
            "SELECT * FROM queue WHERE namespace = ? AND type = ? AND key > ? AND key < ? LIMIT ?",
            (namespace, type_, f"{prefix}/", f"{prefix}0", limit),
        )
        return [_task(row) for row in rows]

    async def page(self, namespace: str, states: Sequence[TaskState], limit: int) -> list[Task]:
        """Return tasks in any of these states, the newest first."""
        rows = await self._engine.read(
            "SELECT * FROM queue WHERE namespace = ? AND state IN (SELECT value FROM json_texts(?)) "
            "ORDER BY seq DESC LIMIT ?",
            (namespace, json.dumps([*states]), limit),
        )
        return [_task(row) for row in rows]

    async def get(self, namespace: str, task_id: str) -> Task | None:
        """Return a task by its id; None if there is none."""
        rows = await self._engine.read("SELECT * FROM queue WHERE namespace = ? AND id = ?", (namespace, task_id))
        return _task(rows[0]) if rows else None

    async def cancel(self, namespace: str, task_id: str, why: str, now: datetime) -> bool:
        """Abandon a queued or leased task, whoever holds the lease; return False for any other."""
        return await self._set(
            "state = 'dead', finished_at = ?, last_error = ?, lease_owner = NULL, lease_until = NULL",
            (to_us(now), why),
            (namespace, task_id),
            (TaskState.QUEUED, TaskState.LEASED),
        )

    async def retry(self, namespace: str, task_id: str, now: datetime) -> bool:
        """Queue a task that was given up, as if it had never been begun; False for any other."""
        fresh = "state = 'queued', attempts = 0, run_at = ?, finished_at = NULL, last_error = NULL"
        return await self._set(fresh, (to_us(now),), (namespace, task_id), (TaskState.DEAD,))

    async def _set(
        self, assignments: str, values: tuple[Any, ...], task: tuple[str, str], states: Sequence[TaskState]
    ) -> bool:
        async def work(connection: Connection) -> bool:
            changed = await connection.execute(
                f"UPDATE queue SET {assignments} WHERE namespace = ? AND id = ? "
                "AND state IN (SELECT value FROM json_texts(?))",
                (*values, *task, json.dumps([*states])),
            )
            return changed > 0

        return await self._engine.write(work)

    async def status(self) -> QueueStatus:
        """Count the tasks by type and state."""
        counts: dict[str, dict[TaskState, int]] = defaultdict(dict)
        for row in await self._engine.read("SELECT type, state, count(*) AS tasks FROM queue GROUP BY type, state"):
            counts[row["type"]][TaskState(row["state"])] = row["tasks"]
        return QueueStatus(dict(counts))


async def insert_task(
    connection: Connection,
    namespace: str,
    type_: str,
    key: str,
    payload: Mapping[str, Any],
    run_at: datetime,
    now: datetime,
) -> bool:
    """Add a task within a transaction; its namespace must be registered. Return False if it is there already."""
    changed = await connection.execute(
        "INSERT INTO queue (id, namespace, type, key, payload, state, run_at, created_at) "
        "VALUES (?, ?, ?, ?, ?, 'queued', ?, ?) ON CONFLICT (namespace, type, key) DO NOTHING",
        (
            identifiers.new_id("task"),
            namespace,
            type_,
            key,
            json.dumps(dict(payload), ensure_ascii=False),
            to_us(run_at),
            to_us(now),
        ),
    )
    return changed > 0


def _task(row: Row) -> Task:
    return Task(
        row["id"],
        row["namespace"],
        row["type"],
        row["key"],
        json.loads(row["payload"]),
        TaskState(row["state"]),
        row["attempts"],
        from_us(row["run_at"]),
        row["last_error"],
        maybe_from_us(row["finished_at"]),
    )
