"""A store's database beside the store, as tests look into it: on each engine by the same portable SQL."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from agentos.storage.sqlite import text_functions


@contextmanager
def sqlite_at_hand(database: Path) -> Iterator[Any]:
    with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        text_functions.add_to(connection)
        yield connection


class NamedTuple(tuple[Any, ...]):
    """A row that is equal to a tuple, and has names as SQLite's rows have."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, cursor: Any) -> Callable[[Sequence[Any]], "NamedTuple"]:
        names = tuple(column.name for column in cursor.description or ())

        def named(values: Sequence[Any]) -> NamedTuple:
            row = cls(values)
            row.names = names
            return row

        return named

    def keys(self) -> tuple[str, ...]:
        return self.names

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)


@contextmanager
def postgres_at_hand(url: str, schema: str, tenant: str) -> Iterator[Any]:
    import psycopg

    from agentos.storage.postgres import dialect, rows

    class Database:
        def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
            statement = dialect.spelled(sql)
            try:
                with connection.transaction():
                    return connection.execute(statement.sql.encode(), statement.values(parameters))
            except psycopg.IntegrityError as error:
                raise sqlite3.IntegrityError(str(error)) from error

    with psycopg.connect(url, cursor_factory=psycopg.RawCursor, row_factory=NamedTuple.of) as connection:
        rows.adapt(connection)
        connection.execute(f"SET search_path TO {schema}")
        connection.execute(
            "SELECT set_config('agentos.tenant', id::text, false) FROM tenants WHERE name = $1", (tenant,)
        )
        connection.execute(f"SET ROLE {schema}_app")
        yield Database()
