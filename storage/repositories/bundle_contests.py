"""Contests what a bundle brought and this store contradicts: a human decides, until then what was known holds."""

from collections.abc import Sequence
from datetime import datetime

from ...modules.judging import recording
from ...modules.memory.conflict_resolution import from_elsewhere
from ...modules.memory.models import Status
from ..engine.ports import Connection
from .memory_rows import as_json
from .rows import TransactionRows

_HOLDING = (
    "SELECT m.id, m.namespace FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
    f"WHERE m.attribute IS NOT NULL AND m.valid_to IS NULL AND m.status = '{Status.ACTIVE}' ORDER BY m.seq"
)


async def contest(connection: Connection, arrived: Sequence[str], now: datetime) -> list[str]:
    """Contest those of the memories that came which say otherwise than what held here already; their ids."""
    came, contested = set(arrived), []
    rows = TransactionRows(connection)
    for row in await connection.fetch_all(_HOLDING, (as_json(list(arrived)),)):
        memory = (await rows.memories.get(row["namespace"], [row["id"]]))[row["id"]]
        known = [one for one in await rows.memories.rivals(memory, now) if one.id not in came]
        decision = from_elsewhere(memory, known)
        if decision is not None:
            present = {one.id: one for one in (memory, *known)}
            await recording.record(rows, memory.namespace, decision, present, "job", now)
            contested.append(memory.id)
    return contested
