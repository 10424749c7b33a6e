"""Access of one process to a database file: to read and write it or, where nothing can be written, to read it."""

from contextlib import closing
from pathlib import Path

from ...modules.errors import StorageUnavailable
from ...modules.records import dataclass
from . import failures, folder, identity, migrate, reading
from .backup_files import BackupFiles
from .driver import connect, sqlite3
from .usage_lock import UsageLock


@dataclass(frozen=True)
class Opened:
    """An SQLite URI to connect to. `read_only` says why it can only be read; None if it is writable."""

    uri: str
    read_only: str | None = None


class Access:
    """Checks, prepares and locks one database file. Every method blocks.

    An existing file is never replaced: one that is damaged, empty, missing or another store's is refused.
    """

    def __init__(self, home: Path, database: Path, *, allow_network_home: bool = False) -> None:
        self._home = home
        self._database = database
        self._allow_network_home = allow_network_home
        self._backups = BackupFiles(home / "backups", database)
        self._usage = UsageLock(database)
        self._reading: reading.DatabaseReading | None = None
        self._signature: object = None

    @property
    def database(self) -> Path:
        """The file, which need not be the one that is read (see `open`)."""
        return self._database

    def open(self) -> Opened:
        """Create the folder and the database or check them, migrate, and return how to connect.

        Where nothing can be written, it finds a way to read. Raises StorageUnavailable and its subclasses.
        """
        folder.prepare_both(self._home, self._database, allow_network=self._allow_network_home)
        try:
            return self._open()
        except BaseException as error:
            self.close()
            if isinstance(error, sqlite3.Error):
                raise failures.translate(error, self.remedy()) from error
            if isinstance(error, OSError):
                raise failures.translate_os(error) from error
            raise

    def _open(self) -> Opened:
        self._usage.share()
        known = identity.evidence(self._database, self._backups)
        identity.check_file(self._database, known, self.remedy)
        why = folder.cannot_write(self._database)
        if why is None:
            try:
                return self._open_for_writing(known)
            except (sqlite3.Error, OSError) as error:
                if not failures.is_about_writing(error):
                    raise
                why = failures.why_not_writable(error)
        if not self._database.exists() or self._database.stat().st_size == 0:
            raise StorageUnavailable(
                f"the data folder {self._home} is {why} and holds no data yet; make it writable or set AGENTOS_HOME"
            )
        self._signature = reading.signature(self._database)
        self._reading = reading.find(self._database, migrate.known(), known, self.remedy)
        return Opened(self._reading.uri, why)

    def _open_for_writing(self, known: identity.StoreTrace) -> Opened:
        if known.store_id is not None:
            uri = self._database.as_uri() + "?mode=rw"
            with closing(connect(uri, uri=True, timeout=30)) as connection:
                identity.check_store(self._database, connection, known, self.remedy)
        migrate.migrate(self._database, self._home / "backups", migrate.known())
        if known.store_id is None:
            identity.note(self._database)
        return Opened(self._database.as_uri() + "?mode=rw")

    def may_have_changed(self) -> bool:
        """Return whether reopening may give more: the folder is writable now, or the file has changed. Cheap."""
        writable = folder.cannot_write(self._database) is None and folder.has_room(self._database.parent)
        return writable or self._signature != reading.signature(self._database)

    def remedy(self) -> str:
        """Return what to do about a database that cannot be used: which backup is the newest, and how to restore it."""
        return remedy(self._home, self._backups)

    def close(self) -> None:
        """Release the database, and the copy that was read, if any."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None
        self._usage.release()


def remedy(home: Path, backups: BackupFiles) -> str:
    """Return the way back to a good database, for the end of an error message."""
    newest = next((backup for backup in backups.all() if backup.problem is None), None)
    command = f"agentos restore --home {str(home)!r}"
    if newest is None:
        return f"bring back a copy of yours: {command} FILE (there is no backup in {backups.path})"
    memories = "" if newest.memories is None else f", {newest.memories} memories"
    made = f"{newest.created_at:%Y-%m-%d %H:%M} UTC"
    return f"bring back the newest backup, {newest.name} ({made}{memories}): {command}"
