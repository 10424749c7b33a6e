"""SQLite for one process: one writer, a few readers, short transactions, one checkpointing hand."""

import asyncio
import logging
import random
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from filelock import FileLock, Timeout

from ...modules.errors import StorageUnavailable
from . import failures, folder

T = TypeVar("T")
Row = sqlite3.Row
Work = Callable[[aiosqlite.Connection], Awaitable[T]]

READERS = 2
LOCK_WAIT_S = 30.0
STATISTIC_WAIT_S = 0.5
WRITER_BUSY_TIMEOUT_MS = 50
READER_BUSY_TIMEOUT_MS = 5_000
CHECKPOINT_EVERY_BYTES = 4 * 2**20
CHECK_EVERY_WRITES = 64

log = logging.getLogger(__name__)


class Sqlite:
    """One database file. Reads never wait for writes; a write is one `BEGIN IMMEDIATE` transaction.

    A write is fsynced before it is acknowledged (`synchronous=FULL`), and once begun it ends even when
    the caller is cancelled: nothing is half-written. Raises StorageUnavailable and its kinds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: aiosqlite.Connection | None = None
        self._readers: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        self._write_lock = asyncio.Lock()
        self._reader_count = 0
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = True
        self._writes_until_check = CHECK_EVERY_WRITES

    async def open(self) -> None:
        """Open the connections; the schema is already up to date."""
        try:
            self._writer = await self._connect("FULL", WRITER_BUSY_TIMEOUT_MS)
            self._closed = False
            for _ in range(READERS):
                reader = await self._connect("NORMAL", READER_BUSY_TIMEOUT_MS)
                await reader.execute("PRAGMA query_only=ON")
                self._readers.put_nowait(reader)
                self._reader_count += 1
        except sqlite3.Error as error:
            await self.close()
            raise failures.translate(error) from error

    async def _connect(self, synchronous: str, busy_timeout_ms: int) -> aiosqlite.Connection:
        connection = await aiosqlite.connect(self._path, isolation_level=None, timeout=READER_BUSY_TIMEOUT_MS / 1000)
        connection.row_factory = sqlite3.Row
        for pragma in (
            "journal_mode=WAL",  # a restored backup has lost it
            "foreign_keys=ON",
            f"busy_timeout={busy_timeout_ms}",
            "wal_autocheckpoint=0",
            "secure_delete=ON",
            "cache_size=-8000",
            f"synchronous={synchronous}",
        ):
            await connection.execute_fetchall(f"PRAGMA {pragma}")
        return connection

    async def read(self, sql: str, parameters: Iterable[Any] = ()) -> list[Row]:
        """All rows of one query."""
        if self._closed:
            raise StorageUnavailable("the database is closed")
        reader = await self._readers.get()
        try:
            return list(await reader.execute_fetchall(sql, tuple(parameters)))
        except sqlite3.Error as error:
            raise failures.translate(error) from error
        finally:
            self._readers.put_nowait(reader)

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        """Run `work` in one transaction and return its result once it is committed.

        With `durable=False` a power loss may undo it (a crash of the process may not), and it gives up on a
        busy database after STATISTIC_WAIT_S instead of LOCK_WAIT_S: for statistics, which nobody waits for.
        """
        if self._closed:
            raise StorageUnavailable("the database is closed")
        task = asyncio.create_task(self._transact(work, durable))
        self._running.add(task)
        task.add_done_callback(self._forget)
        return await asyncio.shield(task)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may have been cancelled: then nobody else asks for it

    async def _transact(self, work: Work[T], durable: bool) -> T:
        give_up_at = time.monotonic() + (LOCK_WAIT_S if durable else STATISTIC_WAIT_S)
        async with self._write_lock:
            connection = self._writer
            if connection is None:
                raise StorageUnavailable("the database is closed")
            try:
                # Set before each transaction, so that a failure of one cannot cost the next its fsync.
                await connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                result = await self._committed(connection, work, give_up_at)
            except sqlite3.Error as error:
                log.warning("write failed: %s", error)
                raise failures.translate(error) from error
            await self._checkpoint_if_long(connection)
            return result

    async def _committed(self, connection: aiosqlite.Connection, work: Work[T], give_up_at: float) -> T:
        await self._begin(connection, give_up_at)
        try:
            result = await work(connection)
            await connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                await connection.execute("ROLLBACK")
            raise
        return result

    async def _begin(self, connection: aiosqlite.Connection, give_up_at: float) -> None:
        # SQLite's own waiting is not fair under load, so its timeout is short and we try again with jitter.
        while True:
            try:
                await connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not failures.is_busy(error) or self._closed or time.monotonic() > give_up_at:
                    raise
                await asyncio.sleep(random.uniform(0.005, 0.05))

    async def _checkpoint_if_long(self, connection: aiosqlite.Connection) -> None:
        if self._writes_until_check > 0:
            self._writes_until_check -= 1
            return
        self._writes_until_check = CHECK_EVERY_WRITES
        wal = self._path.with_name(self._path.name + "-wal")
        try:
            if wal.stat().st_size < CHECKPOINT_EVERY_BYTES:
                return
            # One hand at a time over all processes: SQLite before 3.51.3 has a fault when two meet.
            with FileLock(self._path.with_name("checkpoint.lock"), timeout=0, mode=folder.PRIVATE_FILE):
                await connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except Timeout:
            return
        except (OSError, sqlite3.Error) as error:
            # The change itself is committed; the log file is only longer than it should be.
            log.warning("checkpoint failed: %s", error)

    async def close(self) -> None:
        """Finish running writes and close every connection; later calls are refused."""
        self._closed = True
        if self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
        writer, self._writer = self._writer, None
        while self._reader_count:
            await (await self._readers.get()).close()
            self._reader_count -= 1
        if writer is not None:
            await writer.close()
