"""The schema in a database: made, or found to be the one that this AgentOS knows, under a lock."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ...modules.errors import StorageRefused, StorageUnavailable
from . import failures

SCHEMA = Path(__file__).parent / "schema.sql"
VERSION = 15
"""The version of the schema, as SQLite counts them."""
OLDEST_SERVER = 160_000
CONNECT_S = 10
_LOCK = 0x6167656E746F73
_LEDGER = (
    "CREATE TABLE schema_migrations (version bigint PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, "
    "applied_at timestamptz NOT NULL DEFAULT now())"
)


@dataclass(frozen=True)
class Prepared:
    """A database that is ready: the store's number among the tenants, and the role to act as, None for one's own."""

    tenant: int
    role: str | None


def checksum() -> str:
    """Return the SHA-256 of the schema's file."""
    return hashlib.sha256(SCHEMA.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def prepare(url: str, schema: str, tenant: str) -> Prepared:
    """Make the schema where it is missing, and find or register the tenant. Blocks.

    Raises StorageUnavailable, and StorageRefused for a server, schema or rights that are not enough.
    """
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_S, prepare_threshold=None) as connection:
            if connection.info.server_version < OLDEST_SERVER:
                raise StorageRefused("PostgreSQL 16 or newer is needed; upgrade the server, or name another")
            with _within(connection, schema):
                if not _is_current(connection, schema):
                    _make(connection, schema)
                role = _role_of(connection, schema)
                return Prepared(_register(connection, tenant), role)
    except psycopg.Error as error:
        raise failures.translate(error) from error


@contextmanager
def _within(connection: psycopg.Connection[Any], schema: str) -> Iterator[None]:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(sql.Identifier(schema)))
        yield


def _is_current(connection: psycopg.Connection[Any], schema: str) -> bool:
    """Return whether the schema is there. Raises StorageRefused for one that this AgentOS does not know."""
    found = _one(connection, "SELECT to_regclass(%s)", f'"{schema}".schema_migrations')
    if found is None:
        taken = _one(
            connection,
            "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s",
            schema,
        )
        if taken:
            raise StorageRefused(f"the schema {schema} holds something else; set AGENTOS_DATABASE_SCHEMA to another")
        return False
    row = connection.execute("SELECT version, checksum FROM schema_migrations ORDER BY version DESC LIMIT 1").fetchone()
    version, known = row if row else (0, "")
    if version > VERSION:
        raise StorageRefused(f"the database has schema {version}, this AgentOS knows {VERSION}; upgrade AgentOS")
    if version < VERSION or known != checksum():
        raise StorageRefused(f"the schema {schema} is not the one of this AgentOS; reinstall, or restore a backup")
    return True


def _make(connection: psycopg.Connection[Any], schema: str) -> None:
    if not _one(connection, "SELECT pg_try_advisory_xact_lock(%s)", _LOCK):
        connection.execute("SET LOCAL lock_timeout TO '60s'")
        try:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        except psycopg.errors.LockNotAvailable as error:
            raise StorageUnavailable("another process is migrating the database; try again in a minute") from error
        if _is_current(connection, schema):
            return
    name = sql.Identifier(schema)
    if not _one(connection, "SELECT 1 FROM pg_namespace WHERE nspname = %s", schema):
        if not _one(connection, "SELECT has_database_privilege(current_database(), 'CREATE')"):
            raise StorageRefused(
                f"the database user may not create the schema {schema}; as its owner run: "
                f"CREATE SCHEMA {schema} AUTHORIZATION {connection.info.user}"
            )
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
    elif not _one(connection, "SELECT has_schema_privilege(%s, 'CREATE')", schema):
        raise StorageRefused(f"the database user may not create tables: GRANT CREATE, USAGE ON SCHEMA {schema}")
    connection.execute(_LEDGER)
    connection.execute(SCHEMA.read_bytes())
    connection.execute(
        "INSERT INTO schema_migrations (version, name, checksum) VALUES (%s, 'schema', %s)", (VERSION, checksum())
    )
    _make_role(connection, schema)


def _make_role(connection: psycopg.Connection[Any], schema: str) -> None:
    """Make the role that owns no table, where the user may; else the policies bind the owner too."""
    role, name = sql.Identifier(f"{schema}_app"), sql.Identifier(schema)
    exists = _one(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", f"{schema}_app")
    if not exists and not _one(
        connection, "SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user"
    ):
        return
    if not exists:
        connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(role))
        connection.execute(sql.SQL("GRANT {} TO current_user").format(role))
    for right in (
        "USAGE ON SCHEMA {0}",
        "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {0}",
        "USAGE ON ALL SEQUENCES IN SCHEMA {0}",
        "EXECUTE ON ALL FUNCTIONS IN SCHEMA {0}",
    ):
        connection.execute(sql.SQL("GRANT " + right + " TO {1}").format(name, role))


def _role_of(connection: psycopg.Connection[Any], schema: str) -> str | None:
    role = f"{schema}_app"
    found = _one(connection, "SELECT pg_has_role(rolname, 'MEMBER') FROM pg_roles WHERE rolname = %s", role)
    return role if found else None


def _register(connection: psycopg.Connection[Any], name: str) -> int:
    """Return the number of a store; a new one has its first rows."""
    found = _one(connection, "SELECT id FROM tenants WHERE name = %s", name)
    if found is None:
        connection.execute("INSERT INTO tenants (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,))
        found = _one(connection, "SELECT id FROM tenants WHERE name = %s", name)
    connection.execute("SELECT set_config('agentos.tenant', %s, true)", (str(found),))
    if not _one(connection, "SELECT 1 FROM numbers WHERE tenant = current_tenant()"):
        for statement in (
            "INSERT INTO numbers DEFAULT VALUES ON CONFLICT DO NOTHING",
            "INSERT INTO audit_head (id, seq, entries, hash) VALUES (1, 0, 0, '') ON CONFLICT DO NOTHING",
            "INSERT INTO store_identity (id, store_id) VALUES (1, replace(gen_random_uuid()::text, '-', '')) "
            "ON CONFLICT DO NOTHING",
        ):
            connection.execute(statement)
    return int(found)


def _one(connection: psycopg.Connection[Any], query: Any, *values: Any) -> Any:
    row = connection.execute(query, values).fetchone()
    return None if row is None else row[0]
