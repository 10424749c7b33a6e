"""Restoring a backup: it is checked before it replaces anything, and what it replaces is kept."""

import os
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from ...modules import foreign_files, private_files
from ...modules.backup.models import Backup, Restored
from ...modules.errors import Conflict, NotFound, StorageRefused
from .. import foreign_sqlite
from . import driver, folder, identity, row_copy, sound_copy
from .backup_files import BEFORE_SCHEMA, BackupFiles, digest
from .driver import connect, sqlite3
from .reading import LOGS
from .usage_lock import UsageLock

_INCOMING, _GIVEN = ".incoming", ".given"


def restore(home: Path, database: Path, files: BackupFiles, source: Path | None, at: datetime) -> Restored:
    """Replace `database` with a checked copy of `source`, or of the newest sound backup. Blocks.

    Whenever the process is killed, either the old database or the new one is there, whole. Raises Conflict while any
    process has the database open, NotFound or StorageRefused when there is no sound backup; then nothing was changed.
    """
    possible = candidates(files, source)
    folder.prepare_both(home, database)
    usage = UsageLock(database)
    daemon = FileLock(database.with_name("daemon.lock"), timeout=0, mode=folder.PRIVATE_FILE)
    incoming = database.with_name(database.name + _INCOMING)
    try:
        usage.take_alone()
        daemon.acquire()
        backup = _checked_copy(possible, incoming, files)
        return Restored(backup, str(database), put_in_place(database, files, incoming, at))
    except Timeout as error:
        raise Conflict("a daemon is using this database: nothing was changed; stop it and try again") from error
    finally:
        if usage.held:
            sound_copy.remove(incoming)
        daemon.release()
        usage.release()


def candidates(files: BackupFiles, source: Path | None) -> list[Backup]:
    """Return the backups that may be restored, the first sound one of which is. Raises NotFound where there is none."""
    if source is None:
        found = [backup for backup in files.all() if backup.problem is None]
        if not found:
            raise NotFound(f"there is no backup in {files.path}: nothing was changed; name the file to restore")
        return found
    for path in (source, files.path / source):
        if path.is_file():
            return [files.describe(path.resolve(), datetime.fromtimestamp(path.stat().st_mtime, UTC))]
    raise NotFound(f"there is no backup {source}: nothing was changed; agentos backups lists them")


def _checked_copy(candidates: list[Backup], incoming: Path, files: BackupFiles) -> Backup:
    """Copy the first sound candidate, and return it. Raises StorageRefused, with the last one's reason, if none is."""
    for backup in candidates:
        try:
            _copy(backup, incoming, files)
        except StorageRefused as error:
            if backup is candidates[-1]:
                raise StorageRefused(f"{backup.name} cannot be restored: nothing was changed; {error}") from error
        else:
            return backup
    raise NotFound("there is no backup; agentos backup makes one")


def _copy(backup: Backup, incoming: Path, files: BackupFiles) -> None:
    """Copy the file, so that nobody can change it meanwhile, and its rows into a database of our own schema.

    Raises StorageRefused where it cannot be used.
    """
    given = incoming.with_name(incoming.name + _GIVEN)
    try:
        for path in (given, incoming):
            sound_copy.remove(path)
        with foreign_files.opened(Path(backup.path)) as source, private_files.create(given) as target:
            shutil.copyfileobj(source, target)
        for log in _logs(Path(backup.path)):
            if log.stat().st_size > 0:
                raise StorageRefused(f"it has a log, {log.name}: it is a database in use, not a backup")
        if backup.digest is not None and digest(given) != backup.digest:
            raise StorageRefused("it has changed since the backup was made")
        private_files.create(incoming).close()
        row_copy.copy_rows(given, incoming, backup.name, is_ours=_is_ours(backup, files))
        sound_copy.check(incoming)
        folder.sync(incoming)
    except sqlite3.DatabaseError as error:
        raise StorageRefused(f"it cannot be used: {str(error)[:200]}") from error
    finally:
        sound_copy.remove(given)


def _is_ours(backup: Backup, files: BackupFiles) -> bool:
    """Return whether we made a backup, as far as can be known: it is in our folder, and is the file we checked."""
    path = Path(backup.path)
    is_named = backup.digest is not None or path.name.startswith(BEFORE_SCHEMA)
    return is_named and path.parent == files.path.resolve()


def put_in_place(database: Path, files: BackupFiles, incoming: Path, at: datetime) -> str | None:
    """Replace the database so that its name stands for a whole one at every moment; return where the old one is."""
    replaces = database.exists() or bool(_logs(database))
    alone = _log_is_in(database)  # refuses, if it must, before anything is changed
    if replaces or identity.evidence(database, files).exists:
        identity.note_exchange(database)
    replaced = _aside(database, at, alone) if replaces else None
    incoming.replace(database)
    folder.sync(database.parent)
    identity.note(database)
    return None if replaced is None else str(replaced)


def _aside(database: Path, at: datetime, alone: bool) -> Path:
    """Keep the replaced file under a name with the time, with its logs unless it is `alone`; return its path."""
    aside = database.with_name(f"{database.name}.replaced-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}")
    number = 1
    while aside.exists() or _logs(aside):
        number += 1
        aside = aside.with_name(f"{database.name}.replaced-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{number}")
    if alone:
        # A single file: a second name keeps it when the first one goes to the restored database.
        try:
            os.link(database, aside)
        except OSError:
            database.rename(aside)
    else:
        if database.exists():
            database.rename(aside)
        for log in _logs(database):
            log.rename(aside.with_name(aside.name + log.name.removeprefix(database.name)))
    database.with_name(database.name + "-shm").unlink(missing_ok=True)
    folder.sync(database.parent)
    return aside


def _logs(database: Path) -> list[Path]:
    """Return the existing logs beside a database, which SQLite would apply to it."""
    return [log for suffix in LOGS if (log := database.with_name(database.name + suffix)).exists()]


def _log_is_in(database: Path) -> bool:
    """Checkpoint the log into a sound database; return whether no log is left.

    Raises Conflict when a program without our lock, like a database browser, has the database open.
    """
    if not _logs(database):
        return True
    if not database.exists() or not (foreign_sqlite.has_header(database) or driver.is_under_key(database)):
        return False
    try:
        with closing(connect(database.as_uri() + "?mode=rw", uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise Conflict("another program has the database open: nothing was changed; close it") from error
        return False  # damaged: it is kept as it is, with its log
    return not _logs(database)
