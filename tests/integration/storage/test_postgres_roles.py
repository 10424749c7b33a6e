"""Roles of a database: a login acts for its own stores alone, and one that may only read finds what there is."""

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos.daemon_pkg.work import background_work
from agentos.modules.errors import StorageRefused, StorageUnavailable
from agentos.modules.store_request import StoreRequest
from agentos.storage.postgres.store import PostgresStore

pytestmark = pytest.mark.postgres
SCHEMA = f"roles_{os.getpid()}"
PASSWORD = "of-a-test"
OWN, OTHER, READING = [f"{name}_{os.getpid()}" for name in ("ann", "ben", "eve")]


@pytest.fixture
async def as_login(postgres_url: str, tmp_path: Path, clock: Any, wire: Any) -> AsyncIterator[Callable[[str], str]]:
    """Two stores with a memory each, both bound to a login; gives the address of a login."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for tenant in (OWN, OTHER):
            store = await PostgresStore.open(tmp_path, postgres_url, clock, schema=SCHEMA, tenant=tenant)
            agentos = wire(store)
            await agentos.memory.store("team", StoreRequest(f"the harbour of {tenant}"))
            await agentos.close()
            await store.close()
            connection.execute(f"CREATE ROLE {tenant} LOGIN PASSWORD '{PASSWORD}' IN ROLE {SCHEMA}_app")
            connection.execute(f"UPDATE {SCHEMA}.tenants SET logins = '{{{tenant}}}' WHERE name = '{tenant}'")
        connection.execute(f"CREATE ROLE {READING} LOGIN PASSWORD '{PASSWORD}' IN ROLE {SCHEMA}_reader")
        yield lambda login: postgres_url.replace("postgres:@", f"{login}:{PASSWORD}@", 1)
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE; DROP ROLE {OWN}, {OTHER}, {READING}")


async def test_a_login_reads_and_writes_its_own_store_and_reaches_no_other_whatever_it_sets(
    as_login: Callable[[str], str], tmp_path: Path, clock: Any, wire: Any
) -> None:
    store = await PostgresStore.open(tmp_path, as_login(OWN), clock, schema=SCHEMA, tenant=OWN)
    agentos = wire(store)
    await agentos.memory.store("team", StoreRequest("stored by the login itself"))
    assert (await agentos.memory.page("team")).total == 2
    await agentos.close()
    await store.close()
    with pytest.raises(StorageRefused, match=r"there is no store 'new'.* agentos migrate"):
        await PostgresStore.open(tmp_path, as_login(OWN), clock, schema=SCHEMA, tenant="new")

    with psycopg.connect(as_login(OWN), autocommit=True) as injected:
        injected.execute(f"SET search_path TO {SCHEMA}, public")
        found = dict(injected.execute("SELECT name, id FROM tenants").fetchall())
        tables = [
            name
            for (name,) in injected.execute(
                "SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = %s "
                "AND column_name = 'tenant'",
                (SCHEMA,),
            )
        ]
        assert len(tables) > 50
        for role in ("none", f"{SCHEMA}_app"):
            injected.execute(f"SET ROLE {role}")
            injected.execute(f"SET agentos.tenant = '{found[OTHER]}'")
            for table in tables:
                assert injected.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
            for forbidden in (
                "INSERT INTO namespaces (id, created_at) VALUES ('mine', 1)",
                "DELETE FROM tenants",
                "DELETE FROM schema_migrations",
                f"UPDATE tenants SET logins = '{{{OWN}}}'",
                "SELECT logins FROM tenants",
                "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
                "DROP POLICY of_login ON memories",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    injected.execute(forbidden)
            injected.execute(f"SET agentos.tenant = '{found[OWN]}'")
            assert injected.execute("SELECT count(*) FROM memories").fetchone() == (2,)


async def test_what_acts_as_the_owner_meets_no_names_of_a_login(as_login: Callable[[str], str]) -> None:
    with psycopg.connect(as_login(OWN), autocommit=True) as injected:
        injected.execute("CREATE TEMP TABLE tenants (id int, name text, keys text[], suspended_at timestamptz)")
        injected.execute(f"INSERT INTO pg_temp.tenants SELECT id, name, '{{mine}}' FROM {SCHEMA}.tenants")
        injected.execute("GRANT ALL ON pg_temp.tenants TO PUBLIC")
        assert injected.execute(f"SELECT {SCHEMA}.stores_ended(ARRAY['none'])").fetchall() == [("none",)]
        injected.execute("INSERT INTO pg_temp.tenants VALUES (1, 'none', '{}', NULL)")
        assert injected.execute(f"SELECT {SCHEMA}.stores_ended(ARRAY['none'])").fetchall() == [("none",)]
    paths = "SELECT proname, proconfig FROM pg_proc WHERE pronamespace = %s::regnamespace AND prosecdef"
    with psycopg.connect(as_login(OWN), autocommit=True) as connection:
        found = dict(connection.execute(paths, (SCHEMA,)).fetchall())
    assert len(found) >= 5
    for name, settings in found.items():
        assert settings == [f"search_path=pg_catalog, {SCHEMA}, pg_temp"], name


async def test_a_login_that_may_only_read_and_a_read_only_server_answer_searches_and_say_why_nothing_is_stored(
    as_login: Callable[[str], str], postgres_url: str, tmp_path: Path, clock: Any, wire: Any
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"UPDATE {SCHEMA}.tenants SET logins = logins || '{{{READING}}}' WHERE name = '{OWN}'")
    standby = f"{postgres_url}&options=-c%20default_transaction_read_only%3Don"
    for url, why in ((as_login(READING), "the database user may only read"), (standby, "server is read-only")):
        store = await PostgresStore.open(tmp_path, url, clock, schema=SCHEMA, tenant=OWN)
        agentos = wire(store)
        async with background_work(agentos, store.vector_index(tmp_path), "test"):
            assert [hit.memory.content for hit in (await agentos.memory.search("team", "harbour")).hits] == [
                f"the harbour of {OWN}"
            ]
            assert (await agentos.memory.page("team")).total == 1
            assert "nothing can be stored now" in (await agentos.context.snapshot("team")).as_text()
            assert why in agentos.memory.limits[0]
            with pytest.raises(StorageUnavailable, match=f"{why}: nothing was changed; reads still work"):
                await agentos.memory.store("team", StoreRequest("not to be stored"))
        await agentos.close()
        await store.close()
        with pytest.raises(StorageRefused, match="has no store 'new'"):
            await PostgresStore.open(tmp_path, url, clock, schema=SCHEMA, tenant="new")
    with psycopg.connect(as_login(READING), autocommit=True) as reading:
        number = reading.execute(f"SELECT id FROM {SCHEMA}.tenants WHERE name = '{OWN}'").fetchone()
        reading.execute(f"SET agentos.tenant TO {(number or [0])[0]}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not act for this store"):
            reading.execute(f"SELECT {SCHEMA}.pause_store(TRUE)")
