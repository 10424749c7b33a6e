"""The schema in a database: made, or brought to the one that this AgentOS knows, by numbered steps under a lock."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ...modules.errors import StorageRefused, StorageUnavailable
from . import failures

SCHEMA = Path(__file__).parent / "schema.sql"
MIGRATIONS = Path(__file__).parent / "migrations"
BASELINE = 14
"""The version of the schema's file, as SQLite counts them; each step after it has a file in `migrations`."""
OLDEST_SERVER = 160_000
CONNECT_S = 10
REHEARSAL_LOCK_S = 5
_NAME = re.compile(r"(\d{3})_(\w+)\.sql")
_LOCK = 0x6167656E746F73
_LEDGER = (
    "CREATE TABLE IF NOT EXISTS schema_migrations (version bigint PRIMARY KEY, name text NOT NULL, "
    "checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
)
_OPEN_TABLES = (
    "SELECT c.table_name FROM information_schema.columns c WHERE c.table_schema = current_schema() "
    "AND c.column_name = 'tenant' AND NOT EXISTS (SELECT 1 FROM pg_policies p WHERE p.schemaname = c.table_schema "
    "AND p.tablename = c.table_name)"
)
"""The tables of rows that no policy keeps apart yet."""


@dataclass(frozen=True)
class Step:
    """One step of the schema; `checksum` is the SHA-256 of the file, line ends unified."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load(folder: Path = MIGRATIONS) -> list[Step]:
    """Return every step, in order. Raises ValueError when their numbers have gaps."""
    steps = [Step(BASELINE, "schema", _text(SCHEMA))]
    for path in sorted(folder.glob("*.sql")):
        match = _NAME.fullmatch(path.name)
        if match is None or int(match[1]) != steps[-1].version + 1:
            raise ValueError(f"{path.name} is not named {steps[-1].version + 1:03}_name.sql")
        steps.append(Step(int(match[1]), match[2], _text(path)))
    return steps


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


def _nothing() -> None:
    """Keep no copy."""


@dataclass(frozen=True)
class Prepared:
    """A database that is ready: the store's number among the tenants, and the role to act as, None for one's own."""

    tenant: int
    role: str | None


def prepare(
    url: str,
    schema: str,
    tenant: str,
    keep_a_copy: Callable[[], object] = _nothing,
    steps: Sequence[Step] | None = None,
) -> Prepared:
    """Make the schema where it is missing, or migrate it, and find or register the tenant. Blocks.

    `keep_a_copy` is called before a schema is changed that holds something, while no other process may migrate it.
    Raises StorageUnavailable, and StorageRefused for a server, schema or rights that are not enough.
    """
    known = load() if steps is None else steps
    try:
        with _direct(url) as connection, _within(connection, schema):
            if outstanding(connection, schema, known):
                _migrate(connection, schema, known, keep_a_copy)
            role = role_of(partial(_one, connection), schema)
            return Prepared(_register(connection, tenant), role)
    except psycopg.Error as error:
        raise failures.translate(error) from error


def rehearse(url: str, schema: str, steps: Sequence[Step] | None = None) -> list[Step]:
    """Return the steps that a schema still needs, after all of them were tried in a transaction that is undone. Blocks.

    Meanwhile others wait for the tables that these change. Raises what `prepare` does.
    """
    known = load() if steps is None else steps
    owed: list[Step] = []
    try:
        with _direct(url) as connection, _within(connection, schema):
            connection.execute(f"SET LOCAL lock_timeout TO '{REHEARSAL_LOCK_S}s'")
            owed = outstanding(connection, schema, known)
            _apply(connection, schema, owed)
            raise psycopg.Rollback
    except psycopg.Error as error:
        raise failures.translate(error) from error
    return owed


@contextmanager
def _direct(url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_S, prepare_threshold=None) as connection:
        if connection.info.server_version < OLDEST_SERVER:
            raise StorageRefused("PostgreSQL 16 or newer is needed; upgrade the server, or name another")
        yield connection


@contextmanager
def _within(connection: psycopg.Connection[Any], schema: str) -> Iterator[None]:
    with connection.transaction():
        connection.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(sql.Identifier(schema)))
        yield


def outstanding(connection: psycopg.Connection[Any], schema: str, known: Sequence[Step]) -> list[Step]:
    """Return the steps that a schema still needs, all where there is none.

    Raises StorageRefused for one that this AgentOS does not know.
    """
    found = _one(connection, "SELECT to_regclass(%s)", f'"{schema}".schema_migrations')
    if found is None:
        taken = _one(
            connection,
            "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s",
            schema,
        )
        if taken:
            raise StorageRefused(f"the schema {schema} holds something else; set AGENTOS_DATABASE_SCHEMA to another")
        return list(known)
    applied = dict(connection.execute("SELECT version, checksum FROM schema_migrations").fetchall())
    newest, version = known[-1].version, max(applied, default=0)
    if version > newest:
        raise StorageRefused(f"the database has schema {version}, this AgentOS knows {newest}; upgrade AgentOS")
    if any(applied.get(step.version) != step.checksum for step in known if step.version <= version) or not applied:
        raise StorageRefused(f"the schema {schema} is not the one of this AgentOS; reinstall, or restore a backup")
    return [step for step in known if step.version > version]


def _migrate(
    connection: psycopg.Connection[Any], schema: str, known: Sequence[Step], keep_a_copy: Callable[[], object]
) -> None:
    """Take the lock, and make what is still outstanding then, all of it or nothing."""
    if not _one(connection, "SELECT pg_try_advisory_xact_lock(%s)", _LOCK):
        connection.execute("SET LOCAL lock_timeout TO '60s'")
        try:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        except psycopg.errors.LockNotAvailable as error:
            raise StorageUnavailable("another process is migrating the database; try again in a minute") from error
    owed = outstanding(connection, schema, known)
    if owed and owed[0].version > BASELINE:
        connection.execute("SET LOCAL idle_in_transaction_session_timeout TO 0")
        keep_a_copy()
    if owed:
        _apply(connection, schema, owed)


def _apply(connection: psycopg.Connection[Any], schema: str, owed: Sequence[Step]) -> None:
    """Make steps within a transaction, then see to rights and policies."""
    if not owed:
        return
    if owed[0].version == BASELINE:
        _make_schema(connection, schema)
    connection.execute(_LEDGER)
    for step in owed:
        connection.execute(step.sql.encode())
        connection.execute(
            "INSERT INTO schema_migrations (version, name, checksum) VALUES (%s, %s, %s)",
            (step.version, step.name, step.checksum),
        )
    for (table,) in connection.execute(_OPEN_TABLES).fetchall():
        for change in ("ENABLE ROW LEVEL SECURITY", "FORCE ROW LEVEL SECURITY"):
            connection.execute(sql.SQL("ALTER TABLE {} " + change).format(sql.Identifier(table)))
        policy = sql.SQL("CREATE POLICY of_tenant ON {} USING (tenant = current_tenant())")
        connection.execute(policy.format(sql.Identifier(table)))
    make_role(connection, schema)


def _make_schema(connection: psycopg.Connection[Any], schema: str) -> None:
    if not _one(connection, "SELECT 1 FROM pg_namespace WHERE nspname = %s", schema):
        if not _one(connection, "SELECT has_database_privilege(current_database(), 'CREATE')"):
            raise StorageRefused(
                f"the database user may not create the schema {schema}; as its owner run: "
                f"CREATE SCHEMA {schema} AUTHORIZATION {connection.info.user}"
            )
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    elif not _one(connection, "SELECT has_schema_privilege(%s, 'CREATE')", schema):
        raise StorageRefused(f"the database user may not create tables: GRANT CREATE, USAGE ON SCHEMA {schema}")


def make_role(connection: psycopg.Connection[Any], schema: str) -> None:
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


def role_of(asked: Callable[..., Any], schema: str) -> str | None:
    """Return the role that owns no table, where the user may act as it; `asked` gives the first value of a query."""
    role = f"{schema}_app"
    found = asked(f"SELECT pg_has_role(rolname, 'MEMBER') FROM pg_roles WHERE rolname = '{role}'")
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
