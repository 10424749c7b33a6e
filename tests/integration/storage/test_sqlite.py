"""SQLite underneath: durable, private, never half-written, and every failure in words."""

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.errors import AgentOSError, StorageRefused, StorageUnavailable
from agentos.modules.goals.service import GoalService
from agentos.modules.insights.service import InsightService
from agentos.modules.insights.triggers import Triggers
from agentos.modules.redaction.redactor import SecretRedactor
from agentos.modules.store_request import StoreRequest
from agentos.storage.repositories.goals import GoalsRepository
from agentos.storage.repositories.insights import InsightsRepository
from agentos.storage.sqlite import database as sqlite
from agentos.storage.sqlite import folder
from agentos.storage.sqlite.database import Sqlite
from agentos.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.sqlite("it is about the engine itself")

NS = "ada"
DEADLINE_S = 60.0
LOCK_HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
async def database(store: Any, home: Path) -> Any:
    connection = Sqlite(home / "agentos.db")
    await connection.open()
    yield connection
    await connection.close()


def goals_over(database: Sqlite, clock: Any) -> GoalService:
    triggers = Triggers(InsightService(InsightsRepository(database), clock))
    return GoalService(GoalsRepository(database), triggers, SecretRedactor(), clock)


async def pragma(database: Sqlite, name: str) -> Any:
    async def read(connection: Any) -> Any:
        [row] = await connection.fetch_all(f"PRAGMA {name}")
        return row[0]

    return await database.write(read)


async def test_the_settings_that_keep_data_safe_are_on(database: Sqlite) -> None:
    assert await pragma(database, "journal_mode") == "wal"
    assert await pragma(database, "foreign_keys") == 1
    assert await pragma(database, "synchronous") == 2
    assert (await database.read("PRAGMA busy_timeout"))[0][0] >= 1000
    assert sqlite.LOCK_WAIT_S >= 1, "a writer waits by trying again, with jitter"
    assert await pragma(database, "secure_delete") == 1
    [row] = await database.read("PRAGMA foreign_keys")
    assert row[0] == 1
    with pytest.raises(AgentOSError):
        await database.read("DELETE FROM memories")


async def test_a_database_that_lost_its_log_mode_gets_it_back(store: Any, home: Path, clock: Any) -> None:
    """A restored backup (VACUUM INTO) is not in WAL mode."""
    await store.close()
    with sqlite3.connect(home / "agentos.db") as plain:
        plain.execute("PRAGMA journal_mode=DELETE")
    plain.close()
    again = await SqliteStore.open(home, home / "agentos.db", clock)
    await again.close()
    second = Sqlite(home / "agentos.db")
    await second.open()
    try:
        assert await pragma(second, "journal_mode") == "wal"
    finally:
        await second.close()


async def test_folders_and_files_are_private(agentos: Any, home: Path) -> None:
    await agentos.memory.store(NS, StoreRequest("secret"))
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    files = [path for path in home.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"agentos.db", "agentos.db-wal"}
    assert {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in files} == dict.fromkeys(
        (path.name for path in files), "0o600"
    )


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
async def test_a_folder_that_others_can_write_to_is_refused(home: Path, clock: Any, mode: int) -> None:
    home.mkdir()
    home.chmod(mode)
    with pytest.raises(StorageRefused, match="chmod 700"):
        await SqliteStore.open(home, home / "agentos.db", clock)
    assert list(home.iterdir()) == []


async def test_a_home_that_cannot_be_is_refused_in_words(tmp_path: Path, clock: Any) -> None:
    (tmp_path / "file").touch()
    for home in (tmp_path / "file", tmp_path / "file" / "inside", tmp_path / ("x" * 300)):
        with pytest.raises(StorageUnavailable):
            await SqliteStore.open(home, home / "agentos.db", clock)
    (tmp_path / "home" / "agentos.db").mkdir(parents=True)
    (tmp_path / "home").chmod(0o700)
    with pytest.raises(StorageUnavailable):
        await SqliteStore.open(tmp_path / "home", tmp_path / "home" / "agentos.db", clock)


async def test_a_network_file_system_is_refused_unless_allowed(
    home: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "file_system", lambda path: "nfs4")
    with pytest.raises(StorageRefused, match="nfs4"):
        await SqliteStore.open(home, home / "agentos.db", clock)
    store = await SqliteStore.open(home, home / "agentos.db", clock, allow_network_home=True)
    await store.close()


@pytest.mark.parametrize(
    ("statement", "words"),
    [("PRAGMA query_only=ON", "not writable"), ("PRAGMA max_page_count=1", "full")],
    ids=["read-only", "full disk"],
)
async def test_a_disk_that_refuses_is_reported_in_words_and_nothing_is_half_written(
    database: Sqlite, agentos: Any, clock: Any, statement: str, words: str
) -> None:
    async def refuse(connection: Any) -> None:
        await connection.execute(statement)

    await database.write(refuse)
    goals = goals_over(database, clock)
    refusals = []
    for number in range(400):
        try:
            await goals.add(NS, f"goal {number}", "x" * 16_000)
        except StorageUnavailable as error:
            refusals.append(str(error))
            break
    assert refusals
    assert words in refusals[0]
    assert "nothing was changed" in refusals[0]
    assert "SQL" not in refusals[0]
    assert (await agentos.goals.page(NS)).total == number
    assert (await goals.page(NS)).total == number, "reads still work"


