"""A primary and its hot standby: reads that may lag go to the standby, what was written is seen, and it takes over."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos import config, database
from agentos.benchmarks.postgres import Server, running
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import StorageUnavailable, Suspended
from agentos.modules.lagging import may_lag
from agentos.modules.store_request import StoreRequest
from agentos.storage.postgres import replica
from agentos.storage.postgres.store import PostgresStore

pytestmark = pytest.mark.postgres
WITHIN_S = 120.0
WRITERS, STORED_BEFORE, STORED_AFTER = 4, 20, 10


@dataclass
class Pair:
    primary: Server
    standby: Server

    @property
    def whoever_writes(self) -> str:
        hosts = f"127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}"
        return f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write"


def ask(server: Server, query: str) -> Any:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        return cursor.fetchone()[0] if cursor.description else None  # type: ignore[index]


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with tempfile.TemporaryDirectory(prefix="agentos-standby-") as folder, running() as primary:
        Path(folder).chmod(0o755)
        standby = primary.standby(Path(folder) / "data")
        standby.start()
        try:
            yield Pair(primary, standby)
        finally:
            standby.stop("immediate")


@pytest.fixture
async def opened(pair: Pair, tmp_path: Path, clock: Any, wire: Any) -> AsyncIterator[Callable[..., Any]]:
    async with AsyncExitStack() as closing:

        async def one(url: str, lag_s: float | None = None) -> tuple[PostgresStore, AgentOS]:
            named = ("", 0.0) if lag_s is None else (pair.standby.url(), lag_s)
            store = await PostgresStore.open(tmp_path, url, clock, replica=named)
            closing.push_async_callback(store.close)
            agentos = wire(store)
            closing.push_async_callback(agentos.close)
            return store, agentos

        yield one


def examined(settings: config.Settings, clock: Any) -> Any:
    with database.health_checks(settings, clock, deep=False) as checks:
        return next(check for check in checks if check.id == "server.replica").look()


async def found(agentos: AgentOS, query: str) -> list[str]:
    with may_lag():
        return [hit.memory.content for hit in (await agentos.memory.search("team", query)).hits]


async def replayed(pair: Pair) -> None:
    """Wait until the standby has what the primary has."""
    end = ask(pair.primary, "SELECT pg_current_wal_insert_lsn()")
    async with asyncio.timeout(WITHIN_S):
        while not ask(pair.standby, f"SELECT pg_last_wal_replay_lsn() >= '{end}'"):
            await asyncio.sleep(0.05)


async def test_what_may_lag_is_read_from_the_standby_and_nothing_is_missed_that_was_written_here(
    pair: Pair, opened: Callable[..., Any], tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "AGAIN_S", 0.0)
    store, agentos = await opened(pair.primary.url(), 3600.0)
    _, beside = await opened(pair.primary.url())
    _, strict = await opened(pair.primary.url(), 0.0)
    await agentos.memory.store("team", StoreRequest("the heron is the staging database"))

    def counted(name: str) -> float:
        return store.measures()[f"database_replica_{name}"]

    await agentos.embedding.settled()
    await replayed(pair)
    assert await found(agentos, "heron") == ["the heron is the staging database"]
    assert counted("reads") >= 2 and counted("up") == 1.0
    before = counted("reads")
    assert (await agentos.memory.page("team")).total == 1  # nobody said that it may lag
    assert counted("reads") == before

    ask(pair.standby, "SELECT pg_wal_replay_pause()")
    await beside.memory.store("team", StoreRequest("the egret was stored by another process"))
    assert await found(agentos, "egret") == []  # within the bound
    assert await found(strict, "egret") == ["the egret was stored by another process"]
    assert (await agentos.memory.search("team", "egret")).hits
    await agentos.memory.store("team", StoreRequest("the ibis was stored here"))
    assert await found(agentos, "ibis") == ["the ibis was stored here"]
    assert counted("up") == 0.0 and counted("refused") >= 1
    ask(pair.standby, "SELECT pg_wal_replay_resume()")
    await replayed(pair)
    assert await found(agentos, "egret") and counted("up") == 1.0

    ask(pair.primary, "UPDATE agentos.tenants SET suspended_at = now()")
    await replayed(pair)
    before = counted("reads")
    with pytest.raises(Suspended):
        await found(agentos, "egret")
    assert counted("up") == 1.0, "one store that is suspended keeps the standby from no other"
    ask(pair.primary, "UPDATE agentos.tenants SET suspended_at = NULL")
    await replayed(pair)
    assert await found(agentos, "egret") and counted("reads") > before

    settings = config.load(
        {}, home=tmp_path, database_url=pair.primary.url(), database_replica_url=pair.standby.url(), offline=True
    )
    assert examined(settings, clock).message.startswith("the standby answers reads, ")
    assert str(database.overview(settings, clock).standby).startswith("answers reads, ")
    pair.standby.stop("immediate")
    assert await found(agentos, "heron") and counted("up") == 0.0
    assert "the standby does not answer reads: " in examined(settings, clock).message
    assert str(database.overview(settings, clock).standby).startswith("it cannot be asked: the primary answers reads")
    pair.standby.start()
    async with asyncio.timeout(WITHIN_S):
        while counted("up") == 0.0:
            assert await found(agentos, "heron")


async def test_a_process_that_knows_a_standby_alone_reads_it_and_then_its_writes_go_on_where_it_takes_over(
    pair: Pair, opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, agentos = await opened(pair.whoever_writes)
    stored = await agentos.memory.store("crew", StoreRequest("the tern is the database of the crew"))
    await replayed(pair)
    reading, looking = await opened(pair.standby.url())
    assert [hit.memory.id for hit in (await looking.memory.search("crew", "tern")).hits] == [stored.memory.id]
    assert (await looking.memory.page("crew")).total == 1
    assert "nothing can be stored now" in (await looking.context.snapshot("crew")).as_text()
    with pytest.raises(StorageUnavailable, match="server is read-only: nothing was changed; reads still work"):
        await looking.memory.store("crew", StoreRequest("not to be stored"))

    ask(pair.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    ask(pair.primary, "SELECT pg_reload_conf()")
    acknowledged: dict[str, str] = {}
    enough = asyncio.Event()

    async def write(number: int) -> None:
        for count in range(STORED_BEFORE + STORED_AFTER):
            text = f"writer {number} stores note {count}"
            acknowledged[(await agentos.memory.store("crew", StoreRequest(text))).memory.id] = text
            if len(acknowledged) >= STORED_BEFORE:
                enough.set()

    async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
        for number in range(WRITERS):
            tasks.create_task(write(number))
        await enough.wait()
        await asyncio.to_thread(pair.primary.stop, "immediate")
        await asyncio.to_thread(pair.standby.promote)
    assert len(acknowledged) == WRITERS * (STORED_BEFORE + STORED_AFTER)
    held = {row["id"]: row["content"] for row in await writing.engine.read("SELECT id, content FROM memories")}
    assert acknowledged.items() <= held.items()
    monkeypatch.setattr("agentos.storage.postgres.database.LOOK_AGAIN_S", 0.0)
    reading.engine._look_again_at = 0.0
    assert (await looking.memory.store("crew", StoreRequest("a promoted standby is written to"))).memory
