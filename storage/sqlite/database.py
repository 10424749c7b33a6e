"""SQLite for one process: one writer, a few readers, short transactions, checkpoints without races."""

import asyncio
import logging
import random
import time
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path

import aiosqlite

from ...modules.errors import AgentOSError, StorageRefused, StorageUnavailable
from ..engine.ports import Connection, Parameters, Row, T, Work
from ..engine.running import Running
from ..engine.stemming import Stemmer
from . import dialect, erasing, failures, text_functions
from .access import Access, Opened
from .connection import SqliteConnection
from .driver import connect, sqlite3

READERS = 2
LOCK_WAIT_S = 30.0
STATISTIC_WAIT_S = 0.5
READ_WITHIN_S, WRITE_WITHIN_S = 60.0, 300.0
"""How long one statement may take."""
WRITER_BUSY_TIMEOUT_MS = 50
READER_BUSY_TIMEOUT_MS = 5_000
CHECKPOINT_EVERY_BYTES = 4 * 2**20
CHECK_EVERY_WRITES = 64
LOOK_AGAIN_S = 1.0
LOG_ANEW_WITHIN_S = 5.0
SHORT_LOG_BYTES = 64 * 1024
STATEMENTS_REMEMBERED = 1_000
ROWS_AT_ONCE = 64

_MOVED = "the database file was moved, deleted or replaced while it was open"

log = logging.getLogger(__name__)


