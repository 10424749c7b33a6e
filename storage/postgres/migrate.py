"""The schema in a database: made, or brought to the one that this AgentOS knows, by numbered steps under a lock."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ...modules.errors import StorageRefused, StorageUnavailable
from ...modules.records import dataclass
from ..engine.migration import Migration
from . import directions, failures
from .direct import UNLIMITED, connected, has_table, one

SCHEMA = Path(__file__).parent / "schema.sql"
MIGRATIONS = Path(__file__).parent / "migrations"
BASELINE = 14
"""The version of the schema's file, as SQLite counts them; each step after it has a file in `migrations`."""
OLDEST_SERVER = 160_000
REHEARSAL_LOCK_S = 5
_NAME = re.compile(r"(\d{3})_(\w+)\.sql")
_LOCK = 0x6167656E746F73
_LEDGER = (
    "CREATE TABLE IF NOT EXISTS schema_migrations (version bigint PRIMARY KEY, name text NOT NULL, "
    "checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
)
_STORE = "SELECT id FROM tenants WHERE name = $1"
_HAS_SCHEMA = "SELECT 1 FROM pg_namespace WHERE nspname = $1"
_OPEN_TABLES = b"""
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
WHERE n.nspname = $1 AND c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity
    AND (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname IN ('of_tenant', 'of_login'))
        = CASE WHEN to_regprocedure(format('%I.may_act()', $1)) IS NULL THEN 1 ELSE 2 END)
ORDER BY 1
"""
_POLICIES = (
    "ALTER TABLE {} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
    "DROP POLICY IF EXISTS of_tenant ON {}",
    "CREATE POLICY of_tenant ON {} USING (tenant = current_tenant())",
)
_OF_LOGIN = (
    "DROP POLICY IF EXISTS of_login ON {}",
    "CREATE POLICY of_login ON {} AS RESTRICTIVE USING ((SELECT may_act()))",  # asked once a statement
)
_OF_APP = (
    "GRANT USAGE ON SCHEMA {0} TO {1}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {0} TO {1}",
    "REVOKE ALL ON {0}.tenants, {0}.schema_migrations FROM {1}",
    "GRANT SELECT ON {0}.schema_migrations TO {1}",
    "GRANT SELECT (id, name) ON {0}.tenants TO {1}",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {0} TO {1}",
    "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {0} TO {1}",
)
_OF_READER = (
    "GRANT USAGE ON SCHEMA {0} TO {1}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO {1}",
    "REVOKE ALL ON {0}.tenants FROM {1}",
    "GRANT SELECT (id, name) ON {0}.tenants TO {1}",
    "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {0} TO {1}",
)
_MAY_WRITE = (
    "SELECT current_setting('transaction_read_only') = 'off', has_table_privilege($1, 'INSERT') "
    "OR EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $2 AND pg_has_role(oid, 'MEMBER'))"
)
READ_ONLY_SERVER, READ_ONLY_USER = "the PostgreSQL server is read-only", "the database user may only read"


@cache
def known_steps() -> list[Migration]:
    """Return the steps of this AgentOS as they were at the start: an update may take their files away."""
    return load(MIGRATIONS)


def load(folder: Path) -> list[Migration]:
    """Return every step, in order. Raises ValueError when their numbers have gaps."""
    steps = [Migration(BASELINE, "schema", _text(SCHEMA))]
    for path in sorted(folder.glob("*.sql")):
        match = _NAME.fullmatch(path.name)
        if match is None or int(match[1]) != steps[-1].version + 1:
            raise ValueError(f"{path.name} is not named {steps[-1].version + 1:03}_name.sql")
        steps.append(Migration(int(match[1]), match[2], _text(path)))
    return steps


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


@dataclass(frozen=True)
class Prepared:
    """A database that is ready: the store's number among the tenants, the role to act as, the schema of pgvector.

    `read_only` says why it can only be read, None where it can be written.
    """

    tenant: int
    role: str | None
    pgvector: str | None = None
    read_only: str | None = None


def prepare(
    url: str,
    schema: str,
    tenant: str,
    keep_a_copy: Callable[[], object] = lambda: None,
    steps: Sequence[Migration] | None = None,
    then: Callable[[psycopg.Connection[Any]], object] = lambda _: None,
) -> Prepared:
    """Make the schema where it is missing, or migrate it, and find or register the tenant. Blocks.

    What is to be done `then` is done in the same transaction.
    `keep_a_copy` is called before a schema is changed that holds something, while no other process may migrate it.
    Raises StorageUnavailable, and StorageRefused for a server, schema or rights that are not enough.
    """
    known = known_steps() if steps is None else steps
    try:
        with _within(url, schema) as connection:
            if why := _read_only(connection, schema):
                return _as_it_is(connection, schema, tenant, known, why)
            if outstanding(connection, schema, known):
                _migrate(connection, schema, known, keep_a_copy)
            pgvector = directions.prepare(connection, schema)
            number = _register(connection, tenant)
            then(connection)
            return Prepared(number, role_of(connection, schema), pgvector)
    except psycopg.Error as error:
        raise failures.translate(error) from error


