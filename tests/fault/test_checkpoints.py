"""The log file stays short, whoever writes and reads, and nobody can commit while it is moved into the database."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from agentos.database import OpenedStore
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import database as sqlite
from agentos.storage.sqlite import sound_copy
from agentos.storage.sqlite.database import Sqlite

NS = "ada"


@pytest.fixture
def log(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sqlite, "CHECKPOINT_EVERY_BYTES", 256 * 1024)
    monkeypatch.setattr(sqlite, "CHECK_EVERY_WRITES", 4)
    return home / "agentos.db-wal"


@pytest.fixture
async def database(open_store: Callable[[], Awaitable[OpenedStore]], home: Path) -> AsyncIterator[Sqlite]:
    await open_store()
    connection = Sqlite(home / "agentos.db")
    await connection.open()
    yield connection
    await connection.close()


async def write(agentos: Any, count: int) -> None:
    for _ in range(count):
        await agentos.memory.store(NS, StoreRequest(os.urandom(16_000).hex()))


async def test_the_log_stays_short_while_others_read_all_the_time(agentos: Any, log: Path) -> None:
    done = asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            await agentos.memory.page(NS)

    readers = [asyncio.create_task(read()) for _ in range(3)]
    await write(agentos, 120)
    done.set()
    await asyncio.gather(*readers)
    assert log.stat().st_size < 3 * 2**20, "much less than the 8 MB that were written"


async def test_a_reader_of_an_old_state_only_delays_it(agentos: Any, home: Path, log: Path) -> None:
    await write(agentos, 5)
    with closing(sqlite3.connect(home / "agentos.db", isolation_level=None)) as old:
        old.execute("BEGIN")
        [seen] = old.execute("SELECT count(*) FROM memories").fetchone()
        await write(agentos, 60)
        long = log.stat().st_size
        assert long > 2 * 2**20
        assert old.execute("SELECT count(*) FROM memories").fetchone() == (seen,), "it reads what it read"
    await write(agentos, 12)
    assert log.stat().st_size < long / 2, "once it has gone, the log is emptied"


async def test_nobody_commits_while_the_log_is_moved(
    database: Sqlite, home: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another connection tries to write at the moment of each checkpoint, and finds the lock taken."""
    tried: list[str] = []
    execute = aiosqlite.Connection.execute_fetchall
    with closing(sqlite3.connect(home / "agentos.db", isolation_level=None, timeout=0)) as other:

        async def watched(connection: Any, sql: str, *parameters: Any) -> Any:
            if "wal_checkpoint" in sql:
                try:
                    other.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    tried.append(str(error))
                else:
                    other.execute("ROLLBACK")
                    tried.append("it could write")
            return await execute(connection, sql, *parameters)

        monkeypatch.setattr(aiosqlite.Connection, "execute_fetchall", watched)

        async def insert(connection: Any) -> None:
            await connection.execute(
                "INSERT INTO audit (at, namespace, action, subject, detail) VALUES (0, ?, ?, '', '{}')",
                (NS, os.urandom(20_000).hex()),
            )

        for _ in range(80):
            await database.write(insert)
    assert tried
    assert set(tried) == {"database is locked"}


async def test_many_writers_keep_one_short_log_and_a_sound_database(
    open_store: Any, wire: Any, home: Path, log: Path
) -> None:
    stores = [await open_store() for _ in range(4)]
    agents = [wire(store) for store in stores]
    await asyncio.gather(*(write(agent, 40) for agent in agents))
    assert log.stat().st_size < 3 * 2**20
    assert (await agents[0].memory.page(NS)).total == 160
    for store in stores:
        await store.close()
    assert not log.exists(), "the last one to close has moved the rest"
    sound_copy.check(home / "agentos.db")
