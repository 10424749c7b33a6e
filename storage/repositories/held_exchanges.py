"""Exchanges of the gateway that may be a client's own, until it shows whose they are."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from ...modules.gateway.exchange import Exchange, Held
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, to_us
from .audit import register_namespace


class HeldExchangesRepository:
    """Implements `modules.gateway.ports.HeldRepository`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def put(self, one: Held) -> None:
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
        rows = await self._engine.read(
            "SELECT * FROM held_exchanges WHERE namespace = ? AND session = ? ORDER BY held_at", (namespace, session)
        )
        return [_held(row) for row in rows]

    async def before_everywhere(self, before: datetime, most: int) -> list[Held]:
        rows = await self._engine.read(
            "SELECT * FROM held_exchanges WHERE held_at <= ? ORDER BY held_at LIMIT ?", (to_us(before), most)
        )
        return [_held(row) for row in rows]

    async def drop(self, namespace: str, session: str, keys: Sequence[str]) -> None:
        async def work(connection: Connection) -> None:
            await connection.execute(
                "DELETE FROM held_exchanges WHERE namespace = ? AND session = ? "
                "AND key IN (SELECT value FROM json_texts(?))",
                (namespace, session, json.dumps(list(keys))),
            )

        await self._engine.write(work)


def _held(row: Row) -> Held:
    return Held(row["namespace"], row["client"], Exchange(**json.loads(row["exchange"])), from_us(row["held_at"]))
