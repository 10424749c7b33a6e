"""Takes every row of one store out of the tables that stores share, some thousand at a time."""

from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import sql

from .direct import one

AT_ONCE = 5_000
_TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY 1
"""
_REFERENCES = """
SELECT DISTINCT c.relname, r.relname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
JOIN pg_class r ON r.oid = k.confrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND k.contype = 'f'
"""
_COUNTERS = ("numbers", "text_statistics")
"""What triggers count in goes first: there is nothing to count any more."""


def act_for(connection: psycopg.Connection[Any], schema: str, tenant: int) -> None:
    """Let the rest of a transaction act for a store, and its triggers find their tables. Blocks."""
    connection.execute(
        "SELECT set_config('agentos.tenant', $1, true), set_config('search_path', $2, true)",
        (str(tenant), f'"{schema}", public'),
    )


def empty(connection: psycopg.Connection[Any], schema: str, tenant: int, but: str = "") -> dict[str, int]:
    """Delete all rows of a store, `but` those of one table, and return how many each table had. Blocks.

    Raises psycopg.Error. What was cut off goes on when this is called again.
    """
    return {
        table: count
        for table, is_whole in _in_order(connection, schema)
        if table != but and (count := _emptied(connection, schema, table, tenant, is_whole=is_whole))
    }


def left(connection: psycopg.Connection[Any], schema: str, tenant: int) -> dict[str, int]:
    """Return how many rows of a store each table has, where it has any. Blocks. Raises psycopg.Error."""
    with connection.transaction():
        act_for(connection, schema, tenant)
        counts = {table: one(connection, _counting(schema, table), tenant) for table in _tables(connection, schema)}
    return {table: count for table, count in counts.items() if count}


def _tables(connection: psycopg.Connection[Any], schema: str) -> list[str]:
    return [name for (name,) in connection.execute(_TABLES.encode(), (schema,)).fetchall()]


def _in_order(connection: psycopg.Connection[Any], schema: str) -> Iterator[tuple[str, bool]]:
    """Yield the tables, each before those that it refers to, and whether its rows refer to each other."""
    owed = [*_COUNTERS, *(name for name in _tables(connection, schema) if name not in _COUNTERS)]
    links = [(of, to) for of, to in connection.execute(_REFERENCES.encode(), (schema,)).fetchall() if of in owed]
    while owed:
        referred = {to for of, to in links if of in owed and of != to}
        free = [name for name in owed if name not in referred] or owed  # in a circle, rows go with what they refer to
        for name in free:
            yield name, (name, name) in links
        owed = [name for name in owed if name not in free]


def _emptied(connection: psycopg.Connection[Any], schema: str, table: str, tenant: int, *, is_whole: bool) -> int:
    place = sql.Identifier(schema, table)
    which = sql.SQL("tenant = $1" if is_whole else "ctid = ANY (ARRAY(SELECT ctid FROM {} WHERE tenant = $1 LIMIT {}))")
    statement = sql.SQL("DELETE FROM {} WHERE {}").format(place, which.format(place, sql.Literal(AT_ONCE)))
    total = 0
    while True:
        with connection.transaction():
            act_for(connection, schema, tenant)
            count = connection.execute(statement, (tenant,)).rowcount
        total += count
        if count == 0 or is_whole:
            return total


def _counting(schema: str, table: str) -> sql.Composed:
    return sql.SQL("SELECT count(*) FROM {} WHERE tenant = $1").format(sql.Identifier(schema, table))
