"""Backup and restore: whole, verified, private, beside any number of writers; nothing is ever replaced unseen."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from agentos.daemon_pkg.jobs import backup as backup_job
from agentos.modules.errors import Conflict, NotFound, StorageRefused, StorageUnavailable
from agentos.modules.insights.models import InsightSeverity
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import identity, sound_copy, text_functions
from agentos.storage.sqlite.backup import SqliteBackups
from agentos.storage.sqlite.store import SqliteStore
from tests.places import SOURCE

pytestmark = pytest.mark.sqlite("backups of PostgreSQL are the server's")

NS = "ada"
WRITER = """
import asyncio, sys
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
    number = 0
    while True:
        memory = (await agentos.memory.store("ada", StoreRequest(f"fact {sys.argv[2]} {number}", tags=["a"]))).memory
        print(memory.id, flush=True)
        number += 1

asyncio.run(main())
"""
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA journal_mode=WAL")
connection.execute("SELECT count(*) FROM memories").fetchone()
print("open", flush=True)
sys.stdin.readline()
"""


@contextmanager
def process(program: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=SOURCE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def cli(*arguments: object, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = "from agentos.interfaces.cli import main; main()"
    options = [] if home is None else ["--home", str(home)]
    command = [sys.executable, "-c", code, *map(str, arguments), *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=SOURCE, timeout=120, stdin=subprocess.DEVNULL)


def ids(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {row[0] for row in connection.execute("SELECT id FROM memories")}


def damage(database: Path) -> None:
    """Break pages in the middle; the first one stays readable."""
    with database.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * (database.stat().st_size - 8192))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def backups(home: Path) -> SqliteBackups:
    return SqliteBackups(home, home / "agentos.db")


@pytest.fixture
async def closed_home(open_store: Callable[[], Awaitable[SqliteStore]], wire: Callable[..., Any], home: Path) -> Path:
    """A home with two memories that nobody has open."""
    store = await open_store()
    agentos = wire(store)
    for text in ("the first fact", "the second fact"):
        await agentos.memory.store(NS, StoreRequest(text, tags=["x"]))
    await agentos.close()
    await store.close()
    return home


def test_a_backup_while_three_processes_write_has_everything_acknowledged_before_it(tmp_path: Path) -> None:
    home, fresh = tmp_path / "home", tmp_path / "new" / "home"
    with process(WRITER, home, 0) as first, process(WRITER, home, 1) as second, process(WRITER, home, 2) as third:
        before = set()
        for writer in (first, second, third):
            assert writer.stdout is not None
            before |= {writer.stdout.readline().strip() for _ in range(20)}
        answer = cli("backup", "--home", home, "--restore-into", fresh)
        assert (answer.returncode, answer.stderr) == (0, "")
        for writer in (first, second, third):
            assert writer.poll() is None, "backing up disturbs nobody"
    restored = ids(fresh / "agentos.db")
    assert before <= restored <= ids(home / "agentos.db")
    sound_copy.check(fresh / "agentos.db")
    assert {path.stat().st_mode & 0o777 for path in fresh.iterdir() if path.is_file()} == {0o600}
    assert fresh.stat().st_mode & 0o777 == 0o700


async def test_the_facts_of_a_backup_are_known(agentos: Any, home: Path, clock: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("something"))
    made = await agentos.backups.make()
    clock.advance(minutes=1)
    later = await agentos.backups.make()
    assert [entry.name for entry in await agentos.backups.all()] == [later.name, made.name]
    assert made.name == "agentos-20260302T120000Z.db"
    [_, known] = await agentos.backups.all()
    assert known == made
    assert (known.memories, known.bytes) == (1, Path(made.path).stat().st_size)
    assert known.schema is not None
    assert known.version
    assert len(known.digest or "") == 64
    assert {path.suffix for path in (home / "backups").iterdir()} == {".db", ".json", ".lock"}
    assert {path.stat().st_mode & 0o777 for path in (home / "backups").iterdir()} == {0o600}


async def test_a_backup_leaves_no_files_beside_the_database(
    closed_home: Path, backups: SqliteBackups, clock: Any
) -> None:
    before = contents(closed_home)
    await backups.make(clock(), None)
    after = {name: data for name, data in contents(closed_home).items() if not name.startswith("backups/")}
    assert after == before


async def test_two_backups_in_one_second_are_two(agentos: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("something"))
    assert (await agentos.backups.make()).name != (await agentos.backups.make()).name
    assert len(await agentos.backups.all()) == 2


async def test_what_was_deleted_is_not_in_a_backup(agentos: Any, home: Path) -> None:
    stored = await agentos.memory.store(NS, StoreRequest("hxq7secretmarker"))
    await agentos.memory.delete(NS, stored.memory.id)
    made = await agentos.backups.make()
    assert b"hxq7secretmarker" not in Path(made.path).read_bytes()


async def test_a_damaged_database_gives_no_backup(closed_home: Path, backups: SqliteBackups, clock: Any) -> None:
    damage(closed_home / "agentos.db")
    with pytest.raises(StorageUnavailable):
        await backups.make(clock(), None)
    assert await backups.found(None) == []
    assert not list((closed_home / "backups").glob("*.partial*"))


async def test_without_data_there_is_nothing_to_back_up(home: Path, backups: SqliteBackups, clock: Any) -> None:
    with pytest.raises(NotFound):
        await backups.make(clock(), None)
    assert not home.exists() or not list(home.glob("*.db"))


async def test_restoring_takes_the_newest_sound_one_and_keeps_what_was_there(
    closed_home: Path, backups: SqliteBackups, open_store: Any, wire: Any, clock: Any
) -> None:
    good = await backups.make(clock(), None)
    clock.advance(days=1)
    bad = await backups.make(clock(), None)
    clock.advance(days=1)
    unreadable = await backups.make(clock(), None)
    damage(Path(bad.path))
    Path(unreadable.path).write_bytes(b"short")
    store = await open_store()
    await wire(store).memory.store(NS, StoreRequest("the third fact"))
    await store.close()
    now = ids(closed_home / "agentos.db")
    done = await backups.restore(None, clock())
    assert done.backup.name == good.name
    assert len(ids(closed_home / "agentos.db")) == 2
    assert done.replaced is not None
    assert ids(Path(done.replaced)) == now
    agentos = wire(await open_store())
    assert {hit.memory.content for hit in (await agentos.memory.search(NS, "fact")).hits} == {
        "the first fact",
        "the second fact",
    }
    await agentos.memory.store(NS, StoreRequest("writing goes on"))


async def test_a_backup_that_was_tampered_with_is_refused(
    closed_home: Path, backups: SqliteBackups, clock: Any
) -> None:
    made = await backups.make(clock(), None)
    with closing(sqlite3.connect(made.path)) as connection:
        text_functions.add_to(connection)
        connection.execute("UPDATE memories SET content = 'the first fake' WHERE seq = 1")
        connection.commit()
    before = contents(closed_home)
    with pytest.raises(StorageRefused, match="has changed since the backup was made"):
        await backups.restore(None, clock())
    assert contents(closed_home).items() >= before.items(), "nothing on a failed run is changed"


async def test_an_open_store_is_never_replaced(
    closed_home: Path, backups: SqliteBackups, open_store: Any, clock: Any
) -> None:
    await backups.make(clock(), None)
    before = contents(closed_home)
    store = await open_store()
    with pytest.raises(Conflict, match="open"):
        await backups.restore(None, clock())
    await store.close()
    with process(WRITER, closed_home, 0) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        answer = cli("restore", "--yes", home=closed_home)
        assert answer.returncode == 3
        assert "nothing was changed" in answer.stderr
    with FileLock(closed_home / "daemon.lock"):
        with pytest.raises(Conflict, match="daemon"):
            await backups.restore(None, clock())
    with process(HOLDER, closed_home / "agentos.db") as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(Conflict, match="another program"):
            await backups.restore(None, clock())
    assert contents(closed_home)["agentos.db.identity"] == before["agentos.db.identity"]
    assert not list(closed_home.glob("*.replaced-*"))
    assert (await backups.restore(None, clock())).replaced is not None, "a killed process holds nothing up"


async def test_opening_waits_until_a_restore_is_done(closed_home: Path, clock: Any, monkeypatch: Any) -> None:
    from agentos.storage.sqlite import usage_lock

    restoring = usage_lock.UsageLock(closed_home / "agentos.db")
    restoring.take_alone()
    opening = asyncio.create_task(SqliteStore.open(closed_home, closed_home / "agentos.db", clock))
    await asyncio.sleep(0)
    assert not opening.done()
    restoring.release()
    await (await opening).close()
    restoring.take_alone()
    monkeypatch.setattr(usage_lock, "WAIT_S", 0.0)
    with pytest.raises(StorageUnavailable, match="restored"):
        await SqliteStore.open(closed_home, closed_home / "agentos.db", clock)
    restoring.release()


async def test_a_link_in_the_place_of_the_lock_is_refused_and_its_target_left_alone(
    closed_home: Path, clock: Any, tmp_path: Path
) -> None:
    other, lock = tmp_path / "other", closed_home / "agentos.db.lock"
    other.touch(0o644)
    lock.unlink(missing_ok=True)
    lock.symlink_to(other)
    with pytest.raises(StorageUnavailable, match="is a link: remove it"):
        await SqliteStore.open(closed_home, closed_home / "agentos.db", clock)
    assert other.stat().st_mode & 0o777 == 0o644


async def test_a_damaged_database_is_kept_with_its_log(
    closed_home: Path, backups: SqliteBackups, open_store: Any, wire: Any, clock: Any
) -> None:
    await backups.make(clock(), None)
    database, log = closed_home / "agentos.db", closed_home / "agentos.db-wal"
    database.write_bytes(b"somebody's letters " * 999)
    log.write_bytes(b"and their log")
    done = await backups.restore(None, clock())
    assert Path(done.replaced or "").read_bytes() == b"somebody's letters " * 999
    assert Path(f"{done.replaced}-wal").read_bytes() == b"and their log"
    assert not log.exists(), "the log of another database would be taken for this one's"
    assert (await wire(await open_store()).memory.page(NS)).total == 2


@pytest.mark.usefixtures("unmeasured")
async def test_the_vector_index_is_built_anew_after_a_restore(
    closed_home: Path, backups: SqliteBackups, open_store: Any, wire: Any, embedder: Any, clock: Any
) -> None:
    await backups.make(clock(), None)
    embedder.loaded = True
    store = await open_store()
    agentos = wire(store)
    await agentos.memory.store(NS, StoreRequest("only in the index of later"))
    assert await agentos.embedding.caught_up(60)
    index = store.vector_index(closed_home / "chroma")
    generation = await store.memory.backlog.generation(embedder.fingerprint, embedder.dimension)
    assert (await index.open(generation)).count == 3
    while await index.catch_up(100):
        pass
    await index.close()
    await agentos.close()
    await store.close()
    await backups.restore(None, clock())
    store = await open_store()
    embedder.loaded = True
    assert await wire(store).embedding.caught_up(60)
    index = store.vector_index(closed_home / "chroma")
    state = await index.open(generation)
    assert (state.count, state.applied) == (2, state.newest)
    await index.close()


async def test_a_backup_of_a_newer_schema_is_refused(closed_home: Path, backups: SqliteBackups, clock: Any) -> None:
    made = await backups.make(clock(), None)
    with closing(sqlite3.connect(made.path)) as connection:
        connection.execute("INSERT INTO schema_migrations (version, name, checksum) VALUES (999, 'future', 'x')")
        connection.commit()
    Path(made.path).with_suffix(".json").unlink()
    before = (closed_home / "agentos.db").read_bytes()
    with pytest.raises(StorageRefused, match="upgrade"):
        await backups.restore(Path(made.name), clock())
    assert (closed_home / "agentos.db").read_bytes() == before


@pytest.mark.parametrize("kind", ["nothing", "letters", "foreign"])
async def test_what_is_no_backup_is_not_restored(
    closed_home: Path, backups: SqliteBackups, clock: Any, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "x.db"
    if kind == "letters":
        path.write_text("letters " * 999)
    if kind == "foreign":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE memories (id TEXT)")
    before = (closed_home / "agentos.db").read_bytes()
    with pytest.raises((StorageRefused, NotFound)):
        await backups.restore(path, clock())
    assert (closed_home / "agentos.db").read_bytes() == before
    assert not (closed_home / "agentos.db.incoming").exists()


async def test_a_store_of_another_home_can_be_restored_over_one(
    closed_home: Path, backups: SqliteBackups, tmp_path: Path, open_store: Any, wire: Any, clock: Any
) -> None:
    other = tmp_path / "other"
    store = await SqliteStore.open(other, other / "agentos.db", clock)
    await wire(store).memory.store(NS, StoreRequest("from the other machine"))
    await store.close()
    made = await SqliteBackups(other, other / "agentos.db").make(clock(), None)
    await backups.restore(Path(made.path), clock())
    agentos = wire(await open_store())
    assert [memory.content for memory in (await agentos.memory.page(NS)).memories] == ["from the other machine"]
    noted = [identity.path_of(home / "agentos.db").read_text() for home in (closed_home, other)]
    assert noted[0] == noted[1]


async def test_the_daily_job_backs_up_what_changed_and_keeps_what_it_should(
    agentos: Any, wire: Any, store: SqliteStore, clock: Any
) -> None:
    few = wire(store, backup_keep=2)
    for day in range(6):
        await agentos.memory.store(NS, StoreRequest(f"day {day}"))
        assert await agentos.embedding.caught_up(60)  # its vector is a change as well
        await backup_job.back_up(few)
        await backup_job.back_up(few)  # nothing has changed since
        assert len(await agentos.backups.all()) <= 3
        clock.advance(days=1)
    names = [entry.name for entry in await agentos.backups.all()]
    assert names == ["agentos-20260307T120000Z.db", "agentos-20260306T120000Z.db"]
    clock.advance(days=7)
    await backup_job.back_up(few)
    assert [entry.name for entry in await agentos.backups.all()] == names, "access and heartbeats are no change"


async def test_the_job_can_be_switched_off(store: SqliteStore, wire: Any) -> None:
    agentos = wire(store, backup_keep=0)
    await agentos.memory.store(NS, StoreRequest("something"))
    await backup_job.back_up(agentos)
    assert await agentos.backups.all() == []


async def test_a_failed_backup_is_reported_until_one_succeeds(agentos: Any, home: Path, clock: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("something"))
    (home / "backups").write_text("no folder")
    for _ in range(2):
        with pytest.raises(StorageUnavailable):
            await backup_job.back_up(agentos)
        clock.advance(minutes=1)
        [insight] = await agentos.insights.insights(NS, 10)
        assert insight.severity is InsightSeverity.CRITICAL
        assert "there is none" in insight.text
        assert len(await agentos.insights.tasks(NS, 10)) == 1
    (home / "backups").unlink()
    await backup_job.back_up(agentos)
    assert await agentos.insights.insights(NS, 10) == []
    assert await agentos.insights.tasks(NS, 10) == []
    await agentos.memory.store(NS, StoreRequest("something else"))
    (home / "backups" / "backup.lock").unlink()
    (home / "backups" / "backup.lock").mkdir()
    with pytest.raises(StorageUnavailable):
        await backup_job.back_up(agentos)
    [insight] = await agentos.insights.insights(NS, 10)
    assert "agentos-20260302" in insight.text, "the newest good one is named, and the finding is no repetition"


def test_the_commands_answer_in_words_and_in_json(closed_home: Path, tmp_path: Path) -> None:
    away = tmp_path / "stick"
    made = json.loads(cli("backup", "--to", away, "--json", home=closed_home).stdout)
    assert made["memories"] == 2
    assert made["restored_into"] is None
    assert Path(made["path"]).parent == away
    assert cli("backups", home=closed_home).stderr.startswith("no backups")
    assert "2 memories" in cli("backup", home=closed_home).stdout
    [listed] = json.loads(cli("backups", "--json", home=closed_home).stdout)
    assert (listed["memories"], listed["problem"]) == (2, None)
    refused = cli("restore", home=closed_home)
    assert (refused.returncode, "--yes" in refused.stderr) == (3, True)
    fresh = tmp_path / "fresh"
    assert cli("restore", made["path"], home=fresh).returncode == 0, "nothing to replace, nothing to ask"
    assert ids(fresh / "agentos.db") == ids(closed_home / "agentos.db")
    again = cli("backup", "--restore-into", fresh, home=closed_home)
    assert again.returncode == 2
    assert "already holds a memory" in again.stderr
    assert len(json.loads(cli("backups", "--json", home=closed_home).stdout)) == 1, "a refused run makes none"
    missing = cli("backup", home=tmp_path / "nowhere")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "there is no data" in missing.stderr
    assert "Traceback" not in missing.stderr


async def test_a_backup_whose_facts_are_lost_is_still_one(
    closed_home: Path, backups: SqliteBackups, clock: Any
) -> None:
    made = await backups.make(clock(), None)
    Path(made.path).with_suffix(".json").unlink()
    [found] = await backups.found(None)
    assert found == replace(made, version=None, digest=None, mark=None)
    assert (await backups.restore(None, clock())).backup.name == made.name
