"""Usage in SQLite: one row of counters for each day, namespace, client and tool."""

from collections.abc import Mapping
from dataclasses import astuple, fields
from datetime import date

import aiosqlite

from ...modules.usage.models import Usage, UsageKey
from ..sqlite.database import Sqlite

_COUNTERS = [field.name for field in fields(Usage)]


class UsageRepository:
    """Implements `modules.usage.ports.UsageRepository`."""

    def __init__(self, sqlite: Sqlite) -> None:
        self._sqlite = sqlite

    async def add(self, counts: Mapping[UsageKey, Usage]) -> None:
        async def work(connection: aiosqlite.Connection) -> None:
            await connection.executemany(
                f"INSERT INTO usage (day, namespace, client, tool, {', '.join(_COUNTERS)}) "
                f"VALUES (?, ?, ?, ?, {', '.join('?' * len(_COUNTERS))}) "
                "ON CONFLICT (day, namespace, client, tool) DO UPDATE SET "
                + ", ".join(f"{name} = {name} + excluded.{name}" for name in _COUNTERS),
                [
                    (key.day.isoformat(), key.namespace, key.client, key.tool, *astuple(usage))
                    for key, usage in counts.items()
                ],
            )

        await self._sqlite.write(work, durable=False)

    async def since_everywhere(self, day: date) -> dict[UsageKey, Usage]:
        rows = await self._sqlite.read("SELECT * FROM usage WHERE day >= ?", (day.isoformat(),))
        return {
            UsageKey(date.fromisoformat(row["day"]), row["namespace"], row["client"], row["tool"]): Usage(
                *(row[name] for name in _COUNTERS)
            )
            for row in rows
        }

    async def drop_before_everywhere(self, day: date) -> int:
        if not await self._sqlite.read("SELECT 1 FROM usage WHERE day < ? LIMIT 1", (day.isoformat(),)):
            return 0

        async def work(connection: aiosqlite.Connection) -> int:
            return (await connection.execute("DELETE FROM usage WHERE day < ?", (day.isoformat(),))).rowcount

        return await self._sqlite.write(work, durable=False)
