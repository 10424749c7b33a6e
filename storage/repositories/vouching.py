"""Memories that a person vouches for, and what only a person may take away; within the transaction that would do so."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ...modules.errors import PermissionDenied
from ...modules.facts.models import CONTRADICTS, FactState
from ...modules.memory import vouching
from ...modules.memory.models import HIDDEN, Memory
from ...modules.text.scripts import key_form
from ..engine.ports import Connection, Engine, Row
from ..engine.times import to_us
from . import guards, predicates
from .memory_rows import COLUMNS, as_json, to_memory

_CONFIRMED = (
    "/*then*/ JOIN changes c ON c.memory_id = m.id AND c.namespace = m.namespace AND c.by = 'human' "
    "AND c.action = 'confirm' AND c.reverted_by IS NULL"
)


async def by_tag(engine: Engine, namespace: str, tag: str, now: datetime) -> list[Memory]:
    """Return the memories with a tag that hold, are shown, and that a person vouches for; the newest first."""
    rows = await engine.read(
        f"SELECT {COLUMNS}, c.reason FROM memory_tags t /*then*/ JOIN memories m ON m.seq = t.memory_seq {_CONFIRMED} "
        f"WHERE t.namespace = ? AND t.tag = ? AND {predicates.VISIBLE} AND (m.expires_at IS NULL OR m.expires_at > ?) "
        "AND (m.valid_to IS NULL OR m.valid_to > ?) ORDER BY m.seq DESC",
        (namespace, key_form(tag), to_us(now), to_us(now)),
    )
    return list(_sealed(rows).values())


async def of(connection: Connection, namespace: str, memory_ids: Iterable[str]) -> list[str]:
    """Return the ids of those of some memories that a person vouches for."""
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS}, c.reason FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
        f"{_CONFIRMED} "
        "WHERE m.namespace = ?",
        (as_json(list(memory_ids)), namespace),
    )
    return list(_sealed(rows))


async def withdrawn_confirmations(
    connection: Connection, namespace: str, before: Mapping[str, FactState], after: Mapping[str, FactState]
) -> list[str]:
    """Return the ids of what a person vouches for and new standings would take away."""
    losing = vouching.unmade(before, after)
    return await of(connection, namespace, losing) if losing else []


async def forbids(
    connection: Connection,
    namespace: str,
    by: str,
    before: Mapping[str, FactState],
    after: Mapping[str, FactState],
    now: datetime,
) -> bool:
    """Return whether a job may not set standings, as a person vouches for what it takes away, or it needs a review.

    Raises PermissionDenied for an agent, also where it takes away a side of a contest that is the better trusted one.
    """
    if by == vouching.HUMAN:
        return False
    lost = await withdrawn_confirmations(connection, namespace, before, after)
    if lost and by == "agent":
        raise PermissionDenied(_refusal(lost[0]))
    if by == "agent":
        await guards.guard_standings(connection, namespace, before, after, now)
    leaving = [name for name in after if after[name].status in HIDDEN and before[name].status not in HIDDEN]
    if leaving and by == "agent":
        await _guard_contests(connection, namespace, leaving)
    return bool(lost) or (by != "agent" and await guards.left_to_review(connection, namespace, before, after))


async def guard_erasing(connection: Connection, namespace: str, memory_ids: Iterable[str]) -> None:
    """Refuse to erase what a person vouches for, or is to decide about. Raises PermissionDenied."""
    chosen = list(memory_ids)
    for name in await of(connection, namespace, chosen):
        raise PermissionDenied(_refusal(name))
    await _guard_contests(connection, namespace, chosen)


async def _guard_contests(connection: Connection, namespace: str, leaving: Sequence[str]) -> None:
    """Refuse to take away what a less trusted newcomer contests, unless that goes too. Raises PermissionDenied."""
    for row in await connection.fetch_all(
        "SELECT m.id FROM json_texts(?1) given /*then*/ JOIN memories m ON m.id = given.value "
        f"/*then*/ JOIN relations r ON r.to_id = m.id AND r.type = '{CONTRADICTS}' /*then*/ JOIN memories n "
        "ON n.id = r.from_id WHERE m.namespace = ?2 AND n.namespace = ?2 AND n.status = 'contested' "
        "AND n.trust < m.trust AND n.id NOT IN (SELECT value FROM json_texts(?1)) LIMIT 1",
        (as_json(leaving), namespace),
    ):
        raise PermissionDenied(
            f"memory_id: memory {row['id']} is contradicted by a less trusted source, and an agent may not side "
            "with that; nothing was changed; a human must decide: agentos approvals"
        )


async def guard_expiring(connection: Connection, namespace: str, memory_id: str) -> None:
    """Refuse to let a memory expire that a person vouches for. Raises PermissionDenied."""
    for name in await of(connection, namespace, [memory_id]):
        raise PermissionDenied(_refusal(name))


def _refusal(memory_id: str) -> str:
    return (
        f"memory_id: memory {memory_id} was confirmed by a person, who alone can end it, at a terminal: agentos forget "
        f"{memory_id}"
    )


def _sealed(rows: Iterable[Row]) -> dict[str, Memory]:
    found = {}
    for row in rows:
        memory = to_memory(row)
        if vouching.is_vouched(memory, row["reason"]):
            found[memory.id] = memory
    return found
