"""Usage: one row of counters for each quarter of an hour, namespace, client, and tool or model."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from datetime import datetime, tzinfo
from typing import Any

from ...modules.usage.models import CounterKey, Spending, SpendingKey, Tokens, Usage, UsageKey
from ..engine.ports import Connection, Engine, Row
from ..engine.times import day_in, day_of, to_us

_TOKENS = [field.name for field in fields(Tokens)]
_COUNTERS = [field.name for field in fields(Usage)]
_SPENT = ["calls", "estimated", *_TOKENS, "told", "replay"]


class UsagesRepository:
    """Storage of counters; additions are not fsynced, since they are statistics."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, counts: Mapping[CounterKey, Usage]) -> None:
        """Add to the counters."""
        await self._add("usage", "tool", _COUNTERS, {key: astuple(one) for key, one in counts.items()})

    async def between_everywhere(self, since: datetime, until: datetime, zone: tzinfo) -> dict[UsageKey, Usage]:
        """Return the counters of a time, by the days of a zone."""
        rows = await self._daily("usage", "tool", _COUNTERS, since, until, zone)
        return {
            UsageKey(day_of(row["day"]), row["namespace"], row["client"], row["tool"]): Usage(
                *(int(row[name]) for name in _COUNTERS)
            )
            for row in rows
        }

    async def add_spending(self, counts: Mapping[CounterKey, Spending]) -> None:
        """Add to what was spent."""
        spent = {
            key: (one.calls, one.estimated, *astuple(one.tokens), one.told, one.replay) for key, one in counts.items()
        }
        await self._add("spending", "model", _SPENT, spent)

    async def spending_between_everywhere(
        self, since: datetime, until: datetime, zone: tzinfo
    ) -> dict[SpendingKey, Spending]:
        """Return what was spent in a time, by the days of a zone."""
        rows = await self._daily("spending", "model", _SPENT, since, until, zone)
        return {
            SpendingKey(day_of(row["day"]), row["namespace"], row["client"], row["model"]): Spending(
                int(row["calls"]),
                int(row["estimated"]),
                Tokens(*(int(row[name]) for name in _TOKENS)),
                int(row["told"]),
                int(row["replay"]),
            )
            for row in rows
        }

    async def drop_before_everywhere(self, moment: datetime) -> int:
        """Delete the counters of before; return how many."""
        before = (to_us(moment),)
        old = "SELECT 1 FROM usage WHERE at < ? UNION ALL SELECT 1 FROM spending WHERE at < ? LIMIT 1"
        if not await self._engine.read(old, before * 2):
            return 0

        async def work(connection: Connection) -> int:
            of_tools = await connection.execute("DELETE FROM usage WHERE at < ?", before)
            return of_tools + await connection.execute("DELETE FROM spending WHERE at < ?", before)

        return await self._engine.write(work, durable=False)

    async def _add(
        self, table: str, name: str, columns: Sequence[str], counts: Mapping[CounterKey, tuple[Any, ...]]
    ) -> None:
        async def work(connection: Connection) -> None:
            await connection.execute_many(
                f"INSERT INTO {table} (at, namespace, client, {name}, {', '.join(columns)}) "
                f"VALUES (?, ?, ?, ?, {', '.join('?' * len(columns))}) "
                f"ON CONFLICT (at, namespace, client, {name}) DO UPDATE SET "
                + ", ".join(f"{column} = {table}.{column} + excluded.{column}" for column in columns),
                [(to_us(key.at), key.namespace, key.client, key.name, *numbers) for key, numbers in counts.items()],
            )

        await self._engine.write(work, durable=False)

    async def _daily(
        self, table: str, name: str, columns: Sequence[str], since: datetime, until: datetime, zone: tzinfo
    ) -> Sequence[Row]:
        day = day_in(zone, "u.at", since, until)
        sums = ", ".join(f"sum(u.{column}) AS {column}" for column in columns)
        return await self._engine.read(
            f"SELECT {day} AS day, u.namespace, u.client, u.{name}, {sums} FROM {table} u "
            f"WHERE u.at >= ? AND u.at < ? GROUP BY {day}, u.namespace, u.client, u.{name}",
            (to_us(since), to_us(until)),
        )
