"""A database that was lost, emptied, exchanged or damaged is refused with the way back, and never replaced."""

import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.errors import StorageRefused
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import identity
from agentos.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.sqlite("it is about its file")

NS = "ada"
Opener = Callable[[], Awaitable[SqliteStore]]


@pytest.fixture
async def database(open_store: Opener, wire: Callable[..., Any], home: Path) -> Path:
    """The database of a home with two memories that nobody has open."""
    store = await open_store()
    agentos = wire(store)
    for number in range(2):
        await agentos.memory.store(NS, StoreRequest(f"fact {number}"))
    await agentos.close()
    await store.close()
    return home / "agentos.db"


async def refusal(open_store: Opener) -> str:
    with pytest.raises(StorageRefused) as refused:
        await open_store()
    message = str(refused.value)
    assert "nothing was changed" in message
    assert "agentos restore --home" in message
    assert len(message) < 600, "what a client shows of it"
    return message


async def test_a_store_and_the_note_beside_it_have_one_id(database: Path, open_store: Opener) -> None:
    noted = identity.path_of(database).read_text().strip()
    assert identity.path_of(database).stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(database)) as connection:
        assert identity.stored_identity(connection) == noted
    await open_store()
    assert identity.path_of(database).read_text().strip() == noted


@pytest.mark.parametrize("loss", ["gone", "empty", "without its tables", "another store", "another file"])
async def test_a_lost_database_is_refused_and_nothing_starts_empty(
    database: Path, open_store: Opener, tmp_path: Path, clock: Any, loss: str
) -> None:
    if loss == "gone":
        database.unlink()
    elif loss == "empty":
        database.write_bytes(b"")
    elif loss == "without its tables":  # a database whose log was deleted before it was ever checkpointed
        database.unlink()
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA user_version = 1")
    elif loss == "another store":
        other = await SqliteStore.open(tmp_path / "other", tmp_path / "other" / "agentos.db", clock)
        await other.close()
        shutil.copy(tmp_path / "other" / "agentos.db", database)
    else:
        database.write_bytes(b"\0" * 8192)
    before = database.read_bytes() if database.exists() else None
    words = {"gone": "is gone", "empty": "empty", "another file": "damaged"}.get(loss, "not the one that belongs here")
    assert words in await refusal(open_store)
    assert (database.read_bytes() if database.exists() else None) == before


async def test_the_newest_backup_is_named_and_brings_it_back(
    database: Path, open_store: Opener, wire: Callable[..., Any], clock: Any
) -> None:
    store = await open_store()
    agentos = wire(store)
    await agentos.backups.make()
    clock.advance(days=1)
    newest = await agentos.backups.make()
    await store.close()
    identity.path_of(database).unlink()
    database.unlink()
    message = await refusal(open_store)
    assert newest.name in message
    assert "2 memories" in message
    restored = await agentos.backups.restore()
    assert restored.backup.name == newest.name
    assert (await wire(await open_store()).memory.page(NS)).total == 2


async def test_a_database_that_is_put_back_opens(database: Path, open_store: Opener, tmp_path: Path) -> None:
    shutil.move(database, tmp_path / "away.db")
    await refusal(open_store)
    shutil.move(tmp_path / "away.db", database)
    await open_store()


async def test_another_store_that_is_meant_is_taken_after_the_note_is_deleted(
    database: Path, open_store: Opener, wire: Callable[..., Any], tmp_path: Path, clock: Any
) -> None:
    other = await SqliteStore.open(tmp_path / "other", tmp_path / "other" / "agentos.db", clock)
    await other.close()
    shutil.copy(tmp_path / "other" / "agentos.db", database)
    assert identity.path_of(database).name in await refusal(open_store)
    identity.path_of(database).unlink()
    assert (await wire(await open_store()).memory.page(NS)).total == 0


async def test_a_note_that_cannot_be_read_costs_nothing(database: Path, open_store: Opener) -> None:
    noted = identity.path_of(database).read_text()
    for garbage in (b"", b"\xff\xfe", b"not an id\n"):
        identity.path_of(database).write_bytes(garbage)
        store = await open_store()
        await store.close()
        assert identity.path_of(database).read_text() == noted


async def test_damage_found_during_a_call_names_the_way_back(database: Path, open_store: Opener, wire: Any) -> None:
    store = await open_store()
    agentos = wire(store)
    made = await agentos.backups.make()
    await store.close()
    with closing(sqlite3.connect(database)) as connection:
        [page] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memories'").fetchone()
    with database.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 4096)
    damaged = database.read_bytes()
    agentos = wire(await open_store())  # what is read then is sound
    with pytest.raises(StorageRefused, match="damaged") as refused:
        await agentos.memory.page(NS)
    assert made.name in str(refused.value)
    with pytest.raises(StorageRefused, match="damaged"):
        await agentos.memory.store(NS, StoreRequest("something"))
    assert database.read_bytes() == damaged


async def test_writing_into_a_database_that_was_taken_away_is_refused(
    database: Path, open_store: Opener, wire: Any, tmp_path: Path
) -> None:
    agentos = wire(await open_store())
    shutil.move(database, tmp_path / "away.db")
    with pytest.raises(StorageRefused, match="moved, deleted or replaced"):
        await agentos.memory.store(NS, StoreRequest("into a file that nobody will find"))
    assert not database.exists()
    shutil.move(tmp_path / "away.db", database)
    await agentos.memory.store(NS, StoreRequest("it is back"))
    assert (await agentos.memory.page(NS)).total == 3
