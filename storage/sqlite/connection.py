"""A connection to SQLite under the engine's surface; a statement takes one trip to the connection's thread."""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import aiosqlite

from ..engine.ports import Parameters, Row
from .driver import sqlite3


class SqliteConnection:
    """Implements `engine.ports.Connection`. Raises sqlite3.Error, which the database translates."""

    def __init__(self, connection: aiosqlite.Connection, spelled: Callable[[str], str]) -> None:
        self._connection = connection
        self._spelled = spelled

    async def lock(self, name: str, /) -> None:
        """Do nothing: `BEGIN IMMEDIATE` holds every name."""

    async def fetch_all(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        return list(await self._connection.execute_fetchall(self._spelled(sql), parameters))

    async def pages(self, sql: str, parameters: Parameters = (), /, *, rows: int) -> AsyncIterator[list[Row]]:
        async with self._connection.execute(self._spelled(sql), parameters) as cursor:
            while page := await cursor.fetchmany(rows):
                yield list(page)

    async def fetch_one(self, sql: str, parameters: Parameters = (), /) -> Row | None:
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None

    async def fetch_value(self, sql: str, parameters: Parameters = (), /) -> Any:
        rows = await self.fetch_all(sql, parameters)
        return rows[0][0] if rows else None

    async def execute(self, sql: str, parameters: Parameters = (), /) -> int:
        return (await self._connection.execute(self._spelled(sql), parameters)).rowcount

    async def execute_many(self, sql: str, parameters: Iterable[Parameters], /) -> int:
        return (await self._connection.executemany(self._spelled(sql), parameters)).rowcount

    async def attempt(self, sql: str, parameters: Parameters = (), /) -> bool:
        try:
            await self.execute(sql, parameters)
        except sqlite3.IntegrityError:  # SQLite takes back what the statement did, and nothing else
            return False
        return True

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    async def close(self) -> None:
        await self._connection.close()
