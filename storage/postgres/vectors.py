"""The vectors as pgvector's, and the index over them: a column that the database makes of the bytes, HNSW by dimension.

An index spans the vectors of one dimension of every store and model in the schema: stores have no indexes of their own,
as a thousand of them would be a thousand graphs. It is made once one store has so many vectors that comparing all of
them takes longer, without keeping writers out, and needs no upkeep from then on.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ...modules.errors import StorageUnavailable
from ...modules.memory.ports import IndexPhase, IndexState, IndexStatus
from ..engine.no_index import NoIndex
from . import failures
from .database import Postgres
from .direct import UNLIMITED, connected, one

EXACT_UP_TO = 5_000
"""The most vectors to compare exactly where an index is as good: about 40 ms."""
INDEXED_DIMENSIONS_MAX = 2_000
"""HNSW of pgvector takes no longer vectors of this type."""
OLDEST_PGVECTOR = (0, 8)
DIRECTIONS = Path(__file__).parent / "directions.sql"
_LOCK = 0x6167656E746F7376
LOCK_WAIT_S = 20
_NOT_TO_BE_HAD = (
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.UndefinedFile,
    psycopg.errors.FeatureNotSupported,
)

NEAR = "embeddings_near_%"
"""The names of the indexes, as LIKE knows them."""

log = logging.getLogger(__name__)


def index_name(dimension: int) -> str:
    """Return the name of the index over the vectors of a dimension."""
    return NEAR.replace("%", str(dimension))


def prepare(url: str, schema: str) -> str | None:
    """Let the table of vectors have the column that pgvector compares; return the extension's schema. Blocks.

    None where the server has no pgvector of 0.8 or newer, or the user may not have it: then vectors are compared here.
    Raises StorageUnavailable.
    """
    try:
        with connected(url) as connection:
            home = extension(connection)
            if home is None or _has_column(connection, schema):
                return home
            with connection.transaction():
                connection.execute(sql.SQL("SET LOCAL search_path TO {}, public").format(sql.Identifier(schema)))
                connection.execute(UNLIMITED.encode(), (True,))
                connection.execute(f"SET LOCAL lock_timeout TO '{LOCK_WAIT_S}s'")
                connection.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
                if not _has_column(connection, schema):
                    written = DIRECTIONS.read_text(encoding="utf-8").replace("{vector}", type_of(home))
                    connection.execute(written.encode())
            return home
    except psycopg.errors.InsufficientPrivilege as error:
        log.warning("vectors are compared without pgvector: %s", error)
        return None
    except psycopg.Error as error:
        raise failures.translate(error) from error


def type_of(home: str) -> str:
    """Return the name of pgvector's type, with the schema of the extension."""
    return f"{sql.Identifier(home).as_string()}.vector"


def extension(connection: psycopg.Connection[Any]) -> str | None:
    """Return the schema that pgvector is in; it is made where the user may. None without it."""
    query = (
        "SELECT n.nspname, e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
        "WHERE e.extname = 'vector'"
    )
    found = connection.execute(query).fetchone()
    if found is None:
        with suppress(*_NOT_TO_BE_HAD):
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        found = connection.execute(query).fetchone()
    if found is None or tuple(map(int, found[1].split(".")[:2])) < OLDEST_PGVECTOR:
        return None
    return str(found[0])


def _has_column(connection: psycopg.Connection[Any], schema: str) -> bool:
    query = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'direction' AND NOT attisdropped"
    return one(connection, query, f'"{schema}".embeddings') is not None


class DirectionIndex(NoIndex):
    """Implements `modules.memory.ports.VectorIndex`: it makes the index when it pays; the database keeps it up.

    Without pgvector there is none, and nothing to do.
    """

    def __init__(self, postgres: Postgres, *, has_pgvector: bool) -> None:
        self._postgres = postgres
        self._has_pgvector = has_pgvector
        self._generation = 0
        self._ready = False

    async def glance(self, generation: int) -> bool:
        return self._ready and generation == self._generation

    async def open(self, generation: int) -> IndexState:
        """Make the index if this store has enough vectors for it, or make a broken one again."""
        self._generation = generation
        state = await self.state()
        dimension = await self._dimension() if self._has_pgvector and state.count > EXACT_UP_TO else 0
        if 0 < dimension <= INDEXED_DIMENSIONS_MAX:
            self.status = replace(self.status, state=IndexPhase.BUILDING)
            try:
                await asyncio.to_thread(make_index, self._postgres.direct, self._postgres.schema, dimension)
            except StorageUnavailable as error:
                self.status = replace(self.status, state=IndexPhase.FAILED, problem=str(error))
                raise
        self._ready = True
        self.status = IndexStatus(IndexPhase.READY, state.applied, state.newest, state.count, None)
        return state

    async def catch_up(self, limit: int) -> int:
        """Note that the database has applied every change."""
        state = await self.state()
        self.status = replace(self.status, applied=state.applied, newest=state.newest, count=state.count)
        return 0

    async def state(self) -> IndexState:
        query = "SELECT count(*), coalesce(newest('index_outbox'), 0) FROM embeddings WHERE generation = ?"
        [row] = await self._postgres.read(query, (self._generation,))
        return IndexState(self._generation, int(row[1]), int(row[1]), int(row[0]))

    async def _dimension(self) -> int:
        query = "SELECT length(vector) / 4 FROM embeddings WHERE generation = ? LIMIT 1"
        rows = await self._postgres.read(query, (self._generation,))
        return int(rows[0][0]) if rows else 0


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