def _read_only(connection: psycopg.Connection[Any], schema: str) -> str | None:
    """Return why a schema that is there can only be read; None where it can be written, or is not there."""
    if not has_table(connection, schema, "memories"):
        return None
    row = connection.execute(_MAY_WRITE, (f'"{schema}".memories', f"{schema}_app")).fetchone()
    server_may, user_may = row or (True, True)
    if not server_may:
        return READ_ONLY_SERVER
    return None if user_may else READ_ONLY_USER


def _as_it_is(
    connection: psycopg.Connection[Any], schema: str, tenant: str, known: Sequence[Migration], why: str
) -> Prepared:
    """Return how to read a store that cannot be written. Raises StorageRefused where there is none to read."""
    if outstanding(connection, schema, known):
        raise StorageRefused(f"{why}, and the schema must be migrated: start AgentOS as its owner first")
    found = one(connection, _STORE, tenant)
    if found is None:
        raise StorageRefused(f"{why}, and has no store {tenant!r}; name another in AGENTOS_DATABASE_TENANT")
    return Prepared(int(found), role_of(connection, schema), directions.there(connection, schema), why)


def rehearse(url: str, schema: str, steps: Sequence[Migration] | None = None) -> list[Migration]:
    """Return the steps that a schema still needs, after all of them were tried in a transaction that is undone. Blocks.

    Meanwhile others wait for the tables that these change. Raises what `prepare` does.
    """
    known = known_steps() if steps is None else steps
    owed: list[Migration] = []
    try:
        with _within(url, schema) as connection:
            connection.execute(f"SET LOCAL lock_timeout TO '{REHEARSAL_LOCK_S}s'")
            owed = outstanding(connection, schema, known)
            _apply(connection, schema, owed)
            raise psycopg.Rollback
    except psycopg.Error as error:
        raise failures.translate(error) from error
    return owed


@contextmanager
def _within(url: str, schema: str) -> Iterator[psycopg.Connection[Any]]:
    """Yield a transaction in a schema, there or not yet, under no limit of time."""
    with connected(url) as connection, connection.transaction():
        if connection.info.server_version < OLDEST_SERVER:
            raise StorageRefused("PostgreSQL 16 or newer is needed; upgrade the server, or name another")
        connection.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(sql.Identifier(schema)))
        connection.execute(UNLIMITED.encode(), (True,))
        yield connection


def outstanding(connection: psycopg.Connection[Any], schema: str, known: Sequence[Migration]) -> list[Migration]:
    """Return the steps that a schema still needs, all where there is none.

    Raises StorageRefused for one that this AgentOS does not know.
    """
    if not has_table(connection, schema, "schema_migrations"):
        taken = "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 LIMIT 1"
        if one(connection, taken, schema):
            raise StorageRefused(f"the schema {schema} contains something else; set AGENTOS_DATABASE_SCHEMA to another")
        return list(known)
    ledger = sql.SQL("SELECT version, checksum FROM {}").format(sql.Identifier(schema, "schema_migrations"))
    applied = dict(connection.execute(ledger).fetchall())
    newest, version = known[-1].version, max(applied, default=0)
    if version > newest:
        raise StorageRefused(f"the database has schema {version}, this AgentOS knows {newest}; upgrade AgentOS")
    if any(applied.get(step.version) != step.checksum for step in known if step.version <= version) or not applied:
        raise StorageRefused(f"the schema {schema} is not the one of this AgentOS; reinstall, or restore a backup")
    return [step for step in known if step.version > version]


def _migrate(
    connection: psycopg.Connection[Any], schema: str, known: Sequence[Migration], keep_a_copy: Callable[[], object]
) -> None:
    """Take the lock, and make what is still outstanding then, all of it or nothing."""
    if not one(connection, "SELECT pg_try_advisory_xact_lock($1)", _LOCK):
        connection.execute("SET LOCAL lock_timeout TO '60s'")
        try:
            connection.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
        except psycopg.errors.LockNotAvailable as error:
            raise StorageUnavailable("another process is migrating the database; try again in a minute") from error
    owed = outstanding(connection, schema, known)
    if owed and owed[0].version > BASELINE:
        keep_a_copy()
    if owed:
        _apply(connection, schema, owed)


