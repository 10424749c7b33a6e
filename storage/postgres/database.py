"""PostgreSQL for one process: a pool, short transactions that name their store, another try where one was undone."""

import asyncio
import copy
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

import psycopg
from psycopg import AsyncConnection, sql

from ...modules import lagging
from ...modules.errors import AgentOSError, StorageRefused, StorageUnavailable
from ...modules.records import dataclass
from ..engine.ports import Parameters, Row, T, Work
from ..engine.running import Running
from ..engine.stemming import Stemmer
from ..engine.times import from_us
from . import commits, dialect, failures, migrate, text_writing
from .connection import PostgresConnection
from .direct import NOW
from .hinting import Line, SharedHints
from .pool import Pool
from .replica import POSITION, REPLAYED, Replica, require
from .retrying import AWAY_PAUSE_S, Tries

LOCK_WAIT_MS = 30_000
STATISTIC_WAIT_MS, STATISTIC_TRIES = 2_000, 2
READ_WITHIN_MS, WRITE_WITHIN_MS = 60_000, 600_000
"""How long one statement may take, whatever the user's role says."""
IDLE_MS, IDLE_READING_MS = 15_000, 600_000
"""How long a transaction may be silent until the server ends it, and its locks with it: its client may be cut off."""
START_WITHIN_S = 5.0
KNOWN_WITHIN_S = 40.0
"""How long it is tried to learn whether a commit happened: longer than the server lets a cut-off one be."""
LOOK_AGAIN_S = 10.0
"""How often a store that could only be read is looked at again, when something is to be written."""
STATEMENTS_REMEMBERED = 1_000
MOST_OF_A_GUEST = 4
"""The most connections that one of several stores in a process uses at once: half of them."""
OF_NONE = 0
"""The number of no store: what is asked of all of them, each of which the database guards by itself."""
UNPLACED = 2**63
"""Beyond the end of every log: what no standby has replayed."""
UNKNOWN = "the connection broke at the end, and whether the change was made is not known: look before you try again"

log = logging.getLogger(__name__)

_OF_A_READ = (
    "SELECT set_config('search_path', $1, true), set_config('role', $2, true), "
    "set_config('agentos.tenant', $3, true), set_config('statement_timeout', $4, true)"
)
_SET = "SELECT set_config($1, $2, true)"
_SNAPSHOT = " ISOLATION LEVEL REPEATABLE READ READ ONLY"
_COLUMNS = """
SELECT a.attname AS name, array_position(i.indkey::int2[], a.attnum) AS place
FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    AND a.attname <> 'tenant' AND NOT (a.attname = 'number' AND a.attidentity <> '') ORDER BY a.attnum
"""


@dataclass(frozen=True)
class _Query:
    sql: bytes
    values: Sequence[Any]
    settings: Mapping[str, str]


