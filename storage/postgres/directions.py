"""The vectors as pgvector's: a column that the database makes of the bytes, and the index over it, HNSW by dimension.

An index spans the vectors of one dimension of every store and model in the schema: stores have no indexes of their own,
as a thousand of them would be a thousand graphs. It is made once one store has so many vectors that comparing all of
them takes longer, without keeping writers out, and needs no upkeep from then on.
"""

import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ...modules import package_files
from . import failures
from .direct import UNLIMITED, connected, one

OLDEST_PGVECTOR = (0, 8)
DIRECTIONS = Path(__file__).parent / "directions.sql"
_LOCK = 0x6167656E746F7376
_NOT_TO_BE_HAD = (
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.UndefinedFile,
    psycopg.errors.FeatureNotSupported,
    psycopg.errors.ReadOnlySqlTransaction,
)
_EXTENSION = (
    "SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
    "WHERE e.extname = 'vector'"
)
NEAR = "embeddings_near_%"
"""The names of the indexes, as LIKE knows them."""

log = logging.getLogger(__name__)


def index_name(dimension: int) -> str:
    """Return the name of the index over the vectors of a dimension."""
    return NEAR.replace("%", str(dimension))


def prepare(connection: psycopg.Connection[Any], schema: str) -> str | None:
    """Let the table of vectors have the column that pgvector compares, in a transaction in its schema. Blocks.

    Returns the extension's schema; None where the server has no pgvector of 0.8 or newer, or the user may not have it:
    then vectors are compared by us. Raises psycopg.Error.
    """
    home = extension(connection)
    if home is None or _has_column(connection, schema):
        return home
    try:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
            if not _has_column(connection, schema):
                written = package_files.text(DIRECTIONS).replace("{vector}", type_of(home))
                connection.execute(written.encode())
    except _NOT_TO_BE_HAD as error:
        log.warning("vectors are compared without pgvector: %s", error)
        return None
    return home


def there(connection: psycopg.Connection[Any], schema: str) -> str | None:
    """Return the schema of pgvector where the table of vectors has its column; nothing is made. Blocks."""
    home = _extension(connection)
    return home if home is not None and _has_column(connection, schema) else None


def type_of(home: str) -> str:
    """Return the name of pgvector's type, with the schema of the extension."""
    return f"{sql.Identifier(home).as_string()}.vector"


def extension(connection: psycopg.Connection[Any]) -> str | None:
    """Return the schema that pgvector is in; it is made where the user may. None without it."""
    if connection.execute(_EXTENSION).fetchone() is None:
        with suppress(*_NOT_TO_BE_HAD), connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    return _extension(connection)


def _extension(connection: psycopg.Connection[Any]) -> str | None:
    found = connection.execute(_EXTENSION).fetchone()
    if found is None or tuple(map(int, found[1].split(".")[:2])) < OLDEST_PGVECTOR:
        return None
    return str(found[0])


def _has_column(connection: psycopg.Connection[Any], schema: str) -> bool:
    query = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'direction' AND NOT attisdropped"
    return one(connection, query, f'"{schema}".embeddings') is not None


def make_index(url: str, schema: str, dimension: int) -> None:
    """Make the index of a dimension where it is missing or broken, while others write. Blocks, for minutes.

    Does nothing while another process makes it. Raises StorageUnavailable.
    """
    try:
        with connected(url) as connection:
            lock = (_LOCK & 0x7FFFFFFF, dimension)
            home = extension(connection)
            if home is None or not one(connection, "SELECT pg_try_advisory_lock($1, $2)", *lock):
                return
            try:
                connection.execute(UNLIMITED.encode(), (False,))
                _make_index(connection, schema, dimension, home)
            finally:
                connection.execute("SELECT pg_advisory_unlock($1, $2)", lock)
    except psycopg.Error as error:
        raise failures.translate(error) from error


def _make_index(connection: psycopg.Connection[Any], schema: str, dimension: int, home: str) -> None:
    name = sql.Identifier(schema, index_name(dimension))
    valid = one(connection, "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", name.as_string())
    if valid:
        return
    if valid is False:  # what was cut off is not used by anybody
        connection.execute(sql.SQL("DROP INDEX CONCURRENTLY {}").format(name))
    operators = sql.Identifier(home, "vector_cosine_ops").as_string()
    connection.execute(
        f"CREATE INDEX CONCURRENTLY {sql.Identifier(index_name(dimension)).as_string()} "
        f"ON {sql.Identifier(schema, 'embeddings').as_string()} "
        f"USING hnsw ((direction::{type_of(home)}({dimension})) {operators}) "
        f"WHERE length(vector) = {4 * dimension}".encode()
    )


def indexes(connection: psycopg.Connection[Any], schema: str) -> list[tuple[str, bool]]:
    """Return the indexes over vectors, each with whether it is whole. Blocks."""
    return connection.execute(
        "SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = to_regclass($1) AND c.relname LIKE $2 ORDER BY 1",
        (f'"{schema}".embeddings', NEAR),
    ).fetchall()
