"""Traces that every change leaves: its namespace is registered, and the audit log names it."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from ...modules.principals.acting import actor, requested
from ..engine.ports import Connection
from ..engine.times import to_us


async def register_namespace(connection: Connection, namespace: str, now_us: int) -> None:
    """Hold a namespace until the transaction ends, and register it, so that rows can refer to it."""
    await connection.lock(namespace)
    await connection.execute(
        "INSERT INTO namespaces (id, created_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", (namespace, now_us)
    )


async def record_change(
    connection: Connection, at: datetime, namespace: str, action: str, subject: str, **detail: Any
) -> None:
    """Append to the audit log, within the change's own transaction; texts are never part of it.

    A trigger chains the entry to the one before it. A request that may come again is noted with what it changed.
    """
    await connection.execute(
        "INSERT INTO audit (at, principal, door, request_id, namespace, action, subject, detail) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (to_us(at), *actor(), namespace, action, subject, json.dumps(detail)),
    )
    asked = requested()
    if asked is not None:
        principal, request = asked
        await connection.execute(
            "INSERT INTO request_effects (principal, key, action, subject, digest, at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (principal, key, action, subject) DO NOTHING",
            (principal, request.key, action, subject, request.digest, to_us(request.at)),
        )


async def record_changes(
    connection: Connection, at: datetime, action: str, subjects: Iterable[tuple[str, str]]
) -> None:
    """Append to the audit log what was done to many subjects, each given with its namespace, that nobody asked for."""
    await connection.execute_many(
        "INSERT INTO audit (at, principal, door, request_id, namespace, action, subject, detail) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, '{}')",
        [(to_us(at), *actor(), namespace, action, subject) for namespace, subject in subjects],
    )


async def done_before(connection: Connection, action: str) -> str | None:
    """Return the subject of an action that the same request did when it came before; None where it has not.

    What it has done since it came now does not count: a request may do an action several times.
    """
    asked = requested()
    if asked is None:
        return None
    principal, request = asked
    subject: str | None = await connection.fetch_value(
        "SELECT subject FROM request_effects WHERE principal = ? AND key = ? AND action = ? AND digest = ? AND at <> ?",
        (principal, request.key, action, request.digest, to_us(request.at)),
    )
    return subject