async def test_a_damaged_file_is_refused_and_kept(store: Any, home: Path, clock: Any) -> None:
    await store.close()
    path = home / "agentos.db"
    damaged = b"this is not a database, but somebody's letters. " * 200
    path.write_bytes(damaged)
    with pytest.raises(StorageRefused, match="damaged"):
        await SqliteStore.open(home, path, clock)
    assert path.read_bytes() == damaged


async def test_who_holds_the_lock_for_long_makes_writers_wait_and_then_say_busy(
    database: Sqlite, agentos: Any, clock: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await agentos.memory.store(NS, StoreRequest("findable"))
    monkeypatch.setattr(sqlite, "LOCK_WAIT_S", 0.0)
    with subprocess.Popen(
        [sys.executable, "-c", LOCK_HOLDER, str(home / "agentos.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(StorageUnavailable, match="busy"):
            await agentos.goals.add(NS, "goal", "")
        found = await agentos.memory.search(NS, "findable")
        assert len(found.hits) == 1, "reads still work"
        assert not any("not counted" in note for note in found.notes), "an answer does not wait for its statistic"
        found = await agentos.memory.search(NS, "findable")
        assert any("not counted" in note for note in found.notes), "but the next one says what became of it"
        with pytest.raises(StorageUnavailable, match="busy"):
            await database.write(lambda connection: connection.execute("SELECT 1"), durable=False)
        holder.stdin.close()
    await agentos.goals.add(NS, "goal", "")
    assert (await agentos.goals.page(NS)).total == 1
    assert await pragma(database, "synchronous") == 2, "a failed statistic must not cost later writes their fsync"


async def test_a_cancelled_caller_leaves_all_or_nothing(agentos: Any, home: Path) -> None:
    for number in range(60):
        call = asyncio.create_task(agentos.memory.store(NS, StoreRequest(f"text {number}", tags=["a", "b"])))
        for _ in range(number):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    await agentos.memory.store(NS, StoreRequest("the last one", tags=["a", "b"]))
    assert await agentos.embedding.caught_up(60)
    with sqlite3.connect(home / "agentos.db") as database:
        counts = [
            database.execute(f"SELECT count(*) FROM {source}").fetchone()[0]
            for source in ("memories", "memory_text", "embeddings", "memory_tags WHERE tag = 'a'",
                           "memory_tags WHERE tag = 'b'", "audit WHERE action = 'memory.store'")
        ]  # fmt: skip
    database.close()
    assert len(set(counts)) == 1
    assert counts[0] >= 1


async def test_reads_that_are_cancelled_do_not_use_up_the_readers(agentos: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("findable"))
    for number in range(40):
        call = asyncio.create_task(agentos.memory.page(NS))
        for _ in range(number % 8):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    async with asyncio.timeout(DEADLINE_S):
        assert (await agentos.memory.page(NS)).total == 1


async def test_a_write_that_raises_is_undone(database: Sqlite, agentos: Any) -> None:
    async def half(connection: Any) -> None:
        await connection.execute("INSERT INTO namespaces (id, created_at) VALUES ('half', 0)")
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        await database.write(half)
    assert await agentos.jobs.namespaces() == []
    await agentos.goals.add(NS, "goal", "")


async def test_a_closed_store_says_so_and_never_hangs(agentos: Any, store: Any) -> None:
    await store.close()
    await store.close()
    async with asyncio.timeout(DEADLINE_S):
        with pytest.raises(StorageUnavailable, match="closed"):
            await agentos.goals.add(NS, "goal", "")
        with pytest.raises(StorageUnavailable, match="closed"):
            await agentos.goals.page(NS)


async def test_closing_waits_for_what_is_under_way(open_store: Any, wire: Any) -> None:
    for turns in range(24):
        store = await open_store()
        agentos = wire(store)
        calls = [asyncio.create_task(agentos.goals.add(NS, "goal", "")) for _ in range(6)]
        calls += [asyncio.create_task(agentos.goals.page(NS)) for _ in range(6)]
        for _ in range(turns):
            await asyncio.sleep(0)
        async with asyncio.timeout(DEADLINE_S):
            await store.close()
            results = await asyncio.gather(*calls, return_exceptions=True)
        assert all(not isinstance(r, BaseException) or isinstance(r, StorageUnavailable) for r in results), results


async def test_many_writers_of_many_processes_lose_nothing(open_store: Any, wire: Any) -> None:
    agents = [wire(await open_store()) for _ in range(4)]
    await asyncio.gather(
        *(a.memory.store(NS, StoreRequest(f"{n} of {i}")) for i, a in enumerate(agents) for n in range(40))
    )
    assert (await agents[0].memory.page(NS)).total == 160


async def test_the_log_file_is_checkpointed_while_writing(agentos: Any, home: Path) -> None:
    longest = 0
    for number in range(150):  # which are more than 20 MB in the log
        await agentos.memory.store(NS, StoreRequest(f"{number} " + os.urandom(3_000).hex()))
        longest = max(longest, (home / "agentos.db-wal").stat().st_size)
    assert (home / "agentos.db").stat().st_size > 2 * 2**20
    assert longest < 10 * 2**20
