"""The target of a move that is a file of SQLite, which gets its name at the end."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from ...modules.clock import Clock
from ...modules.errors import Conflict
from ...modules.records import dataclass
from ..embedding.private_file import make_private_folder
from ..sqlite import folder, restore
from ..sqlite.backup_files import BackupFiles
from ..sqlite.store import SqliteStore
from ..sqlite.usage_lock import UsageLock
from .copying import Target, is_unfinished

if TYPE_CHECKING:
    from ...storage.repositories.audit_log import AuditLogRepository

NUMBERS_OF_SQLITE = "DELETE FROM sqlite_sequence WHERE name = 'audit'"


@dataclass(frozen=True)
class OpenTarget:
    """A target that is open, and its audit log."""

    target: Target
    audit: "AuditLogRepository"


@asynccontextmanager
async def in_sqlite(database: Path, clock: Clock) -> AsyncIterator[OpenTarget]:
    """Yield a store in a folder beside a database that is not there yet; what is whole at the end becomes that one.

    Raises Conflict where there is a database, or while another move works on it; StorageUnavailable, StorageRefused.
    """
    if await asyncio.to_thread(database.exists):
        raise Conflict(f"{database} already exists: nothing was changed; name another file, or move this one away")
    own = database.with_name(f"{database.name}.moving")
    await asyncio.to_thread(make_private_folder, own)
    lock = FileLock(own / "move.lock", timeout=0, mode=folder.PRIVATE_FILE)
    try:
        lock.acquire()
    except Timeout as error:
        raise Conflict("another agentos migrate is using the same target; wait until it has finished") from error
    try:
        store = await SqliteStore.open(own, own / "agentos.db", clock)
        if not await is_unfinished(store.engine):  # new, or whole and killed before it got its name
            await store.close()
            await asyncio.to_thread(_empty, own)
            store = await SqliteStore.open(own, own / "agentos.db", clock)
        try:
            yield OpenTarget(Target(store.engine, NUMBERS_OF_SQLITE), store.sharing.audit)
        finally:
            await store.close()
        await asyncio.to_thread(_put_in_place, own / "agentos.db", database, clock)
        await asyncio.to_thread(shutil.rmtree, own, ignore_errors=True)
    finally:
        lock.release()


def _empty(own: Path) -> None:
    for path in own.glob("agentos.db*"):
        path.unlink()


def _put_in_place(incoming: Path, database: Path, clock: Clock) -> None:
    usage = UsageLock(database)
    usage.take_alone()
    try:
        restore.put_in_place(database, BackupFiles(database.parent / "backups", database), incoming, clock())
    finally:
        usage.release()