class Postgres:
    """Implements `engine.ports.Engine` over one schema of a PostgreSQL database, for one store in it.

    Nothing is kept in a session: each transaction sets its search path, role and tenant, so that a pooler may give it
    any connection. One that was undone by a deadlock or a lost connection is tried again; where the answer to a commit
    was lost, its mark tells whether it happened. `schema` holds the tables, `direct` leads to the server itself, with
    its password, and `words` makes the words of a text those of the index.
    """

    def __init__(
        self,
        url: str,
        schema: str = "agentos",
        tenant: str = "default",
        keep_a_copy: Callable[[], object] = lambda: None,
        direct: str = "",
        *,
        is_operator: bool = False,
        replica: Replica | None = None,
    ) -> None:
        """Name a store; `keep_a_copy` is called before an older schema is migrated, `direct` given beside a pooler.

        A `replica` answers what may lag. An operator works on stores that are suspended, too.
        """
        self._is_operator = is_operator
        self.direct = direct or url
        self.schema = schema
        self._tenant_name = tenant
        self._keep_a_copy = keep_a_copy
        self.prepared = migrate.Prepared(0, None)
        self._look_again_at = 0.0
        self._spelled = lru_cache(STATEMENTS_REMEMBERED)(dialect.spelled)
        self.words = Stemmer()
        self._slots = commits.Slots()
        self._pool = Pool(url)
        self._replica = replica
        self._written = 0  # up to where a standby must have replayed to show what this process has written
        self._line = Line(self._pool, self.direct, schema)
        self.hints = SharedHints(self._line)
        self._running = Running()
        self._host: Postgres | None = None
        self._share: asyncio.Semaphore | None = None
        self._closed = False

    def beside(self, tenant: int) -> "Postgres":
        """Return another store of the same schema, over the same connections, of which it takes a part at most."""
        guest = copy.copy(self)
        guest._host = self
        guest.prepared = replace(self.prepared, tenant=tenant)
        guest.hints = SharedHints(self._line)
        guest.hints.of_store(tenant)
        guest._slots = commits.Slots()
        guest._written = 0
        guest._running = Running()
        guest._share = asyncio.Semaphore(MOST_OF_A_GUEST)
        return guest

    async def open(self) -> None:
        """Prepare the schema and open the pool; a server that is just starting is waited for, START_WITHIN_S.

        Raises StorageUnavailable and its subclasses.
        """
        give_up_at = time.monotonic() + START_WITHIN_S
        while True:
            try:
                await self._prepare()
                break
            except AgentOSError as error:
                cause = error.__cause__
                is_away = isinstance(cause, psycopg.Error) and failures.is_lost(cause)
                if not is_away or time.monotonic() > give_up_at:
                    raise
                await asyncio.sleep(AWAY_PAUSE_S)
        self.hints.of_store(self.tenant)
        await self._pool.open()
        if self._replica is not None:
            await self._replica.open()

    async def _prepare(self) -> None:
        if self._host is not None:
            await self._host._look_again()
            self.prepared = replace(self._host.prepared, tenant=self.tenant)
            return
        self._look_again_at = time.monotonic() + LOOK_AGAIN_S
        self.prepared = await asyncio.to_thread(
            migrate.prepare, self.direct, self.schema, self._tenant_name, self._keep_a_copy
        )

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection[Row]]:
        if self._closed:
            raise StorageUnavailable("the database is closed")
        async with self._share or nullcontext(), self._pool.connected() as connection:
            yield connection

    @property
    def read_only(self) -> str | None:
        """The reason why nothing can be written just now; None when it can be tried."""
        return self.prepared.read_only

    def measures(self) -> Mapping[str, float]:
        """Return what the connections of the process do now, by name."""
        return {**self._pool.measures(), **(self._replica.measures() if self._replica else {})}

    @property
    def tenant(self) -> int:
        """The store's number among those in the same tables."""
        return self.prepared.tenant

    async def _look_again(self) -> None:
        """See whether what could only be read can be written by now: a standby may have become the primary."""
        if self.read_only is not None and time.monotonic() > self._look_again_at:
            try:
                await self._prepare()
            except AgentOSError as error:
                log.info("the store can still not be written: %s", error)

    async def read(self, sql: str, parameters: Parameters = (), /, **settings: str) -> list[Row]:
        """Return the rows of a query, under `settings` of the server, whose names have __ for the point."""
        await self._look_again()
        statement = self._spelled(sql)
        query = _Query(statement.sql.encode(), statement.values(parameters), settings)
        found = await self._from_replica(query)
        return await self._from_primary(query) if found is None else found

    async def _from_primary(self, query: "_Query") -> list[Row]:
        tries = Tries()
        while True:
            try:
                async with self._connected() as connection:
                    return await self._read_once(connection, query)
            except psycopg.Error as error:
                if not await tries.again(error):
                    log.warning("read failed: %s", error)
                    raise failures.translate(error) from error

    async def _from_replica(self, query: "_Query") -> list[Row] | None:
        """Return what the standby answers; None where the primary is to be asked."""
        if self._replica is None or not lagging.is_allowed() or self.read_only is not None:
            return None
        try:
            least = max(await self._replica.needed(self._position), self._written)
        except (StorageUnavailable, StorageRefused):  # a server in recovery has no such position: it answers itself
            return None
        async with self._share or nullcontext():
            return await self._replica.ask(lambda connection: self._read_once(connection, query, least))

    async def _position(self) -> int:
        return int((await self._from_primary(_Query(POSITION.encode(), (), {})))[0][0])

    async def _read_once(
        self, connection: AsyncConnection[Row], query: "_Query", replayed: int | None = None
    ) -> list[Row]:
        """Send a transaction of one query in one trip; of a standby it is required what it must have `replayed`."""
        async with connection.pipeline():
            await connection.execute("BEGIN READ ONLY")
            settings = (self._search_path, self._role, str(self.tenant), str(READ_WITHIN_MS))
            await connection.execute(f"{_OF_A_READ}{self._enter(', ', writes=False)}".encode(), settings)
            for name, value in query.settings.items():
                await connection.execute(_SET, (name.replace("__", "."), value))
            standby = None if replayed is None else await connection.execute(REPLAYED)
            cursor = await connection.execute(query.sql, query.values, binary=True)  # half the bytes of vectors
            await connection.execute("COMMIT")
        if standby is not None and replayed is not None:
            require(await standby.fetchone(), replayed)
        return await cursor.fetchall()

    def _enter(self, before: str, *, writes: bool) -> str:
        """Return what a transaction asks, so that it is refused while nobody may use the store."""
        if self._is_operator or self.tenant == OF_NONE:
            return ""
        return f'{before}"{self.schema}".enter_store({self.tenant}, {str(writes).lower()})'

    @property
    def _search_path(self) -> str:
        return f'"{self.schema}", public'

    @property
    def _role(self) -> str:
        return self.prepared.role or "none"

    async def time(self) -> datetime | None:
        return from_us((await self.read(NOW))[0][0])

    async def columns(self, table: str, /) -> dict[str, int]:
        found = await self.read(_COLUMNS, (f'"{table}"',))
        keys = sorted((row["place"], row["name"]) for row in found if row["place"] is not None)
        places = {name: place for place, (_, name) in enumerate(keys, start=1)}
        return {row["name"]: places.get(row["name"], 0) for row in found}

    async def at_one_moment(self, work: Work[T]) -> T:
        tries = Tries()
        while True:
            has_begun = False
            try:
                async with self._connected() as connection:
                    await connection.execute(self._begin(IDLE_READING_MS, how=_SNAPSHOT, enters="to read"))
                    has_begun = True
                    result = await work(PostgresConnection(connection, self._spelled, self.tenant))
                    await connection.execute("COMMIT")
                    return result
            except psycopg.Error as error:
                if has_begun or not await tries.again(error):  # what was read may be in a file by now
                    log.warning("read failed: %s", error)
                    raise failures.translate(error) from error

    async def write(self, work: Work[T], *, durable: bool = True) -> T:
        await self._look_again()
        if (why := self.read_only) is not None:
            raise StorageUnavailable(f"{why}: nothing was changed; reads still work")
        return await self._running.finish(self._transact(work, durable))

    async def _transact(self, work: Work[T], durable: bool) -> T:
        tries = Tries() if durable else Tries(STATISTIC_TRIES)
        with self._slots.taken() as slot:
            while True:
                ours: PostgresConnection | None = None
                is_sent = False
                try:
                    async with self._connected() as connection:
                        await connection.execute(self._begin(IDLE_MS, durable, slot, enters="to write"))
                        ours = PostgresConnection(connection, self._spelled, self.tenant)
                        result = await work(ours)
                        if ours.writes_texts:
                            await text_writing.write_words(ours, self.words)
                        is_sent = ours.writes
                        await self._commit(connection, slot if durable and is_sent else None)
                except psycopg.Error as error:
                    is_open = is_sent and failures.is_lost(error)
                    if not is_open or not durable or not await self._was_committed(slot, error):
                        if not await tries.again(error):
                            log.warning("write failed: %s", error)
                            raise failures.translate(error) from error
                        continue
                    self._written = UNPLACED  # until the next one
                assert ours is not None
                if durable:
                    self.hints.tell(ours.topics)
                return result

    async def _commit(self, connection: AsyncConnection[Row], slot: commits.MarkerSlot | None) -> None:
        """Commit, with a mark in a slot if there is one; where there is a standby, note what it must replay for it."""
        if slot is None:
            await connection.execute(b"COMMIT")
            return
        answers = await connection.execute(slot.commit(f"; {POSITION}" if self._replica else ""))
        while answers.nextset():
            pass
        if self._replica is not None and (row := await answers.fetchone()) is not None:
            self._written = row[0] if self._written == UNPLACED else max(self._written, row[0])

    async def _was_committed(self, slot: commits.MarkerSlot, lost: psycopg.Error) -> bool:
        """Return whether a commit happened whose answer was lost. Raises StorageUnavailable where nobody can tell."""
        log.warning("the answer to a commit was lost: %s", lost)
        give_up_at = time.monotonic() + KNOWN_WITHIN_S
        while True:
            try:
                async with self._connected() as connection:
                    await connection.execute(self._begin(IDLE_MS, slot=slot))  # waits until it has ended
                    ours = PostgresConnection(connection, self._spelled, self.tenant)
                    mark = await ours.fetch_value(commits.MARK_OF, (slot.name,))
                    await connection.execute("COMMIT")
                    return mark is not None and bytes(mark).hex() == slot.mark
            except (psycopg.Error, StorageUnavailable) as error:
                if time.monotonic() > give_up_at:
                    log.error("whether a change was committed is not known: %s", error)
                    raise StorageUnavailable(UNKNOWN) from error
                await asyncio.sleep(AWAY_PAUSE_S)

    def _begin(
        self,
        idle_ms: int,
        durable: bool = True,
        slot: commits.MarkerSlot | None = None,
        how: str = "",
        enters: Literal["", "to read", "to write"] = "",
    ) -> bytes:
        """Return the statements that begin a transaction in one round trip; with a slot, it waits for that first."""
        begin = sql.SQL("SET LOCAL search_path TO {}, public; SET LOCAL agentos.tenant TO {}").format(
            sql.Identifier(self.schema), sql.Literal(str(self.tenant))
        )
        wait = LOCK_WAIT_MS if durable else STATISTIC_WAIT_MS
        limits = (
            f"SET LOCAL lock_timeout TO {wait}; SET LOCAL statement_timeout TO {WRITE_WITHIN_MS}; "
            f"SET LOCAL idle_in_transaction_session_timeout TO {idle_ms}"
        )
        later = "" if durable else "; SET LOCAL synchronous_commit TO off"
        role = f'; SET LOCAL ROLE "{self.prepared.role}"' if self.prepared.role else ""
        alone = f"; SELECT pg_advisory_xact_lock(hashtextextended('{slot.name}', 0))" if slot and durable else ""
        enter = self._enter("; SELECT ", writes=enters == "to write") if enters else ""
        return f"BEGIN{how}; {begin.as_string()}; {limits}{later}{enter}{role}{alone}".encode()

    async def erase(self, work: Work[int]) -> int:
        return await self.write(work)

    async def forget_erased(self) -> None:
        """Do nothing: the server's vacuum removes dead rows."""

    async def close(self) -> None:
        """Finish running writes and close every connection, unless those of another; later calls are refused."""
        await self._running.ended()
        self.hints.leave()
        if self._host is not None:
            self._closed = True
            return
        await self._line.close()
        await self._pool.close()
        if self._replica is not None:
            await self._replica.close()
        self.words.close()
