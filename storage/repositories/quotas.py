"""Quotas of namespaces: what may still be stored, decided in the transaction that stores it."""

from ...modules.errors import QuotaExceeded
from ..engine.ports import Connection
from . import predicates

_COUNT = (
    f"SELECT (SELECT count(*) FROM memories m WHERE m.namespace = ?1 AND {predicates.VISIBLE}) "
    "+ (SELECT count(*) FROM sealed_memories s WHERE s.namespace = ?1)"
)
_BYTES = (
    "SELECT coalesce((SELECT sum(octet_length(m.content)) FROM memories m WHERE m.namespace = ?1), 0) "
    "+ coalesce((SELECT sum(octet_length(s.content)) FROM sealed_memories s WHERE s.namespace = ?1), 0)"
)
"""Every text is looked at: only namespaces with such a quota pay for it."""


async def require_room(connection: Connection, namespace: str, content: str, before: str | None = None) -> None:
    """Raise QuotaExceeded where a namespace may not hold a text, be it a new one or in the place of the one `before`.

    The caller holds the namespace's name.
    """
    row = await connection.fetch_one(
        "SELECT max_memories, max_bytes FROM namespace_policies WHERE namespace = ?", (namespace,)
    )
    if row is None:
        return
    most, most_bytes = row["max_memories"], row["max_bytes"]
    if most is not None and before is None and await connection.fetch_value(_COUNT, (namespace,)) >= most:
        raise _exceeded(namespace, f"{most:,} memories", "delete or archive some")
    more = len(content.encode()) - len((before or "").encode())
    if most_bytes is not None and more > 0:
        held = int(await connection.fetch_value(_BYTES, (namespace,)))
        if held + more > most_bytes:
            raise _exceeded(namespace, f"{most_bytes:,} bytes and holds {held:,}", "delete some memories")


async def require_place(connection: Connection, memory_id: str) -> None:
    """Raise QuotaExceeded where a hidden memory may not be shown again: its namespace has as many as it may."""
    row = await connection.fetch_one(
        "SELECT m.namespace, p.max_memories FROM memories m JOIN namespace_policies p ON p.namespace = m.namespace "
        f"WHERE m.id = ? AND p.max_memories IS NOT NULL AND NOT ({predicates.VISIBLE})",
        (memory_id,),
    )
    if row is not None and await connection.fetch_value(_COUNT, (row["namespace"],)) >= row["max_memories"]:
        raise _exceeded(row["namespace"], f"{row['max_memories']:,} memories", "delete or archive some")


def _exceeded(namespace: str, told: str, remedy: str) -> QuotaExceeded:
    return QuotaExceeded(
        f"{namespace[:60]!r} may hold {told}: {remedy}, or the owner allows more: agentos namespaces set"
    )
