"""Sessions of a PostgreSQL server that outlive a test: the next one takes them over, as from a pooler.

A new session costs the server more than most tests ask of it: it learns the schema anew. What a test left in it is
discarded. Programs that are started, and tests that name the server's own address, begin sessions of their own.
"""

import select
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

MARK = "application_name=kept"
MOST = 8
"""How many sessions wait for each way to connect: as many as a pool has."""


def kept(url: str) -> str:
    """Return the address by which the sessions of a server are kept."""
    return f"{url}{'&' if '?' in url else '?'}{MARK}"


@contextmanager
def keeping_sessions() -> Iterator[None]:
    """Let connections by a `kept` address take over sessions that are over, and leave theirs to others."""
    from psycopg import AsyncConnection, BaseConnection, Connection, pq

    waiting: dict[str, list[pq.abc.PGconn]] = defaultdict(list)
    gone = pq.PGconn.connect_start(b"")
    gone.finish()
    begin: Any = BaseConnection.__dict__["_connect_gen"].__func__
    closing, closing_async = Connection.close, AsyncConnection.close

    def connect(cls: type[Any], conninfo: str = "", **how: Any) -> Generator[Any, Any, Any]:
        while waiting[conninfo]:
            session = waiting[conninfo].pop()
            if not select.select([session.socket], [], [], 0)[0]:  # else the server has ended it
                connection = cls(session)
                break
            session.finish()
        else:
            connection = yield from begin(cls, conninfo, **how)
        connection.opened_by = conninfo if MARK in conninfo else ""
        return connection

    def leave(connection: Any) -> None:
        """Take a session that does nothing out of its connection, for another one."""
        session, way = connection.pgconn, getattr(connection, "opened_by", "")
        if not way or len(waiting[way]) >= MOST or session.transaction_status != pq.TransactionStatus.IDLE:
            return
        session.exit_pipeline_mode()
        if session.exec_(b"DISCARD ALL").status == pq.ExecStatus.COMMAND_OK:
            while session.notifies():
                pass
            connection.pgconn = gone
            waiting[way].append(session)

    def close(connection: Connection[Any]) -> None:
        leave(connection)
        closing(connection)

    async def close_async(connection: AsyncConnection[Any]) -> None:
        leave(connection)
        await closing_async(connection)

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(BaseConnection, "_connect_gen", classmethod(connect))
        changed.setattr(Connection, "close", close)
        changed.setattr(AsyncConnection, "close", close_async)
        yield
    for sessions in waiting.values():
        for session in sessions:
            session.finish()
