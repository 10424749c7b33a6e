"""A connection to SQLite under the engine's surface; a statement takes one trip to the connection's thread."""

import math
import time
from collections.abc import AsyncIterator, Callable, Iterable

import aiosqlite

from ..engine.ports import Connection, Parameters, Row
from .driver import sqlite3

STEPS_A_LOOK = 100_000
"""After how many of its steps SQLite looks whether a statement has taken too long: a few milliseconds."""


class SqliteConnection(Connection):
    """Implements `engine.ports.Connection`. Raises sqlite3.Error, which the database translates."""

    def __init__(self, connection: aiosqlite.Connection, spelled: Callable[[str], str], within_s: float) -> None:
        """Run statements of at most `within_s` seconds each, once they are `bounded`."""
        self._connection = connection
        self._spelled = spelled
        self._within_s = within_s
        self._give_up_at = math.inf

    async def bounded(self) -> None:
        """Interrupt from now on what takes too long, as a trigger or a view may that somebody put into the file."""
        await self._connection.set_progress_handler(lambda: time.monotonic() > self._give_up_at, STEPS_A_LOOK)

    def _begin(self) -> None:
        self._give_up_at = time.monotonic() + self._within_s

    async def lock(self, name: str, /) -> None:
        """Do nothing: `BEGIN IMMEDIATE` holds every name."""

    async def fetch_all(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        self._begin()
        return list(await self._connection.execute_fetchall(self._spelled(sql), parameters))

    async def pages(self, sql: str, parameters: Parameters = (), /, *, rows: int) -> AsyncIterator[list[Row]]:
        self._begin()
        async with self._connection.execute(self._spelled(sql), parameters) as cursor:
            while page := await cursor.fetchmany(rows):
                yield list(page)
                self._begin()  # what is done with the rows does not count

    async def execute(self, sql: str, parameters: Parameters = (), /) -> int:
        self._begin()
        return (await self._connection.execute(self._spelled(sql), parameters)).rowcount

    async def execute_many(self, sql: str, parameters: Iterable[Parameters], /) -> int:
        self._begin()
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
