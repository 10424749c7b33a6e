"""What goes of that which the gateway keeps, also where that feature is off: with a memory, a subject, or its time."""

import json
from datetime import datetime

from ..engine.ports import Connection, Engine, Row
from ..engine.times import to_us


class KeptByGateway:
    """What the gateway has kept in a store, for what happens to it also where the feature is off."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def forget(self, namespace: str, subject: str) -> None:
        """Delete the exchanges of a namespace that name a subject, as an erasure does. Raises StorageUnavailable."""
        wanted = subject.casefold()
        rows = await self._engine.read(
            "SELECT session, key, exchange FROM held_exchanges WHERE namespace = ?", (namespace,)
        )
        named = [(namespace, row["session"], row["key"]) for row in rows if _names(row, wanted)]
        if not named:
            return

        async def work(connection: Connection) -> None:
            await connection.execute_many(
                "DELETE FROM held_exchanges WHERE namespace = ? AND session = ? AND key = ?", named
            )

        await self._engine.write(work)

    async def drop_everywhere(self, held_until: datetime, told_until: datetime) -> None:
        """Delete the exchanges held, and the blocks told, up to these moments. Raises StorageUnavailable."""
        held, told = to_us(held_until), to_us(told_until)
        if not await self._engine.read(
            "SELECT 1 FROM held_exchanges WHERE held_at <= ?1 UNION ALL SELECT 1 FROM told_blocks WHERE told_at <= ?2 "
            "LIMIT 1",
            (held, told),
        ):
            return

        async def work(connection: Connection) -> None:
            await connection.execute("DELETE FROM held_exchanges WHERE held_at <= ?", (held,))
            await connection.execute("DELETE FROM told_blocks WHERE told_at <= ?", (told,))

        await self._engine.write(work, durable=False)


def _names(row: Row, wanted: str) -> bool:
    said = json.loads(row["exchange"])
    return any(wanted in text.casefold() for text in (said["prompt"], *said["replies"], *said["calls"]))


async def delete_containing(connection: Connection, namespace: str, memory_id: str) -> None:
    """Delete every block that contains a memory, which changes or is erased."""
    await connection.execute(
        "DELETE FROM told_blocks WHERE namespace = ?1 AND digest IN "
        "(SELECT digest FROM told_memories WHERE namespace = ?1 AND memory = ?2)",
        (namespace, memory_id),
    )