class Sqlite:
    """Implements `engine.ports.Engine` over one database file. A write is one `BEGIN IMMEDIATE` transaction.

    It is fsynced before it is acknowledged (`synchronous=FULL`), and once begun it completes even when the caller is
    cancelled: nothing is half-written. Where nothing can be written, reads go on, writes are refused with the cause,
    and later calls try again.
    """

    def __init__(self, access: Access | Path) -> None:
        self._access = Access(access.parent, access) if isinstance(access, Path) else access
        self._path = self._access.database
        self._opened = Opened("")
        self._file: tuple[int, int] | None = None
        self._spelled = lru_cache(STATEMENTS_REMEMBERED)(dialect.spelled)
        self.words = Stemmer()
        self._writer: SqliteConnection | None = None
        self._readers: list[SqliteConnection] = []  # the idle ones
        self._turns = asyncio.Semaphore(0)  # one for each of them; first come, first served
        self._write_lock = asyncio.Lock()
        self._reader_count = 0
        self._running = Running()
        self._closed = True
        self._look_again_at = 0.0
        self._opening_again = False
        self._writes_until_check = 0

    async def open(self) -> None:
        """Check and prepare the file, and open the connections."""
        await self._connect_all()
        self._closed = False

    async def _connect_all(self) -> None:
        try:
            self._opened = await asyncio.to_thread(self._access.open)
            self._look_again_at = time.monotonic() + LOOK_AGAIN_S
            if self._opened.read_only is None:
                self._writer = await self._connect(WRITER_BUSY_TIMEOUT_MS, WRITE_WITHIN_S, synchronous="FULL")
                self._file = _file_at(self._path)
            for _ in range(READERS):
                self._readers.append(await self._connect(READER_BUSY_TIMEOUT_MS, READ_WITHIN_S, query_only="ON"))
                self._turns.release()
                self._reader_count += 1
        except BaseException as error:
            await self._disconnect()
            if isinstance(error, sqlite3.Error):
                raise await self._failure(error) from error
            raise

    async def _connect(
        self, busy_timeout_ms: int, within_s: float, *, synchronous: str = "NORMAL", query_only: str = "OFF"
    ) -> SqliteConnection:
        pragmas = (
            *(("journal_mode=WAL",) if self._opened.read_only is None else ()),  # a restored backup has lost it
            "foreign_keys=ON",
            f"busy_timeout={busy_timeout_ms}",
            "wal_autocheckpoint=0",
            "journal_size_limit=0",  # once all of the log is in the database, the next write shortens it
            "secure_delete=ON",
            "cache_size=-8000",
            f"synchronous={synchronous}",
            f"query_only={query_only}",
        )
        connection = await aiosqlite.Connection(partial(_prepared, self._opened.uri, pragmas), ROWS_AT_ONCE)
        bounded = SqliteConnection(connection, self._spelled, within_s)
        await bounded.bounded()
        return bounded

    async def _failure(self, error: sqlite3.Error) -> AgentOSError:
        """Return the typed error for one of SQLite's; for a damaged file it includes how to restore it."""
        if failures.is_damage(error):
            return failures.translate(error, await asyncio.to_thread(self._access.remedy))
        return failures.translate(error)

    async def _look_again(self) -> None:
        """Reopen a database that could only be read if that may have changed, at most every LOOK_AGAIN_S."""
        if time.monotonic() < self._look_again_at and not self._opening_again:
            return
        async with self._write_lock:
            if self._opened.read_only is None or self._closed:
                return
            if not self._opening_again:
                if time.monotonic() < self._look_again_at:
                    return
                self._look_again_at = time.monotonic() + LOOK_AGAIN_S
                if not await asyncio.to_thread(self._access.may_have_changed):
                    return
            self._opening_again = True  # until it succeeds: each call tries, and says why it fails
            await self._disconnect()
            await self._connect_all()
            self._opening_again = False

    async def _disconnect(self) -> None:
        """Close every connection, each once its query is done."""
        writer, self._writer = self._writer, None
        while self._reader_count:
            await self._turns.acquire()
            self._reader_count -= 1
            await self._readers.pop().close()
        if writer is not None:
            await writer.close()
        await asyncio.to_thread(self._access.close)

    @property
    def read_only(self) -> str | None:
        """The reason why nothing can be written just now; None when it can be tried."""
        why = self._opened.read_only
        if why is not None:
            return f"the data folder is {why}"
        return _MOVED if self._file is not None and _file_at(self._path) != self._file else None

    async def read(self, sql: str, parameters: Parameters = (), /) -> list[Row]:
        if self._closed:
            raise StorageUnavailable("the database is closed")
        if self._opened.read_only is not None:
            await self._look_again()
        async with self._turns:
            reader = self._readers.pop()
            try:
                return await reader.fetch_all(sql, parameters)
            except sqlite3.Error as error:
                raise await self._failure(error) from error
            finally:
                self._readers.append(reader)

    async def at_one_moment(self, work: Work[T]) -> T:
        if self._closed:
            raise StorageUnavailable("the database is closed")
        if self._opened.read_only is not None:
            await self._look_again()
        try:
            # One of its own: no other reader waits for long work.
            reader = await self._connect(READER_BUSY_TIMEOUT_MS, READ_WITHIN_S, query_only="ON")
            try:
                await reader.execute("BEGIN")
                return await work(reader)
            finally:
                await reader.close()
        except sqlite3.Error as error:
            raise await self._failure(error) from error

    async def time(self) -> datetime | None:
        return None

    async def columns(self, table: str, /) -> dict[str, int]:
        return {
            row["name"]: row["pk"] for row in await self.read("SELECT name, pk FROM pragma_table_info(?)", (table,))
        }

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        if self._closed:
            raise StorageUnavailable("the database is closed")
        if self._opened.read_only is not None:
            await self._look_again()
        return await self._running.finish(self._transact(work, durable))

    async def _transact(self, work: Work[T], durable: bool) -> T:
        give_up_at = time.monotonic() + (LOCK_WAIT_S if durable else STATISTIC_WAIT_S)
        async with self._write_lock:
            connection = self._writer_or_refusal()
            try:
                # Set before each transaction, so that a failure of one cannot cost the next its fsync.
                await connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                result = await self._committed(connection, work, give_up_at)
            except sqlite3.Error as error:
                log.warning("write failed: %s", error)
                raise await self._failure(error) from error
            await self._checkpoint_if_long(connection)
            return result

    def _writer_or_refusal(self) -> SqliteConnection:
        why = self.read_only
        if why == _MOVED:
            raise StorageRefused(
                f"{why}: nothing was changed; put it back, or end the agents that use it and run: agentos restore"
            )
        if why is not None:
            raise StorageUnavailable(
                f"{why}: nothing was changed; reads still work, and writes will again without a restart"
            )
        if self._writer is None:
            raise StorageUnavailable("the database is closed")
        return self._writer

    async def _committed(self, connection: SqliteConnection, work: Work[T], give_up_at: float) -> T:
        await self._begin(connection, give_up_at)
        try:
            result = await work(connection)
            await connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                await connection.execute("ROLLBACK")
            raise
        return result

    async def _begin(self, connection: SqliteConnection, give_up_at: float) -> None:
        # SQLite's own waiting is not fair under load, so its timeout is short and we try again with jitter.
        while True:
            try:
                await connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not failures.is_busy(error) or self._closed or time.monotonic() > give_up_at:
                    raise
                await asyncio.sleep(random.uniform(0.005, 0.05))

    async def _checkpoint_if_long(self, writer: SqliteConnection) -> None:
        """Move a long log into the database.

        While the writer holds the write lock a second connection copies the log, so that no other process can commit or
        checkpoint meanwhile: SQLite before 3.51.3 has a bug when a commit that restarts the log meets a checkpoint.
        (`wal_checkpoint(TRUNCATE)` takes the lock too, but goes on without it when it is busy.) Readers are not waited
        for; where one still reads an old state, the rest is copied next time.
        """
        if self._writes_until_check > 0:
            self._writes_until_check -= 1
            return
        self._writes_until_check = CHECK_EVERY_WRITES
        try:
            if self._path.with_name(self._path.name + "-wal").stat().st_size < CHECKPOINT_EVERY_BYTES:
                return
            await self._checkpoint(writer)
        except (OSError, sqlite3.Error) as error:
            # The change itself is committed; the log file is only longer than it should be.
            if not (isinstance(error, sqlite3.Error) and failures.is_busy(error)):
                log.warning("checkpoint failed: %s", error)
            self._writes_until_check = 0  # tried again after the next write

    async def _checkpoint(self, writer: SqliteConnection) -> bool:
        """Copy the log into the database while nobody can write; return whether all of it is. Raises sqlite3.Error."""
        second = await self._connect(WRITER_BUSY_TIMEOUT_MS, WRITE_WITHIN_S)
        try:
            await writer.execute("BEGIN IMMEDIATE")
            try:
                [(busy, pages, copied)] = await second.fetch_all("PRAGMA wal_checkpoint(PASSIVE)")
                return not busy and pages == copied
            finally:
                await writer.execute("ROLLBACK")
        finally:
            await second.close()

    async def begin_log_anew(self) -> bool:
        """Move all of the log into the database and shorten it, so that it holds nothing written before.

        Returns False where somebody reads an older state for longer than LOG_ANEW_WITHIN_S. Raises StorageUnavailable.
        """
        give_up_at = time.monotonic() + LOG_ANEW_WITHIN_S
        while time.monotonic() < give_up_at:
            async with self._write_lock:
                writer = self._writer_or_refusal()
                try:
                    is_copied = await self._checkpoint(writer)
                except sqlite3.Error as error:
                    if not failures.is_busy(error):
                        raise await self._failure(error) from error
                    is_copied = False
            if is_copied:
                await self.write(_touch)  # the next write after a checkpoint restarts the log
                if self._path.with_name(self._path.name + "-wal").stat().st_size <= SHORT_LOG_BYTES:
                    return True
            await asyncio.sleep(random.uniform(0.02, 0.1))
        self._writes_until_check = 0
        return False

    async def erase(self, work: Work[int]) -> int:
        count = await self.write(work)
        if count:
            try:
                await self.forget_erased()
            except (AgentOSError, OSError) as error:
                log.warning("erased, but deleted words stay in the files until the next erase: %s", error)
        return count

    async def forget_erased(self) -> None:
        await erasing.merge_segments(self.write)
        await self.begin_log_anew()

    async def close(self) -> None:
        """Finish running writes and close every connection; later calls are refused."""
        self._closed = True
        await self._running.ended()
        self.words.close()
        # SQLite itself moves the rest of the log into the database when the last connection closes, under its lock.
        await self._disconnect()


async def _touch(connection: Connection) -> None:
    """Write a page without changing any content."""
    await connection.execute("UPDATE schema_migrations SET name = name || ' ' WHERE version = 1")
    await connection.execute("UPDATE schema_migrations SET name = rtrim(name) WHERE version = 1")


def _prepared(uri: str, pragmas: Iterable[str]) -> sqlite3.Connection:
    """Return a connection that knows our functions, with its pragmas set: in one trip to the thread that has it."""
    connection = connect(uri, uri=True, isolation_level=None, timeout=READER_BUSY_TIMEOUT_MS / 1000)
    try:
        connection.row_factory = sqlite3.Row
        text_functions.add_to(connection)
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _file_at(path: Path) -> tuple[int, int] | None:
    """Return device and inode, which tell files under the same name apart; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
