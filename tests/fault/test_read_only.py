"""Where nothing can be written: reading goes on, writing is refused with the cause, and it heals by itself."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.errors import StorageRefused, StorageUnavailable
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.sqlite import database as sqlite
from agentos.storage.sqlite import folder, reading
from agentos.storage.sqlite.backup import SqliteBackups
from agentos.storage.sqlite.store import SqliteStore
from tests.fault.forked import running
from tests.places import RELEASED

NS = "ada"
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite.store import SqliteStore
from agentos.storage.embedding.lazy import NoEmbedder

async def main():
    home = Path(sys.argv[1])
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), config.load(home=home), system_clock)
    for number in range(int(sys.argv[2])):
        await agentos.memory.store("ada", StoreRequest(f"fact number {number}"))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""

Opener = Callable[[Path], Awaitable[AgentOS]]


class Disk:
    """A small file system of its own, which can be made read-only or full."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.home = path / "home"
        self._filler = path / "filler"

    def mount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.path)], check=True)

    def fill(self) -> None:
        with self._filler.open("wb", buffering=0) as file:
            for size in (65536, 512):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"\0" * size)

    def free(self) -> None:
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    path = tmp_path / "disk"
    path.mkdir()
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a file system needs root on Linux")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", str(path)]).returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield Disk(path)
    subprocess.run(["umount", "-l", str(path)], check=True)


@pytest.fixture
async def opened() -> Any:
    """Opens homes, like a process that starts there."""
    stores: list[SqliteStore] = []

    async def open_one(home: Path) -> AgentOS:
        stores.append(await SqliteStore.open(home, home / "agentos.db", system_clock))
        return AgentOS.over(stores[-1], NoEmbedder(), config.load(home=home), system_clock)

    yield open_one
    for store in stores:
        await store.close()


@pytest.fixture(autouse=True)
def looks_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "LOOK_AGAIN_S", 0.0)


def fill_home(home: Path, count: int, *, cleanly: bool) -> None:
    """A home with memories, by a process that is killed; a log with all of them is left unless `cleanly`."""
    with running(KILLED, home, count) as process:
        assert process.wait(60) == -signal.SIGKILL
    if cleanly:
        connection = sqlite3.connect(home / "agentos.db")
        connection.execute("SELECT count(*) FROM memories").fetchone()
        connection.close()
        assert not (home / "agentos.db-wal").exists()
    else:
        assert (home / "agentos.db-wal").stat().st_size > 0


async def reads_all(agentos: AgentOS, count: int) -> None:
    assert (await agentos.memory.page(NS)).total == count
    for number in range(count):
        found = await agentos.memory.search(NS, f"number {number}")
        assert any(hit.memory.content == f"fact number {number}" for hit in found.hits)
    assert len((await agentos.context.snapshot(NS, query="fact")).top_memories) == count
    memory = (await agentos.memory.page(NS)).memories[0]
    assert (await agentos.memory.get(NS, memory.id))[0] == memory


async def is_refused(agentos: AgentOS, words: str) -> None:
    for write in (
        agentos.memory.store(NS, StoreRequest("not now")),
        agentos.goals.add(NS, "goal", ""),
        agentos.reflection.log(NS, "act", "done", True),
    ):
        with pytest.raises(StorageUnavailable, match=words) as refused:
            await write
        assert "nothing was changed" in str(refused.value)


@pytest.mark.parametrize("leftover", ["nothing", "log", "log without index"])
async def test_a_read_only_home_is_read_and_heals(disk: Disk, opened: Opener, leftover: str) -> None:
    fill_home(disk.home, 4, cleanly=leftover == "nothing")
    if leftover == "log without index":
        (disk.home / "agentos.db-shm").unlink()
    disk.mount("ro")
    before = sorted((path.name, path.read_bytes()) for path in disk.home.iterdir())
    agentos = await opened(disk.home)
    await reads_all(agentos, 4)
    await is_refused(agentos, "read-only")
    found = await agentos.memory.search(NS, "fact")
    snapshot = await agentos.context.snapshot(NS)
    nothing = await agentos.memory.search(NS, "xyzzy")
    for notes in (found.notes, snapshot.notes, nothing.notes):
        assert any("nothing can be stored now" in note and "read-only" in note for note in notes)
    assert sorted((path.name, path.read_bytes()) for path in disk.home.iterdir()) == before
    disk.mount("rw")
    await agentos.memory.store(NS, StoreRequest("fact number 4"))
    await reads_all(agentos, 5)
    assert (await agentos.memory.search(NS, "fact")).notes[0].startswith("text index only"), "no model, that is all"


async def test_a_home_that_becomes_read_only_under_a_reader_is_followed(disk: Disk, opened: Opener) -> None:
    fill_home(disk.home, 3, cleanly=True)
    disk.mount("ro")
    reader = await opened(disk.home)
    await reads_all(reader, 3)
    disk.mount("rw")
    writer = await opened(disk.home)
    await writer.memory.store(NS, StoreRequest("fact number 3"))
    await reads_all(reader, 4)


