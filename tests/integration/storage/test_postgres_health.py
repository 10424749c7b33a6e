"""What doctor and status say of a store on PostgreSQL, and that stores in the same tables never see each other."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos import config, database
from agentos.features import registered
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.errors import AgentOSError
from agentos.modules.health.models import CheckResult, Severity
from agentos.modules.health.service import examine
from agentos.modules.plugins.feature import with_parts
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.postgres import migrate
from agentos.storage.postgres.database import Postgres
from tests.integration.portability.test_bundle import lived_in
from tests.tables import every

pytestmark = pytest.mark.postgres
SCHEMA = f"health_{os.getpid()}"
MOVING = "INSERT INTO job_runs (name, interval_us, next_due_at) VALUES ('move', 0, 0)"
TABLES = "SELECT c.table_name FROM information_schema.columns c WHERE c.table_schema = ? AND c.column_name = 'tenant'"


def settings_of(home: Path, url: str, tenant: str, **others: str) -> config.Settings:
    named = {"database_schema": SCHEMA, "database_tenant": tenant, "embedding_model": "none", **others}
    return config.load({}, home=home, database_url=url, **named)


def examined(settings: config.Settings, clock: Any) -> dict[str, CheckResult]:
    with database.health_checks(settings, clock, deep=True) as checks:
        report = examine(checks, repair=False)
    return {result.id: result for result in report.results}


async def inhabit(settings: config.Settings, clock: Any) -> None:
    store = await database.open_store(settings, clock)
    own = AgentOS.over(store, NoEmbedder(), settings, clock)
    agentos = with_parts(own, registered(), "wired", store.engine, settings)
    await lived_in(agentos)
    await agentos.memory.settled()
    await agentos.close()
    await store.close()


async def test_a_sound_store_has_no_fault_and_the_same_numbers_as_on_sqlite(
    postgres_url: str, home: Path, clock: Any
) -> None:
    settings = settings_of(home, postgres_url, str(home), database_schema=f"new_{os.getpid()}")
    before = examined(settings, system_clock)
    assert before["database.schema"].severity is Severity.INFO and "rows.audit" not in before
    beside = settings_of(home, "", "x")
    for one in (settings, beside):
        await inhabit(one, clock)
    assert "the database's: no daemon starts here" in examined(settings, clock)["server.clock"].message
    after = examined(settings, system_clock)
    of_store = [one for one in after.values() if one.id.startswith(("server", "database", "rows"))]
    faults = [one for one in of_store if one.severity.is_fault]
    assert not faults and after["rows.audit"].severity is Severity.OK
    here, there = database.overview(settings, clock), database.overview(beside, clock)
    assert here.problem is None and here.agents == there.agents and here.schema == there.schema
    assert here.sizes["database"] > 0


@every(
    "spoilt, check, message",
    [
        ("ALTER TABLE goals NO FORCE ROW LEVEL SECURITY", "database.apart", "not forced on goals"),
        ("DROP POLICY of_tenant ON events", "database.apart", "not forced on events"),
        ("UPDATE audit SET action = 'other' WHERE seq = 2", "rows.audit", "entry 2 was changed"),
        (MOVING, "database.whole", "interrupted"),
        ("DELETE FROM memory_text", "rows.text_index", "lacks 5 of 5 memories"),
        ("INSERT INTO schema_migrations VALUES (999, 'x', 'x')", "database.schema", "schema 999"),
        ("UPDATE schema_migrations SET checksum = 'x'", "database.schema", "not the one of this"),
    ],
)
async def test_what_is_wrong_is_found(
    postgres_url: str, home: Path, clock: Any, spoilt: str, check: str, message: str
) -> None:
    schema = f"spoilt_{os.getpid()}_{abs(hash(spoilt)) % 10_000}"
    settings = settings_of(home, postgres_url, "default", database_schema=schema)
    await inhabit(settings, clock)
    with psycopg.connect(postgres_url) as connection:
        connection.execute(f"SET search_path TO {schema}")
        connection.execute("SELECT set_config('agentos.tenant', '1', true)")
        connection.execute(spoilt.encode())
    found = examined(settings, clock)[check]
    assert found.severity.is_fault and message in found.message and found.remedy


def test_a_server_that_does_not_answer_is_named_without_its_password(home: Path, clock: Any) -> None:
    settings = settings_of(home, "postgresql://ada:s3cr3t-word@127.0.0.1:1/x", "default")
    found = examined(settings, clock)
    assert found["server.answers"].severity is Severity.ERROR
    assert "cannot be reached" in found["server.answers"].message
    assert "cannot be reached" in str(database.overview(settings, clock).problem)
    assert "s3cr3t" not in str(found) and "rows.audit" not in found


async def test_a_statement_that_forgets_its_store_sees_and_changes_no_row_of_another(
    postgres_url: str, home: Path, clock: Any
) -> None:
    schema = f"apart_{os.getpid()}"
    for tenant in ("theirs", "ours"):
        await inhabit(settings_of(home, postgres_url, tenant, database_schema=schema), clock)
    theirs = migrate.prepare(postgres_url, schema, "theirs").tenant
    postgres = Postgres(postgres_url, schema, "ours")
    await postgres.open()
    tables = [row[0] for row in await postgres.read(TABLES, (schema,))]
    assert len(tables) > 40
    for table in tables:
        planted = f"SELECT count(*) FROM {table} WHERE tenant = {theirs} OR (TRUE AND tenant <> current_tenant())"
        assert (await postgres.read(planted))[0][0] == 0, table

        def changed(sql: str) -> Callable[[Any], Any]:
            return lambda connection: connection.execute(sql)

        assert await postgres.write(changed(f"DELETE FROM {table} WHERE tenant = {theirs}")) == 0, table
        assert await postgres.write(changed(f"UPDATE {table} SET tenant = tenant WHERE tenant = {theirs}")) == 0
    with pytest.raises(AgentOSError, match="lacks a right"):
        await postgres.write(
            lambda connection: connection.execute(
                "INSERT INTO namespaces (id, created_at, tenant) VALUES ('x', 1, ?)", (theirs,)
            )
        )
    await postgres.close()
