"""Killed at every single step that touches a file: in a backup, a restore, a first start, a migration."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agentos.modules.clock import system_clock
from agentos.modules.errors import StorageRefused
from agentos.storage.sqlite import identity, migrate, sound_copy
from agentos.storage.sqlite.backup import SqliteBackups
from agentos.storage.sqlite.store import SqliteStore
from tests.places import SOURCE

# Forks a process for each line it reads, "action home step"; that process kills itself before the step-th time that
# it opens, makes, renames, links or removes a file below the home's parent, connects to SQLite or runs a statement
# of a migration. Says "killed", or "done" when the action has fewer steps.
STEPPER = """
import asyncio, os, signal, sys
from pathlib import Path
from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import migrate
from agentos.storage.sqlite.backup import SqliteBackups
from agentos.storage.sqlite.store import SqliteStore
from agentos.storage.embedding.lazy import NoEmbedder

split = migrate.statements

def statements(sql):
    for statement in split(sql):
        sys.audit("agentos.statement")
        yield statement

async def store(home, texts):
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    agentos = AgentOS.over(store, NoEmbedder(), config.load(home=home), system_clock)
    for text in texts:
        await agentos.memory.store("ada", StoreRequest(text))
    return store

async def first_start(home):
    await (await store(home, [])).close()

async def fill(home):
    await store(home, ["old 1", "old 2"])
    await backup(home)
    await store(home, ["new 1", "new 2"])
    os.kill(os.getpid(), signal.SIGKILL)

async def backup(home):
    await SqliteBackups(home, home / "agentos.db").make(system_clock(), None)

async def restore(home):
    await SqliteBackups(home, home / "agentos.db").restore(None, system_clock())

async def steps(home):
    migrate.migrate(home / "agentos.db", home / "backups", migrate.load(home.parent / "steps"))

def run(action, home, step):
    left = [step]

    def count(event, arguments):
        if event == "agentos.statement" or event == "sqlite3.connect" or (
            event.startswith(("open", "os.", "shutil."))
            and any(str(home.parent) in str(argument) for argument in arguments)
        ):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    migrate.statements = statements
    sys.addaudithook(count)
    asyncio.run(globals()[action](home))

for line in sys.stdin:
    action, home, step = line.split()
    process = os.fork()
    if not process:
        run(action, Path(home), int(step))
        os._exit(0)
    _, status = os.waitpid(process, 0)
    print("killed" if os.WIFSIGNALED(status) else "done" if status == 0 else "failed", flush=True)
