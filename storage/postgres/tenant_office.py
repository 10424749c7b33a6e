"""What the operator of a schema does with its stores: adds, suspends, limits, moves and removes them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg import sql

from ...modules.clock import Clock
from ...modules.errors import Conflict, NotFound, StorageRefused
from ...modules.portability.models import Moved, Progress
from ...modules.tenants.models import KnownTenant, Quota, RemovedTenant
from ..moving import copying
from ..repositories.audit_log import AuditLogRepository
from . import dumps, emptying, failures, migrate, one_store
from .database import Postgres
from .direct import connected, has_table, one
from .examination import ENTRY_HASH
from .pausing import paused, release, taken, wait_for_writers

T = TypeVar("T")
_KNOWN = (
    "SELECT name, created_at, suspended_at, paused_at, memories, bytes, keys, logins, max_memories, max_bytes, "
    "calls_per_minute FROM stores_known()"
)
_NUMBER = "SELECT id FROM tenants WHERE name = $1"
_IS_REMOVED = "SELECT 1 FROM tenants WHERE name = $1 AND removal IS NOT NULL"
_IS_ROLE = "SELECT 1 FROM pg_roles WHERE rolname = $1"
_REPLACED = (
    "SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relname = 'tenants' AND c.relkind = 'r' AND starts_with(n.nspname, $1) ORDER BY 1"
)


class TenantOffice:
    """Works as the owner of the tables. Raises StorageUnavailable, StorageRefused for who is not, NotFound."""

    def __init__(self, home: Path, url: str, schema: str, clock: Clock) -> None:
        """`url` leads to the server itself."""
        self._home = home
        self._url = url
        self._schema = schema
        self._clock = clock

    async def known(self) -> list[KnownTenant]:
        """Return all stores, by name."""
        return await self._in_thread(self._known)

    async def create(self, name: str, logins: Sequence[str], quota: Quota) -> None:
        """Add a store, which only these logins may act for, if any are named. Raises Conflict where there is one."""

        def work() -> None:
            with self._connected() as connection:
                if has_table(connection, self._schema, "tenants") and one(connection, _NUMBER, name):
                    raise Conflict(f"there is a store {name[:60]!r} already; nothing was changed")
                missing = [login for login in logins if not one(connection, _IS_ROLE, login)]
            if missing:
                raise NotFound(f"the server has no role {missing[0]!r}: nothing was changed; create it first")
            bound = {"logins": [*logins] or None, **_columns(quota)}
            migrate.prepare(self._url, self._schema, name, then=lambda within: self._change(within, name, **bound))

        await self._in_thread(work)

    async def limit(self, name: str, quota: Quota) -> None:
        """Replace a store's limits."""
        await self._in_thread(self._set, name, **_columns(quota))

    async def suspend(self, name: str) -> None:
        """Refuse everything in a store from now on, in every process; return once nobody writes in it any more."""

        def work() -> None:
            with self._connected() as connection:
                number = self._number(connection, name)
                connection.execute(
                    "UPDATE tenants SET suspended_at = coalesce(suspended_at, now()) WHERE id = $1", (number,)
                )
            wait_for_writers(self._url, number)

        await self._in_thread(work)

    async def resume(self, name: str) -> None:
        """End a suspension. Raises Conflict where a removal has begun."""

        def work() -> None:
            with self._connected() as connection:
                if one(connection, _IS_REMOVED, name):
                    raise Conflict("its removal has begun, and nothing was changed: run agentos tenants remove again")
                self._change(connection, name, suspended_at=None)

        await self._in_thread(work)

    async def remove(self, name: str) -> RemovedTenant:
        """Suspend a store and delete all of it but its name, which `forget` takes away once the rest is attested.

        What is cut off goes on when it is called again, and returns all that was there before the first time.
        """
        await self.suspend(name)
        async with self._opened(self._url, name) as store:
            await copying.note_unfinished(store)  # half a store is nobody's to copy
        return await self._in_thread(self._remove, name)

    async def forget(self, name: str) -> None:
        """Delete the name of a store that was removed."""
        await self._in_thread(self._forget, name)

    def copies(self, name: str) -> one_store.StoreCopies:
        """Return the backups of a store, which its login may make as well."""
        return one_store.StoreCopies(self._home, self._url, self._schema, name, self._clock)

    async def move(self, name: str, url: str, progress: Progress) -> Moved:
        """Copy a store to another server while it is paused, compare both, and leave this one suspended.

        What is cut off goes on when it is called again.
        """

        def found() -> tuple[int, KnownTenant]:
            with self._connected() as connection:
                number = self._number(connection, name)
            return number, next(each for each in self._known() if each.name == name)

        number, known = await self._in_thread(found)
        async with (
            self._opened(url, name) as target,
            paused(url, self._schema, target.tenant) as pause_there,
            self._opened(self._url, name) as source,
            paused(self._url, self._schema, number) as pause,
        ):
            try:
                moved = await copying.move(source, copying.Target(target, one_store.NUMBERS), progress)
            finally:
                pause_there.stays = await copying.is_unfinished(target)  # half a store is nobody's to use
            logs = [AuditLogRepository(one, ENTRY_HASH) for one in (source, target)]
            await copying.require_same_faults(*logs)
            elsewhere = TenantOffice(self._home, url, self._schema, self._clock)
            await elsewhere.limit(name, known.quota)
            await self.suspend(name)  # it is served there from now on
            pause.stays = False
        return moved

    @asynccontextmanager
    async def _opened(self, url: str, name: str) -> AsyncIterator[Postgres]:
        """Yield the engine of a store, which works on while it is suspended or paused."""
        postgres = Postgres(url, self._schema, name, is_operator=True)
        await postgres.open()
        try:
            yield postgres
        finally:
            await postgres.close()

    def _known(self) -> list[KnownTenant]:
        with self._connected() as connection:
            rows = connection.execute(_KNOWN.encode()).fetchall()
        return [
            KnownTenant(
                name=row[0],
                created_at=row[1],
                suspended_at=row[2],
                paused_at=row[3],
                memories=row[4] or 0,
                bytes=row[5] or 0,
                keys=row[6],
                logins=None if row[7] is None else tuple(row[7]),
                quota=Quota(*row[8:]),
            )
            for row in rows
        ]

    def _set(self, name: str, **values: Any) -> None:
        with self._connected() as connection:
            self._change(connection, name, **values)

    def _change(self, connection: psycopg.Connection[Any], name: str, **values: Any) -> None:
        pairs = [
            sql.SQL("{} = {}").format(sql.Identifier(column), sql.Literal(value)) for column, value in values.items()
        ]
        number = self._number(connection, name)
        connection.execute(
            sql.SQL("UPDATE tenants SET {} WHERE id = {}").format(sql.SQL(", ").join(pairs), sql.Literal(number))
        )

    def _remove(self, name: str) -> RemovedTenant:
        with self._connected() as connection:
            number = self._number(connection, name)
        alone = taken(self._url, self._schema, number)
        try:
            held = self._noted(alone, number)
            self._empty(alone, number, but=copying.NOTED_IN)
            replaced = [place for (place,) in alone.execute(_REPLACED.encode(), (f"{self._schema}_replaced_",))]
            named = [place for place in replaced if _names(alone, place, name)]
        finally:
            release(alone)
        of_all = [Path(backup.path) for backup in dumps.found(self._home / "backups")]
        own = one_store.folder_of(self._home, name)
        copies = [*of_all, *sorted(own.rglob("*.db"))]
        return RemovedTenant(
            tuple(held["memories"]), held["rows"], tuple(f"{place}.tenants" for place in named), tuple(copies)
        )

    def _noted(self, connection: psycopg.Connection[Any], number: int) -> dict[str, Any]:
        """Return the ids of a store's memories and how many rows each table has, as of when its removal began."""
        with connection.transaction():
            emptying.act_for(connection, self._schema, number)
            if held := one(connection, "SELECT removal FROM tenants WHERE id = $1", number):
                return dict(held)
            found = connection.execute(
                "SELECT id FROM memories WHERE tenant = $1 UNION SELECT id FROM sealed_memories WHERE tenant = $1 "
                "ORDER BY 1",
                (number,),
            ).fetchall()
            rows = emptying.left(connection, self._schema, number)
            held = {"memories": [id for (id,) in found], "rows": rows}
            connection.execute("UPDATE tenants SET removal = $1 WHERE id = $2", (json.dumps(held), number))
        return held

    def _empty(self, connection: psycopg.Connection[Any], number: int, but: str = "") -> None:
        emptying.empty(connection, self._schema, number, but)
        if still := emptying.left(connection, self._schema, number).keys() - {but}:
            raise StorageRefused(f"rows are left in {', '.join(sorted(still))}: the store stays suspended; try again")

    def _forget(self, name: str) -> None:
        with self._connected() as connection:
            number = self._number(connection, name)
            if not one(connection, _IS_REMOVED, name):
                raise Conflict(f"the store {name[:60]!r} was not removed: nothing was changed")
        alone = taken(self._url, self._schema, number)
        try:
            self._empty(alone, number)
            with alone.transaction():
                emptying.act_for(alone, self._schema, 0)
                alone.execute("DELETE FROM tenants WHERE id = $1", (number,))
        finally:
            release(alone)

    @staticmethod
    def _number(connection: psycopg.Connection[Any], name: str) -> int:
        found = one(connection, _NUMBER, name)
        if found is None:
            raise NotFound(f"there is no store {name[:60]!r}; agentos tenants lists them")
        return int(found)

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a transaction in the schema."""
        with connected(self._url) as connection, connection.transaction():
            emptying.act_for(connection, self._schema, 0)
            yield connection

    async def _in_thread(self, work: Callable[..., T], *given: Any, **named: Any) -> T:
        def translated() -> T:
            try:
                return work(*given, **named)
            except psycopg.Error as error:
                raise failures.translate(error) from error

        return await asyncio.to_thread(translated)


def _columns(quota: Quota) -> dict[str, int | None]:
    return {"max_memories": quota.memories, "max_bytes": quota.bytes, "calls_per_minute": quota.calls_per_minute}


def _names(connection: psycopg.Connection[Any], place: str, name: str) -> bool:
    """Return whether a schema that a restore put aside has a store of a name, or nobody here can say."""
    try:
        query = sql.SQL("SELECT 1 FROM {} WHERE name = $1").format(sql.Identifier(place, "tenants"))
        return one(connection, query, name) is not None
    except psycopg.errors.InsufficientPrivilege:
        return True
