"""The schema on PostgreSQL: made once, migrated by numbered steps after a backup, one process at a time."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos.modules.errors import StorageRefused
from agentos.storage.engine.migration import Migration
from agentos.storage.postgres import migrate
from agentos.storage.postgres.dumps import Dumps

pytestmark = pytest.mark.postgres
STEP = (
    "ALTER TABLE goals ADD COLUMN colour text;"
    "CREATE TABLE colours (name text NOT NULL, tenant integer NOT NULL DEFAULT current_tenant());"
)


@pytest.fixture
def schema(request: pytest.FixtureRequest) -> str:
    return f"schema_{os.getpid()}_{abs(hash(request.node.name)) % 10_000}"


@pytest.fixture
def steps(tmp_path: Path) -> list[Migration]:
    """What a later AgentOS knows."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrate.MIGRATIONS, folder)
    (folder / f"{migrate.known_steps()[-1].version + 1:03}_colours.sql").write_text(STEP)
    return migrate.load(folder)


def test_an_older_schema_is_migrated_once_after_a_copy_and_a_newer_one_is_refused(
    postgres_url: str, schema: str, steps: list[Migration]
) -> None:
    copies: list[int] = []
    first = migrate.prepare(postgres_url, schema, "a", lambda: copies.append(0))
    assert not copies, "nothing was there to be lost"
    assert migrate.rehearse(postgres_url, schema) == []
    assert [step.name for step in migrate.rehearse(postgres_url, schema, steps)] == ["colours"]

    def another(number: int) -> migrate.Prepared:
        return migrate.prepare(postgres_url, schema, "a", lambda: copies.append(number), steps)

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(another, range(4))) == {first}
    assert len(copies) == 1
    with psycopg.connect(postgres_url) as connection:
        connection.execute(f"SET search_path TO {schema}")
        forced = "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'colours'::regclass"
        assert connection.execute(forced).fetchone() == (True,)
        connection.execute(f"SET ROLE {schema}_app")
        connection.execute("SELECT set_config('agentos.tenant', '1', true)")
        connection.execute("INSERT INTO colours (name) VALUES ('blue')")
    with pytest.raises(StorageRefused, match="upgrade AgentOS"):
        migrate.prepare(postgres_url, schema, "a")


def test_a_step_that_fails_and_a_backup_that_cannot_be_made_change_nothing(
    postgres_url: str, schema: str, steps: list[Migration], home: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate.prepare(postgres_url, schema, "a")
    broken = [*steps[:-1], Migration(steps[-1].version, "broken", f"{STEP} SELECT nonsense;")]
    for asked in (
        lambda: migrate.rehearse(postgres_url, schema, broken),
        lambda: migrate.prepare(postgres_url, schema, "a", steps=broken),
    ):
        with pytest.raises(Exception, match="refused the call"):
            asked()
    monkeypatch.setenv("PATH", "")
    dumps = Dumps(home, postgres_url, schema)
    with pytest.raises(StorageRefused, match="--no-backup"):
        migrate.prepare(postgres_url, schema, "a", lambda: dumps.keep_before_migration(clock()), steps)
    assert [step.version for step in migrate.rehearse(postgres_url, schema, steps)] == [steps[-1].version]
    changed = [Migration(steps[0].version, "schema", steps[0].sql + " "), steps[-1]]
    with pytest.raises(StorageRefused, match="not the one of this AgentOS"):
        migrate.prepare(postgres_url, schema, "a", steps=changed)
