"""Backups of the embedded store: made while others write, and checked before they get their final name."""

import asyncio
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from ...modules.backup.models import Backup, MigrationStep, Rehearsal, Restored
from ...modules.errors import NotFound, StorageRefused, StorageUnavailable
from ...modules.system import users
from ...modules.version import VERSION
from . import encryption, failures, folder, identity, migrate, reading, rehearsal, restore, sound_copy
from .access import remedy
from .backup_files import PARTIAL, BackupFiles, contents, digest
from .driver import connect, sqlite3
from .usage_lock import UsageLock

T = TypeVar("T")

LOCK_WAIT_S = 60.0


class SqliteBackups:
    """Implements `modules.backup.ports.BackupStorage`; needs no open store, and works beside any number of them."""

    def __init__(self, home: Path, database: Path) -> None:
        self._home = home
        self._database = database
        self._files = BackupFiles(home / "backups", database)

    async def make(self, at: datetime, folder: Path | None) -> Backup:
        return await self._in_thread(lambda: self._make(at, self._in(folder)))

    async def found(self, folder: Path | None) -> list[Backup]:
        return await self._in_thread(self._in(folder).all)

    async def remove(self, backup: Backup) -> None:
        await self._in_thread(lambda: self._files.remove(backup))

    async def mark(self) -> str:
        def ask() -> str:
            with self._source() as connection:
                return mark_of(connection)

        return await self._in_thread(ask)

    async def require(self, source: Path | None) -> None:
        await self._in_thread(lambda: restore.candidates(self._files, source))

    async def restore(self, source: Path | None, at: datetime) -> Restored:
        return await self._in_thread(lambda: restore.restore(self._home, self._database, self._files, source, at))

    async def rehearse(self) -> Rehearsal:
        def work() -> Rehearsal:
            with self._source() as connection:
                schema, steps, memories = rehearsal.rehearse(connection, self._database, migrate.known())
            return Rehearsal(schema, tuple(MigrationStep(step.version, step.name) for step in steps), memories)

        return await self._in_thread(work)

    async def holds_data(self) -> bool:
        def ask() -> bool:
            return self._database.exists() or identity.evidence(self._database, self._files).exists

        return await self._in_thread(ask)

    def _in(self, folder: Path | None) -> BackupFiles:
        return self._files if folder is None else BackupFiles(folder, self._database)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        def translated() -> T:
            try:
                return work()
            except sqlite3.Error as error:
                raise failures.translate(error, remedy(self._home, self._files)) from error
            except OSError as error:
                raise StorageUnavailable(f"{error.filename or 'a file'}: {error.strerror or error}") from error

        return await asyncio.to_thread(translated)

    def _make(self, at: datetime, files: BackupFiles) -> Backup:
        with self._source() as source:
            _make_folder(files.path)
            if files is not self._files:
                encryption.accompany(self._database, files.path)
            try:
                with FileLock(files.path / "backup.lock", timeout=LOCK_WAIT_S, mode=folder.PRIVATE_FILE):
                    files.sweep()
                    final = files.fresh(at)
                    partial = final.with_name(final.name + PARTIAL)
                    try:
                        return self._checked(source, partial, final, at, files)
                    finally:
                        sound_copy.remove(partial)
            except Timeout as error:
                raise StorageUnavailable("another backup is being made; try again in a minute") from error

    def _checked(
        self, source: sqlite3.Connection, partial: Path, final: Path, at: datetime, files: BackupFiles
    ) -> Backup:
        sound_copy.make(source, partial)
        with closing(connect(partial.as_uri() + "?mode=ro&immutable=1", uri=True)) as copy:
            migrate.outstanding(copy, migrate.known(), self._database)
            mark = mark_of(copy)
        schema, memories = contents(partial)
        backup = Backup(
            final.name,
            str(final),
            at.replace(microsecond=0),
            partial.stat().st_size,
            schema,
            memories,
            VERSION,
            digest(partial),
            mark,
        )
        return files.commit(partial, backup)

    @contextmanager
    def _source(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that reads the store's file while others write; the file is neither created nor migrated.

        Raises NotFound where there is none, and StorageRefused for a file that is not this store's.
        """
        usage = UsageLock(self._database)
        usage.share()
        way: reading.DatabaseReading | None = None
        try:
            known = identity.evidence(self._database, self._files)
            identity.check_file(self._database, known, lambda: remedy(self._home, self._files))
            if not self._database.exists():
                raise NotFound(f"there is no data in {self._home} yet: store something first")
            way = reading.in_place(self._database)
            with closing(connect(way.uri, uri=True, timeout=30, isolation_level=None)) as connection:
                identity.check_store(self._database, connection, known, lambda: remedy(self._home, self._files))
                yield connection
        finally:
            if way is not None:
                way.close()
            usage.release()


def mark_of(connection: sqlite3.Connection) -> str:
    """Return a store's position: how many rows there have ever been, by table."""
    rows = connection.execute("SELECT name || '=' || seq FROM sqlite_sequence ORDER BY name").fetchall()
    return " ".join([identity.stored_identity(connection) or "-", *(row[0] for row in rows)])


def _make_folder(path: Path) -> None:
    """Create a private folder; an existing one is left as it is.

    Raises StorageRefused where others may exchange the files in it.
    """
    if not path.is_dir():
        path.mkdir(mode=folder.PRIVATE_FOLDER, parents=True)
    status = path.stat()
    foreign = not users.owns_or_root_does(status)
    if foreign or (status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX):
        raise StorageRefused(f"others can replace files in {path}; name a folder of your own")
