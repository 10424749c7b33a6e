"""A connection to the server itself, beside the pool: for the schema, the index, backups and checks."""

from typing import Any

import psycopg

CONNECT_S = 10
ANSWERED_BY = "SELECT pg_backend_pid()"
NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
"""The server's time, as the database stores times."""
POOLED = "a pooler lies before the server: changes of other daemons are found by looking, not by being told"
UNLIMITED = (
    "SELECT set_config(name, '0', $1) FROM pg_settings "
    "WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')"
)
"""What lets work of minutes go on under a role with limits, until the transaction's end or ($1 false) the session's."""


def connected(url: str) -> psycopg.Connection[Any]:
    """Connect, in no transaction; values are $1, $2. Blocks. Raises psycopg.Error."""
    return psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=CONNECT_S,
        prepare_threshold=None,
        cursor_factory=psycopg.RawCursor,
    )


def one(connection: psycopg.Connection[Any], query: Any, *values: Any) -> Any:
    """Return the first value of the first row; None without one. Blocks. Raises psycopg.Error."""
    row = connection.execute(query.encode() if isinstance(query, str) else query, values).fetchone()
    return None if row is None else row[0]


def has_table(connection: psycopg.Connection[Any], schema: str, table: str) -> bool:
    """Return whether a schema has a table. Blocks. Raises psycopg.Error."""
    return one(connection, "SELECT to_regclass($1)", f'"{schema}"."{table}"') is not None


def is_pooled(connection: psycopg.Connection[Any]) -> bool:
    """Return whether a pooler lies before the server: then another process answers than the connection names. Blocks.

    Raises psycopg.Error.
    """
    return bool(one(connection, ANSWERED_BY) != connection.info.backend_pid)
