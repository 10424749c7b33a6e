"""The contract of an engine: what repositories may take for granted, whichever is under them."""

import asyncio
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.errors import StorageUnavailable
from agentos.storage.engine.ports import Connection, Engine
from tests.tables import every

ADD = "INSERT INTO namespaces (id, created_at) VALUES (?, ?)"
OUTBOX = "INSERT INTO index_outbox (namespace, memory_seq, operation) VALUES (?, ?, 'delete')"
ALL = "SELECT id, created_at FROM namespaces ORDER BY id"


@pytest.fixture
async def database(store: OpenedStore) -> Engine:
    return store.engine


async def add(database: Engine, *names: str) -> int:
    return await database.write(lambda connection: connection.execute_many(ADD, [(name, 1) for name in names]))


async def test_rows_are_read_by_name_and_by_place(database: Engine) -> None:
    assert await add(database, "a", "b") == 2

    async def work(connection: Connection) -> tuple[Any, ...]:
        first = await connection.fetch_one(ALL)
        assert first is not None and (first["id"], first[1], first[:1], tuple(first)) == ("a", 1, ("a",), ("a", 1))
        assert await connection.fetch_one(f"{ALL} LIMIT 0") is None
        assert await connection.fetch_value("SELECT id FROM namespaces WHERE id > :least", {"least": "a"}) == "b"
        assert await connection.fetch_value(f"{ALL} LIMIT 0") is None
        assert await connection.execute("UPDATE namespaces SET created_at = ?1 WHERE created_at < ?1", (2,)) == 2
        number = await connection.fetch_value(f"{OUTBOX} RETURNING seq", ("a", 1))
        assert number == await connection.fetch_value("SELECT max(seq) FROM index_outbox")
        return tuple(row["id"] for row in await connection.fetch_all(ALL))

    assert await database.write(work) == ("a", "b")
    assert [tuple(row) for row in await database.read(ALL)] == [("a", 2), ("b", 2)]


async def test_what_a_constraint_forbids_costs_the_transaction_nothing_else(database: Engine) -> None:
    async def work(connection: Connection) -> list[bool]:
        return [await connection.attempt(ADD, (name, 1)) for name in ("a", "a", None, "b")]

    assert await database.write(work) == [True, False, False, True]
    assert [row["id"] for row in await database.read(ALL)] == ["a", "b"]


async def test_a_transaction_that_raises_leaves_nothing(database: Engine) -> None:
    async def work(connection: Connection) -> None:
        await connection.execute(ADD, ("a", 1))
        raise LookupError("halfway")

    for durable in (True, False):
        with pytest.raises(LookupError):
            await database.write(work, durable=durable)
    assert await database.read(ALL) == []


async def test_who_holds_a_name_reads_what_the_last_one_wrote(database: Engine) -> None:
    await add(database, "a")

    async def count(connection: Connection) -> None:
        await connection.lock("a")
        counted = await connection.fetch_value("SELECT created_at FROM namespaces WHERE id = 'a'")
        await asyncio.sleep(0)
        await connection.execute("UPDATE namespaces SET created_at = ? WHERE id = 'a'", (counted + 1,))

    await asyncio.gather(*(database.write(count) for _ in range(20)))
    assert [row["created_at"] for row in await database.read(ALL)] == [21]


async def test_numbers_rise_also_when_rows_go(database: Engine) -> None:
    newest = "SELECT newest('index_outbox')"
    assert [row[0] for row in await database.read(newest)] == [None]
    for _ in range(2):
        await database.write(lambda connection: connection.execute(OUTBOX, ("a", 1)))
    [first, last] = [row[0] for row in await database.read("SELECT seq FROM index_outbox ORDER BY seq")]
    await database.write(lambda connection: connection.execute("DELETE FROM index_outbox"))
    assert first < last and [row[0] for row in await database.read(newest)] == [last]


async def test_a_moment_stays_as_it_was_while_others_write_and_is_read_in_pages(database: Engine) -> None:
    for name in ("a", "b", "c"):
        await add(database, name)
    query = "SELECT id FROM namespaces WHERE id >= ? ORDER BY id"

    async def work(connection: Connection) -> list[list[str]]:
        found = []
        async for rows in connection.pages(query, ("a",), rows=2):
            found.append([row["id"] for row in rows])
            await add(database, f"d{len(found)}")
        return [*found, [row["id"] for row in await connection.fetch_all(query, ("c",))]]

    assert await database.at_one_moment(work) == [["a", "b"], ["c"], ["c"]]
    assert len(await database.read(query, ("a",))) == 5

    async def changes(connection: Connection) -> int:
        return await connection.execute("DELETE FROM namespaces")

    with pytest.raises(StorageUnavailable):
        await database.at_one_moment(changes)


async def test_columns_are_listed_with_their_place_in_the_key(database: Engine) -> None:
    assert await database.columns("namespaces") == {"id": 1, "created_at": 0}
    assert (await database.columns("readings"))["reader"] == 1
    assert await database.columns("nothing") == {}


COUNTING = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9 /*limit 3*/) SELECT i FROM n LIMIT 3"
)
SHARED = "SELECT b.value FROM json_texts(?) a /*then*/ JOIN json_texts(?) b ON b.value = a.value"
COMMON = [
    ("SELECT value FROM json_texts(?) ORDER BY value", ('["b", "a\'"]',), ["a'", "b"]),
    ("SELECT value FROM json_texts(?) ORDER BY value", ('["a", "B", "a b", "a!"]',), ["B", "a", "a b", "a!"]),
    ("SELECT given.value + 1 FROM json_numbers(?) given", ("[1, 2]",), [2, 3]),
    ("SELECT count(*) FROM json_numbers(?)", ("[]",), [0]),
    ("SELECT value ->> 0 FROM json_rows(?) WHERE CAST(value ->> 1 AS BIGINT) > 1", ('[["a", 1], ["b", 2]]',), ["b"]),
    ("SELECT coalesce(json_arrayagg(value), '[]') FROM json_texts(?)", ("[]",), ["[]"]),
    ("SELECT greatest(1, 3, 2) - least(1, 3, 2)", (), [2]),
    ("SELECT strpos('abc', 'c') + strpos('abc', 'x')", (), [3]),
    ("SELECT count(*) FILTER (WHERE NULL IS DISTINCT FROM value) FROM json_texts(?)", ('["a"]',), [1]),
    (SHARED, ('["x"]', '["x", "y"]'), ["x"]),
    ("SELECT id FROM memories m /*by memories_by_slot*/ WHERE namespace = ? AND subject > ''", ("a",), []),
    ("SELECT n.id FROM namespaces n /*by none*/ WHERE /*unindexed*/n.id = ?", ("a",), []),
    (COUNTING, (), [1, 2, 3]),
    ("SELECT id FROM queue ORDER BY seq LIMIT 1 /*claim*/", (), []),
]


@every("sql, given, found", COMMON)
async def test_statements_mean_the_same(database: Engine, sql: str, given: tuple[Any, ...], found: list[Any]) -> None:
    rows = await database.write(lambda connection: connection.fetch_all(sql, given))
    assert [row[0] for row in rows] == found
