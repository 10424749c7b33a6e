"""The rows of changes: a judgement's record, with the standings before and after it."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ...modules.facts.models import FactState, Relation
from ...modules.memory.conflict_resolution import REVERT
from ...modules.memory.models import Change, Memory
from ..engine.ports import Connection, Row
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us
from .audit import record_change
from .memory_rows import COLUMNS, as_json, to_memory

OF_A_MEMORY = "FROM change_memories x JOIN changes c ON c.seq = x.change WHERE x.memory_id = ? AND c.namespace = ? "
"""The changes that touched a memory, for `SELECT … `; its parameters are the memory's id and its namespace."""
CONFIRMED = (
    "/*then*/ JOIN changes c ON c.memory_id = m.id AND c.namespace = m.namespace AND c.by = 'human' "
    "AND c.action = 'confirm' AND c.reverted_by IS NULL"
)
"""The confirmations of memories `m` by a person, to join."""
EVERY = 2**62
"""A limit that leaves nothing out."""


async def read(connection: Connection, namespace: str, memory_ids: Iterable[str]) -> dict[str, Memory]:
    """Return the memories that exist, as they stand within a transaction: by id, in the order of the ids."""
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value WHERE m.namespace = "
        "?",
        (as_json(list(dict.fromkeys(memory_ids))), namespace),
    )
    return {row["id"]: to_memory(row) for row in rows}


class ChangeTable:
    """The record of judgements."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, namespace: str, change_id: str) -> Change | None:
        """Return one by its id."""
        row = await self._connection.fetch_one(
            "SELECT c.* FROM changes c WHERE c.id = ? AND c.namespace = ?", (change_id, namespace)
        )
        return None if row is None else to_change(row)

    async def touching(
        self,
        namespace: str,
        memory_id: str,
        actions: Collection[str] = (),
        *,
        since: str | None = None,
        limit: int | None = None,
    ) -> list[Change]:
        """Return those that touched a memory and are not undone, nor an undoing, the newest first.

        Of some `actions` only, if given, and only after the change `since`.
        """
        rows = await self._connection.fetch_all(
            f"SELECT c.* {OF_A_MEMORY} AND c.reverted_by IS NULL AND c.action <> '{REVERT}' "
            + ("AND c.action IN (SELECT value FROM json_texts(?)) " if actions else "")
            + ("AND c.seq > (SELECT seq FROM changes WHERE id = ? AND namespace = c.namespace) " if since else "")
            + "ORDER BY c.seq DESC LIMIT ?",
            (
                memory_id,
                namespace,
                *([as_json(list(actions))] if actions else ()),
                *([since] if since else ()),
                EVERY if limit is None else limit,
            ),
        )
        return [to_change(row) for row in rows]

    async def have_touched(self, memory_id: str) -> bool:
        """Return whether any change, undone or not, touched a memory."""
        found = await self._connection.fetch_one(
            "SELECT 1 FROM change_memories WHERE memory_id = ? LIMIT 1", (memory_id,)
        )
        return found is not None

    async def confirmed(self, namespace: str, memory_ids: Collection[str]) -> list[tuple[Memory, str]]:
        """Return memories that a person confirmed, each with the reason noted; once for each confirmation."""
        rows = await self._connection.fetch_all(
            f"SELECT {COLUMNS}, c.reason FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
            f"{CONFIRMED} WHERE m.namespace = ?",
            (as_json(list(memory_ids)), namespace),
        )
        return [(to_memory(row), row["reason"]) for row in rows]

    async def add(self, change: Change) -> None:
        """Insert one, and note it in the audit log."""
        [row] = await self._connection.fetch_all(
            "INSERT INTO changes (id, namespace, at, action, memory_id, by, reason, before, after, relations, "
            "approval) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
            (
                change.id,
                change.namespace,
                to_us(change.at),
                change.action,
                change.memory_id,
                change.by,
                change.reason,
                as_json({name: columns_of(standing) for name, standing in change.before.items()}),
                as_json({name: columns_of(standing) for name, standing in change.after.items()}),
                as_json([(r.from_id, r.to_id, str(r.type), r.weight, r.evidence) for r in change.relations]),
                change.approval,
            ),
        )
        await self._connection.execute_many(
            "INSERT INTO change_memories (memory_id, change) VALUES (?, ?)",
            [(name, row["seq"]) for name in change.after],
        )
        detail = {"change": change.id, "by": change.by}
        await record_change(
            self._connection, change.at, change.namespace, f"memory.{change.action}", change.memory_id, **detail
        )

    async def undone(self, change: Change, by: str) -> None:
        """Note the change by which one was undone."""
        await self._connection.execute(
            "UPDATE changes SET reverted_by = ? WHERE id = ? AND /*unindexed*/namespace = ?",
            (by, change.id, change.namespace),
        )

    async def clear(self, memory_id: str) -> None:
        """Remove a memory's id and all reasons from the changes that touched it."""
        changes = await self._connection.fetch_all(
            "SELECT c.seq, c.relations FROM change_memories x JOIN changes c ON c.seq = x.change WHERE x.memory_id = ?",
            (memory_id,),
        )
        remaining = [
            (as_json([one for one in json.loads(change["relations"]) if memory_id not in one[:2]]), change["seq"])
            for change in changes
        ]
        await self._connection.execute_many("UPDATE changes SET reason = '', relations = ? WHERE seq = ?", remaining)
        await self._connection.execute("DELETE FROM change_memories WHERE memory_id = ?", (memory_id,))


def columns_of(standing: FactState) -> tuple[Any, ...]:
    """Return a standing as the columns of a memory, in their order."""
    return (
        str(standing.status),
        standing.confidence,
        maybe_to_us(standing.valid_from),
        maybe_to_us(standing.valid_to),
        standing.confirmations,
        standing.rejections,
    )


def _standing(columns: Sequence[Any]) -> FactState:
    status, confidence, valid_from, valid_to, confirmations, rejections = columns
    return FactState(status, confidence, maybe_from_us(valid_from), maybe_from_us(valid_to), confirmations, rejections)


def to_change(row: Row) -> Change:
    """Return the change that a row of `changes` is."""
    return Change(
        id=row["id"],
        namespace=row["namespace"],
        at=from_us(row["at"]),
        action=row["action"],
        memory_id=row["memory_id"],
        by=row["by"],
        reason=row["reason"],
        before={name: _standing(columns) for name, columns in json.loads(row["before"]).items()},
        after={name: _standing(columns) for name, columns in json.loads(row["after"]).items()},
        relations=tuple(Relation(*parts) for parts in json.loads(row["relations"])),
        approval=row["approval"],
        reverted_by=row["reverted_by"],
    )
