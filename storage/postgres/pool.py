"""The connections of one process: found anew after a break, and refused soon while the server is known to be away."""

import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Self

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from ...modules.errors import StorageUnavailable
from ..engine.ports import Row
from . import failures, rows
from .direct import CONNECT_S

CONNECTIONS = 8
BUSY_S = 30.0
"""How long a call waits for a connection while others use them all."""
AWAY_S = 15.0
"""How long calls wait for a server that cannot be reached, from when that was noticed; a restart takes less."""
SLOW_S = 1.0
"""How long a transaction takes that is counted as slow."""
LEAST_WAIT_S, RECONNECT_S = 0.5, 3.0
"""How long a call waits when the server has been away for longer; how long the pool itself tries to connect again."""
NOTICED = {"keepalives_idle": "5", "keepalives_interval": "5", "keepalives_count": "2", "tcp_user_timeout": "10000"}
"""What lets a connection whose network was cut fail within 15 s, unless the URL says otherwise; by libpq's names."""

log = logging.getLogger(__name__)


def noticing(url: str) -> str:
    """Return how to connect so that a cut network is noticed."""
    given = conninfo_to_dict(url)
    return make_conninfo(url, **{name: value for name, value in NOTICED.items() if name not in given})


class Pool:
    """Up to CONNECTIONS connections, each lent to one transaction at a time; nothing is kept in their sessions."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pool: AsyncConnectionPool[AsyncConnection[Row]] | None = None
        self._away_since: float | None = None
        self._failure: psycopg.Error | None = None
        self._slow = 0

    async def open(self) -> None:
        """Begin to connect."""

        class Watched(AsyncConnection[Row]):  # the pool itself tells nobody but the log when it fails to connect
            @classmethod
            async def connect(cls, *given: Any, **how: Any) -> Self:
                try:
                    return await super().connect(*given, **how)
                except psycopg.Error as error:
                    pool._failure = error
                    raise

        pool = self
        self._pool = AsyncConnectionPool(
            noticing(self._url),
            connection_class=Watched,
            min_size=1,
            max_size=CONNECTIONS,
            open=False,
            configure=self._configure,
            reconnect_timeout=RECONNECT_S,  # then who waits begins again: pauses between tries stay short
            kwargs={
                "autocommit": True,
                "prepare_threshold": None,
                "row_factory": rows.as_rows,
                "cursor_factory": AsyncRawCursor,
                "connect_timeout": CONNECT_S,
            },
        )
        await self._pool.open()

    @asynccontextmanager
    async def connected(self, within_s: float | None = None) -> AsyncIterator[AsyncConnection[Row]]:
        """Yield a connection, waiting for one `within_s` at most; what is left open on it is undone.

        Raises psycopg.Error, and StorageUnavailable when closed or while the server cannot be reached.
        """
        if self._pool is None or self._pool.closed:
            raise StorageUnavailable("the database is closed")
        connection = await self._lent(self._pool, self._wait_s() if within_s is None else within_s)
        began = time.monotonic()
        try:
            yield connection
            self._away_since = None
        except BaseException as error:
            if isinstance(error, psycopg.Error) and failures.is_lost(error) and self._away_since is None:
                self._away_since = time.monotonic()
            await _undo(connection)
            raise
        finally:
            self._slow += time.monotonic() - began > SLOW_S
            await self._pool.putconn(connection)

    def measures(self) -> Mapping[str, float]:
        """Return how many connections there are, how many are free, who waits for one, and slow transactions so far."""
        found = self._pool.get_stats() if self._pool else {}
        names = {"pool_size": "", "pool_available": "_idle"}
        counts = {f"database_connections{ours}": float(found.get(name, 0)) for name, ours in names.items()}
        waiting = {"database_waiting": float(found.get("requests_waiting", 0))}
        return {**counts, **waiting, "database_slow_transactions": float(self._slow)}

    async def _lent(self, pool: AsyncConnectionPool[AsyncConnection[Row]], wait_s: float) -> AsyncConnection[Row]:
        """Return a connection; while the server is away it is asked for again and again, which begins new tries."""
        give_up_at = time.monotonic() + wait_s
        while True:
            left = max(0.01, give_up_at - time.monotonic())
            try:
                return await pool.getconn(timeout=left if self._away_since is None else min(left, RECONNECT_S))
            except PoolTimeout as error:
                if time.monotonic() < give_up_at:
                    continue
                if self._failure is not None:
                    raise failures.translate(self._failure) from error
                if self._away_since is None:
                    raise
                raise StorageUnavailable(failures.AWAY) from error

    def _wait_s(self) -> float:
        if self._away_since is None:
            return BUSY_S
        return max(LEAST_WAIT_S, self._away_since + AWAY_S - time.monotonic())

    async def _configure(self, connection: AsyncConnection[Row]) -> None:
        rows.adapt(connection)
        self._away_since = self._failure = None

    async def close(self) -> None:
        """Close every connection; later calls are refused."""
        if self._pool is not None:
            await self._pool.close()


async def _undo(connection: AsyncConnection[Row]) -> None:
    if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        try:
            await connection.rollback()
        except psycopg.Error as error:
            log.debug("rollback failed: %s", error)
            await connection.close()
