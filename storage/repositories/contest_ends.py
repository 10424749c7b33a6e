"""Ends contests: of what says something else now, what was erased, and what it alone had contested."""

import json
from dataclasses import replace
from datetime import datetime

from ...modules.facts.models import CONTRADICTS, FactState
from ...modules.memory.conflict_resolution import Decision
from ...modules.memory.models import Memory, Status
from ..engine.ports import Connection, Row
from . import broken_vouches, contests
from .change_rows import OF_A_MEMORY, read, to_change
from .memory_rows import as_json
from .recording import is_contradicted, record

_BEGUN = f"SELECT to_id AS id FROM relations WHERE from_id = ?1 AND type = '{CONTRADICTS}'"
_CONTRADICTED = (  # two look-ups: with OR or IN every relation there is would be read
    f"{_BEGUN} UNION SELECT from_id FROM relations WHERE to_id = ?1 AND type = '{CONTRADICTS}'"
)


async def retract(connection: Connection, namespace: str, memory_id: str, now: datetime) -> None:
    """End the contests that a memory began, before it states something else.

    Those that newcomers began with it stay: else whoever corrects the known side would decide for the newcomer.
    """
    memory = (await read(connection, namespace, [memory_id]))[memory_id]
    if not await connection.fetch_all(_BEGUN, (memory_id,)):
        return  # it may be contested for a rejection alone, which a correction does not answer
    standing = await as_uncontested(connection, memory)
    reason = "what it contradicted says something else now"
    await leave_contests(connection, namespace, memory_id, reason, now, only_begun=True)
    if memory.status is not Status.CONTESTED or await is_contradicted(connection, memory_id, {memory_id}, now):
        return
    decision = Decision("resolve", memory_id, "it says something else now", {memory_id: standing})
    await record(connection, namespace, decision, {memory_id: memory}, "job", now)


async def contesting(connection: Connection, memory_id: str) -> list[str]:
    """Return the ids of the memories that contest a memory."""
    rows = await connection.fetch_all(
        "SELECT from_id FROM relations WHERE to_id = ? AND type = ?", (memory_id, CONTRADICTS)
    )
    return [row["from_id"] for row in rows]


async def clear_traces(connection: Connection, row: Row, now: datetime) -> None:
    """Remove what was recorded about a memory, before it is erased; what it alone had contested stands again."""
    memory_id, namespace = row["id"], row["namespace"]
    touched = [
        found["change"]
        for found in await connection.fetch_all("SELECT change FROM change_memories WHERE memory_id = ?", (memory_id,))
    ]
    if not touched:
        return
    await leave_contests(connection, namespace, memory_id, "what it contradicted was erased", now)
    await broken_vouches.withdraw(connection, namespace, memory_id, "it was erased", now)
    await connection.execute("DELETE FROM relations WHERE from_id = ?1 OR to_id = ?1", (memory_id,))
    changes = await connection.fetch_all(
        "SELECT seq, relations FROM changes WHERE seq IN (SELECT value FROM json_numbers(?))", (as_json(touched),)
    )
    remaining = [
        (as_json([one for one in json.loads(change["relations"]) if memory_id not in one[:2]]), change["seq"])
        for change in changes
    ]
    await connection.execute_many("UPDATE changes SET reason = '', relations = ? WHERE seq = ?", remaining)
    await connection.execute("DELETE FROM change_memories WHERE memory_id = ?", (memory_id,))


async def leave_contests(
    connection: Connection, namespace: str, memory_id: str, reason: str, now: datetime, *, only_begun: bool = False
) -> None:
    """Take a memory out of its contests: withdraw the question about it, and resolve what it alone had contested.

    With `only_begun`, out of those that it began.
    """
    await contests.withdraw(connection, namespace, memory_id, reason, now)
    found = await connection.fetch_all(_BEGUN if only_begun else _CONTRADICTED, (memory_id,))
    present = await read(connection, namespace, [row["id"] for row in found])
    ends = "from_id = ?1" if only_begun else "(from_id = ?1 OR to_id = ?1)"
    await connection.execute(f"DELETE FROM relations WHERE {ends} AND type = ?2", (memory_id, CONTRADICTS))
    for name, memory in present.items():
        if memory.status is Status.CONTESTED and not await is_contradicted(connection, name, {name}, now):
            standing = await as_uncontested(connection, memory)
            decision = Decision("resolve", name, reason, {name: standing})
            await record(connection, namespace, decision, present, "job", now)


async def as_uncontested(connection: Connection, memory: Memory) -> FactState:
    """Return the standing of a memory had nothing contradicted it; one that was rejected since stays contested."""
    contests_of = await connection.fetch_all(
        f"SELECT c.* {OF_A_MEMORY} AND c.reverted_by IS NULL AND c.action = 'contest' ORDER BY c.seq DESC",
        (memory.id, memory.namespace),
    )
    found = [change.before[memory.id] for change in map(to_change, contests_of) if memory.id in change.before]
    if not found:  # no contest touched it
        return memory.standing
    before = next((one for one in found if one.status != Status.CONTESTED), found[-1])
    if memory.rejections > before.rejections:
        return memory.standing
    status = Status.ACTIVE if memory.confirmations > before.confirmations else before.status
    return replace(memory.standing, status=status, confidence=max(memory.confidence, before.confidence))
