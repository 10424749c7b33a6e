"""Migrations: fresh, again, at once, newer, changed, foreign, in steps, and broken in the middle."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.errors import StorageRefused
from agentos.storage.sqlite import driver, migrate
from agentos.storage.sqlite.store import SqliteStore
from tests.places import SOURCE

pytestmark = pytest.mark.sqlite("it is about its migrations")

OPEN_AT_ONCE = """
import asyncio, pathlib, sys
from agentos.modules.clock import system_clock
from agentos.storage.sqlite.store import SqliteStore

async def main(home):
    sys.stdin.readline()
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    await store.close()

print("ready", flush=True)
asyncio.run(main(pathlib.Path(sys.argv[1])))
"""


def schema(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()


def ledger(path: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT version, name, checksum FROM schema_migrations ORDER BY version").fetchall()


def run(path: Path, sql: str, *parameters: Any) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(sql, parameters)
        database.commit()


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """A folder of migrations of our own, with a first step."""
    directory = tmp_path / "steps"
    directory.mkdir()
    (directory / "001_first.sql").write_text(
        "CREATE TABLE a (x TEXT); -- one; two\n"
        "CREATE TABLE log (x TEXT);\n"
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO log VALUES ('a;'); INSERT INTO log VALUES ('b'); END;\n"
    )
    return directory


@pytest.fixture
def database(tmp_path: Path, steps: Path) -> Path:
    path = tmp_path / "data" / "x.db"
    path.parent.mkdir()
    migrate.migrate(path, path.parent / "backups", migrate.load(steps))
    run(path, "INSERT INTO a VALUES ('kept')")
    return path


async def test_a_fresh_home_gets_the_newest_schema_and_no_backup(store: Any, home: Path) -> None:
    known = migrate.known()
    assert ledger(home / "agentos.db") == [(m.version, m.name, m.checksum) for m in known]
    assert not (home / "backups").exists()


async def test_a_row_in_any_table_is_no_damage(store: Any, home: Path) -> None:
    """SQLite 3.40's quick_check saw NULLs where a key's last column was not a table's last one."""
    value = {"INTEGER": 1, "REAL": 0.5, "TEXT": "a", "BLOB": b"a"}
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute("PRAGMA ignore_check_constraints = ON")
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '% STRICT%'"
        for (table,) in database.execute(tables).fetchall():
            columns = {row[1]: row[2] for row in database.execute(f"PRAGMA table_info({table})")}
            row = ", ".join(f":{column}" for column in columns)
            database.execute(
                f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({row})",
                {column: value[type_] for column, type_ in columns.items()},
            )
            assert database.execute(f"PRAGMA quick_check({table})").fetchall() == [("ok",)]
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() != (0,), table


async def test_opening_again_changes_nothing(store: Any, home: Path, clock: Any) -> None:
    before = schema(home / "agentos.db"), ledger(home / "agentos.db")
    again = await SqliteStore.open(home, home / "agentos.db", clock)
    await again.close()
    assert (schema(home / "agentos.db"), ledger(home / "agentos.db")) == before


def test_four_processes_at_once_make_one_schema(tmp_path: Path) -> None:
    home = tmp_path / "home"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_AT_ONCE, str(home)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=SOURCE, text=True,
        )
        for _ in range(4)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
    assert len(ledger(home / "agentos.db")) == len(migrate.known())


async def test_a_newer_schema_is_refused_and_kept(store: Any, home: Path, clock: Any) -> None:
    await store.close()
    path = home / "agentos.db"
    run(path, "INSERT INTO schema_migrations (version, name, checksum) VALUES (999, 'future', 'x')")
    before = path.read_bytes()
    with pytest.raises(StorageRefused, match="upgrade"):
        await SqliteStore.open(home, path, clock)
    assert path.read_bytes() == before


async def test_a_migration_that_was_changed_is_refused(store: Any, home: Path, clock: Any) -> None:
    run(home / "agentos.db", "UPDATE schema_migrations SET checksum = 'x' WHERE version = 1")
    with pytest.raises(StorageRefused, match="migration 1"):
        await SqliteStore.open(home, home / "agentos.db", clock)


async def test_a_foreign_database_is_refused_and_not_touched(home: Path, clock: Any) -> None:
    home.mkdir(mode=0o700)
    path = home / "agentos.db"
    run(path, "CREATE TABLE memories (id TEXT)")
    before = path.read_bytes(), path.stat().st_mode
    with pytest.raises(StorageRefused, match="not an AgentOS database"):
        await SqliteStore.open(home, path, clock)
    assert (path.read_bytes(), path.stat().st_mode) == before
    assert not (home / "backups").exists()


def test_an_upgrade_makes_a_backup_first_and_keeps_the_data(database: Path, steps: Path) -> None:
    (steps / "002_second.sql").write_text("ALTER TABLE a ADD COLUMN y INTEGER;\nUPDATE a SET y = 7;\n")
    migrate.migrate(database, database.parent / "backups", migrate.load(steps))
    with closing(sqlite3.connect(database)) as upgraded:
        assert upgraded.execute("SELECT x, y FROM a").fetchall() == [("kept", 7)]
        assert upgraded.execute("SELECT count(*) FROM log").fetchone()[0] == 2
        assert upgraded.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    [backup] = (database.parent / "backups").iterdir()
    assert backup.stat().st_mode & 0o777 == 0o600
    assert len(ledger(backup)) == 1
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT * FROM a").fetchall() == [("kept",)]
        assert copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_a_step_that_fails_in_the_middle_leaves_the_schema_before_it(database: Path, steps: Path) -> None:
    (steps / "002_good.sql").write_text("CREATE TABLE b (x);\n")
    (steps / "003_bad.sql").write_text("CREATE TABLE c (x);\nDELETE FROM a;\nINSERT INTO absent VALUES (1);\n")
    backups = database.parent / "backups"
    for _ in range(2):  # trying again ends the same way
        with pytest.raises(driver.sqlite3.OperationalError, match="absent"):
            migrate.migrate(database, backups, migrate.load(steps))
        assert [entry[0] for entry in ledger(database)] == [1, 2]
        assert not [entry for entry in schema(database) if entry[1] == "c"]
        with closing(sqlite3.connect(database)) as copy:
            assert copy.execute("SELECT * FROM a").fetchall() == [("kept",)]
    (steps / "003_bad.sql").write_text("CREATE TABLE c (x);\n")
    migrate.migrate(database, backups, migrate.load(steps))
    assert [entry[0] for entry in ledger(database)] == [1, 2, 3]


def test_line_ends_do_not_change_a_checksum(steps: Path) -> None:
    before = [migration.checksum for migration in migrate.load(steps)]
    path = steps / "001_first.sql"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert [migration.checksum for migration in migrate.load(steps)] == before


@pytest.mark.parametrize("name", ["003_gap.sql", "second.sql", "2_short.sql"])
def test_misnumbered_migrations_are_a_fault_of_ours(steps: Path, name: str) -> None:
    (steps / name).write_text("SELECT 1;\n")
    with pytest.raises(ValueError, match=r"numbered|named"):
        migrate.load(steps)


def test_half_a_statement_is_a_fault_of_ours() -> None:
    with pytest.raises(ValueError, match="middle"):
        list(migrate.statements("CREATE TABLE a (x);\nCREATE TABLE b (x"))
    assert len(list(migrate.statements("CREATE TABLE a (x);\n-- the end\n\n"))) == 1