"""
MAX_STEPS = 400

Step = Callable[[str, Path, int], str]


@pytest.fixture(scope="module")
def run() -> Iterator[Step]:
    command = [sys.executable, "-c", STEPPER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=SOURCE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def one(action: str, home: Path, step: int) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{action} {home} {step}\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        yield one
        process.stdin.close()


@pytest.fixture(scope="module")
def fill(tmp_path_factory: pytest.TempPathFactory, run: Step) -> Callable[[Path], object]:
    """Makes homes that hold `ALL` and a backup of `OLD`, as a killed process left them: copies of one."""
    filled = tmp_path_factory.mktemp("filled") / "home"
    assert run("fill", filled, 0) == "killed"
    return lambda home: shutil.copytree(filled, home)


def homes(tmp_path: Path, run: Step, action: str, prepare: Callable[[Path], object]) -> Iterator[Path]:
    """One home for each step of an action, prepared and then left by a process that was killed at that step."""
    for step in range(1, MAX_STEPS):
        home = tmp_path / str(step) / "home"
        home.parent.mkdir()
        prepare(home)
        outcome = run(action, home, step)
        if outcome == "done":
            assert step > 5, "the action has steps"
            return
        assert outcome == "killed"
        yield home
    raise AssertionError("the action does not end")


async def contents(home: Path) -> set[str]:
    """The memories that a start finds; it must find a sound database."""
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    await store.close()
    assert identity.path_of(home / "agentos.db").exists()
    sound_copy.check(home / "agentos.db")
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        return {row[0] for row in connection.execute("SELECT content FROM memories")}


OLD = {"old 1", "old 2"}
ALL = OLD | {"new 1", "new 2"}


async def test_a_first_start_that_is_killed_never_refuses_the_next(tmp_path: Path, run: Step) -> None:
    for home in homes(tmp_path, run, "first_start", lambda home: None):
        assert await contents(home) == set()
        assert await contents(home) == set()


async def test_a_killed_backup_leaves_no_backup_that_is_none(
    tmp_path: Path, run: Step, fill: Callable[[Path], object]
) -> None:
    for home in homes(tmp_path, run, "backup", fill):
        backups = SqliteBackups(home, home / "agentos.db")
        for found in await backups.found(None):
            assert found.problem is None
            sound_copy.check(Path(found.path))
        made = await backups.make(system_clock(), None)
        assert made.memories == 4
        found = await backups.found(None)
        assert len(found) in (2, 3)
        assert all(entry.digest for entry in found)
        names = {path.name for path in (home / "backups").iterdir()}
        assert len(names) == 2 * len(found) + 1, "what was half-written is gone, the lock is left"
        assert await contents(home) == ALL


async def test_a_killed_restore_leaves_the_old_store_or_the_new_one_whole(
    tmp_path: Path, run: Step, fill: Callable[[Path], object]
) -> None:
    seen = []
    for home in homes(tmp_path, run, "restore", fill):
        found = await contents(home)
        assert found in (ALL, OLD)
        seen.append(len(found))
        done = await SqliteBackups(home, home / "agentos.db").restore(None, system_clock())
        assert done.replaced is not None
        assert await contents(home) == OLD
        assert not (home / "agentos.db.incoming").exists()
    assert seen == sorted(seen, reverse=True), "the old one up to some step, the new one from there"


async def test_a_killed_restore_over_a_damaged_store_can_be_done_again(
    tmp_path: Path, run: Step, fill: Callable[[Path], object]
) -> None:
    damaged = b"somebody's letters" * 999

    def prepare(home: Path) -> None:
        fill(home)
        (home / "agentos.db").write_bytes(damaged)

    for home in homes(tmp_path, run, "restore", prepare):
        log = [path for path in home.glob("*-wal") if path.stat().st_size]
        with suppress(StorageRefused):  # the damaged one, or none yet: said so, with the way back
            assert await contents(home) == OLD
            assert any(path.read_bytes() == damaged for path in home.glob("agentos.db.replaced-*"))
            continue
        assert log, "the log of the damaged one is kept"
        await SqliteBackups(home, home / "agentos.db").restore(None, system_clock())
        assert await contents(home) == OLD
        assert any(path.read_bytes() == damaged for path in home.glob("agentos.db.replaced-*"))


async def test_a_killed_migration_loses_nothing_and_is_completed_by_the_next_start(tmp_path: Path, run: Step) -> None:
    def prepare(home: Path) -> None:
        steps = home.parent / "steps"
        steps.mkdir()
        home.mkdir(mode=0o700)
        (steps / "001_first.sql").write_text("CREATE TABLE a (x TEXT);\n")
        migrate.migrate(home / "agentos.db", home / "backups", migrate.load(steps))
        with closing(sqlite3.connect(home / "agentos.db")) as connection:
            connection.executemany("INSERT INTO a VALUES (?)", [(str(number),) for number in range(500)])
            connection.commit()
        (steps / "002_second.sql").write_text(
            "CREATE TABLE b (x TEXT, y INTEGER);\nINSERT INTO b SELECT x, 1 FROM a;\nDROP TABLE a;\n"
            "ALTER TABLE b RENAME TO a;\n"
        )
        (steps / "003_third.sql").write_text("UPDATE a SET y = y + 1;\nUPDATE a SET y = y * 10;\n")

    for home in homes(tmp_path, run, "steps", prepare):
        migrations = migrate.load(home.parent / "steps")
        with closing(sqlite3.connect(home / "agentos.db")) as connection:
            assert connection.execute("SELECT count(*) FROM a").fetchone() == (500,)
            [reached] = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
        for backup in (home / "backups").glob("*.db"):
            sound_copy.check(backup)
        assert reached < 2 or (home / "backups" / "before-schema-002.db").exists()
        migrate.migrate(home / "agentos.db", home / "backups", migrations)
        with closing(sqlite3.connect(home / "agentos.db")) as connection:
            assert connection.execute("SELECT count(*), min(y), max(y) FROM a").fetchone() == (500, 20, 20)
        assert not list((home / "backups").glob("*.partial"))


async def test_a_journal_of_a_killed_copy_is_never_applied_to_the_next(
    tmp_path: Path, fill: Callable[[Path], object]
) -> None:
    """A process killed while it checked a copy may leave a journal under the name that the next copy gets."""
    home = tmp_path / "home"
    fill(home)
    for name in ("agentos.db.incoming", "agentos.db"):
        journal = hot_journal(tmp_path / "elsewhere.db")
        (home / f"{name}-journal").write_bytes(journal)
        await SqliteBackups(home, home / "agentos.db").restore(None, system_clock())
        assert await contents(home) == OLD


def hot_journal(database: Path) -> bytes:
    """The rollback journal of a transaction that was under way, with pages of quite another database."""
    database.unlink(missing_ok=True)
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA cache_size=1")
        connection.execute("CREATE TABLE other (x)")
        connection.executemany("INSERT INTO other VALUES (?)", [("x" * 900,)] * 200)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE other SET x = 'y' || x")
        journal = database.with_name(database.name + "-journal").read_bytes()
        connection.execute("ROLLBACK")
    assert len(journal) > 4096
    return journal
