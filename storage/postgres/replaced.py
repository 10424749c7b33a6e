"""The schemas that restores put aside: an erased text may stand there still."""

import psycopg
from psycopg import sql

from ...modules.errors import StorageUnavailable
from .direct import connected, one

_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind = 'r' AND starts_with(n.nspname, $1) ORDER BY 1, 2"
)
_HOLDS = sql.SQL("SELECT EXISTS (SELECT 1 FROM {} held WHERE strpos(lower(held::text), lower($1)) > 0)")


def holding(url: str, schema: str, text: str) -> list[str]:
    """Return the tables of schemas put aside that hold a text, and those that this role may not search.

    Blocks. Raises StorageUnavailable.
    """
    try:
        with connected(url) as connection:
            connection.execute(b"SET row_security = off")  # rows that a policy hides are an error, never left out
            tables = connection.execute(_TABLES.encode(), (f"{schema}_replaced_",)).fetchall()
            return [f"{place}.{table}" for place, table in tables if _holds(connection, place, table, text)]
    except psycopg.Error as error:
        raise StorageUnavailable("what restores put aside cannot be searched; nothing is certified") from error


def _holds(connection: "psycopg.Connection[tuple[object, ...]]", schema: str, table: str, text: str) -> bool:
    try:
        return bool(one(connection, _HOLDS.format(sql.Identifier(schema, table)), text))
    except psycopg.errors.InsufficientPrivilege:
        return True  # nobody here can say that it is gone
