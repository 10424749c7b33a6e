"""Usage: one row of counters for each day, namespace, client and tool."""

from collections.abc import Mapping
from dataclasses import astuple, fields
from datetime import date

from ...modules.usage.models import Spending, SpendingKey, Tokens, Usage, UsageKey
from ..engine.ports import Connection, Engine

_TOKENS = [field.name for field in fields(Tokens)]
_COUNTERS = [field.name for field in fields(Usage)]


class UsageRepository:
    """Implements `modules.usage.ports.UsageRepository`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, counts: Mapping[UsageKey, Usage]) -> None:
        async def work(connection: Connection) -> None:
            await connection.execute_many(
                f"INSERT INTO usage (day, namespace, client, tool, {', '.join(_COUNTERS)}) "
                f"VALUES (?, ?, ?, ?, {', '.join('?' * len(_COUNTERS))}) "
                "ON CONFLICT (day, namespace, client, tool) DO UPDATE SET "
                + ", ".join(f"{name} = usage.{name} + excluded.{name}" for name in _COUNTERS),
                [
                    (key.day.isoformat(), key.namespace, key.client, key.tool, *astuple(usage))
                    for key, usage in counts.items()
                ],
            )

        await self._engine.write(work, durable=False)

    async def since_everywhere(self, day: date) -> dict[UsageKey, Usage]:
        rows = await self._engine.read("SELECT * FROM usage WHERE day >= ?", (day.isoformat(),))
        return {
            UsageKey(date.fromisoformat(row["day"]), row["namespace"], row["client"], row["tool"]): Usage(
                *(row[name] for name in _COUNTERS)
            )
            for row in rows
        }

    async def add_spending(self, counts: Mapping[SpendingKey, Spending]) -> None:
        columns = ["calls", "estimated", *_TOKENS, "told", "replay"]

        async def work(connection: Connection) -> None:
            await connection.execute_many(
                f"INSERT INTO spending (day, namespace, client, model, {', '.join(columns)}) "
                f"VALUES (?, ?, ?, ?, {', '.join('?' * len(columns))}) "
                "ON CONFLICT (day, namespace, client, model) DO UPDATE SET "
                + ", ".join(f"{name} = spending.{name} + excluded.{name}" for name in columns),
                [
                    (
                        *(key.day.isoformat(), key.namespace, key.client, key.model),
                        *(one.calls, one.estimated, *astuple(one.tokens), one.told, one.replay),
                    )
                    for key, one in counts.items()
                ],
            )

        await self._engine.write(work, durable=False)

    async def spending_since_everywhere(self, day: date) -> dict[SpendingKey, Spending]:
        rows = await self._engine.read("SELECT * FROM spending WHERE day >= ?", (day.isoformat(),))
        return {
            SpendingKey(date.fromisoformat(row["day"]), row["namespace"], row["client"], row["model"]): Spending(
                row["calls"],
                row["estimated"],
                Tokens(*(row[name] for name in _TOKENS)),
                row["told"],
                row["replay"],
            )
            for row in rows
        }

    async def drop_before_everywhere(self, day: date) -> int:
        before = (day.isoformat(),)
        old = "SELECT 1 FROM usage WHERE day < ? UNION ALL SELECT 1 FROM spending WHERE day < ? LIMIT 1"
        if not await self._engine.read(old, before * 2):
            return 0

        async def work(connection: Connection) -> int:
            of_tools = await connection.execute("DELETE FROM usage WHERE day < ?", before)
            return of_tools + await connection.execute("DELETE FROM spending WHERE day < ?", before)

        return await self._engine.write(work, durable=False)
