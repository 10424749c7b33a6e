"""The subject of an examination of the embedded store, and how it is repaired: under which lock, after which copy."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

from filelock import FileLock, Timeout

from ....modules.clock import Clock
from ....modules.health.models import NotRepaired
from ....modules.records import dataclass
from ....modules.system import locks
from ...engine.times import from_us, to_us
from ...examination import generations
from .. import folder, text_functions
from ..backup_files import BackupFiles
from ..chroma_server import ChromaAddress
from ..driver import connect, sqlite3
from ..failures import TEXT_INDEX_MESSAGE
from ..usage_lock import UsageLock
from .reading import DatabaseReader

WRITE_WAIT_S = 10.0
MOST_PAGES = 10
_TEXT_INDEX = ("FTS5 table main.memory_text", TEXT_INDEX_MESSAGE)
"""What SQLite's complaints (3.44 and later) about a text index have in them."""
DAEMON_RUNS = "a daemon runs and owns this; end its sessions, or stop the daemon, and try again"


def is_of_text_index(complaint: str) -> bool:
    """Return whether a complaint of SQLite's is about a text index, which can be built anew."""
    return any(sign in complaint for sign in _TEXT_INDEX)


@dataclass
class Subject:
    """One home, its database file and the folder of its vector index. `deep`: check every page and file whole."""

    home: Path
    database: Path
    chroma: Path
    allow_network_home: bool
    deep: bool
    clock: Clock
    chroma_server: ChromaAddress | None = None
    """Where the vector index lies, unless it lies in the folder."""
    copies: list[Path] = field(default_factory=list)
    """The safety copies that repairs have made."""
    _wrong_pages: list[str] | None = None

    @cached_property
    def reader(self) -> DatabaseReader:
        """The reader of the database."""
        return DatabaseReader(self.database)

    @cached_property
    def backups(self) -> BackupFiles:
        """The backups of the database."""
        return BackupFiles(self.home / "backups", self.database)

    @property
    def now_us(self) -> int:
        """The current time, as the database stores it."""
        return to_us(self.clock())

    def integrity(self) -> list[str]:
        """Return what SQLite finds wrong with the pages; empty when all is well. Cached until a repair."""
        if self._wrong_pages is None:
            results = self._check_pages()
            if results != ["ok"]:  # a writer may have come while it was read as a file that never changes
                self.reader.close()
                results = self._check_pages()
            self._wrong_pages = [line for line in results if line != "ok"]
        return self._wrong_pages

    def _check_pages(self) -> list[str]:
        try:
            check = f"PRAGMA {'integrity' if self.deep else 'quick'}_check(10)"
            results = [row[0] for row in self.reader.rows(check)]
        except sqlite3.DatabaseError as error:
            results = [str(error)]
        return results if results == ["ok"] and not self.deep else [*results, *self._changed_pages()]

    def _changed_pages(self) -> list[str]:
        """Return which pages of an encrypted file are not as they were written, free ones too; none of a plain one."""
        try:
            return [str(row[0]) for row in self.reader.rows("PRAGMA cipher_integrity_check")][:MOST_PAGES]
        except sqlite3.DatabaseError:
            return []

    def generations(self) -> dict[str, tuple[int, int]]:
        """Return what `generations.by_model` does."""
        return generations.by_model(self.reader, sqlite3.Error)

    def daemon_worked_until(self) -> tuple[datetime, datetime] | None:
        """Return when the last daemon started and was last seen; None when there never was one.

        Work that it should have done in between and did not do is a fault; what waits while none runs is not.
        """
        rows = self.reader.rows("SELECT started_at, heartbeat_at FROM daemon_state ORDER BY heartbeat_at DESC LIMIT 1")
        return (from_us(rows[0][0]), from_us(rows[0][1])) if rows else None

    def was_neglected(self, since_us: int, within: timedelta) -> bool:
        """Return whether a daemon was there for longer than `within` since a task was due, or since it started."""
        worked = self.daemon_worked_until()
        return worked is not None and worked[1] - max(worked[0], from_us(since_us)) > within

    def daemon_is_there(self) -> bool:
        """Return whether a process holds the daemon's lock."""
        return locks.is_held_at(self.database.with_name("daemon.lock"))

    @contextmanager
    def without_daemon(self) -> Iterator[None]:
        """Hold the daemon's lock. Raises NotRepaired while a daemon has it."""
        try:
            with FileLock(self.database.with_name("daemon.lock"), timeout=0, mode=folder.PRIVATE_FILE):
                yield
        except Timeout:
            raise NotRepaired(DAEMON_RUNS) from None

    def change_rows(self, work: Callable[[sqlite3.Connection], str], *, copy: bool = True) -> str:
        """Run `work` in one transaction, after a copy of the whole database; return what it did.

        Others may go on working. Without the `copy`: for records that processes keep about themselves. Raises
        NotRepaired when the database stays busy, sqlite3.Error, OSError.
        """
        if copy:
            self._keep_a_copy()
        with self.writer() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                done = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
        self.reader.close()  # it may have read a file that never changes
        self._wrong_pages = None
        return done

    @contextmanager
    def writer(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that can write, for a moment. Raises NotRepaired when the database stays busy."""
        self.reader.close()
        usage = UsageLock(self.database)
        usage.share()  # no restore may exchange it meanwhile
        try:
            with self._connected() as connection:
                yield connection
        finally:
            usage.release()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        uri = f"{self.database.absolute().as_uri()}?mode=rw"
        with closing(connect(uri, uri=True, timeout=WRITE_WAIT_S, isolation_level=None)) as connection:
            text_functions.add_to(connection)
            for pragma in ("foreign_keys=ON", "wal_autocheckpoint=0", "secure_delete=ON", "synchronous=FULL"):
                connection.execute(f"PRAGMA {pragma}")
            try:
                yield connection
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                    raise NotRepaired("the database is busy: try again") from error
                raise

    def _keep_a_copy(self) -> None:
        """Copy the database before the first change of rows, once per examination."""
        if self.copies:
            return
        self.backups.path.mkdir(mode=folder.PRIVATE_FOLDER, exist_ok=True)
        final = self.backups.path / f"before-repair-{self.clock():%Y%m%dT%H%M%SZ}.db"
        partial = final.with_name(f"{final.name}.partial")
        partial.unlink(missing_ok=True)
        folder.make_private(partial)
        try:
            with self.writer() as source, closing(connect(partial)) as copy:
                source.backup(copy)
            os.replace(partial, final)
        finally:
            partial.unlink(missing_ok=True)
        self.copies.append(final)
