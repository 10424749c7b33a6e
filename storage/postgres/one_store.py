"""Backups of one store among those of a schema: whole copies in SQLite, which any AgentOS opens.

<home>/backups/stores/<store>/agentos-<time>.db         the copy, compared with the store row by row
<home>/backups/stores/<store>/agentos-<time>.db.json    what is in it; a copy without this was cut off
"""

import asyncio
import hashlib
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import psycopg
from psycopg import sql

from ...modules.backup.models import Backup, Rehearsal, Restored
from ...modules.clock import Clock
from ...modules.errors import NotFound, StorageRefused
from ...modules.portability.models import no_progress
from ...modules.version import VERSION
from ..embedding.private_file import make_private_folder
from ..moving import copying, targets
from ..repositories.audit_log import AuditLogRepository
from ..sqlite.scratch import scratch
from ..sqlite.store import SqliteStore
from . import dumps, emptying, failures, migrate
from .database import Postgres
from .direct import connected, one
from .examination import ENTRY_HASH
from .pausing import paused

T = TypeVar("T")
KIND = "db"
MOST_KEPT = 7
"""How many copies of one store stay in the home: the owner of a store may ask for one at any time."""
LONGEST_NAME = 120
NUMBERS = "UPDATE numbers SET audit = 0"
"""What lets the numbers of an audit log begin anew, before another one is copied."""
_KNOWN = "SELECT id FROM {}.tenants WHERE name = $1"


def folder_of(home: Path, store: str) -> Path:
    """Return the folder for the copies of a store, one for each name."""
    name = quote(store, safe="").replace(".", "%2E")
    if len(name) > LONGEST_NAME:
        name = hashlib.sha256(store.encode()).hexdigest()
    return home / "backups" / "stores" / name


class StoreCopies:
    """Implements `modules.backup.ports.BackupStorage` for one store, which must be there.

    The database user may be its owner, a login that is bound to it, or the owner of the tables.
    """

    def __init__(self, home: Path, url: str, schema: str, store: str, clock: Clock) -> None:
        """`url` leads to the server itself."""
        self._home = home
        self._url = url
        self._schema = schema
        self._store = store
        self._clock = clock
        self._folder = folder_of(home, store)

    async def make(self, at: datetime, folder: Path | None) -> Backup:
        async with self._opened() as postgres:
            made = await self._copied(postgres, at, folder or self._folder)
        if folder is None:
            for old in (await self.found(None))[MOST_KEPT:]:
                await self.remove(old)
        return made

    async def found(self, folder: Path | None) -> list[Backup]:
        return await asyncio.to_thread(dumps.found, folder or self._folder, KIND)

    async def remove(self, backup: Backup) -> None:
        for path in (f"{backup.path}.json", backup.path):
            await asyncio.to_thread(Path(path).unlink, True)

    async def mark(self) -> str:
        async with self._opened() as postgres:
            return await postgres.at_one_moment(copying.mark_of)

    async def require(self, source: Path | None) -> None:
        await asyncio.to_thread(dumps.chosen, self._folder, source, KIND)

    async def restore(self, source: Path | None, at: datetime) -> Restored:
        """Replace the store by what a copy holds, while nobody may use it; what it held is copied before.

        What is cut off leaves it paused: the same call goes on.
        """
        backup = await asyncio.to_thread(dumps.chosen, self._folder, source, KIND)
        await asyncio.to_thread(dumps.require_unchanged, backup)
        async with (
            self._opened() as postgres,
            self._incoming(Path(backup.path)) as incoming,
            paused(self._url, self._schema, postgres.tenant) as pause,
        ):
            replaced = await self._put_aside(postgres, at)
            pause.stays = True  # from here on it is half a store, until it is whole
            await copying.note_unfinished(postgres)
            await asyncio.to_thread(self._empty, postgres.tenant)
            await copying.move(incoming.engine, copying.Target(postgres, NUMBERS), no_progress)
            pause.stays = False
        return Restored(backup, f"the store {self._store}", replaced)

    async def rehearse(self) -> Rehearsal:
        raise StorageRefused("the schema is of all stores: who runs the server migrates it")

    async def holds_data(self) -> bool:
        return True

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Postgres]:
        """Yield the store's engine, which works on while it is suspended or paused. Raises NotFound."""
        await asyncio.to_thread(_translated, self._require_store)
        postgres = Postgres(self._url, self._schema, self._store, is_operator=True)
        await postgres.open()
        try:
            yield postgres
        finally:
            await postgres.close()

    def _require_store(self) -> None:
        with connected(self._url) as connection, connection.transaction():
            number = one(connection, sql.SQL(_KNOWN).format(sql.Identifier(self._schema)), self._store)
            if number is None:
                raise NotFound(f"there is no store {self._store[:60]!r}; AGENTOS_DATABASE_TENANT names another")
            emptying.act_for(connection, self._schema, number)
            if not one(connection, "SELECT may_act()"):
                raise StorageRefused(f"the database user may not act for the store {self._store!r}")

    async def _copied(self, postgres: Postgres, at: datetime, folder: Path) -> Backup:
        await copying.require_whole(postgres)
        await asyncio.to_thread(make_private_folder, folder)
        made_at = at.astimezone(UTC).replace(microsecond=0)
        names = (f"agentos-{made_at:%Y%m%dT%H%M%SZ}{more}.{KIND}" for more in ("", *(f"-{n}" for n in range(2, 1_000))))
        path = next(path for name in names if not (path := folder / name).exists())
        async with targets.in_sqlite(path, self._clock) as target:
            moved = await copying.move(postgres, target.target, no_progress)
            await copying.require_same_faults(AuditLogRepository(postgres, ENTRY_HASH), target.audit)
            schema = await target.target.engine.read("SELECT max(version) FROM schema_migrations")

        def note() -> Backup:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            facts = (path.stat().st_size, schema[0][0], moved.rows["memories"], VERSION, digest, moved.mark)
            return dumps.noted(Backup(path.name, str(path), made_at, *facts))

        return await asyncio.to_thread(note)

    async def _put_aside(self, postgres: Postgres, at: datetime) -> str | None:
        """Copy what a store holds before it is replaced; None where a restore that was cut off has done so."""
        if await copying.is_unfinished(postgres):
            return None
        return (await self._copied(postgres, at, self._folder / "replaced")).path

    @asynccontextmanager
    async def _incoming(self, path: Path) -> AsyncIterator[SqliteStore]:
        """Yield a copy of a backup, opened, and migrated where it is older."""
        with scratch(self._home) as own:
            await asyncio.to_thread(shutil.copyfile, path, own / "agentos.db")
            store = await SqliteStore.open(own, own / "agentos.db", self._clock)
            try:
                yield store
            finally:
                await store.close()

    def _empty(self, tenant: int) -> None:
        def work() -> None:
            with connected(self._url) as connection:
                emptying.empty(connection, self._schema, tenant, but=copying.NOTED_IN)
            migrate.prepare(self._url, self._schema, self._store)  # with the first rows of a store

        _translated(work)


def _translated(work: Callable[[], T]) -> T:
    try:
        return work()
    except psycopg.Error as error:
        raise failures.translate(error) from error