def _apply(connection: psycopg.Connection[Any], schema: str, owed: Sequence[Migration]) -> None:
    """Make steps within a transaction, then see to rights and policies."""
    if not owed:
        return
    if owed[0].version == BASELINE:
        _make_schema(connection, schema)
    connection.execute(_LEDGER)
    for step in owed:
        connection.execute(step.sql.encode())
        connection.execute(
            "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
            (step.version, step.name, step.checksum),
        )
    knows_logins = one(connection, "SELECT to_regprocedure('may_act()') IS NOT NULL")
    for table in open_tables(connection, schema):
        for change in (*_POLICIES, *(_OF_LOGIN if knows_logins else ())):
            connection.execute(sql.SQL(change).format(sql.Identifier(table)))
    make_role(connection, schema)


def open_tables(connection: psycopg.Connection[Any], schema: str) -> list[str]:
    """Return the tables of rows that no forced policy keeps apart."""
    return [table for (table,) in connection.execute(_OPEN_TABLES, (schema,)).fetchall()]


def _make_schema(connection: psycopg.Connection[Any], schema: str) -> None:
    if lack := lacking(connection, schema):
        raise StorageRefused("; as its owner run: ".join(lack))
    if not one(connection, _HAS_SCHEMA, schema):
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))


def lacking(connection: psycopg.Connection[Any], schema: str) -> tuple[str, str] | None:
    """Return what keeps the user from making the tables, with the statement that mends it; None where nothing does."""
    user = connection.info.user
    if not one(connection, _HAS_SCHEMA, schema):
        if not one(connection, "SELECT has_database_privilege(current_database(), 'CREATE')"):
            make = f"CREATE SCHEMA {schema} AUTHORIZATION {user}"
            return f"the database user may not create the schema {schema}", make
    elif not one(connection, "SELECT has_schema_privilege($1, 'CREATE')", schema):
        return "the database user may not create tables", f"GRANT CREATE, USAGE ON SCHEMA {schema} TO {user}"
    return None


def make_role(connection: psycopg.Connection[Any], schema: str) -> None:
    """Make the roles that own no table, to write and to read, where the user may; the policies bind the owner too."""
    may = "SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user"
    for suffix, rights in (("app", _OF_APP), ("reader", _OF_READER)):
        role = sql.Identifier(f"{schema}_{suffix}")
        if not one(connection, "SELECT 1 FROM pg_roles WHERE rolname = $1", f"{schema}_{suffix}"):
            if not one(connection, may):
                continue
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(role))
            connection.execute(sql.SQL("GRANT {} TO current_user").format(role))
        for right in rights:
            connection.execute(sql.SQL(right).format(sql.Identifier(schema), role))


def role_of(connection: psycopg.Connection[Any], schema: str) -> str | None:
    """Return the role that owns no table, where the user may act as it."""
    role = f"{schema}_app"
    query = "SELECT pg_has_role(rolname, 'MEMBER') FROM pg_roles WHERE rolname = $1"
    return role if one(connection, query, role) else None


def _register(connection: psycopg.Connection[Any], name: str) -> int:
    """Return the number of a store; a new one has its first rows. Raises StorageRefused where none may be added."""
    found = one(connection, _STORE, name)
    if found is None:
        if not one(connection, "SELECT has_table_privilege('tenants', 'INSERT')"):
            raise StorageRefused(
                f"there is no store {name!r}, and the database user may not add one: as the owner of the tables run "
                f"agentos migrate with AGENTOS_DATABASE_TENANT={name}"
            )
        connection.execute("INSERT INTO tenants (name) VALUES ($1) ON CONFLICT DO NOTHING", (name,))
        found = one(connection, _STORE, name)
    connection.execute("SELECT set_config('agentos.tenant', $1, true)", (str(found),))
    if not one(connection, "SELECT 1 FROM numbers WHERE tenant = current_tenant()"):
        for statement in (
            "INSERT INTO numbers DEFAULT VALUES ON CONFLICT DO NOTHING",
            "INSERT INTO audit_head (id, seq, entries, hash) VALUES (1, 0, 0, '') ON CONFLICT DO NOTHING",
            "INSERT INTO store_identity (id, store_id) VALUES (1, replace(gen_random_uuid()::text, '-', '')) "
            "ON CONFLICT DO NOTHING",
        ):
            connection.execute(statement)
    return int(found)
