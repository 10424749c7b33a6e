"""Reads a store in PostgreSQL as it is, without making or changing anything; also one that cannot be opened."""

from typing import Any

import psycopg

from . import dialect, direct, rows
from .migrate import role_of

READ_WITHIN_MS = 30_000


class PostgresReader:
    """One connection for a whole examination, made at the first query; each query is a transaction of its own.

    Raises psycopg.Error.
    """

    def __init__(self, url: str, schema: str, tenant: str) -> None:
        self._url = url
        self.schema = schema
        self.tenant_name = tenant
        self._connection: psycopg.Connection[Any] | None = None

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """The connection, for what the server itself says; in no transaction."""
        if self._connection is None or self._connection.closed:
            self._connection = direct.connected(self._url)
            rows.adapt(self._connection)
        return self._connection

    def asked(self, sql: str, *parameters: Any) -> Any:
        """Return the first value of a query in PostgreSQL's own words, outside of any store; None without a row."""
        return direct.one(self.connection, sql, *parameters)

    def rows(self, sql: str, *parameters: Any) -> list[Any]:
        """Return all rows of one portable query of the store."""
        statement = dialect.spelled(sql)
        connection = self.connection
        with connection.transaction():
            connection.execute("SET TRANSACTION READ ONLY")
            self._set("search_path", f'"{self.schema}", public')
            self._set("statement_timeout", str(READ_WITHIN_MS))
            self._set(
                "agentos.tenant", str(self.asked("SELECT id FROM tenants WHERE name = $1", self.tenant_name) or 0)
            )
            self._set("role", role_of(connection, self.schema) or "none")
            return connection.execute(statement.sql.encode(), statement.values(parameters)).fetchall()

    def _set(self, name: str, value: str) -> None:
        self.connection.execute("SELECT set_config($1, $2, true)", (name, value))

    def one(self, sql: str, *parameters: Any) -> Any:
        """Return the first column of the first row."""
        return self.rows(sql, *parameters)[0][0]

    def has(self, table: str) -> bool:
        """Return whether the schema has such a table."""
        return direct.has_table(self.connection, self.schema, table)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
