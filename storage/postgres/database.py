"""PostgreSQL for one process: a pool, short transactions that name their store, another try where one was undone."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor, sql
from psycopg_pool import AsyncConnectionPool

from ...modules.errors import StorageUnavailable
from ..engine.ports import Parameters, Row, T, Work
from . import dialect, failures, migrate, rows, text_writing
from .connection import PostgresConnection

CONNECTIONS = 8
POOL_WAIT_S = 30.0
LOCK_WAIT_MS = 30_000
STATISTIC_WAIT_MS = 500
READ_WITHIN_MS = 60_000
TRIES = 10
PAUSE_S = 0.02
STATEMENTS_REMEMBERED = 1_000

log = logging.getLogger(__name__)

_OF_A_READ = (
    "SELECT set_config('search_path', $1, true), set_config('role', $2, true), "
    "set_config('agentos.tenant', $3, true), set_config('statement_timeout', $4, true)"
)
_COLUMNS = """
SELECT a.attname AS name, array_position(i.indkey::int2[], a.attnum) AS place
FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    AND a.attname <> 'tenant' AND NOT (a.attname = 'number' AND a.attidentity <> '') ORDER BY a.attnum
"""


class Postgres:
    """Implements `engine.ports.Engine` over one schema of a PostgreSQL database, for one store in it.

    Nothing is kept in a session: each transaction sets its search path, role and tenant, so that a pooler may give it
    any connection. One that was undone by a deadlock, or by a connection that was lost before its commit was sent, is
    tried again.
    """

    def __init__(
        self,
        url: str,
        schema: str = "agentos",
        tenant: str = "default",
        keep_a_copy: Callable[[], object] = lambda: None,
    ) -> None:
        """Name a store; `keep_a_copy` is called before an older schema is migrated."""
        self._url = url
        self._schema = schema
        self._tenant_name = tenant
        self._keep_a_copy = keep_a_copy
        self._prepared = migrate.Prepared(0, None)
        self._spelled = lru_cache(STATEMENTS_REMEMBERED)(dialect.spelled)
        self._words = text_writing.Stemmer()
        self._pool: AsyncConnectionPool[AsyncConnection[Row]] | None = None
        self._running: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Prepare the schema and open the pool. Raises StorageUnavailable and its subclasses."""
        self._prepared = await asyncio.to_thread(
            migrate.prepare, self._url, self._schema, self._tenant_name, self._keep_a_copy
        )
        self._pool = AsyncConnectionPool(
            self._url,
            min_size=1,
            max_size=CONNECTIONS,
            open=False,
            timeout=POOL_WAIT_S,
            configure=_configure,
            kwargs={
                "autocommit": True,
                "prepare_threshold": None,
                "row_factory": rows.as_rows,
                "cursor_factory": AsyncRawCursor,
                "connect_timeout": migrate.CONNECT_S,
            },
        )
        await self._pool.open()

    @property
    def read_only(self) -> str | None:
        """The reason why nothing can be written just now; None when it can be tried."""
        return None

    @property
    def schema(self) -> str:
        """The schema that holds the tables."""
        return self._schema

    @property
    def url(self) -> str:
        """How to connect, with the password."""
        return self._url

    @property
    def tenant(self) -> int:
        """The store's number among those in the same tables."""
        return self._prepared.tenant

    @property
    def words(self) -> "text_writing.Stemmer":
        """What makes the words of a text those of the index."""
        return self._words

    async def read(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        statement = self._spelled(sql)
        values = statement.values(parameters)
        for tries_left in range(TRIES, 0, -1):
            try:
                async with self._connected() as connection:
                    return await self._read_once(connection, statement.sql, values)
            except psycopg.Error as error:
                if tries_left == 1 or not failures.can_be_tried_again(error):
                    log.warning("read failed: %s", error)
                    raise failures.translate(error) from error
                await _pause(tries_left)
        raise AssertionError("not reached")

    async def _read_once(self, connection: AsyncConnection[Row], sql: str, values: list[Any]) -> list[Row]:
        """Send a transaction of one query in one trip."""
        async with connection.pipeline():
            await connection.execute("BEGIN READ ONLY")
            await connection.execute(_OF_A_READ, (self._search_path, self._role, str(self.tenant), str(READ_WITHIN_MS)))
            cursor = await connection.execute(sql.encode(), values, binary=True)  # half the bytes of vectors
            await connection.execute("COMMIT")
        return await cursor.fetchall()

    @property
    def _search_path(self) -> str:
        return f'"{self._schema}", public'

    @property
    def _role(self) -> str:
        return self._prepared.role or "none"

    async def columns(self, table: str, /) -> dict[str, int]:
        found = await self.read(_COLUMNS, (f'"{table}"',))
        keys = sorted((row["place"], row["name"]) for row in found if row["place"] is not None)
        places = {name: place for place, (_, name) in enumerate(keys, start=1)}
        return {row["name"]: places.get(row["name"], 0) for row in found}

    async def at_one_moment(self, work: Work[T]) -> T:
        try:
            async with self._connected() as connection:
                await connection.execute(self._begin(how=" ISOLATION LEVEL REPEATABLE READ READ ONLY"))
                result = await work(PostgresConnection(connection, self._spelled, self.tenant))
                await connection.execute("COMMIT")
                return result
        except psycopg.Error as error:
            log.warning("read failed: %s", error)
            raise failures.translate(error) from error

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        task = asyncio.create_task(self._transact(work, durable))
        self._running.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may have been cancelled: then nobody else asks for it

    async def _transact(self, work: Work[T], durable: bool) -> T:
        for tries_left in range(TRIES if durable else 2, 0, -1):
            sent = False
            try:
                async with self._connected() as connection:
                    result = await self._undecided(connection, work, durable)
                    sent = True
                    await connection.execute("COMMIT")
                    return result
            except psycopg.Error as error:
                # Once the commit was sent nobody knows whether it happened: it is not repeated.
                unknown = sent and failures.is_lost(error)
                if tries_left == 1 or unknown or not failures.can_be_tried_again(error):
                    log.warning("write failed: %s", error)
                    raise failures.translate(error) from error
                await _pause(tries_left)
        raise AssertionError("not reached")

    async def _undecided(self, connection: AsyncConnection[Row], work: Work[T], durable: bool) -> T:
        """Run work in a transaction, to which the words of changed memories are added; it is left open."""
        await connection.execute(self._begin(durable))
        ours = PostgresConnection(connection, self._spelled, self.tenant)
        result = await work(ours)
        if ours.writes_texts:
            await text_writing.write_words(ours, self._words)
        return result

    def _begin(self, durable: bool = True, how: str = "") -> bytes:
        wait = LOCK_WAIT_MS if durable else STATISTIC_WAIT_MS
        begin = sql.SQL("SET LOCAL search_path TO {}, public; SET LOCAL agentos.tenant TO {}").format(
            sql.Identifier(self._schema), sql.Literal(str(self.tenant))
        )
        role = f'; SET LOCAL ROLE "{self._prepared.role}"' if self._prepared.role else ""
        later = "" if durable else "; SET LOCAL synchronous_commit TO off"
        return (f"BEGIN{how}; " + begin.as_string() + f"; SET LOCAL lock_timeout TO {wait}" + later + role).encode()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection[Row]]:
        """Yield a connection of the pool; what is left open on it is undone. Raises StorageUnavailable when closed."""
        if self._pool is None or self._pool.closed:
            raise StorageUnavailable("the database is closed")
        connection = await self._pool.getconn()
        try:
            yield connection
        except BaseException:
            if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                try:
                    await connection.rollback()
                except psycopg.Error as error:
                    log.debug("rollback failed: %s", error)
                    await connection.close()
            raise
        finally:
            await self._pool.putconn(connection)

    async def erase(self, work: Work[int]) -> int:
        return await self.write(work)

    async def forget_erased(self) -> None:
        """Do nothing: the server's vacuum removes dead rows."""

    async def close(self) -> None:
        """Finish running writes and close every connection; later calls are refused."""
        if self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
        if self._pool is not None:
            await self._pool.close()
        self._words.close()


async def _configure(connection: AsyncConnection[Row]) -> None:
    rows.adapt(connection)


async def _pause(tries_left: int) -> None:
    await asyncio.sleep(random.uniform(0.5, 1.5) * PAUSE_S * 2 ** min(6, TRIES - tries_left))