@pytest.mark.parametrize("schema", ["schema-001", "schema-002"])
async def test_an_old_schema_on_a_read_only_disk_is_read_from_a_copy(disk: Disk, opened: Opener, schema: str) -> None:
    disk.home.mkdir(mode=0o700)
    connection = sqlite3.connect(disk.home / "agentos.db")
    connection.executescript((RELEASED / f"{schema}.sql").read_text(encoding="utf-8"))
    connection.close()
    disk.mount("ro")
    agentos = await opened(disk.home)
    assert (await agentos.memory.page(NS)).total == 2
    await is_refused(agentos, "read-only")
    disk.mount("rw")
    await agentos.memory.store(NS, StoreRequest("migrated now"))
    assert (await agentos.memory.page(NS)).total == 3
    assert (disk.home / "backups").exists()


async def test_a_read_only_home_without_data_says_so(disk: Disk, opened: Opener) -> None:
    disk.home.mkdir(mode=0o700)
    disk.mount("ro")
    with pytest.raises(StorageUnavailable, match="holds no data yet"):
        await opened(disk.home)
    disk.mount("rw")
    await (await opened(disk.home)).memory.store(NS, StoreRequest("fact number 0"))


async def test_a_database_that_was_lost_is_refused_on_a_read_only_disk_too(disk: Disk, opened: Opener) -> None:
    fill_home(disk.home, 1, cleanly=True)
    (disk.home / "agentos.db").unlink()
    disk.mount("ro")
    with pytest.raises(StorageRefused, match="is gone"):
        await opened(disk.home)


async def test_a_read_only_home_can_be_backed_up_elsewhere(disk: Disk, tmp_path: Path) -> None:
    fill_home(disk.home, 3, cleanly=False)
    (disk.home / "agentos.db-shm").unlink()
    disk.mount("ro")
    made = await SqliteBackups(disk.home, disk.home / "agentos.db").make(system_clock(), tmp_path / "away")
    assert made.memories == 3
    with pytest.raises(StorageUnavailable):
        await SqliteBackups(disk.home, disk.home / "agentos.db").make(system_clock(), None)


@pytest.mark.parametrize("leftover", ["nothing", "log without index"])
async def test_a_home_on_a_full_disk_is_read_and_heals(disk: Disk, opened: Opener, leftover: str) -> None:
    fill_home(disk.home, 4, cleanly=leftover == "nothing")
    (disk.home / "agentos.db-shm").unlink(missing_ok=True)
    disk.fill()
    agentos = await opened(disk.home)
    await reads_all(agentos, 4)
    await is_refused(agentos, "full")
    disk.free()
    await agentos.memory.store(NS, StoreRequest("fact number 4"))
    await reads_all(agentos, 5)


async def test_a_disk_that_fills_up_refuses_writes_and_heals(disk: Disk, opened: Opener) -> None:
    fill_home(disk.home, 4, cleanly=True)
    agentos = await opened(disk.home)
    await reads_all(agentos, 4)
    disk.fill()
    refusals = []
    stored = 0
    while not refusals:
        try:
            await agentos.memory.store("other", StoreRequest(f"{stored} " + "pad " * 1000))
            stored += 1
        except StorageUnavailable as error:
            refusals.append(str(error))
    assert "full" in refusals[0]
    assert "nothing was changed" in refusals[0]
    await reads_all(agentos, 4)
    assert (await agentos.memory.page("other")).total == stored
    with pytest.raises(StorageUnavailable, match="full"):
        await agentos.backups.make()
    assert await agentos.backups.all() == []
    disk.free()
    await agentos.memory.store("other", StoreRequest("there is room again"))
    assert (await agentos.memory.page("other")).total == stored + 1
    assert (await agentos.backups.make()).memories == stored + 5


async def test_without_any_mount_a_home_that_cannot_be_written_is_read(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    fill_home(home, 2, cleanly=True)
    writable = folder.cannot_write
    monkeypatch.setattr(folder, "cannot_write", lambda database: "read-only (as a test says)")
    agentos = await opened(home)
    await reads_all(agentos, 2)
    await is_refused(agentos, "as a test says")
    monkeypatch.setattr(folder, "cannot_write", writable)
    await agentos.memory.store(NS, StoreRequest("fact number 2"))
    await reads_all(agentos, 3)


async def test_a_copy_that_was_read_is_private_and_goes_away(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    home = tmp_path / "home"
    fill_home(home, 2, cleanly=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    copy = reading.copy(home / "agentos.db")
    assert copy.folder is not None
    assert copy.folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in copy.folder.iterdir()} == {0o600}
    connection = sqlite3.connect(copy.uri, uri=True)
    assert connection.execute("SELECT count(*) FROM memories").fetchone() == (2,), "what the log holds is read"
    connection.close()
    copy.close()
    assert not list(tmp_path.glob("agentos-reading-*"))
