"""Writers of one store at the same moment: those of other namespaces are not held up, and no reader misses a row."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.memory.ports import BacklogPosition
from agentos.storage.engine.ports import Connection
from agentos.storage.engine.times import to_us
from agentos.storage.postgres.store import PostgresStore
from agentos.storage.repositories.audit import record_change, register_namespace

pytestmark = pytest.mark.postgres
SCHEMA = f"writers_{os.getpid()}"
WITHIN_S = 20.0
WRITERS, ROUNDS, ENTRIES, MANY = 6, 8, 3, 60


@pytest.fixture
async def store(postgres_url: str, home: Path, clock: Any) -> AsyncIterator[PostgresStore]:
    home.mkdir()
    opened = await PostgresStore.open(home, postgres_url, clock, schema=SCHEMA, tenant=str(home))
    yield opened
    await opened.close()


async def write(connection: Connection, at: datetime, namespace: str, name: str) -> None:
    """Write what a store of a memory writes: its row, a change of the index, an entry of the log."""
    now = to_us(at)
    await register_namespace(connection, namespace, now)
    seq = await connection.fetch_value(
        "INSERT INTO memories (id, namespace, memory_type, content, summary, tags, importance, metadata, source, "
        "content_hash, occurred_at, created_at, updated_at, accessed_at) "
        "VALUES (?, ?, 'semantic', ?, '', '[]', 0.5, '{}', 'test', ?, ?, ?, ?, ?) RETURNING seq",
        (f"mem_{name}", namespace, name, name, now, now, now, now),
    )
    await connection.execute(
        "INSERT INTO index_outbox (namespace, memory_seq, operation) VALUES (?, ?, 'delete')", (namespace, seq)
    )
    await record_change(connection, at, namespace, "memory.store", f"mem_{name}")


@asynccontextmanager
async def open_write(store: PostgresStore, at: datetime, namespace: str, name: str) -> AsyncIterator[asyncio.Event]:
    """A transaction that has written and is open; setting the event takes it back."""
    written, go_on, undo = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work(connection: Connection) -> None:
        await write(connection, at, namespace, name)
        written.set()
        await go_on.wait()
        if undo.is_set():
            raise ValueError("undone")

    writing = asyncio.create_task(store.engine.write(work))
    await asyncio.wait_for(written.wait(), WITHIN_S)
    yield undo
    go_on.set()
    [failure] = await asyncio.gather(writing, return_exceptions=True)
    assert isinstance(failure, ValueError if undo.is_set() else type(None))


async def put(store: PostgresStore, at: datetime, namespace: str, name: str) -> None:
    async def work(connection: Connection) -> None:
        await write(connection, at, namespace, name)

    await asyncio.wait_for(store.engine.write(work), WITHIN_S)


async def names_after(store: PostgresStore, cursor: int) -> tuple[list[str], int]:
    page = await store.work.events.after(cursor, ["a", "b"], None, 100)
    return [event.subject.removeprefix("mem_") for event in page.events], page.cursor


async def test_an_open_transaction_holds_up_no_other_namespace_and_what_it_commits_late_is_read_all_the_same(
    store: PostgresStore, clock: Any
) -> None:
    generation = await store.memory.backlog.generation("model", 4)
    async with open_write(store, clock(), "a", "late"):
        await put(store, clock(), "b", "early")
        seen, cursor = await names_after(store, 0)
        owed, position = await store.memory.backlog.owed(generation, BacklogPosition(0, 0), 10)
        assert seen == ["early"] and [text.memory_id for text in owed] == ["mem_early"]
        none, position = await store.memory.backlog.owed(generation, position, 10)
        while none:
            none, position = await store.memory.backlog.owed(generation, position, 10)
    assert (await names_after(store, cursor))[0] == ["late"]
    owed, _ = await store.memory.backlog.owed(generation, position, 10)
    assert "mem_late" in [text.memory_id for text in owed], "its number is lower than one that was read before"
    assert (await store.sharing.audit.verify_everywhere()).faults == ()


async def test_a_transaction_that_is_undone_leaves_no_gap_in_the_log(store: PostgresStore, clock: Any) -> None:
    await put(store, clock(), "a", "first")
    async with open_write(store, clock(), "a", "undone") as undo:
        await put(store, clock(), "b", "second")
        undo.set()
    await put(store, clock(), "a", "third")
    assert [event.subject for event in (await store.work.events.after(0, ["a", "b"], None, 100)).events] == [
        "mem_first",
        "mem_second",
        "mem_third",
    ]
    entries = await store.sharing.audit.entries_everywhere(None, None, 10)
    assert [entry.number for entry in entries] == [3, 2, 1]
    assert (await store.sharing.audit.verify_everywhere()).faults == ()


async def test_readers_see_every_entry_once_and_in_order_while_many_write(
    store: PostgresStore, clock: Any, postgres_url: str, home: Path
) -> None:
    other = await PostgresStore.open(home, postgres_url, clock, schema=SCHEMA, tenant=str(home))
    generation, told, embedded = await store.memory.backlog.generation("model", 4), list[str](), set[str]()
    ended = asyncio.Event()

    async def writer(number: int) -> None:
        for turn in range(ROUNDS):

            async def work(connection: Connection, turn: int = turn) -> None:
                for entry in range(ENTRIES):
                    await write(connection, clock(), "ab"[number % 2], f"{number}-{turn}-{entry}")
                    await asyncio.sleep(0)
                if turn == number:
                    raise ValueError("undone")

            await asyncio.gather((store, other)[turn % 2].engine.write(work), return_exceptions=True)

    async def reader() -> None:
        cursor, is_last = 0, False
        while not is_last:
            is_last = ended.is_set()
            names, cursor = await names_after(store, cursor)
            told.extend(names)

    async def backlog() -> None:
        position, is_last = BacklogPosition(0, 0), False
        while not is_last:
            is_last = ended.is_set()
            owed = None
            while owed != []:
                owed, position = await store.memory.backlog.owed(generation, position, 1_000)
                embedded.update(text.memory_id.removeprefix("mem_") for text in owed)

    async def writers() -> None:
        await asyncio.gather(*map(writer, range(WRITERS)))
        ended.set()

    await asyncio.gather(writers(), reader(), backlog())
    expected = {
        f"{number}-{turn}-{entry}"
        for number in range(WRITERS)
        for turn in range(ROUNDS)
        for entry in range(ENTRIES)
        if turn != number
    }
    assert len(told) == len(expected) and set(told) == embedded == expected
    entries = await store.sharing.audit.entries_everywhere(None, None, 1_000)
    assert [entry.number for entry in entries] == list(range(len(expected), 0, -1))
    assert (await store.sharing.audit.verify_everywhere()).faults == ()
    await other.close()


async def test_many_rows_of_one_transaction_change_the_counts_of_their_store_once(
    store: PostgresStore, clock: Any
) -> None:
    async def work(connection: Connection) -> list[int]:
        for count in range(MANY):
            await write(connection, clock(), "ada", f"of many {count}")
        await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")  # as the commit does
        return [
            await connection.fetch_value("SELECT pg_stat_get_xact_tuples_updated(CAST(? AS regclass))", (table,))
            for table in ("numbers", "audit_head")
        ]

    counts, heads = await store.engine.write(work)
    assert counts <= 3 and heads == 1
    [row] = await store.engine.read("SELECT held, held_bytes, memories FROM numbers")
    assert row["held"] == MANY
    assert row["held_bytes"] == sum(len(f"of many {count}") for count in range(MANY))
    log = await store.sharing.audit.verify_everywhere()
    assert not log.faults and log.head.entries == MANY
