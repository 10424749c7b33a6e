"""What the gateway keeps: blocks that it has put into conversations, and exchanges that it holds; on every engine."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import from_us, to_us
from ...storage.repositories.audit import register_namespace
from .block import Block
from .exchange import Exchange, Held
from .sessions import StoredTurn


class ToldBlockRows:
    """Blocks by their message's digest; writes are not fsynced, since losing one costs only a cache read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(self, namespace: str, digest: str, block: Block, now: datetime) -> None:
        """Keep the block of a message; one without a text takes an earlier one away."""
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
        """Return the blocks of messages; none that tells a memory which is forgotten or erased."""
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
        """Return the turns of these keys in the latest `most` sessions, the latest last, by the digests given."""
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
        """Return those of some memories that are forgotten or erased."""
        rows = await self._engine.read(
            "SELECT given.value AS id FROM json_texts(?) given WHERE NOT EXISTS (SELECT 1 FROM memories m "
            "WHERE m.namespace = ? AND m.id = given.value AND m.status <> 'forgotten')",
            (json.dumps(list(memory_ids)), namespace),
        )
        return [row["id"] for row in rows]

    async def drop_before_everywhere(self, before: datetime, most: int) -> int:
        """Delete the blocks from before a time, and the oldest beyond `most`; return how many."""
        last = await self._engine.read(
            "SELECT told_at FROM told_blocks ORDER BY told_at DESC LIMIT 1 OFFSET ?", (most,)
        )
        until = max([to_us(before), *(row["told_at"] for row in last)])
        if not await self._engine.read("SELECT 1 FROM told_blocks WHERE told_at <= ? LIMIT 1", (until,)):
            return 0

        async def work(connection: Connection) -> int:
            return await connection.execute("DELETE FROM told_blocks WHERE told_at <= ?", (until,))

        return await self._engine.write(work, durable=False)


class HeldRows:
    """Exchanges of which it shows later whose they are."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(self, one: Held) -> None:
        """Hold an exchange durably; one of the same session and key that is held already stays."""

        async def work(connection: Connection) -> None:
            await register_namespace(connection, one.namespace, to_us(one.at))
            await connection.execute(
                "INSERT INTO held_exchanges (namespace, session, key, client, exchange, held_at) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (namespace, session, key) DO NOTHING",
                (
                    one.namespace,
                    one.exchange.session,
                    one.exchange.key,
                    one.client,
                    json.dumps(asdict(one.exchange), ensure_ascii=False),
                    to_us(one.at),
                ),
            )

        await self._engine.write(work)

    async def of(self, namespace: str, session: str) -> list[Held]:
        """Return what is held of a session, the oldest first."""
        rows = await self._engine.read(
            "SELECT * FROM held_exchanges WHERE namespace = ? AND session = ? ORDER BY held_at", (namespace, session)
        )
        return [_held(row) for row in rows]

    async def before_everywhere(self, before: datetime, most: int) -> list[Held]:
        """Return what has been held since before a time in any namespace, the oldest first."""
        rows = await self._engine.read(
            "SELECT * FROM held_exchanges WHERE held_at <= ? ORDER BY held_at LIMIT ?", (to_us(before), most)
        )
        return [_held(row) for row in rows]

    async def drop(self, namespace: str, session: str, keys: Sequence[str]) -> None:
        """Delete what is held of a session under these keys."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "DELETE FROM held_exchanges WHERE namespace = ? AND session = ? "
                "AND key IN (SELECT value FROM json_texts(?))",
                (namespace, session, json.dumps(list(keys))),
            )

        await self._engine.write(work)


def _held(row: Row) -> Held:
    return Held(row["namespace"], row["client"], Exchange(**json.loads(row["exchange"])), from_us(row["held_at"]))
