"""The rows of changes: a judgement's record, with the standings before and after it."""

import json
from collections.abc import Sequence
from typing import Any

from ...modules.facts.models import FactState, Relation
from ...modules.memory.models import Change, Memory
from ..engine.ports import Connection, Row
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us
from .audit import record_change
from .memory_rows import COLUMNS, as_json, to_memory

OF_A_MEMORY = "FROM change_memories x JOIN changes c ON c.seq = x.change WHERE x.memory_id = ? AND c.namespace = ? "
"""The changes that touched a memory, for `SELECT … `; its parameters are the memory's id and its namespace."""


async def read(connection: Connection, namespace: str, memory_ids: Sequence[str]) -> dict[str, Memory]:
    """Return the memories that exist, as they stand within a transaction: by id, in the order of the ids."""
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value WHERE m.namespace = "
        "?",
        (as_json(list(dict.fromkeys(memory_ids))), namespace),
    )
    return {row["id"]: to_memory(row) for row in rows}


async def keep(connection: Connection, change: Change) -> None:
    """Write a change, what it touched, and its entry in the log."""
    [row] = await connection.fetch_all(
        "INSERT INTO changes (id, namespace, at, action, memory_id, by, reason, before, after, relations, approval) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
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
    await connection.execute_many(
        "INSERT INTO change_memories (memory_id, change) VALUES (?, ?)", [(name, row["seq"]) for name in change.after]
    )
    detail = {"change": change.id, "by": change.by}
    await record_change(connection, change.at, change.namespace, f"memory.{change.action}", change.memory_id, **detail)


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
