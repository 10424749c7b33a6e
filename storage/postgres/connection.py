"""A connection to PostgreSQL under the engine's surface, within one transaction."""

from collections.abc import AsyncIterator, Iterable
from itertools import count
from typing import Any

from psycopg import AsyncConnection, IntegrityError

from ...modules.events.hints import HintTopic
from ..engine.ports import Connection, Parameters, Row
from .dialect import Spelling, Statement


class PostgresConnection(Connection):
    """Implements `engine.ports.Connection`. Raises psycopg.Error, which the database translates.

    `writes` tells whether anything may have changed, `writes_texts` whether the words of a memory, `topics` what others
    wait for.
    """

    def __init__(self, connection: AsyncConnection[Any], spelled: Spelling, tenant: int) -> None:
        self._connection = connection
        self._spelled = spelled
        self._tenant = tenant
        self._cursors = count()
        self.writes = self.writes_texts = False
        self.topics: set[HintTopic] = set()

    async def lock(self, name: str, /) -> None:
        await self._connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))", (name, self._tenant))

    async def _run(self, sql: str, parameters: Parameters) -> Any:
        statement = self._noted(sql)
        return await self._connection.execute(statement.sql.encode(), statement.values(parameters))

    def _noted(self, sql: str) -> Statement:
        """Return a statement in PostgreSQL's words, and note what it may change."""
        statement = self._spelled(sql)
        self.writes |= statement.writes
        self.writes_texts |= statement.writes_texts
        self.topics |= statement.topics
        return statement

    async def fetch_all(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        return list(await (await self._run(sql, parameters)).fetchall())

    async def pages(self, sql: str, parameters: Parameters = (), /, *, rows: int) -> AsyncIterator[list[Row]]:
        statement = self._spelled(sql)
        name = f"pages_{next(self._cursors)}"  # it ends with the transaction at the latest
        values = statement.values(parameters)
        await self._connection.execute(f"DECLARE {name} CURSOR FOR {statement.sql}".encode(), values)
        while page := await (await self._connection.execute(f"FETCH {rows} FROM {name}".encode())).fetchall():
            yield list(page)
        await self._connection.execute(f"CLOSE {name}".encode())

    async def execute(self, sql: str, parameters: Parameters = (), /) -> int:
        return int((await self._run(sql, parameters)).rowcount)

    async def execute_many(self, sql: str, parameters: Iterable[Parameters], /) -> int:
        statement = self._noted(sql)
        values = [statement.values(each) for each in parameters]
        if not values:
            return 0
        if len(values) == 1:  # a batch costs one trip more
            return int((await self._connection.execute(statement.sql.encode(), values[0])).rowcount)
        async with self._connection.cursor() as cursor:
            await cursor.executemany(statement.sql.encode(), values)
            return max(0, cursor.rowcount)

    async def attempt(self, sql: str, parameters: Parameters = (), /) -> bool:
        await self._connection.execute("SAVEPOINT attempt")
        try:
            await self.execute(sql, parameters)
        except IntegrityError:
            await self._connection.execute("ROLLBACK TO SAVEPOINT attempt")
            return False
        await self._connection.execute("RELEASE SAVEPOINT attempt")
        return True
