"""Blocks that the gateway has put into conversations, with the memories in each."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from ...modules.gateway.block import Block
from ...modules.gateway.sessions import StoredTurn
from ..engine.ports import Connection, Engine, Row
from ..engine.times import to_us


class GatewayBlocksRepository:
    """Implements `modules.gateway.ports.BlockRepository`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(self, namespace: str, digest: str, block: Block, now: datetime) -> None:
        key = (namespace, digest)
        known = await self._engine.read("SELECT 1 FROM told_blocks WHERE namespace = ? AND digest = ?", key)
        if not known and not block.text:
            return

        async def work(connection: Connection) -> None:
            await connection.execute("DELETE FROM told_blocks WHERE namespace = ? AND digest = ?", key)
            if block.text:
                await connection.execute(
                    "INSERT INTO told_blocks (namespace, digest, text, told_at) VALUES (?, ?, ?, ?)",
                    (*key, block.text, to_us(now)),
                )
                await connection.execute_many(
                    "INSERT INTO told_memories (namespace, digest, place, memory) VALUES (?, ?, ?, ?)",
                    [(*key, place, memory) for place, memory in enumerate(block.ids)],
                )

        await self._engine.write(work, durable=False)

    async def find(self, namespace: str, digests: Sequence[str]) -> dict[str, Block]:
        rows = await self._engine.read(
            "SELECT b.digest, b.text, t.memory, EXISTS (SELECT 1 FROM memories m WHERE m.namespace = b.namespace "
            "AND m.id = t.memory AND m.status <> 'forgotten') AS stays FROM told_blocks b JOIN told_memories t "
            "ON t.namespace = b.namespace AND t.digest = b.digest WHERE b.namespace = ? "
            "AND b.digest IN (SELECT value FROM json_texts(?)) ORDER BY b.digest, t.place",
            (namespace, json.dumps(list(digests))),
        )
        found: dict[str, list[Row]] = {}
        for row in rows:
            found.setdefault(row["digest"], []).append(row)
        return {
            digest: Block(found_rows[0]["text"], tuple(one["memory"] for one in found_rows))
            for digest, found_rows in found.items()
            if all(one["stays"] for one in found_rows)
        }

    async def turns(self, namespace: str, digests: Mapping[str, str], most: int, now: datetime) -> list[StoredTurn]:
        rows = await self._engine.read(
            "SELECT t.key, s.key AS session, s.last_at, EXISTS (SELECT 1 FROM turns l WHERE l.session = s.id "
            "AND l.role = 'user' AND l.memory_seq > t.memory_seq) AS goes_on FROM (SELECT id, key, last_at "
            "FROM sessions WHERE namespace = ? ORDER BY last_at DESC LIMIT ?) s /*then*/ "
            "JOIN json_texts(?) given ON TRUE /*then*/ JOIN turns t ON t.session = s.id AND t.key = given.value "
            "ORDER BY s.last_at",
            (namespace, most, json.dumps(list(digests))),
        )
        return [
            StoredTurn(digests[row["key"]], row["session"], bool(row["goes_on"]), (to_us(now) - row["last_at"]) / 1e6)
            for row in rows
        ]

    async def gone(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        rows = await self._engine.read(
            "SELECT given.value AS id FROM json_texts(?) given WHERE NOT EXISTS (SELECT 1 FROM memories m "
            "WHERE m.namespace = ? AND m.id = given.value AND m.status <> 'forgotten')",
            (json.dumps(list(memory_ids)), namespace),
        )
        return [row["id"] for row in rows]

    async def drop_before_everywhere(self, before: datetime, most: int) -> int:
        last = await self._engine.read(
            "SELECT told_at FROM told_blocks ORDER BY told_at DESC LIMIT 1 OFFSET ?", (most,)
        )
        until = max([to_us(before), *(row["told_at"] for row in last)])
        if not await self._engine.read("SELECT 1 FROM told_blocks WHERE told_at <= ? LIMIT 1", (until,)):
            return 0

        async def work(connection: Connection) -> int:
            return await connection.execute("DELETE FROM told_blocks WHERE told_at <= ?", (until,))

        return await self._engine.write(work, durable=False)


async def delete_containing(connection: Connection, namespace: str, memory_id: str) -> None:
    """Delete every block that contains a memory, which changes or is erased."""
    await connection.execute(
        "DELETE FROM told_blocks WHERE namespace = ?1 AND digest IN "
        "(SELECT digest FROM told_memories WHERE namespace = ?1 AND memory = ?2)",
        (namespace, memory_id),
    )
