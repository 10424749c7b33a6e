"""Several processes on one store in PostgreSQL: they hear of each other's changes, and lost answers are looked up."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from agentos.daemon_pkg.index_worker import IndexWorker
from agentos.daemon_pkg.scheduler import Scheduler
from agentos.database import OpenedStore
from agentos.modules.errors import StorageUnavailable
from agentos.modules.events import newest as events
from agentos.modules.events.hints import HintTopic
from agentos.modules.queue.models import Task
from agentos.modules.store_request import StoreRequest
from agentos.storage.engine.ports import Connection
from agentos.storage.postgres import database, hinting, pool
from agentos.storage.postgres.database import Postgres
from agentos.storage.postgres.store import PostgresStore
from tests.integration.conftest import Wire
from tests.tables import every

pytestmark = pytest.mark.postgres
SCHEMA = f"daemons_{os.getpid()}"
WITHIN_S = 60.0
LISTENERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"
)
COUNT = (
    "INSERT INTO namespaces (id, created_at) VALUES (?, 1) "
    "ON CONFLICT (id) DO UPDATE SET created_at = namespaces.created_at + 1"
)
Opened = Callable[[str], Awaitable[OpenedStore]]


@pytest.fixture
async def opened(postgres_url: str, tmp_path: Path, clock: Any) -> AsyncIterator[Opened]:
    stores: list[PostgresStore] = []

    async def one(tenant: str) -> OpenedStore:
        home = tmp_path / f"home-{len(stores)}"
        home.mkdir()
        stores.append(await PostgresStore.open(home, postgres_url, clock, schema=SCHEMA, tenant=tenant))
        return stores[-1]

    yield one
    for store in stores:
        await store.close()


async def require_hint(hints: Any, topic: HintTopic, number: int) -> None:
    assert await hints.beyond(number, topic, timeout_s=WITHIN_S)


async def listening(store: OpenedStore) -> Any:
    """The hints of a store that has begun to listen, of which it gives one itself."""
    hints: Any = store.hints  # type: ignore[attr-defined]
    await require_hint(hints, HintTopic.EVENTS, 0)
    return hints


async def test_a_change_is_received_by_others_on_the_same_store_alone_also_after_the_connection_broke(
    opened: Opened, wire: Wire, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "LOOK_EVERY_S", WITHIN_S)  # so that nothing but a hint wakes
    monkeypatch.setattr(hinting, "AGAIN_S", 0.01)
    here, there, foreign = [wire(await opened(tenant)) for tenant in ("ours", "ours", "theirs")]
    hints = await listening(there)
    latest = await there.events.latest()
    waiting = asyncio.create_task(there.events.wait(latest, WITHIN_S))
    await asyncio.sleep(0)  # it has looked, and waits
    number = hints.number(HintTopic.EVENTS)
    await foreign.memory.store("ann", StoreRequest("nobody else hears of it"))
    await here.memory.store("ann", StoreRequest("the staging database is called heron"))
    assert await waiting and hints.number(HintTopic.EVENTS) == number + 1

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(LISTENERS)
    await require_hint(
        hints, HintTopic.EVENTS, number + 1
    )  # it listens again, and takes it that it has missed something
    number = hints.number(HintTopic.EVENTS)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for forged in ("", "one", "a  b", f"a {'9' * 5_000} events"):  # whoever may connect may send
            connection.execute("SELECT pg_notify(%s, %s)", (hinting.channel_of(SCHEMA), forged))
    await here.memory.store("ann", StoreRequest("the production database is called egret"))
    await require_hint(hints, HintTopic.EVENTS, number)


async def test_a_task_that_one_process_queues_is_done_by_a_daemon_at_once(opened: Opened, wire: Wire) -> None:
    here, there = [wire(await opened("tasks")) for _ in range(2)]
    done: asyncio.Queue[str] = asyncio.Queue()

    async def handler(task: Task) -> None:
        done.put_nowait(task.key)

    there.handlers["greet"] = handler
    scheduler = Scheduler(there, (), IndexWorker(there.embedding, None))  # type: ignore[arg-type]
    await scheduler.start()
    await listening(there)
    await here.queue.put("ann", "greet", "once", {})
    assert await asyncio.wait_for(done.get(), WITHIN_S) == "once"
    scheduler.stop()
    await here.queue.put("ann", "greet", "after the end", {})
    assert done.empty()


async def test_a_daemon_finishes_and_makes_way_once_another_has_migrated_the_store(
    opened: Opened, wire: Wire, postgres_url: str
) -> None:
    agentos, made_way = wire(await opened("migrated")), asyncio.Event()
    scheduler = Scheduler(agentos, (), IndexWorker(agentos.embedding, None), made_way.set)  # type: ignore[arg-type]
    await agentos.jobs.daemon_started("1")
    await scheduler.heartbeat()
    assert not made_way.is_set()
    newer = "SELECT version + 1, 'newer', checksum FROM schema_migrations ORDER BY version DESC LIMIT 1"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}")
        connection.execute(f"INSERT INTO schema_migrations (version, name, checksum) {newer}")
        await scheduler.heartbeat()
        connection.execute("DELETE FROM schema_migrations WHERE name = 'newer'")
    assert made_way.is_set()


class Cutting:
    """A proxy before the server, which can cut a connection where a commit passes."""

    def __init__(self, url: str) -> None:
        named = conninfo_to_dict(url)
        self._socket = f"{named.get('host')}/.s.PGSQL.{named.get('port', 5432)}"
        self._named = named
        self.loses: str | None = None
        self.cuts = 0
        self._passing: set[asyncio.Task[Any]] = set()
        self._ended = False

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Yield the address of the proxy; at the end every connection is cut."""
        server = await asyncio.start_server(self._passed, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        yield make_conninfo(**{**self._named, "host": "127.0.0.1", "port": str(port)})
        server.close()
        self._ended = True
        while waiting := [task for task in self._passing if not task.done()]:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    async def _passed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._passing.add(task)
        if self._ended:  # let in while the proxy ended
            writer.close()
            return
        ends = [writer]
        back: asyncio.Task[None] | None = None
        try:
            theirs, ours = await asyncio.open_unix_connection(self._socket)
            ends.append(ours)
            back = asyncio.create_task(self._copied(theirs, writer))
            while data := await reader.read(65_536):
                if b"COMMIT" in data and self.loses is not None:
                    loses, self.loses = self.loses, None
                    self.cuts += 1
                    back.cancel()
                    await asyncio.gather(back, return_exceptions=True)
                    if loses == "its answer":
                        ours.write(data)
                        await theirs.read(1)
                    break
                ours.write(data)
                await ours.drain()
        except (OSError, asyncio.CancelledError):
            pass  # cut, by either side or by the test
        finally:
            for one in ends:
                one.close()
            if back is not None:
                back.cancel()
                await asyncio.gather(back, return_exceptions=True)
            for one in ends:
                with suppress(OSError, asyncio.CancelledError):
                    await one.wait_closed()

    @staticmethod
    async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


@every("lost", ["the commit", "its answer"])
async def test_what_is_written_is_written_once_whatever_of_a_commit_is_lost(postgres_url: str, lost: str) -> None:
    proxy = Cutting(postgres_url)
    async with proxy.listening() as url:
        postgres = Postgres(url, SCHEMA, lost)
        await postgres.open()

        async def work(connection: Connection) -> str:
            await connection.execute(COUNT, ("counted",))
            return "done"

        for _ in range(3):
            proxy.loses = lost
            assert await postgres.write(work) == "done"
        assert [tuple(row) for row in await postgres.read("SELECT created_at FROM namespaces")] == [(3,)]
        assert proxy.cuts == 3
        await postgres.close()


async def test_a_server_that_is_away_is_waited_for_a_while_and_then_refused_at_once(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (pool, database):
        monkeypatch.setattr(module, "AWAY_S", 0.5, raising=False)
    monkeypatch.setattr(pool, "LEAST_WAIT_S", 0.01)
    monkeypatch.setattr(pool, "RECONNECT_S", 0.1)
    proxy = Cutting(postgres_url)
    async with proxy.listening() as url:
        postgres = Postgres(url, SCHEMA, "away")
        await postgres.open()
        await postgres.read("SELECT 1 FROM namespaces")
    for _ in range(3):
        with pytest.raises(StorageUnavailable, match="cannot be reached"):
            await postgres.read("SELECT 1 FROM namespaces")
    await postgres.close()
