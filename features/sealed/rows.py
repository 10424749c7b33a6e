"""Sealed memories: encrypted texts, and vectors that are compared exactly."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Sequence
from datetime import datetime

from ...modules.errors import InvalidInput
from ...modules.judging import guards
from ...modules.sealed_texts import SealedHit, SealedMemory
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import from_us, to_us
from ...storage.repositories.audit import record_change, register_namespace
from ...storage.repositories.rows import TransactionRows

ROWS_AT_ONCE = 5_000
_FIRST = "SELECT dimension FROM sealed_memories WHERE namespace = ? ORDER BY seq LIMIT 1"
_COLUMNS = "id, namespace, content, created_at"


class SealedRows:
    """Opaque texts with unit vectors (float32, little-endian), all of one dimension in a namespace."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, memory: SealedMemory, vector: bytes, content_hash: str) -> tuple[SealedMemory, bool]:
        """Store a memory durably, or find the one with the same content hash; True if it is new.

        Raises InvalidInput, and changes nothing, if the namespace's vectors have another dimension.
        """

        async def work(connection: Connection) -> tuple[SealedMemory, bool]:
            await connection.lock(memory.namespace)
            first = await connection.fetch_all(_FIRST, (memory.namespace,))
            _require_dimension(first, vector)
            same = await connection.fetch_all(
                f"SELECT {_COLUMNS} FROM sealed_memories WHERE namespace = ? AND content_hash = ?",
                (memory.namespace, content_hash),
            )
            if same:
                return _memory(same[0]), False
            await guards.require_room(TransactionRows(connection), memory.namespace, memory.content)
            await register_namespace(connection, memory.namespace, to_us(memory.created_at))
            await connection.execute(
                "INSERT INTO sealed_memories (id, namespace, content, content_hash, dimension, vector, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    memory.id,
                    memory.namespace,
                    memory.content,
                    content_hash,
                    len(vector) // 4,
                    vector,
                    to_us(memory.created_at),
                ),
            )
            await record_change(connection, memory.created_at, memory.namespace, "sealed.store", memory.id)
            return memory, True

        return await self._engine.write(work)

    async def get(self, namespace: str, memory_id: str) -> SealedMemory | None:
        """Return a memory by id, or None."""
        rows = await self._engine.read(
            f"SELECT {_COLUMNS} FROM sealed_memories WHERE namespace = ? AND id = ?", (namespace, memory_id)
        )
        return _memory(rows[0]) if rows else None

    async def nearest(self, namespace: str, vector: bytes, limit: int) -> list[SealedHit]:
        """Return the memories nearest by cosine similarity, best first, of equal ones the newer first; compares all.

        Raises InvalidInput if the namespace's vectors have another dimension.
        """
        _require_dimension(await self._engine.read(_FIRST, (namespace,)), vector)
        best: list[tuple[float, int]] = []
        after = 0
        while rows := await self._engine.read(
            "SELECT seq, vector FROM sealed_memories WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?",
            (namespace, after, ROWS_AT_ONCE),
        ):
            near = await asyncio.to_thread(_cosines, rows, vector)
            best = heapq.nlargest(limit, [*best, *near])
            after = rows[-1]["seq"]
        found = []
        for cosine, seq in best:
            known = await self._engine.read(f"SELECT {_COLUMNS} FROM sealed_memories WHERE seq = ?", (seq,))
            found += [SealedHit(_memory(row), cosine) for row in known]  # none if it was erased meanwhile
        return found

    async def erase(self, namespace: str, memory_id: str, now: datetime) -> bool:
        """Delete a memory with its vector; return whether it existed."""

        async def work(connection: Connection) -> bool:
            changed = await connection.execute(
                "DELETE FROM sealed_memories WHERE namespace = ? AND id = ?", (namespace, memory_id)
            )
            if changed:
                await record_change(connection, now, namespace, "sealed.erase", memory_id)
            return changed > 0

        return bool(await self._engine.erase(work))


def _require_dimension(first: Sequence[Row], vector: bytes) -> None:
    """Raise InvalidInput unless a vector has the dimension of the first one in its namespace, if there is one."""
    given = len(vector) // 4
    if first and first[0]["dimension"] != given:
        raise InvalidInput(
            "embedding",
            f"has {given} values, the sealed memories of this namespace have {first[0]['dimension']}; "
            "use the model that made those, or another namespace",
        )


def _cosines(rows: Sequence[Row], vector: bytes) -> list[tuple[float, int]]:
    import numpy as np

    matrix = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f4").reshape(len(rows), -1)
    return list(zip((matrix @ np.frombuffer(vector, dtype="<f4")).tolist(), [row["seq"] for row in rows], strict=True))


def _memory(row: Row) -> SealedMemory:
    return SealedMemory(row["id"], row["namespace"], row["content"], from_us(row["created_at"]))
